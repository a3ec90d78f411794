//! The Boolean program of a round, and what engines say of it.

use std::time::Instant;

use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_limits::{Phase, Stopped, memory};

use super::{End, FIRST_TURN, Found, Loop, SAT_CALL};
use crate::abstraction::{Abstractor, Origins, PredicateId};
use crate::cegar::attempt::{Attempt, few, grow};
use crate::cegar::doubt::{Doubt, suspected};
use crate::cegar::observed::{Made, Seen};
use crate::cegar::reason::{Reason, Search, Suspected};
use crate::cegar::report::{DecidedBy, Proof, Verdict};
use crate::check::{
    self, Answer, CheckOptions, Engine, Outcome, SafeFor, ThreadBound, UnknownReason, auto,
    explicit,
};

/// Calls of the SAT solver in an abstraction before the concrete search has its turn, doubled from one
/// turn to the next.
const ABSTRACTION_SLICE: u64 = 1 << 12;

impl Loop<'_> {
    /// A trace of the attempt's abstraction that fails.
    pub(super) fn abstract_and_check(&mut self, attempt: &mut Attempt) -> Result<Found, End> {
        let options = self.options.clone();
        let round = self.number;
        let mut made: Option<(FlatProgram, Origins)> = None;
        // With few threads at first, and with more as long as the program is safe: spurious traces
        // with few threads are found sooner and are as good to refine with.
        let mut doubt: Option<Doubt> = None;
        loop {
            let settings = &mut self.abstractor.options;
            settings.max_cube_length = attempt.max_cube_length;
            if let ThreadBound::Bounded(threads) = attempt.threads {
                settings.mode = settings.mode.with_threads(threads);
            }
            let expanded = settings.mode.expanded();
            // Whether the program is safe for any number of threads was tried with the first; an
            // expanded program is for its number only.
            let again = made.is_some() || expanded.is_some();
            let engine = match &doubt {
                Some(doubt) => doubt.engine,
                None if options.engine == &auto::ENGINE && again => &explicit::ENGINE,
                None => options.engine,
            };
            let program = match made.take().filter(|_| expanded.is_none()) {
                Some(made) => made,
                None => self.abstracted(&attempt.vocabulary)?,
            };
            let (flat, origins) = made.insert(program);
            let unbounded =
                attempt.threads != options.threads && attempt.threads == ThreadBound::Unbounded;
            let (threads, turn) = match &doubt {
                Some(doubt) => (doubt.threads, Some(doubt.work)),
                None => (attempt.threads, Some(FIRST_TURN).filter(|_| unbounded)),
            };
            let outcome = self.checked(engine, flat, threads, turn);
            if let Some(doubt) = &mut doubt {
                doubt.work = doubt.work.saturating_sub(outcome.statistics.work);
            }
            let by = outcome.decided_by().unwrap_or_default();
            let is_over = self.left() == Some(0);
            match outcome.answer {
                Answer::Safe { threads, .. } => {
                    // An expanded program has no more threads than it was made for.
                    let threads = expanded.map_or(threads, SafeFor::Threads);
                    let goes_on = match &mut doubt {
                        Some(doubt) => doubt.grow(),
                        None => {
                            matches!(threads, SafeFor::Threads(_))
                                && grow(&mut attempt.threads, options.threads)
                        }
                    };
                    if goes_on {
                        continue;
                    }
                    // With all threads that were asked for it is a proof.
                    return Err(match doubt.filter(|doubt| doubt.threads != options.threads) {
                        Some(doubt) => End::Stuck(doubt.without_run(round)),
                        None => {
                            let by = DecidedBy::Engine(by);
                            End::Answer(Verdict::Successful(Proof { threads, by }))
                        }
                    });
                }
                Answer::Unknown(_) | Answer::Imprecise(_)
                    if unbounded && !is_over && !self.is_late() =>
                {
                    attempt.threads = few(options.threads);
                }
                Answer::Imprecise(suspect)
                    if expanded.is_none() && attempt.suspects > 0 && !suspect.steps.is_empty() =>
                {
                    let edges = origins.edges_of_suspect(flat, &suspect.steps);
                    let Abstractor { module, automaton, .. } = self.abstractor;
                    let seen = Seen { module, automaton, trace: &edges };
                    self.observer.trace(self.number, &seen);
                    return Ok(Found { edges, by: outcome.engine.name, suspected: true });
                }
                Answer::Imprecise(suspect) if expanded.is_none() => {
                    let Abstractor { module, automaton, .. } = self.abstractor;
                    let what = suspected(suspect, (flat, origins), automaton, module);
                    doubt = Some(Doubt::new(what, options.threads, FIRST_TURN));
                }
                Answer::Imprecise(suspect) => {
                    let (what, search) = (Suspected::State(suspect), Search::None);
                    return Err(End::Stuck(Reason::NotExcluded { round, what, search }));
                }
                Answer::Unknown(reason)
                    if reason.exceeded().is_none()
                        && !is_over
                        && doubt.as_mut().is_some_and(Doubt::change_engine) => {}
                Answer::Unknown(_) if is_over => return Err(End::Interrupted),
                Answer::Unknown(reason) => {
                    return Err(End::Stuck(match (reason, doubt) {
                        (UnknownReason::Exceeded(why), _) => {
                            let phase = Some(Phase::ModelChecking(Some(round)));
                            Reason::Stopped(Stopped { why, phase })
                        }
                        (reason, Some(doubt)) => doubt.cut_off(round, reason),
                        (reason, None) => Reason::Engine { round, reason },
                    }));
                }
                Answer::Failing { trace, .. } => {
                    let edges = origins.edges(flat, &trace);
                    let Abstractor { module, automaton, .. } = self.abstractor;
                    let seen = Seen { module, automaton, trace: &edges };
                    self.observer.trace(self.number, &seen);
                    return Ok(Found { edges, by, suspected: false });
                }
            }
        }
    }

    /// The Boolean program over a vocabulary.
    fn abstracted(&mut self, vocabulary: &[PredicateId]) -> Result<(FlatProgram, Origins), End> {
        let limits = self.options.limits.clone();
        let start = Instant::now();
        let _phase = limits.enter(Phase::Abstraction(self.number));
        self.abstractor.strengthener.set_limits(&limits);
        let mut slice = ABSTRACTION_SLICE;
        let abstraction = loop {
            // Searches that came to their end are kept, so that nothing but one search of each
            // worker is done again after the concrete search had its turn.
            let calls = self.left().map_or(slice, |left| slice.min(left / SAT_CALL));
            self.abstractor.strengthener.set_budget(Some(calls));
            let abstraction = self.abstractor.program(vocabulary);
            let is_over = self.left().is_some_and(|left| left < SAT_CALL);
            if abstraction.is_some() || self.is_late() || is_over {
                break abstraction;
            }
            self.explore_meanwhile()?;
            slice = slice.saturating_mul(2);
        };
        self.abstractor.strengthener.set_budget(None);
        self.figures.abstraction += start.elapsed();
        self.figures.sat_calls = self.abstractor.strengthener.sat_calls();
        let abstraction = abstraction.ok_or_else(|| match limits.stopped() {
            Some(stopped) => End::Stuck(Reason::Stopped(stopped)),
            None => End::Interrupted,
        })?;
        let Abstractor { module, automaton, .. } = self.abstractor;
        self.cubes.clone_from(&abstraction.cubes);
        let predicates = &self.predicates;
        let made = Made { module, predicates, automaton, abstraction: &abstraction };
        self.observer.abstraction(self.number, &made);
        let _phase = limits.enter(Phase::Flattening);
        let options = FlattenOptions { limits: limits.clone(), ..FlattenOptions::default() };
        let flat = flatten(&abstraction.program, &options)
            .map_err(|error| End::Stuck(Reason::WrongProgram(error)))?;
        Ok((flat, abstraction.origins))
    }

    /// What an engine says of a Boolean program; it may do `most` work, and no more than is left.
    fn checked(
        &mut self,
        engine: &'static Engine,
        program: &FlatProgram,
        threads: ThreadBound,
        most: Option<u64>,
    ) -> Outcome {
        let limits = &self.options.limits;
        let start = Instant::now();
        let _phase = limits.enter(Phase::ModelChecking(Some(self.number)));
        let memory = limits.memory();
        let options = CheckOptions {
            limits: limits.clone(),
            max_work: self.left().into_iter().chain(most).min(),
            memory_limit: memory.map(|all| all.saturating_sub(memory::resident().unwrap_or(0))),
            partial_order_reduction: true,
            ..CheckOptions::new(threads)
        };
        let outcome = check::check(engine, program, &options, &mut |progress| {
            self.observer.checking(progress)
        });
        self.figures.checking += start.elapsed();
        self.figures.states = self.figures.states.max(outcome.statistics.states);
        self.checked_work = self.checked_work.saturating_add(outcome.statistics.work);
        outcome
    }
}
