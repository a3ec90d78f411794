//! Executions: what the search of concrete states and runs at random find, and whether a trace of the
//! abstraction is one.

use sapa_ir::goto::MemoryModel;
use sapa_limits::Phase;
use sapa_passes::transform::store_buffers::{OVERFLOW, has_forgotten};

use super::Loop;
use crate::abstraction::TraceEdge;
use crate::automaton::leaf::Leaf;
use crate::cegar::reason::Reason;
use crate::cegar::report::{DecidedBy, Failure, Proof, Verdict};
use crate::cegar::simulate::{Simulation, TraceGuard, simulate};
use crate::cegar::unfollowed;
use crate::cegar::unmodelled::{fails_anyway, needed, reason};
use crate::execution::counterexample::{Candidate, Counterexample, candidate, failing};
use crate::execution::explore::{Explored, FIRST_PAUSE, trace};
use crate::execution::followed::{Guide, follow};
use crate::execution::original::{Extent, recorded};
use crate::execution::replay::{Departure, replay};
use crate::solver::Solver;

/// What a trace of the abstraction is.
pub(super) enum Execution {
    /// One that decides: it fails, as the interpreter confirms, or it does if a value that is not
    /// modelled is as chosen, which is noted in [`Loop::undecided`].
    Answer(Verdict),
    /// None; for these reasons ([`Simulation::Infeasible`]).
    Infeasible { core: Vec<TraceGuard>, values: Vec<Vec<(Leaf, u128)>> },
    /// Perhaps one, and why that is not known.
    Unclear(Reason),
}

/// Most states of the search for an execution of the program without buffers in its code.
const SEARCHED: usize = 1 << 16;

/// The same where the code has more runs than the program, so that there need be none.
const SEARCHED_FOR_MORE: usize = 1 << 11;

impl Loop<'_> {
    /// What concrete exploration finds, if it is its turn or `finally`.
    pub(super) fn explored(&mut self, finally: bool) -> Option<Verdict> {
        if !self.options.abstraction.mode.is_sound() {
            return None;
        }
        let (work, limits) = (self.work(), &self.options.limits);
        if !self.explorer.is_due(work, finally) {
            return None;
        }
        let (module, automaton) = (self.abstractor.module, self.abstractor.automaton);
        // What a search finds is short.
        match self.explorer.search(module, automaton, work, limits, finally) {
            Some(Explored::Failure(trace)) => self.confirmed(&trace, DecidedBy::ConcreteSearch),
            Some(Explored::Execution(found)) => {
                let (counterexample, by) = (Box::new(found), DecidedBy::ConcreteSearch);
                Some(Verdict::Failed(Failure { counterexample, by }))
            }
            Some(Explored::AllRuns(..)) if self.options.certified => None,
            Some(Explored::AllRuns(threads, assumed)) => {
                self.assumed = assumed;
                Some(Verdict::Successful(Proof { threads, by: DecidedBy::ConcreteSearch }))
            }
            None if work >= FIRST_PAUSE || finally => self.sampled(),
            None => None,
        }
    }

    /// A failure of a run at random, if there were none yet. Where others have their turns too, such runs
    /// are theirs.
    pub(super) fn sampled(&mut self) -> Option<Verdict> {
        if !self.options.abstraction.mode.is_sound() || self.most.is_some() {
            return None;
        }
        let (module, automaton) = (self.abstractor.module, self.abstractor.automaton);
        let threads = self.options.threads;
        let failure = self.explorer.sample(module, &self.options.limits)?;
        // With buffers in the code it is to be one of the program without.
        if module.memory == MemoryModel::Sc
            && let Some(found) = recorded(module, &failure, threads)
        {
            let (counterexample, by) = (Box::new(found), DecidedBy::RandomRuns);
            return Some(Verdict::Failed(Failure { counterexample, by }));
        }
        let run = failure.execute(module, threads.limit())?;
        self.confirmed(&trace(module, automaton, &run)?, DecidedBy::RandomRuns)
    }

    /// The execution that a candidate is; where buffers were put into the program, one of the program
    /// without, in which stores wait.
    fn replayed(&self, candidate: &Candidate) -> Result<Counterexample, Departure> {
        let (module, options) = (self.abstractor.module, &self.options);
        let _phase = options.limits.enter(Phase::Replay);
        let executed = replay(module, options.threads, candidate)?;
        let Some(original) = options.original.as_ref().filter(|_| module.memory != MemoryModel::Sc)
        else {
            return Ok(executed);
        };
        // What does not fit into a buffer is a question about the code with buffers only.
        if module.operation(executed.location) == Some(OVERFLOW) {
            return Ok(executed);
        }
        let guide = Guide::new(module, self.abstractor.automaton, candidate, &executed);
        let values = guide.values();
        follow(original, options.threads, guide).or_else(|departure| {
            let started = Some(executed.most_started as usize);
            let states = if has_forgotten(module) { SEARCHED_FOR_MORE } else { SEARCHED };
            let extent = Extent { values, started, states, steps: states << 7 };
            let found = original.explore(options.threads, &extent, &options.limits).failure;
            found
                .and_then(|failure| original.record(&failure, options.threads))
                .ok_or_else(|| Departure::WithoutBuffers(Box::new(departure)))
        })
    }

    /// What a trace of a concrete run says of the program, after its replay.
    fn confirmed(&mut self, trace: &[TraceEdge], by: DecidedBy) -> Option<Verdict> {
        match self.execute(trace, by) {
            Execution::Answer(answer) => Some(answer),
            // The abstraction may still find what this was meant to be.
            Execution::Infeasible { .. } | Execution::Unclear(_) => None,
        }
    }

    /// Simulates a trace, and replays it if it is feasible.
    pub(super) fn execute(&mut self, trace: &[TraceEdge], by: DecidedBy) -> Execution {
        let limits = self.options.limits.clone();
        let _phase = limits.enter(Phase::Simulation);
        let mut solver = self.abstractor.strengthener.solver();
        let execution = self.execute_with(trace, by, &mut solver);
        self.abstractor.strengthener.count(&solver);
        execution
    }

    fn execute_with(
        &mut self,
        trace: &[TraceEdge],
        by: DecidedBy,
        solver: &mut Solver,
    ) -> Execution {
        let threads = self.options.threads;
        let abstractor = &mut self.abstractor;
        let (module, automaton) = (abstractor.module, abstractor.automaton);
        let Some(property) = failing(automaton, trace) else {
            return Execution::Unclear(Reason::NoAssertion);
        };
        let choices = match simulate(&mut abstractor.symbols, automaton, trace, solver) {
            Simulation::Feasible(choices) => choices,
            Simulation::Infeasible { core, values } => {
                return Execution::Infeasible { core, values };
            }
            Simulation::Unknown => return Execution::Unclear(Reason::HardTrace),
        };
        let candidate = candidate(automaton, trace, property, &choices);
        let found = match self.replayed(&candidate) {
            Ok(found) => found,
            Err(departure) => {
                let reason = unfollowed::reason(module, automaton, trace);
                return Execution::Unclear(reason.unwrap_or(Reason::NotReplayed(departure)));
            }
        };
        let abstractor = &mut self.abstractor;
        let is_followed = self.options.original.is_some() && module.memory != MemoryModel::Sc;
        let needed = needed(abstractor, (trace, &choices), is_followed, solver);
        if needed.is_empty() || fails_anyway(abstractor, (threads, &candidate), &choices, solver) {
            let counterexample = Box::new(found);
            return Execution::Answer(Verdict::Failed(Failure { counterexample, by }));
        }
        let reason = reason(module, (&found.property, found.location), needed);
        self.undecided = Some((property, reason.clone()));
        Execution::Answer(Verdict::Inconclusive(reason.into()))
    }
}
