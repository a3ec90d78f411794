//! Engines that take turns: the abstraction, runs of bounded length, and runs at random.
//!
//! The abstraction is strong where many threads do the same, and where loops go on and on; it says
//! nothing of what it cannot express. All runs of bounded length are exact, and few programs have runs
//! that are much longer than their shortest failure; those that do fail at random now and then. Turns
//! are measured by work and not by the clock, so that runs can be repeated; each is longer than the one
//! before.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use sapa_backend::assumptions::{Assumed, of_runs};
use sapa_backend::bounded::{self, Answer, GaveUp};
use sapa_backend::cegar::{self, DecidedBy, Failure, Proof, Reason, Reasons, Report, Verdict};
use sapa_backend::check::{SafeFor, ThreadBound};
use sapa_backend::execution::original::recorded;
use sapa_backend::execution::{AllRuns, Choices, Place, all_runs, sampled};
use sapa_ir::goto::interpret::{self, RandomRuns, SampleOptions};
use sapa_ir::goto::{MemoryModel, Module};
use sapa_passes::Pipeline;
use sapa_passes::analysis::thread_bound::most_started;
use sapa_passes::transform::invariants::Movers;
use sapa_passes::transform::recursion::has_calls_as_threads;

use crate::error::{Error, Undecided};
use crate::options::{BufferBound, Method, Options};
use crate::program::{Buffers, Checked, Program};
use crate::reduced;
use crate::relaxed::{self, follows, is_cut_off};

/// The work of the abstraction's first turn, in units of
/// [`Statistics::work`](sapa_backend::check::Statistics::work): a tenth of a second.
const FIRST_TURN: u64 = 1 << 23;

/// The same where stores wait: each turn begins anew there.
const FIRST_TURN_WITH_BUFFERS: u64 = 1 << 25;

/// How many times longer each turn is than the one before.
const LONGER: u64 = 3;

/// The same where stores wait: what begins anew must not do the same work too often.
const LONGER_WITH_BUFFERS: u64 = 8;

/// Numbers of rounds that are tried one after the other.
const ROUNDS: &[u32] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// A turn of the bounded engine, and of the search state by state behind it.
struct Turn {
    /// The most rounds.
    rounds: u32,
    /// What the solver may do for each question ([`bounded::Options::effort`]).
    effort: u64,
    /// Instructions that are unfolded.
    instructions: usize,
    /// Pairs of steps that are ordered.
    orders: usize,
    /// Instructions of runs at random.
    sampled: usize,
    /// States of the search.
    states: usize,
}

/// The turns of the bounded engine.
const TURNS: &[Turn] = &[
    Turn {
        rounds: 1,
        effort: 20_000_000,
        instructions: 50_000,
        orders: 10_000,
        sampled: 1 << 17,
        states: 1 << 13,
    },
    Turn {
        rounds: 3,
        effort: 100_000_000,
        instructions: 100_000,
        orders: 30_000,
        sampled: 1 << 19,
        states: 1 << 15,
    },
    Turn {
        rounds: 6,
        effort: 2_000_000_000,
        instructions: 200_000,
        orders: 60_000,
        sampled: 1 << 21,
        states: 1 << 18,
    },
    Turn {
        rounds: 12,
        effort: 10_000_000_000,
        instructions: 400_000,
        orders: 100_000,
        sampled: 1 << 23,
        states: usize::MAX,
    },
    Turn {
        rounds: 24,
        effort: 100_000_000_000,
        instructions: 1_000_000,
        orders: 500_000,
        sampled: 1 << 25,
        states: usize::MAX,
    },
    Turn {
        rounds: 64,
        effort: 1_000_000_000_000,
        instructions: 2_000_000,
        orders: 2_000_000,
        sampled: 1 << 27,
        states: usize::MAX,
    },
];

/// States of a search that is hardly a proof, as the program may start any number of threads: the others have the time of
/// more.
const UNLIKELY: usize = 1 << 18;

/// The last of these that is taken where the abstraction has ended without an answer.
const LAST_ALONE: usize = 3;

/// The last that is taken where it has made all rounds of refinement that were asked for.
const LAST_AFTER_ROUNDS: usize = 1;

/// The passes that a program goes through for the bounded engine, which executes what they leave: calls
/// are a part of their callers.
pub const INLINED: &str = "inline,lower-sync,unreachable-blocks,mem2reg,constant-propagation";

/// The same where functions call themselves.
const WITH_CALLS: &str = "lower-sync,unreachable-blocks,mem2reg,constant-propagation";

/// Checks a program by the method that is asked for, given what the passes have made of it for the abstraction.
///
/// # Errors
/// If no engine can treat it.
pub(crate) fn check(
    program: &Program,
    lowered: Result<Module, Error>,
    options: &Options,
    observer: &mut dyn cegar::Observer,
) -> Result<Checked, Error> {
    match options.method {
        // Its runs need not be runs of the program that it was made of: there are only proofs.
        _ if has_calls_as_threads(&program.module) => Checked::new(lowered?, options, observer),
        Method::Bounded(rounds) => Ok(Unfolded::new(program, options)?.alone(rounds)),
        Method::Turns if takes_turns(program, options) => {
            let model = options.memory.unwrap_or_default();
            let is_robust = model != MemoryModel::Sc
                && lowered.as_ref().is_ok_and(|module| relaxed::is_robust(module, model, options));
            if !is_robust {
                return in_turns(program, lowered, options, observer);
            }
            // Nobody sees that a store waits: one answer is that of all models.
            let sequential = Options { memory: None, ..options.clone() };
            let checked = in_turns(program, lowered, &sequential, observer)?;
            Ok(Checked { model, buffers: Buffers::Robust, ..checked })
        }
        Method::Turns | Method::Abstraction => Checked::new(lowered?, options, observer),
    }
}

/// Whether the bounded engine has anything to say: its buffers have no bound, it has none that are a part
/// of the code, and who gives predicates or passes wants to know what these do.
fn takes_turns(program: &Program, options: &Options) -> bool {
    options.buffers == BufferBound::Auto
        && program.module.memory == MemoryModel::Sc
        && options.abstraction.mode == Default::default()
        && options.predicates.is_none()
        && program.module.predicates.is_empty()
        && options.pipeline == Pipeline::default()
}

/// The abstraction, a turn at a time.
struct Abstraction<'o> {
    options: &'o Options,
    /// What the next turn begins with; `None` where it has ended, with an answer or without.
    next: Option<Module>,
    /// What the last turn has come to; `None` before the first one.
    found: Option<Result<Checked, Error>>,
}

impl<'o> Abstraction<'o> {
    /// Before its first turn, with what the passes have made of a program for it.
    ///
    /// # Errors
    /// If the program is wrong. That the passes refuse it is what the abstraction has come to.
    fn new(lowered: Result<Module, Error>, options: &'o Options) -> Result<Self, Error> {
        let (next, found) = match lowered {
            Ok(module) => (Some(module), None),
            Err(error @ Error::Undecided(_)) => (None, Some(Err(error))),
            Err(error) => return Err(error),
        };
        Ok(Self { options, next, found })
    }

    /// A turn with no more work than that, if it is given: the answer if there is one. Under sequential
    /// consistency the loop goes on where it was cut off, with the predicates that it has found; under a
    /// model with buffers, where it is run on several modules, it begins anew.
    fn turn(&mut self, work: Option<u64>, observer: &mut dyn cegar::Observer) -> Option<Checked> {
        let module = self.next.take()?;
        let result = match self.options.memory.unwrap_or_default() {
            MemoryModel::Sc => Checked::refined(module, self.options.refinement(), work, observer)
                .map(|checked| {
                    self.next = is_cut_off(&checked).then(|| checked.module.clone());
                    self.with_rounds_before(checked)
                }),
            model => relaxed::check(module.clone(), (model, work), self.options, observer)
                .inspect(|checked| self.next = is_cut_off(checked).then_some(module)),
        };
        match result {
            Ok(checked) if !matches!(checked.report.verdict, Verdict::Inconclusive(_)) => {
                Some(checked)
            }
            other => {
                self.found = Some(other);
                None
            }
        }
    }

    /// An answer with the rounds that the abstraction has made before it, and its work.
    fn with_rounds_before(&self, mut checked: Checked) -> Checked {
        if let Some(Ok(before)) = &self.found {
            follows(&mut checked.report, &before.report);
        }
        checked
    }

    /// Whether all rounds of refinement were made that were asked for.
    fn ended_by_rounds(&self) -> bool {
        let Some(Ok(checked)) = &self.found else { return false };
        let Verdict::Inconclusive(reasons) = &checked.report.verdict else { return false };
        self.next.is_none()
            && reasons.0.iter().any(|reason| matches!(reason, Reason::Iterations(_)))
    }
}

/// The abstraction of the program in which one object of many is followed, a turn at a time.
struct OneOfMany<'o>(Abstraction<'o>);

impl<'o> OneOfMany<'o> {
    /// Before its first turn; it has none where there are not many objects.
    fn new(program: &Program, options: &'o Options) -> Self {
        Self(Abstraction { options, next: reduced::lowered(program, options), found: None })
    }

    /// A turn with no more work than that: a proof, if there is one. Rounds are not shown: those of the program itself
    /// go on meanwhile.
    fn turn(&mut self, work: u64) -> Option<Checked> {
        self.0.turn(Some(work), &mut cegar::Silent).and_then(reduced::of_program)
    }
}

/// The abstraction, the bounded engine and a search of all states, each in its turn.
///
/// # Errors
/// If none of them can treat the program.
fn in_turns(
    program: &Program,
    lowered: Result<Module, Error>,
    options: &Options,
    observer: &mut dyn cegar::Observer,
) -> Result<Checked, Error> {
    let limits = &options.limits;
    let mut abstraction = Abstraction::new(lowered, options)?;
    let mut unfolded = None;
    let (mut work, longer) = match options.memory.unwrap_or_default() {
        MemoryModel::Sc => (FIRST_TURN, LONGER),
        _ => (FIRST_TURN_WITH_BUFFERS, LONGER_WITH_BUFFERS),
    };
    let mut of_one = None;
    for (number, turn) in TURNS.iter().enumerate() {
        if let Some(answer) = abstraction.turn(Some(work), observer) {
            return Ok(answer);
        }
        if number > 0 && options.memory.unwrap_or_default() == MemoryModel::Sc {
            let of_one = of_one.get_or_insert_with(|| OneOfMany::new(program, options));
            // The other engines have no proof where threads are started again and again, and are better where they are not.
            let is_likely =
                unfolded.as_ref().is_some_and(|unfolded: &Unfolded| !unfolded.has_bound);
            let work = if is_likely { work.saturating_mul(LONGER) } else { work / LONGER };
            if let Some(answer) = of_one.turn(work) {
                return Ok(answer);
            }
        }
        work = work.saturating_mul(longer);
        // Without a deadline somebody waits for an answer: who asked for few rounds does not wait long.
        let is_over = match limits.deadline() {
            _ if abstraction.ended_by_rounds() => number > LAST_AFTER_ROUNDS,
            None if abstraction.next.is_none() => number > LAST_ALONE,
            _ => false,
        };
        if is_over || limits.is_exceeded() {
            break;
        }
        let unfolded = match &mut unfolded {
            Some(unfolded) => unfolded,
            none => match Unfolded::new(program, options) {
                Ok(new) => none.insert(new),
                // The abstraction has the same passes, and says what they refuse.
                Err(error) => return abstraction.found.unwrap_or(Err(error)),
            },
        };
        // Most programs that do not fail are proved by few states, if they have few threads. What fails soon is explained
        // best by a short run.
        let searched = unfolded.search(turn.states, abstraction.next.is_none());
        let is_kept = number == 0
            && searched.as_ref().is_some_and(|it| matches!(it.report.verdict, Verdict::Failed(_)));
        let (answer, failure) = if is_kept { (None, searched) } else { (searched, None) };
        let answer = answer
            .or_else(|| unfolded.turn(turn))
            .or_else(|| unfolded.sampled(turn.sampled))
            .or(failure);
        if let Some(answer) = answer {
            return Ok(abstraction.with_rounds_before(answer));
        }
    }
    if !limits.is_exceeded()
        && let Some(answer) = abstraction.turn(None, observer)
    {
        return Ok(answer);
    }
    let stopped = limits.stopped().map(Reason::Stopped);
    let beside = stopped.or_else(|| unfolded.and_then(|unfolded| unfolded.reason()));
    match abstraction.found.expect("the abstraction has the first turn") {
        Ok(mut checked) => {
            add_reason(&mut checked, beside);
            Ok(checked)
        }
        Err(Error::Undecided(refused)) => {
            Err(Error::Undecided(Box::new(Undecided { beside, ..*refused })))
        }
        Err(error) => Err(error),
    }
}

/// Says of an answer that is none why the other engines had none either. That the run was stopped says all.
fn add_reason(checked: &mut Checked, reason: Option<Reason>) {
    if let Verdict::Inconclusive(Reasons(reasons)) = &mut checked.report.verdict {
        reasons.retain(|known| {
            *known != Reason::WorkLimit && !matches!(reason, Some(Reason::Stopped(_)))
        });
        reasons.extend(reason);
    }
}

/// Notes and further ones, each once.
fn with_notes(mut notes: Vec<String>, further: &BTreeSet<&str>) -> Vec<String> {
    let further = further.iter().map(|&note| note.to_owned());
    let new: Vec<String> = further.filter(|note| !notes.contains(note)).collect();
    notes.extend(new);
    notes
}

/// A program for the bounded engine, and what is known of its runs.
struct Unfolded<'o> {
    module: Module,
    options: &'o Options,
    /// Which stores wait that the code itself does not let wait.
    memory: MemoryModel,
    /// The number of rounds that is next: its place in [`ROUNDS`].
    next: usize,
    /// The most rounds of which no run fails, and where longer runs go on.
    longer: Option<(u32, Option<Place>)>,
    /// Why there is no answer for larger numbers either.
    gave_up: Option<(GaveUp, Option<Place>)>,
    work: u64,
    /// What answers take for granted, if that was asked for: it takes time. `None` inside if a limit
    /// ended that.
    assumed: OnceCell<Option<Assumed>>,
    /// Whether all runs were searched, state by state, that ever will be.
    is_searched: bool,
    /// The most states of such a search so far.
    searched: usize,
    /// What choices are in such a search.
    choices: Choices,
    /// Whether it is known how many threads a run starts at most.
    has_bound: bool,
    /// Whether it starts none: then there are no orders of steps, and the bounded engine is better at values.
    starts_none: bool,
    random: RandomRuns,
    /// Which steps of it commute, if that was asked for; `None` inside if a limit ended that.
    movers: OnceCell<Option<Rc<Movers>>>,
}

impl<'o> Unfolded<'o> {
    /// The program after the passes.
    ///
    /// # Errors
    /// If they do not treat it.
    fn new(program: &Program, options: &'o Options) -> Result<Self, Error> {
        let memory = match (program.module.memory, options.memory) {
            (MemoryModel::Sc, asked) => asked.unwrap_or_default(),
            (has, asked) if asked.is_none_or(|asked| asked == has) => MemoryModel::Sc,
            (has, _) => return Err(Error::HasBuffers(has)),
        };
        let lowered = |passes: &str| {
            let pipeline = Pipeline::parse(passes).unwrap_or_else(|error| panic!("{error}"));
            program.lowered(&Options { pipeline, ..options.clone() }, &mut [])
        };
        let module = match lowered(INLINED) {
            Err(Error::Undecided(_)) => lowered(WITH_CALLS)?,
            other => other?,
        };
        let random = RandomRuns::new(&module);
        let most_started = most_started(&module, &options.limits);
        Ok(Self {
            module,
            options,
            memory,
            next: 0,
            longer: None,
            gave_up: None,
            work: 0,
            assumed: OnceCell::new(),
            is_searched: false,
            searched: 0,
            choices: Choices::Some,
            has_bound: most_started.is_some(),
            starts_none: most_started == Some(0),
            random,
            movers: OnceCell::new(),
        })
    }

    /// Looks at runs with rising numbers of rounds, or with one number if it is given.
    fn alone(&mut self, rounds: Option<u32>) -> Checked {
        let last = TURNS.last().expect("there are turns");
        let most = rounds.unwrap_or(u32::MAX);
        let turn = Turn { rounds: most, effort: u64::MAX, ..*last };
        let found = match rounds {
            Some(rounds) => self.look(rounds, &turn),
            None => self.turn(&turn),
        };
        if let Some(found) = found {
            return found;
        }
        let stopped = self.options.limits.stopped().map(Reason::Stopped);
        let reason = stopped.or_else(|| self.reason()).unwrap_or(Reason::WorkLimit);
        self.checked(Verdict::Inconclusive(reason.into()), Vec::new(), None)
    }

    /// Why there is no answer.
    fn reason(&self) -> Option<Reason> {
        match (&self.gave_up, &self.longer) {
            (Some((reason, place)), _) => Some(Reason::Unfolding(reason.clone(), place.clone())),
            (None, Some((rounds, place))) => Some(Reason::LongerRuns(*rounds, place.clone())),
            (None, None) => None,
        }
    }

    /// Looks at longer and longer runs, as far as a turn goes.
    fn turn(&mut self, turn: &Turn) -> Option<Checked> {
        while let Some(&rounds) = ROUNDS.get(self.next)
            && rounds <= turn.rounds
            && self.gave_up.as_ref().is_none_or(|(reason, _)| reason.is_of_effort())
        {
            self.gave_up = None;
            let found = self.look(rounds, turn);
            if found.is_some() || self.gave_up.is_some() || self.options.limits.is_exceeded() {
                return found;
            }
            self.next += 1;
        }
        None
    }

    /// Goes through all runs state by state, as far as that many states go: long ones may have few
    /// states. Those with stores that wait are searched beside the abstraction; `is_last` if that has ended.
    fn search(&mut self, states: usize, is_last: bool) -> Option<Checked> {
        let limits = &self.options.limits;
        if self.memory != MemoryModel::Sc || self.is_searched || limits.is_exceeded() {
            return None;
        }
        let states = match self.choices {
            _ if is_last || self.has_bound => states,
            Choices::Some => states.min(UNLIKELY),
            // A state takes longer.
            Choices::Variables => states.min(UNLIKELY >> 7),
        };
        if states <= self.searched {
            return None;
        }
        let search =
            |choices| all_runs(&self.module, self.options.threads, (states, choices), limits);
        let mut found = search(self.choices);
        if matches!(found, AllRuns::Sampled) && !self.starts_none {
            self.choices = Choices::Variables;
            found = search(self.choices);
        }
        self.searched = states;
        self.is_searched = !matches!(found, AllRuns::More);
        let by = match self.choices {
            Choices::Some => DecidedBy::ConcreteSearch,
            Choices::Variables => DecidedBy::SymbolicSearch,
        };
        let (verdict, started) = match found {
            AllRuns::Safe(threads, started) => {
                (Verdict::Successful(Proof { threads, by }), started)
            }
            AllRuns::Fails(failure) => (self.failed(&failure, by)?, None),
            AllRuns::More | AllRuns::Sampled | AllRuns::Unknown => return None,
        };
        // What has no meaning is no run that was seen: nothing else is assumed of a proof.
        let notes = with_notes(self.module.notes.clone(), &self.assumed()?.unseen);
        Some(self.checked(verdict, notes, started))
    }

    /// Looks for a failure in runs at random with so many instructions together.
    fn sampled(&mut self, steps: usize) -> Option<Checked> {
        let Self { module, memory, options, random, .. } = self;
        let extent = SampleOptions { memory: *memory, threads: options.threads.limit(), steps };
        let failure = sampled(random, module, extent, &options.limits)?;
        let verdict = self.failed(&failure, DecidedBy::RandomRuns)?;
        let notes = with_notes(self.module.notes.clone(), &self.assumed()?.unseen);
        Some(self.checked(verdict, notes, None))
    }

    /// What answers assume and whoever executes runs does not see; `None` if a limit ended the search for it.
    fn assumed(&self) -> Option<&Assumed> {
        let find = || of_runs(&self.module, &self.options.limits).ok();
        self.assumed.get_or_init(find).as_ref()
    }

    /// What is shown of a failing run; `None` if it rests on what is not modelled.
    fn failed(&self, failure: &interpret::Failure, by: DecidedBy) -> Option<Verdict> {
        let counterexample = Box::new(recorded(&self.module, failure, self.options.threads)?);
        Some(Verdict::Failed(Failure { counterexample, by }))
    }

    /// Looks at all runs with so many rounds at most: the answer, if that is one for all.
    fn look(&mut self, rounds: u32, turn: &Turn) -> Option<Checked> {
        let Self { options, memory, module, movers, .. } = self;
        let threads = options.threads.limit();
        let &Turn { effort, instructions, orders, .. } = turn;
        let (effort, limits) = (Some(effort), options.limits.clone());
        let memory = *memory;
        let movers = movers.get_or_init(|| bounded::movers(module, memory, &limits).ok());
        let movers = movers.clone()?;
        let bounded = bounded::Options {
            rounds,
            threads,
            instructions,
            orders,
            effort,
            memory,
            movers,
            limits,
        };
        let (answer, figures) = bounded::run(module, &bounded);
        self.work = self.work.saturating_add(figures.conflicts.saturating_mul(1 << 8));
        let started = u32::try_from(figures.threads.saturating_sub(1)).ok();
        let verdict = match answer {
            Answer::Safe { rounds, has_rooms } => {
                let threads = match threads {
                    Some(threads) if has_rooms => SafeFor::Threads(threads),
                    _ => SafeFor::AllThreads,
                };
                Verdict::Successful(Proof { threads, by: DecidedBy::AllRuns(rounds) })
            }
            Answer::Fails(failure) => {
                let Some(verdict) = self.failed(&failure, DecidedBy::BoundedRuns) else {
                    self.gave_up = Some((GaveUp::Unmodelled, None));
                    return None;
                };
                verdict
            }
            Answer::Longer(location) => {
                self.longer = Some((rounds, Place::new(&self.module, location)));
                return None;
            }
            Answer::Unknown(reason) => {
                let place = reason.location().and_then(|at| Place::new(&self.module, at));
                self.gave_up = Some((reason, place));
                return None;
            }
            Answer::Stopped => return None,
        };
        let started = started.filter(|_| matches!(verdict, Verdict::Successful(_)));
        let Assumed { unseen, of_kept_stacks } = self.assumed()?;
        let notes = with_notes(with_notes(figures.notes, of_kept_stacks), unseen);
        Some(self.checked(verdict, notes, started))
    }

    fn checked(&self, verdict: Verdict, notes: Vec<String>, started: Option<u32>) -> Checked {
        let threads = match &verdict {
            Verdict::Successful(Proof { threads: SafeFor::AllThreads, .. }) => {
                ThreadBound::Unbounded
            }
            _ => self.options.threads,
        };
        let report = Report {
            verdict,
            iterations: Vec::new(),
            notes,
            work: self.work,
            threads,
            started,
            cubes: Vec::new(),
        };
        let module = self.module.clone();
        let model = match self.memory {
            MemoryModel::Sc => module.memory,
            model => model,
        };
        Checked { model, buffers: Buffers::Any, module, report }
    }
}
