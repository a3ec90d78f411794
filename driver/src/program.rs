//! A program, and what is done with it.

use std::path::Path;

use sapa_backend::cegar::coverage::{self, Assertion, Coverage, Proved};
use sapa_backend::cegar::{self, DecidedBy, Report, Verdict};
use sapa_backend::check::{SafeFor, ThreadBound};
use sapa_frontend::diagnostic::Diagnostic;
use sapa_frontend::{Compiled, predicates};
use sapa_ir::goto::{Location, MemoryModel, Module, verify};
use sapa_limits::Phase;
use sapa_passes::transform::{invariants, recursion};
use sapa_passes::{Observer, Pipeline, Properties};

use crate::claims::Claims;
use crate::error::Error;
use crate::options::{BufferBound, Options, PredicateFile};
use crate::{allocations, ladder, relaxed};

/// How much is done for a proof that a certificate can be made of, beside the one that there is: about a minute.
const MOST_WORK_FOR_CERTIFICATE: u64 = 1 << 32;

/// A program as it was read, before any pass but those that assert what is asked of it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program.
    pub module: Module,
    /// What the frontend warns of.
    pub warnings: Vec<Diagnostic>,
    /// Which property its assertions are of.
    pub claims: Claims,
    /// The first place where it allocates what does not end with its call, if a run may come to one.
    pub allocates: Option<Location>,
    /// The module without assertions of what is asked, where that is more than one property.
    pub(crate) unasserted: Option<Box<Module>>,
}

/// A program that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The module after the passes, with the vocabulary that the loop ended with.
    pub module: Module,
    /// The answer.
    pub report: Report,
    /// The memory model that it holds under.
    pub model: MemoryModel,
    /// For which store buffers it holds; under sequential consistency there are none.
    pub buffers: Buffers,
}

/// Store buffers that an answer holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// Of any size.
    Any,
    /// Of any size, as nobody sees that a store waits: the program is robust.
    Robust,
    /// With room for this number of stores: of a thread under TSO, of a thread and a place under PSO.
    AtMost(u32),
}

impl Buffers {
    /// Those that a module has in its code.
    fn of(module: &Module) -> Self {
        module.room.map_or(Self::Any, Self::AtMost)
    }
}

impl Program {
    /// A program that is a module already, and sound. It gets assertions of what is asked of it.
    ///
    /// # Errors
    /// If a pass that asserts what is asked cannot treat it.
    pub fn new(mut module: Module, options: &Options) -> Result<Self, Error> {
        // What is given as a fact is not taken for one.
        module.invariants.clear();
        module.signed_overflow = options.signed_overflow.unwrap_or(module.signed_overflow);
        let pipelines = options.properties.pipelines();
        let unasserted = (pipelines.len() > 1).then(|| Box::new(module.clone()));
        let program = Self::asserting(module, options.properties.pipeline(), options)?;
        Ok(Self { unasserted, ..program })
    }

    /// A program with the assertions that passes of properties make.
    fn asserting(mut module: Module, pipeline: Pipeline, options: &Options) -> Result<Self, Error> {
        let allocates = allocations::first(&module);
        let (warnings, unasserted) = (Vec::new(), None);
        match Claims::assert(pipeline, &mut module, &options.limits) {
            Ok(claims) => Ok(Self { module, warnings, claims, allocates, unasserted }),
            Err(error) => Err(Error::refused(module, error)),
        }
    }

    /// The program with the assertions of one property each, if more than one is asked for: what is asserted for one is in
    /// the way of a proof of the others.
    ///
    /// # Errors
    /// If a pass that asserts one cannot treat it.
    pub fn property_by_property(
        &self,
        options: &Options,
    ) -> Result<Vec<(&'static str, Self)>, Error> {
        let Some(module) = &self.unasserted else { return Ok(Vec::new()) };
        let of = |(name, pipeline): (&'static str, Pipeline)| {
            Ok((name, Self::asserting((**module).clone(), pipeline, options)?))
        };
        options.properties.pipelines().into_iter().map(of).collect()
    }

    /// Compiles and links files: C sources, or goto binaries in any container.
    ///
    /// # Errors
    /// If they are wrong.
    pub fn compile(files: &[impl AsRef<Path>], options: &Options) -> Result<Self, Error> {
        let files: Vec<_> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        Self::compiled(sapa_frontend::compile(&files, &options.frontend()), options)
    }

    /// Compiles one input from memory: C, or a goto binary.
    ///
    /// # Errors
    /// If it is wrong.
    pub fn compile_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Self, Error> {
        Self::compiled(sapa_frontend::compile_bytes(name, bytes, &options.frontend()), options)
    }

    fn compiled(
        result: Result<Compiled, Vec<Diagnostic>>,
        options: &Options,
    ) -> Result<Self, Error> {
        let Compiled { module, warnings } = result.map_err(Error::Sources)?;
        let phase = options.limits.enter(Phase::Verifying);
        if let Err(errors) = verify(&module) {
            return Err(Error::Unsound(Box::new(module), errors));
        }
        drop(phase);
        Ok(Self { warnings, ..Self::new(module, options)? })
    }

    /// The module that the loop begins with: after the passes, with the predicates to start with.
    ///
    /// # Errors
    /// If a pass cannot treat the program, or the predicates do not fit it.
    pub fn lowered(
        &self,
        options: &Options,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Module, Error> {
        let mut module = self.module.clone();
        let mut pipeline = options.pipeline.clone();
        let is_sequential = [options.memory.unwrap_or_default(), module.memory]
            .iter()
            .all(|model| *model == MemoryModel::Sc);
        if !is_sequential || options.abstraction.mode != Default::default() {
            // The store buffer of a thread would be left behind at a recursive call, and other modes
            // are about a number of threads, which those of calls are not among.
            pipeline.steps.retain(|step| step.pass.name != recursion::PASS.name);
        }
        // What is known of overflow is known without buffers, which no pass behind it may add.
        let steps = pipeline.steps.len();
        for (at, step) in pipeline.steps.iter_mut().enumerate() {
            if step.pass.name == invariants::PASS.name {
                let is_last = at + 1 == steps;
                step.options.set_switch(invariants::LET_WRAP, is_sequential && is_last);
            }
        }
        if options.certified {
            // What it finds is proved by it alone.
            pipeline.steps.retain(|step| step.pass.name != invariants::PASS.name);
        }
        let run = pipeline.run_within(&mut module, observers, &options.limits);
        if let Err(error) = run {
            return Err(Error::refused(module, error));
        }
        if let Some(given) = &options.predicates {
            add_predicates(&mut module, given)?;
        }
        Ok(module)
    }

    /// Runs the passes and the loop.
    ///
    /// # Errors
    /// As those of [`lowered`](Self::lowered), or if the backend does not model what is left.
    pub fn check(
        &self,
        options: &Options,
        observer: &mut dyn cegar::Observer,
    ) -> Result<Checked, Error> {
        self.check_lowered(self.lowered(options, &mut []), options, observer)
    }

    /// The same, given what [`lowered`](Self::lowered) has come to: another engine may have an answer
    /// where the passes of the abstraction have none.
    ///
    /// # Errors
    /// As those of [`check`](Self::check).
    pub fn check_lowered(
        &self,
        lowered: Result<Module, Error>,
        options: &Options,
        observer: &mut dyn cegar::Observer,
    ) -> Result<Checked, Error> {
        ladder::check(self, lowered, options, observer)
    }

    /// Looks for a proof that a certificate can be made of: by the abstraction alone, under sequential
    /// consistency, without what a pass finds to hold. `None` if there can be none.
    ///
    /// # Errors
    /// As those of [`check`](Self::check).
    pub fn check_certified(
        &self,
        options: &Options,
        observer: &mut dyn cegar::Observer,
    ) -> Result<Option<Checked>, Error> {
        let memory = options.memory.unwrap_or(self.module.memory);
        if memory != MemoryModel::Sc || recursion::has_calls_as_threads(&self.module) {
            return Ok(None);
        }
        let options = Options { certified: true, ..options.clone() };
        let module = self.lowered(&options, &mut [])?;
        if recursion::has_calls_as_threads(&module) {
            return Ok(None);
        }
        let most = Some(MOST_WORK_FOR_CERTIFICATE);
        Checked::refined(module, options.refinement(), most, observer).map(Some)
    }

    /// The assertions of the source. The passes copy and drop them.
    #[must_use]
    pub fn assertions(&self) -> Vec<Assertion> {
        coverage::assertions(&self.module)
    }

    /// As if nothing were known of which assertions runs come to. `None` if there are none, since what is asked of the
    /// program besides its own has no place of its own to come to.
    #[must_use]
    pub fn nothing_covered(&self, options: &Options) -> Option<Coverage> {
        let assertions = self.assertions();
        let is_own = options.properties == Properties::default();
        (is_own || !assertions.is_empty()).then(|| Coverage::unknown(assertions))
    }

    /// Which assertions runs come to, where the program was proved by a sound mode with these
    /// options.
    #[must_use]
    pub fn coverage(&self, checked: &Checked, options: &Options) -> Option<Coverage> {
        let safe = checked.safe_for(options)?;
        self.nothing_covered(options)?;
        let threads = match safe {
            SafeFor::AllThreads => ThreadBound::Unbounded,
            SafeFor::Threads(threads) => ThreadBound::Bounded(threads),
        };
        let passes =
            |module: &mut Module| options.pipeline.run_within(module, &mut [], &options.limits);
        // What runs come to in a program of which others hold anything says nothing.
        let is_reduced =
            matches!(checked.report.verdict.decided_by(), Some(DecidedBy::OneOfMany(_)));
        let own = is_reduced.then(|| self.lowered(options, &mut []).ok());
        let module = match &own {
            None => &checked.module,
            Some(lowered) => lowered.as_ref()?,
        };
        let program = Proved { module, original: &self.module, passes: &passes };
        let refinement = cegar::Options { threads, ..options.refinement() };
        let work = checked.report.work;
        Some(coverage::coverage(program, self.assertions(), refinement, work))
    }
}

impl Checked {
    /// Runs the loop on what [`Program::lowered`] gives, under the memory model that is asked for.
    ///
    /// # Errors
    /// If the backend, or a pass that makes buffers a part of the code, cannot treat it, or if the code
    /// has buffers already, and others are asked for.
    pub fn new(
        module: Module,
        options: &Options,
        observer: &mut dyn cegar::Observer,
    ) -> Result<Self, Error> {
        match (options.memory, module.memory) {
            (Some(model @ (MemoryModel::Tso | MemoryModel::Pso)), MemoryModel::Sc) => {
                relaxed::check(module, (model, None), options, observer)
            }
            (asked, has) => {
                let is_other = asked.is_some_and(|model| model != has);
                let is_bounded = options.buffers != BufferBound::Auto;
                if has != MemoryModel::Sc && (is_other || is_bounded) {
                    return Err(Error::HasBuffers(has));
                }
                Self::as_it_is(module, options, observer)
            }
        }
    }

    /// Runs the loop on a module whose buffers, if it has any, are a part of its code.
    pub(crate) fn as_it_is(
        module: Module,
        options: &Options,
        observer: &mut dyn cegar::Observer,
    ) -> Result<Self, Error> {
        Self::refined(module, options.refinement(), None, observer)
    }

    /// The same with settings of the loop, and no more work than `most`.
    pub(crate) fn refined(
        mut module: Module,
        options: cegar::Options,
        most: Option<u64>,
        observer: &mut dyn cegar::Observer,
    ) -> Result<Self, Error> {
        match cegar::run_within(&mut module, options, most, observer) {
            Ok(report) => {
                let (model, buffers) = (module.memory, Buffers::of(&module));
                Ok(Self { module, report, model, buffers })
            }
            Err(error) => Err(Error::refused(module, error)),
        }
    }

    /// What the answer takes for granted, but for what was proved with these options too. What the orders of accesses mean is what the memory model says
    /// that the answer holds under: the loop may have come to it on code without buffers.
    #[must_use]
    pub fn notes(&self, options: &Options) -> Vec<String> {
        let mut notes = self.report.notes.clone();
        notes.retain(|note| note != MemoryModel::STRONGER_ORDERS);
        let is_noted = notes.len() < self.report.notes.len();
        // An answer is about the program: failures were not believed.
        notes.retain(|note| note != recursion::CALLS_AS_THREADS);
        let left = notes.iter().filter_map(|note| options.properties.left_of(note));
        let mut notes: Vec<String> = left.map(str::to_owned).collect();
        if self.model == MemoryModel::Pso && options.properties.has("pointers") {
            // It is asked where the store is executed, not where it reaches memory.
            notes.push("assuming that stores reach memory before their objects end".to_owned());
        }
        if self.model == MemoryModel::Sc && (is_noted || self.module.has_weak_orders()) {
            notes.push(MemoryModel::STRONGER_ORDERS.to_owned());
        }
        notes
    }

    /// With how many threads no assertion fails, if that was proved, and by a sound mode.
    #[must_use]
    pub fn safe_for(&self, options: &Options) -> Option<SafeFor> {
        match &self.report.verdict {
            Verdict::Successful(proof) if options.abstraction.mode.is_sound() => {
                Some(proof.threads)
            }
            _ => None,
        }
    }
}

/// Adds predicates to a module's vocabulary, but for those that are there. Names are those of the
/// module as it is.
///
/// # Errors
/// What is wrong with them; then none is added.
pub fn add_predicates(module: &mut Module, given: &PredicateFile) -> Result<(), Error> {
    let parsed = predicates::parse(module, &given.text, &given.name)
        .map_err(|errors| Error::Predicates(given.clone(), errors))?;
    for predicate in parsed {
        if !module.predicates.iter().any(|known| known.expression == predicate.expression) {
            module.predicates.push(predicate);
        }
    }
    Ok(())
}
