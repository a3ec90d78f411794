//! The loop: abstract, check, simulate, refine.

use std::collections::BTreeSet;

use sapa_ir::goto::{Cube, Module, Predicate};
use sapa_limits::Phase;
use sapa_passes::analysis::thread_bound::most_started;
use sapa_passes::transform::recursion::has_calls_as_threads;

use super::attempt::{Attempt, MOST_SUSPECTS, first_threads};
use super::draws::accompany;
use super::expression::predicate;
use super::observed::Learned;
use super::path::Followed;
use super::reason::{Impassable, Inseparable, Reason, Reasons};
use super::refine::{Spurious, Values, refine, simplest};
use super::report::{DecidedBy, Iteration, Observer, Options, Proof, Report, Verdict};
use super::select::{CALLS, FIRST_CALLS};
use super::simulate::{TraceGuard, counts_rounds};
use super::stand::exclude_standing;
use super::steps::exclude_steps;
use super::suffix::{Nearer, nearer};
use crate::abstraction::{Abstractor, GivenUp, Mode, PredicateId, TraceEdge};
use crate::automaton::leaf::Symbols;
use crate::automaton::{Automaton, AutomatonError, Effect, build};
use crate::check::{SafeFor, ThreadBound, auto};
use crate::execution::counterexample::places;
use crate::execution::explore::Explorer;
use crate::execution::name::is_of_source;
use crate::execution::{Counterexample, Place};
use crate::solver::TermId;
use concrete::Execution;

mod checking;
mod concrete;

/// Runs the loop on a module whose calls are inlined and whose synchronisation
/// is lowered. New predicates are added to the module's vocabulary.
///
/// # Errors
/// If the module has a construct that the backend does not model.
pub fn run(
    module: &mut Module,
    options: Options,
    observer: &mut dyn Observer,
) -> Result<Report, AutomatonError> {
    run_within(module, options, None, observer)
}

/// As [`run`], where abstraction, checking and refinement together may do `most` work, in units of
/// [`Statistics::work`](crate::check::Statistics::work).
///
/// # Errors
/// As those of [`run`].
pub fn run_within(
    module: &mut Module,
    options: Options,
    most: Option<u64>,
    observer: &mut dyn Observer,
) -> Result<Report, AutomatonError> {
    let mut symbols = Symbols::default();
    let mut automaton = build::build(&mut symbols, module, options.interruptions, &options.limits)?;
    let mut notes = automaton.notes.clone();
    let limits = options.limits.clone();
    let started = {
        let _phase = limits.enter(Phase::Automaton);
        most_started(module, &limits)
    };
    // A program that is expanded over its threads says nothing of more.
    let asked = match (options.abstraction.mode.expanded(), options.threads) {
        (Some(threads), ThreadBound::Unbounded) => ThreadBound::Bounded(threads),
        (_, asked) => asked,
    };
    // Those of recursive calls do not count, so that a bound would leave runs out.
    let has_calls = has_calls_as_threads(module);
    let asked = if has_calls { ThreadBound::Unbounded } else { asked };
    let options = Options { threads: asked, ..options };
    // With a bound that no run reaches, no start ever waits: the answer holds for all runs.
    let holds_for = match (options.threads, started) {
        (ThreadBound::Bounded(asked), Some(started)) if started <= asked => ThreadBound::Unbounded,
        (asked, _) => asked,
    };
    let any_number = options.threads == ThreadBound::Unbounded && options.engine == &auto::ENGINE;
    let options = match started.filter(|_| holds_for == ThreadBound::Unbounded) {
        Some(started) => Options { threads: ThreadBound::Bounded(started), ..options },
        None => options,
    };
    let mut iterations = Vec::new();
    let mut work: u64 = 0;
    // Why the answers about assertions are not known that were found to fail perhaps.
    let mut undecided: Vec<Reason> = Vec::new();
    loop {
        let mut abstractor = Abstractor::new(symbols, module, &automaton, options.abstraction);
        abstractor.strengthener.set_limits(&limits);
        let mut refinement = Loop {
            abstractor,
            options: options.clone(),
            predicates: module.predicates.clone(),
            cubes: Vec::new(),
            iterations,
            observer: &mut *observer,
            checked_work: 0,
            most: most.map(|most| most.saturating_sub(work)),
            undecided: None,
            any_number,
            assumed: BTreeSet::new(),
            explorer: Explorer::new(options.threads, options.original.clone()),
            given_up: GivenUp::default(),
            number: 0,
            figures: Iteration::default(),
            end: None,
        };
        let verdict = if automaton.properties.is_empty() {
            // Without assertions there is nothing that could fail.
            Verdict::Successful(Proof { threads: SafeFor::AllThreads, by: DecidedBy::NoAssertion })
        } else if !module.invariants.is_empty() && !automaton.may_fail() {
            Verdict::Successful(Proof { threads: SafeFor::AllThreads, by: DecidedBy::Invariants })
        } else {
            refinement.run()
        };
        work = work.saturating_add(refinement.whole_work());
        let given_up = refinement.given_up_reason();
        let Loop { abstractor, predicates, cubes, undecided: open, assumed, .. } = refinement;
        let assumed = assumed.into_iter().filter(|&note| !notes.iter().any(|known| known == note));
        let assumed: Vec<String> = assumed.map(str::to_owned).collect();
        notes.extend(assumed);
        iterations = refinement.iterations;
        symbols = abstractor.symbols;
        module.predicates = predicates;
        if let Some((property, reason)) = open {
            // The other assertions may fail in any case. Copies of one have the same reason.
            if !undecided.contains(&reason) {
                undecided.push(reason);
            }
            automaton.ignore(property);
            continue;
        }
        let verdict = match verdict {
            Verdict::Failed(found) if has_calls => {
                let Counterexample { property, location, .. } = *found.counterexample;
                let at = Place::new(module, location);
                Verdict::Inconclusive(Reason::RecursiveCalls { property, at }.into())
            }
            Verdict::Failed(found) => Verdict::Failed(found),
            Verdict::Successful(proof) if undecided.is_empty() => {
                // Where no run starts more, it is for all.
                let threads = holds_for.limit().map_or(SafeFor::AllThreads, |_| proof.threads);
                Verdict::Successful(Proof { threads, ..proof })
            }
            Verdict::Successful(_) => Verdict::Inconclusive(Reasons(undecided)),
            Verdict::Inconclusive(Reasons(reasons)) => {
                match limits.stopped() {
                    // Whatever did not come to its end then.
                    Some(stopped) => undecided.push(Reason::Stopped(stopped)),
                    None => undecided.extend(reasons),
                }
                undecided.extend(given_up);
                Verdict::Inconclusive(Reasons(undecided))
            }
        };
        let threads = holds_for;
        // Threads that calls are start where the program starts none.
        let started = started.filter(|_| !has_calls);
        return Ok(Report { verdict, iterations, notes, work, threads, started, cubes });
    }
}

/// How much an attempt works before the other has its turn, in units of [`Statistics::work`](crate::check::Statistics::work):
/// some seconds. By the clock, what is found would depend on the machine and on what else it does.
const FIRST_TURN: u64 = 1 << 28;

/// The work of a call of the SAT solver.
const SAT_CALL: u64 = 1 << 12;

/// How many times longer each turn is than the one before: what a turn's end interrupts is lost.
const LONGER: u64 = 3;

/// How a round ends that leaves nothing refined to go on with.
enum End {
    /// With an answer.
    Answer(Verdict),
    /// The attempt's turn was over before.
    Interrupted,
    /// Without a way on, and why.
    Stuck(Reason),
}

/// A trace of the abstraction that fails.
struct Found {
    edges: Vec<TraceEdge>,
    /// What found it ([`Outcome::decided_by`](crate::check::Outcome::decided_by)).
    by: &'static str,
    /// Whether it is one of an over-approximation, and perhaps not one of the Boolean program.
    suspected: bool,
}

/// The loop at work.
struct Loop<'a> {
    abstractor: Abstractor<'a>,
    options: Options,
    /// The vocabulary of the last round, as it is written.
    predicates: Vec<Predicate>,
    /// The cubes that its Boolean program reads.
    cubes: Vec<Cube>,
    iterations: Vec<Iteration>,
    observer: &'a mut dyn Observer,
    /// The work of the model checks so far.
    checked_work: u64,
    /// How much work to do at most.
    most: Option<u64>,
    /// An assertion that may fail or not, as a value that is not modelled is: its index, and why.
    undecided: Option<(u32, Reason)>,
    /// Whether the bound on threads is one that the program has, and not one that was asked for: a
    /// proof for any number may be easier then than one for many.
    any_number: bool,
    explorer: Explorer,
    /// What a proof by the explorer assumes besides.
    assumed: BTreeSet<&'static str>,
    /// What was given up when that was last reported.
    given_up: GivenUp,
    /// The round, counted from 1, and its figures so far.
    number: usize,
    figures: Iteration,
    /// At how much work its abstraction and checking are interrupted.
    end: Option<u64>,
}

impl Loop<'_> {
    /// The work so far, in units of [`Statistics::work`](crate::check::Statistics::work).
    fn work(&self) -> u64 {
        let calls = self.abstractor.strengthener.effort();
        self.checked_work.saturating_add(calls.saturating_mul(SAT_CALL))
    }

    /// The same with that of refinement. Turns are not measured by it: predicates are chosen to the
    /// end in each.
    fn whole_work(&self) -> u64 {
        let calls = self.abstractor.strengthener.whole_effort();
        self.checked_work.saturating_add(calls.saturating_mul(SAT_CALL))
    }

    /// How much work is left of all, if that is bounded.
    fn allowed(&self) -> Option<u64> {
        self.most.map(|most| most.saturating_sub(self.whole_work()))
    }

    /// Whether all work is done that may be.
    fn is_spent(&self) -> bool {
        self.allowed().is_some_and(|allowed| allowed < SAT_CALL)
    }

    /// What was given up so far, if anything was.
    fn given_up_reason(&self) -> Option<Reason> {
        let all = Some(self.abstractor.strengthener.given_up()).filter(|all| !all.is_empty())?;
        let names = all.variables.iter().filter_map(|&variable| self.written(variable));
        let names = names.map(|predicate| predicate.text).filter(|name| is_of_source(name));
        let names: BTreeSet<String> = names.collect();
        Some(Reason::GivenUp(all, names.into_iter().collect()))
    }

    /// A term as predicates are written, if it can be.
    fn written(&self, term: TermId) -> Option<Predicate> {
        let Abstractor { symbols, module, automaton, .. } = &self.abstractor;
        predicate(symbols, module, automaton, term)
    }

    /// Predicates as they are written: those that were given as they were.
    fn write(&self, vocabulary: &[PredicateId]) -> Vec<Predicate> {
        let write = |&id: &PredicateId| match self.abstractor.module.predicates.get(id.0 as usize) {
            Some(given) => given.clone(),
            None => self
                .written(self.abstractor.predicates.term(id))
                .expect("what cannot be written is no candidate"),
        };
        vocabulary.iter().map(write).collect()
    }

    /// Tells the observer what was given up, if that is more than before.
    fn report_given_up(&mut self) {
        let now = self.abstractor.strengthener.given_up();
        if now != self.given_up
            && let Some(reason) = self.given_up_reason()
        {
            self.observer.gave_up(&reason.to_string());
            self.given_up = now;
        }
    }

    /// Whether traces have buffers that the program, as it is simulated, has not.
    fn is_naive(&self) -> bool {
        matches!(self.options.abstraction.mode, Mode::Naive { .. })
    }

    fn is_late(&self) -> bool {
        self.options.limits.is_exceeded()
    }

    /// How much work is left for abstraction and checking in this round, if that is bounded.
    fn left(&self) -> Option<u64> {
        self.end.map(|end| end.saturating_sub(self.work()))
    }

    /// Lets the concrete search have its turn, if it is its turn.
    fn explore_meanwhile(&mut self) -> Result<(), End> {
        self.explored(false).map_or(Ok(()), |found| Err(End::Answer(found)))
    }

    fn run(&mut self) -> Verdict {
        let options = self.options.clone();
        let mut attempts = [false, true].map(|values_first| Attempt {
            vocabulary: self.abstractor.given(),
            threads: first_threads(&options, self.any_number),
            max_cube_length: options.abstraction.max_cube_length,
            rounds: 0,
            values_first,
            suspects: MOST_SUSPECTS,
            stuck: None,
        });
        let mut current = 0;
        let mut turn = FIRST_TURN;
        let mut left = turn;
        for number in 1..=options.iterations {
            if let Some(stopped) = options.limits.stopped() {
                return Verdict::Inconclusive(Reason::Stopped(stopped).into());
            }
            let allowed = self.allowed();
            if self.is_spent() {
                return Verdict::Inconclusive(Reason::WorkLimit.into());
            }
            if let Some(found) = self.explored(false) {
                return found;
            }
            if (left == 0 || attempts[current].stuck.is_some())
                && attempts[1 - current].stuck.is_none()
            {
                turn = turn.saturating_mul(LONGER);
                current = 1 - current;
                left = turn;
            }
            // The other attempt's turn does not come if it has no way on, or would only do the same.
            let [first, second] = &attempts;
            let alone = attempts[1 - current].stuck.is_some() || first.is_as_far_as(second);
            let limit = Some(left).filter(|_| !alone);
            let limit = limit.into_iter().chain(allowed).min();
            let attempt = &mut attempts[current];
            let before = self.work();
            self.number = number;
            self.end = limit.map(|limit| before.saturating_add(limit));
            let round = self.round(attempt);
            left = left.saturating_sub(self.work() - before);
            match round {
                Ok(()) => {}
                Err(End::Interrupted) => left = 0,
                Err(End::Answer(answer)) => return answer,
                // The model has the trace as a run: there is no other way. Who takes turns with others has
                // them look at concrete runs.
                Err(End::Stuck(reason @ Reason::Unfollowed(_))) => {
                    let found = self.most.is_none().then(|| self.explored(true)).flatten();
                    return found.unwrap_or(Verdict::Inconclusive(reason.into()));
                }
                // Perhaps it is what was given up that is missing.
                Err(End::Stuck(_))
                    if !self.is_late() && self.abstractor.strengthener.try_harder() => {}
                Err(End::Stuck(reason)) => {
                    attempt.stuck = Some(reason.clone());
                    if attempts.iter().all(|attempt| attempt.stuck.is_some()) {
                        let found = self.explored(true);
                        return found.unwrap_or(Verdict::Inconclusive(reason.into()));
                    }
                }
            }
        }
        Verdict::Inconclusive(Reason::Iterations(options.iterations).into())
    }

    /// One round: abstraction, checking and refinement.
    fn round(&mut self, attempt: &mut Attempt) -> Result<(), End> {
        attempt.rounds += 1;
        self.predicates = self.write(&attempt.vocabulary);
        self.cubes.clear();
        self.observer.iteration(self.number, &self.predicates);
        self.figures = Iteration { predicates: self.predicates.len(), ..Iteration::default() };
        let found = self.abstract_and_check(attempt);
        self.iterations.push(self.figures);
        self.report_given_up();
        let found = found?;
        // Refinement is not cut off by a turn's end: worse predicates would stay.
        self.abstractor.strengthener.set_limits(&self.options.limits);
        // The end of all work does.
        let left = self.allowed().map(|allowed| allowed / SAT_CALL);
        self.abstractor.strengthener.set_most(left);
        let refined = match self.follow(&found, attempt) {
            // Perhaps the Boolean program has another run that says more.
            Err(End::Stuck(_)) if found.suspected => {
                attempt.suspects = 0;
                Ok(())
            }
            refined => refined,
        };
        self.abstractor.strengthener.set_most(None);
        self.report_given_up();
        refined
    }

    /// Simulates a trace and refines, if it is no execution.
    fn follow(&mut self, found: &Found, attempt: &mut Attempt) -> Result<(), End> {
        let (trace, found_suspected) = (&found.edges, found.suspected);
        let limits = self.options.limits.clone();
        let (core, values) = match self.execute(trace, DecidedBy::Trace(found.by)) {
            Execution::Answer(answer) => return Err(End::Answer(answer)),
            Execution::Unclear(reason) => return Err(End::Stuck(reason)),
            Execution::Infeasible { .. } if self.is_naive() => {
                return Err(End::Stuck(Reason::NaiveTrace));
            }
            Execution::Infeasible { core, values } => (core, values),
        };
        let Abstractor { symbols, module, automaton, .. } = &self.abstractor;
        let (module, automaton) = (*module, *automaton);
        // It fails but for the rounds of a long loop: with these all, it may fail indeed.
        if core.iter().all(|guard| counts_rounds(symbols, automaton, trace, guard))
            && let Some(found) = self.sampled()
        {
            return Err(End::Answer(found));
        }
        // Choosing predicates may take long.
        self.explore_meanwhile()?;
        let _phase = limits.enter(Phase::Refinement);
        let prefer = match attempt.values_first {
            true if attempt.rounds > GENERAL_ROUNDS => Values::First,
            true => Values::Allowed,
            false => Values::Last,
        };
        let any_number = self.options.threads == ThreadBound::Unbounded;
        let spurious = Spurious { trace, core: &core, values: &values };
        // A certificate would have to prove as well what is known where threads stand.
        let followed = Followed { vocabulary: &attempt.vocabulary, trace, executed: 0 };
        if any_number
            && !self.options.certified
            && self.abstractor.options.mode == Mode::SymmetryAware
            && exclude_standing(&mut self.abstractor, followed)
        {
            return Ok(());
        }
        // Each of two sources may take all calls, and what follows them.
        let in_full = self.allowed().is_none_or(|left| left / SAT_CALL >= 3 * CALLS);
        // Where predicates are not found soon, the first search of concrete states does not wait
        // for them.
        let mut calls = if self.explorer.is_fresh() { FIRST_CALLS } else { CALLS };
        let found = loop {
            let work = (calls, &limits);
            let abstractor = &mut self.abstractor;
            let found = refine(abstractor, &attempt.vocabulary, &spurious, prefer, work);
            if !found.cut_short || calls == CALLS {
                break found;
            }
            calls = CALLS;
            self.explorer.hurry();
            self.explore_meanwhile()?;
        };
        // What is there when all work is over is not what there would be: the next turn chooses anew.
        let is_open = found.predicates.is_err() || found.is_second_best;
        if found.cut_short && is_open && !in_full {
            return Err(End::Interrupted);
        }
        let mut predicates = match found.predicates {
            Ok(predicates) => predicates,
            Err(others) => {
                let abstractor = &mut self.abstractor;
                let followed = Followed { vocabulary: &attempt.vocabulary, trace, executed: 0 };
                // Perhaps the predicates are there, but the abstraction of single steps does not see
                // what they say.
                if exclude_steps(abstractor, followed) {
                    return Ok(());
                }
                match nearer(abstractor, &others, followed, (CALLS, &limits)) {
                    Nearer::Perhaps(_, true) if !in_full => return Err(End::Interrupted),
                    Nearer::With(predicates) | Nearer::Perhaps(predicates, _) => predicates,
                    Nearer::Already => return Ok(()),
                }
            }
        };
        if !predicates.is_empty() {
            // Of few threads a proof needs less.
            if any_number && self.abstractor.options.mode == Mode::SymmetryAware {
                accompany(&mut self.abstractor, &mut attempt.vocabulary, &mut predicates);
            }
            let step = core.last().map(|guard| (guard.step, guard.location));
            let written = self.write(&predicates);
            self.observer.learned(self.number, module, &Learned { predicates: &written, step });
            self.predicates.extend(written);
            attempt.vocabulary.extend(predicates);
            attempt.suspects = MOST_SUSPECTS;
            return Ok(());
        }
        if found_suspected {
            // The Boolean program does not have the run; the states that were taken for one when it
            // was put together are told apart by what its steps depend on (BOPPO section 3.2).
            let predicates = simplest(&mut self.abstractor, &attempt.vocabulary, &spurious);
            attempt.suspects = if predicates.is_empty() { 0 } else { attempt.suspects - 1 };
            let written = self.write(&predicates);
            let step = core.last().map(|guard| (guard.step, guard.location));
            self.observer.learned(self.number, module, &Learned { predicates: &written, step });
            self.predicates.extend(written);
            attempt.vocabulary.extend(predicates);
            return Ok(());
        }
        if attempt.max_cube_length < MAX_CUBE_LENGTH {
            attempt.max_cube_length += 1;
            return Ok(());
        }
        if let Some(join) = core.iter().find(|guard| is_join(automaton, trace, guard)) {
            return Err(End::Stuck(Reason::UnknownThread(Place::new(module, join.location))));
        }
        let inseparable = inseparable(module, automaton, trace, &core);
        Err(End::Stuck(Reason::NoPredicates(inseparable)))
    }
}

/// Rounds in which templates are preferred to values in any case.
const GENERAL_ROUNDS: usize = 2;
/// Longer cubes are not tried.
const MAX_CUBE_LENGTH: usize = 6;

/// Whether a condition is that the thread has ended which a join waits for.
fn is_join(automaton: &Automaton, trace: &[TraceEdge], guard: &TraceGuard) -> bool {
    let taken = trace.get(guard.step);
    let effect = taken.and_then(|taken| automaton.edge(taken.edge).effect.as_ref());
    guard.guard.is_none() && matches!(effect, Some(Effect::Join { .. }))
}

/// Which step the refinement could not separate.
fn inseparable(
    module: &Module,
    automaton: &Automaton,
    trace: &[TraceEdge],
    core: &[TraceGuard],
) -> Inseparable {
    let last = |taken: &TraceEdge| places(module, automaton, taken.edge).last().copied();
    let steps = trace.iter().map(|taken| (taken.thread, last(taken).map_or(0, |place| place.line)));
    let at = core.last().and_then(|guard| {
        let taken = trace.get(guard.step)?;
        // Conditions that are none of the source's are somewhere in their step.
        let place = Place::new(module, guard.location);
        let place = place.or_else(|| Place::new(module, last(taken)?));
        Some(Impassable { step: guard.step + 1, thread: taken.thread, place })
    });
    Inseparable { steps: steps.collect(), at }
}
