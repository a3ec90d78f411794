//! All that can be said about a run.

use std::path::PathBuf;

use sapa_backend::abstraction::Mode;
use sapa_backend::automaton::Interruptions;
use sapa_backend::check::{Engine, ThreadBound, auto};
use sapa_backend::{abstraction, cegar};
use sapa_frontend::Outside;
use sapa_frontend::c::preprocess::PreprocessorOptions;
use sapa_ir::goto::{Atomicity, MemoryModel, SignedOverflow};
use sapa_limits::Limits;
use sapa_passes::{Pipeline, Properties};

/// All that can be said about a run. The defaults are those of `sapa check`.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the preprocessor is told: definitions and search paths.
    pub preprocessor: PreprocessorOptions,
    /// Name of the entry function; `main` if `None`.
    pub entry: Option<String>,
    /// What one step of a thread is, for programs that are compiled; a module says it itself.
    pub atomicity: Atomicity,
    /// What is outside the program, for programs that are compiled.
    pub outside: Outside,
    /// C files with stubs: functions that are taken where the program has none of their names.
    pub stubs: Vec<PathBuf>,
    /// What signed overflow does; what the module says if `None`.
    pub signed_overflow: Option<SignedOverflow>,
    /// What is asked of the program.
    pub properties: Properties,
    /// Whether it is also asked that something points to what is allocated until it is freed (SV-COMP's `valid-memtrack`), which no
    /// pass asserts: only of programs that allocate nothing is it known.
    pub memtrack: bool,
    /// The passes before the loop.
    pub pipeline: Pipeline,
    /// In which order other threads may see the stores of a thread; `None` for what the module says,
    /// which may have buffers in its code already.
    pub memory: Option<MemoryModel>,
    /// How many stores may wait in a buffer.
    pub buffers: BufferBound,
    /// Predicates to start with.
    pub predicates: Option<PredicateFile>,
    /// Who looks for the answer.
    pub method: Method,
    /// How many threads may exist at once besides the initial one.
    pub threads: ThreadBound,
    /// The model checker.
    pub engine: &'static Engine,
    /// How mixed predicates are abstracted, and the length of cubes.
    pub abstraction: abstraction::Options,
    /// Most rounds of refinement.
    pub iterations: usize,
    /// Whether a proof is preferred that a certificate can be made of: one by the abstraction alone, without
    /// the invariants that a pass finds.
    pub certified: bool,
    /// How long to go on, in all stages.
    pub limits: Limits,
}

/// Who looks for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The abstraction and the bounded engine in turns, where the latter has anything to say.
    Turns,
    /// The abstraction alone.
    Abstraction,
    /// The bounded engine alone: with this many rounds of each loop at most, or with more and more.
    Bounded(Option<u32>),
}

/// How many stores may wait in a buffer: of a thread under TSO, of a thread and a place under PSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferBound {
    /// Any number. Bounds are found by which that is proved, if they are needed.
    Auto,
    /// This number at most: one more waits for room.
    AtMost(u32),
}

/// Predicates as text, one a line, over the names of the module after the passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateFile {
    /// Its name in errors.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            preprocessor: PreprocessorOptions::default(),
            entry: None,
            atomicity: Atomicity::default(),
            outside: Outside::default(),
            stubs: Vec::new(),
            signed_overflow: None,
            properties: Properties::default(),
            memtrack: false,
            pipeline: Pipeline::default(),
            memory: None,
            buffers: BufferBound::Auto,
            predicates: None,
            method: Method::Turns,
            threads: ThreadBound::Unbounded,
            engine: &auto::ENGINE,
            abstraction: abstraction::Options::default(),
            iterations: 50,
            certified: false,
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// The part of the frontend.
    #[must_use]
    pub fn frontend(&self) -> sapa_frontend::Options {
        sapa_frontend::Options {
            preprocessor: self.preprocessor.clone(),
            entry: self.entry.clone(),
            atomicity: self.atomicity,
            limits: self.limits.clone(),
            outside: self.outside,
            stubs: self.stubs.clone(),
        }
    }

    /// Where threads may be interrupted: who re-checks a certificate knows of no step that commutes, other modes are those of
    /// papers, and what is known under sequential consistency is made predicates and cubes over store buffers of, before
    /// which a thread may be interrupted everywhere.
    fn interruptions(&self) -> Interruptions {
        let is_sequential = self.memory.unwrap_or_default() == MemoryModel::Sc;
        let is_plain = self.abstraction.mode == Mode::default();
        match is_sequential && is_plain && !self.certified {
            true => Interruptions::WhereSeen,
            false => Interruptions::Everywhere,
        }
    }

    /// The part of the loop.
    #[must_use]
    pub fn refinement(&self) -> cegar::Options {
        cegar::Options {
            threads: self.threads,
            engine: self.engine,
            abstraction: abstraction::Options {
                arguments: self.abstraction.arguments && !self.certified,
                ..self.abstraction
            },
            iterations: self.iterations,
            limits: self.limits.clone(),
            original: None,
            interruptions: self.interruptions(),
            certified: self.certified,
        }
    }
}
