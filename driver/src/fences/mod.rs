//! All minimal sets of fences with which a program is right under a memory model with buffers.
//!
//! A failing execution is one of the program with other fences too, unless one of them is at a place
//! that [would have stopped it](clause): so each set that suffices has one of these places. What
//! remains are the minimal sets that have a place of each failing execution ([`hitting`]). They are
//! checked, smaller ones first, until all that remain are proved; these are the minimal sets, as
//! whatever suffices contains one of them, and without one of its fences each leaves an execution
//! that fails. (After Kuperstein, Vechev, Yahav, "Automatic Inference of Memory Fences", FMCAD 2010,
//! who avoid failing executions of a bounded program; and Reiter's hitting sets, 1987.)

mod clause;
mod hitting;

use std::collections::BTreeSet;

use sapa_backend::cegar::{self, Failure, Proof, Report, Verdict};
use sapa_ir::goto::{Function, MemoryModel, Module, Op};
use sapa_passes::transform::store_buffers::{self, Candidate, Place};

use self::hitting::HittingSets;
use crate::error::Error;
use crate::options::Options;
use crate::program::{Buffers, Checked, Program};
use crate::relaxed;

/// Who wants to know how the search gets on.
pub trait Watcher {
    /// Who wants to know how each check gets on.
    fn observer(&mut self) -> &mut dyn cegar::Observer;
    /// The program is checked with fences at places; `number` counts the checks from 1.
    fn checks(&mut self, number: usize, fences: &[&Candidate]) {
        let _ = (number, fences);
    }
    /// One more set of fences suffices; what is known so far.
    fn proved(&mut self, fences: &Fences) {
        let _ = fences;
    }
}

impl Watcher for cegar::Silent {
    fn observer(&mut self) -> &mut dyn cegar::Observer {
        self
    }
}

/// What is known of a program's fences.
#[derive(Debug)]
pub struct Fences {
    /// What the search has come to.
    pub found: Found,
    /// The answer under sequential consistency.
    pub sequential: Checked,
    /// The places for fences: behind each store that may wait and that the source has a place for. None
    /// is looked for where nobody sees that a store waits.
    pub candidates: Vec<Candidate>,
    /// How many times the program was checked under the memory model, with some fences.
    pub checks: usize,
    /// The executions that fail with some fences.
    pub refuted: Vec<Refuted>,
    /// The sets of fences with which it was proved right, smaller ones first.
    pub sufficient: Vec<Sufficient>,
    /// Sets of which it is not known whether they suffice, and what was found out about them.
    pub undecided: Vec<Open>,
}

/// An execution that fails although there are fences.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// The fences.
    pub fences: BTreeSet<Place>,
    /// The module that it is an execution of, with buffers, and the execution.
    pub checked: Box<Checked>,
    /// The places where one fence more would stop it.
    pub stopped_by: BTreeSet<Place>,
}

/// A set of fences that suffices.
#[derive(Clone, Debug)]
pub struct Sufficient {
    /// The fences.
    pub fences: BTreeSet<Place>,
    /// The answer with them.
    pub checked: Box<Checked>,
}

/// A set of fences of which it is not known whether it suffices.
#[derive(Debug)]
pub struct Open {
    /// The fences.
    pub fences: BTreeSet<Place>,
    /// What was found out.
    pub answer: Result<Box<Checked>, Error>,
}

/// What the search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It fails without any store that waits.
    FailsSequentially,
    /// It fails whatever fences there are: no fence stops the last of [`Fences::refuted`].
    NothingHelps,
    /// [`Fences::sufficient`] has all minimal sets, and no others.
    All,
    /// There may be other sets that suffice, also smaller ones.
    Undecided,
}

impl Refuted {
    /// The execution, and what found it.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        failure(&self.checked.report)
    }
}

fn failure(report: &Report) -> Option<&Failure> {
    match &report.verdict {
        Verdict::Failed(failure) => Some(failure),
        _ => None,
    }
}

impl Sufficient {
    /// For how many threads it suffices, and what proved it.
    #[must_use]
    pub fn proof(&self) -> Option<Proof> {
        match self.checked.report.verdict {
            Verdict::Successful(proof) => Some(proof),
            _ => None,
        }
    }
}

impl Fences {
    /// An execution that fails with a set of fences but for one; the shortest, if there are
    /// several. `None` if it is not known whether the set suffices without.
    #[must_use]
    pub fn without(&self, fences: &BTreeSet<Place>, one: Place) -> Option<&Refuted> {
        let fails =
            |refuted: &&Refuted| refuted.stopped_by.intersection(fences).all(|place| *place == one);
        let length = |refuted: &&Refuted| {
            refuted.failure().map_or(usize::MAX, |failure| failure.counterexample.rows.len())
        };
        self.refuted.iter().filter(fails).min_by_key(length)
    }
}

impl Program {
    /// Finds all minimal sets of fences with which the program is right under the memory model of
    /// the options, as long as the limits hold.
    ///
    /// # Errors
    /// If a pass or the backend cannot treat the program without fences.
    ///
    /// # Panics
    /// If the memory model has no buffers.
    pub fn fences(&self, options: &Options, watcher: &mut dyn Watcher) -> Result<Fences, Error> {
        let Some(model @ (MemoryModel::Tso | MemoryModel::Pso)) = options.memory else {
            panic!("no store waits under sequential consistency");
        };
        let lowered = self.lowered(options, &mut [])?;
        let sequential = Checked::as_it_is(lowered.clone(), options, watcher.observer())?;
        let found = match sequential.report.verdict {
            Verdict::Failed(_) => Found::FailsSequentially,
            _ => Found::Undecided,
        };
        let mut fences = Fences {
            found,
            sequential,
            candidates: Vec::new(),
            checks: 0,
            refuted: Vec::new(),
            sufficient: Vec::new(),
            undecided: Vec::new(),
        };
        if !matches!(fences.sequential.report.verdict, Verdict::Successful(_)) {
            return Ok(fences);
        }
        if relaxed::is_robust(&lowered, model, options) {
            // Nobody sees that a store waits: there is nothing for fences to keep.
            fences.sequential.model = model;
            fences.sequential.buffers = Buffers::Robust;
            let checked = Box::new(fences.sequential.clone());
            fences.sufficient.push(Sufficient { fences: BTreeSet::new(), checked });
            fences.found = Found::All;
            watcher.proved(&fences);
            return Ok(fences);
        }
        // With room for one store, each that may wait does so somewhere.
        let pass = "k=1,overflow=wait";
        let buffered = relaxed::buffered(lowered.clone(), model, pass, &options.limits)?;
        fences.candidates = store_buffers::places(&self.module, &buffered);
        let mut search = Search { program: self, model, lowered, options, watcher, fences };
        search.fences.found = search.run();
        Ok(search.fences)
    }
}

struct Search<'s> {
    program: &'s Program,
    model: MemoryModel,
    /// The module after the passes, without buffers and without new fences.
    lowered: Module,
    options: &'s Options,
    watcher: &'s mut dyn Watcher,
    fences: Fences,
}

impl Search<'_> {
    fn run(&mut self) -> Found {
        let all: BTreeSet<Place> = self.fences.candidates.iter().map(|c| c.place).collect();
        // Each set that suffices has a place of each failing execution. Where it is not known
        // whether a set suffices, others are looked for that have some other place.
        let mut sets = HittingSets::default();
        loop {
            let is_new = |set: &&BTreeSet<Place>| {
                !self.fences.sufficient.iter().any(|known| known.fences == **set)
            };
            let Some(set) = sets.iter().find(is_new).cloned() else { break };
            if self.options.limits.is_exceeded() {
                return Found::Undecided;
            }
            match self.decide(set.clone()) {
                Decided::Suffices => self.watcher.proved(&self.fences),
                Decided::Fails(stopped_by) if stopped_by.is_empty() => return Found::NothingHelps,
                Decided::Fails(stopped_by) => sets.add(&stopped_by),
                Decided::Open => {
                    // What cannot be proved with all fences will not be with fewer.
                    if self.fences.undecided.len() == 1 && set != all {
                        match self.decide(all.clone()) {
                            Decided::Suffices => drop(self.fences.sufficient.pop()),
                            Decided::Fails(_) => return Found::NothingHelps,
                            Decided::Open => return Found::Undecided,
                        }
                    }
                    sets.add(&all.difference(&set).copied().collect());
                }
            }
        }
        match self.fences.undecided.is_empty() {
            true => Found::All,
            false => Found::Undecided,
        }
    }

    /// Checks the program with fences at places, and keeps what is found out.
    fn decide(&mut self, fences: BTreeSet<Place>) -> Decided {
        match self.check(&fences) {
            Ok(checked) => match &checked.report.verdict {
                Verdict::Successful(_) => {
                    self.fences.sufficient.push(Sufficient { fences, checked });
                    Decided::Suffices
                }
                Verdict::Failed(failure) => {
                    let stopped_by = self.stopping(failure, &fences);
                    let refuted = Refuted { fences, checked, stopped_by: stopped_by.clone() };
                    self.fences.refuted.push(refuted);
                    Decided::Fails(stopped_by)
                }
                Verdict::Inconclusive(_) => {
                    self.fences.undecided.push(Open { fences, answer: Ok(checked) });
                    Decided::Open
                }
            },
            Err(error) => {
                self.fences.undecided.push(Open { fences, answer: Err(error) });
                Decided::Open
            }
        }
    }

    fn check(&mut self, fences: &BTreeSet<Place>) -> Result<Box<Checked>, Error> {
        self.fences.checks += 1;
        let candidates = self.fences.candidates.iter().filter(|c| fences.contains(&c.place));
        self.watcher.checks(self.fences.checks, &candidates.collect::<Vec<_>>());
        let module = store_buffers::insert(&self.program.module, fences);
        let (claims, allocates) = (self.program.claims.clone(), self.program.allocates);
        let (warnings, unasserted) = (Vec::new(), None);
        let program = Program { module, warnings, claims, allocates, unasserted };
        let mut module = program.lowered(self.options, &mut [])?;
        // What proves it under sequential consistency is said in terms of this code.
        if without_fences(&module) == without_fences(&self.lowered) {
            module.predicates.clone_from(&self.fences.sequential.module.predicates);
            module.cubes.clone_from(&self.fences.sequential.report.cubes);
        }
        let (options, proved) = (self.options, &self.fences.sequential);
        let known = (proved, false);
        let observer = self.watcher.observer();
        relaxed::with_buffers(module, (self.model, None), options, observer, known).map(Box::new)
    }

    /// The places where a fence more would stop a failing execution, and those that it may come to
    /// without a trace of it. Those of the fences that the program has do not, as it is an execution
    /// with them.
    fn stopping(&self, failure: &Failure, fences: &BTreeSet<Place>) -> BTreeSet<Place> {
        let stores = clause::stopping(&failure.counterexample.acts);
        let stores: BTreeSet<Place> = stores.into_iter().filter_map(Place::behind).collect();
        let candidates = self.fences.candidates.iter();
        candidates
            .filter(|candidate| candidate.is_uncertain || !candidate.stores.is_disjoint(&stores))
            .map(|candidate| candidate.place)
            .filter(|place| !fences.contains(place))
            .collect()
    }
}

/// What is known of a set of fences.
enum Decided {
    /// With it nothing fails.
    Suffices,
    /// There is an execution that fails, which a fence more at one of these places would stop.
    Fails(BTreeSet<Place>),
    /// Nothing.
    Open,
}

/// The code of a module but for its fences, and the sections that these may stand in.
fn without_fences(module: &Module) -> Vec<Function> {
    let mut functions = module.functions.clone();
    for function in &mut functions {
        function.retain(|_, instruction| {
            !matches!(instruction.op, Op::Fence { .. } | Op::AtomicBegin(_) | Op::AtomicEnd)
        });
    }
    functions
}
