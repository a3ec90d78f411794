//! Runs of bounded length, exactly: the goto IR is executed symbolically, with loops and recursion
//! unfolded a number of times; what threads do to memory that others access too are events, and one
//! formula says which write each read reads from and in which order all happens.
//!
//! Under TSO and PSO stores wait in buffers of any size, and reach memory in steps of their own.
//!
//! What a thread does while no other one would notice, nor be noticed, as under a lock, is a part of the step before it
//! (Lipton, "Reduction: a method of proving properties of parallel programs", CACM 1975): the formula grows with the
//! square of the number of steps, and with its cube where the order is made transitive.
//!
//! Nothing is abstracted, and nothing of the predicate abstraction is used but the analysis that says what commutes. Where
//! no run goes on behind what was unfolded, that no assertion fails is a proof.
//!
//! | file | holds |
//! | --- | --- |
//! | `guard` | path conditions |
//! | `components` | the order in which blocks are unfolded |
//! | `object`, `contents` | objects, and what memory holds where nobody else writes |
//! | `targets` | where addresses may point |
//! | `unfolding` | threads, steps and events |
//! | `unfold` | symbolic execution |
//! | `resolve` | where addresses point that are read from memory |
//! | `contention` | which bytes several threads access |
//! | `overlap` | stores that wait for bytes of each other, and of what is read |
//! | `order` | which step comes before which |
//! | `formula` | which write each read reads from |
//! | `implied` | what follows of locks and sums, for the solver's sake |
//! | `schedule` | a model as a run of the interpreter |
//! | `reason` | why there is no answer |

mod components;
mod contention;
mod contents;
mod formula;
mod guard;
mod implied;
mod object;
mod order;
mod overlap;
mod reason;
mod resolve;
mod schedule;
mod targets;
mod unfold;
mod unfolding;

use std::rc::Rc;

use sapa_ir::goto::interpret::Failure;
use sapa_ir::goto::{Function, Instruction, Location, MemoryModel, Module, Op};
use sapa_limits::{Exceeded, Limits, Phase};
use sapa_passes::analysis::Analyses;
use sapa_passes::analysis::points_to::PointsTo;
use sapa_passes::transform::invariants::Movers;

use crate::automaton::leaf::Symbols;
use crate::solver::{Outcome, Solver, TermId};
use contention::Known;
use formula::Formula;
pub use reason::GaveUp;
use unfold::{Bounds, Stop, Unfolder};

/// How far to unfold, and how much work to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many times loops are entered again, and functions call themselves.
    pub rounds: u32,
    /// How many threads may exist at once besides the initial one; `None` for any number.
    pub threads: Option<u32>,
    /// Most instructions.
    pub instructions: usize,
    /// Most pairs of steps of different threads, whose order the formula is about.
    pub orders: usize,
    /// How much the SAT solver may do for each question: conflicts times clauses, since each conflict
    /// of a large formula is more work; `None` for any amount.
    pub effort: Option<u64>,
    /// Which stores may wait, in buffers of any size.
    pub memory: MemoryModel,
    /// Steps that are not ordered by themselves: those of [`movers`], or none.
    pub movers: Rc<Movers>,
    /// When to give up.
    pub limits: Limits,
}

/// What unfolding a program says of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// No assertion fails, in any run.
    Safe {
        /// The most rounds of a loop before it was left.
        rounds: u32,
        /// Whether starts had to wait for room: then it holds for this bound on threads only.
        has_rooms: bool,
    },
    /// A run fails.
    Fails(Failure),
    /// No assertion fails in what was unfolded, and runs go on behind it.
    Longer(Location),
    /// No answer.
    Unknown(GaveUp),
    /// A limit was reached.
    Stopped,
}

/// Figures of a run.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// What is taken for granted by what was unfolded.
    pub notes: Vec<String>,
    /// Threads, the initial one included; 0 if not all was unfolded.
    pub threads: usize,
    /// Accesses to what several threads access.
    pub events: usize,
    /// Clauses.
    pub clauses: u64,
    /// Conflicts of the SAT solver.
    pub conflicts: u64,
}

/// Most threads that are unfolded, the initial one included.
const MOST_THREADS: usize = 65;

/// As many conflicts are allowed in any case.
const FEWEST_CONFLICTS: u64 = 200;

/// As many times more may be done where no run goes on behind what was unfolded: the answer is the last one.
const OF_ALL: u64 = 4;

/// How many times what is contended is found out for single bytes.
const MOST_REPEATS: usize = 40;

/// Which steps of a program commute with all that other threads can do meanwhile: they need no place of their own in the
/// order of steps. Of a program in which stores wait, or with calls, or whose addresses may be guessed, nothing is said.
///
/// # Errors
/// If a limit is reached.
pub fn movers(
    module: &Module,
    memory: MemoryModel,
    limits: &Limits,
) -> Result<Rc<Movers>, Exceeded> {
    let is_call = |instruction: &Instruction| matches!(instruction.op, Op::Call { .. });
    let has_calls = module.functions.iter().flat_map(Function::instructions).any(is_call);
    let is_sc = memory == MemoryModel::Sc && module.memory == MemoryModel::Sc;
    let mut analyses = Analyses::new(limits);
    if !is_sc || has_calls {
        return Ok(Rc::default());
    }
    let points_to = analyses.get::<PointsTo>(module)?;
    if points_to.escape(module).is_none() && points_to.escapes_by_guess(module) {
        return Ok(Rc::default());
    }
    analyses.get(module)
}

/// Whether an assertion fails in the runs that are unfolded.
#[must_use]
pub fn run(module: &Module, options: &Options) -> (Answer, Figures) {
    let mut figures = Figures::default();
    let answer = match search(module, options, &mut figures) {
        Ok(answer) => answer,
        Err(Stop::Exceeded) => Answer::Stopped,
        Err(Stop::GaveUp(reason)) => Answer::Unknown(reason),
    };
    (answer, figures)
}

fn search(module: &Module, options: &Options, figures: &mut Figures) -> Result<Answer, Stop> {
    let limits = &options.limits;
    let _phase = limits.enter(Phase::BoundedRuns(options.rounds));
    let nowhere = Location::default();
    let mut bounds = Bounds {
        rounds: options.rounds,
        threads: MOST_THREADS,
        instructions: options.instructions,
        has_rooms: false,
        memory: options.memory,
        within_members: false,
    };
    let mut next = Known::default();
    for _ in 0..MOST_REPEATS {
        let known = next.clone();
        let mut symbols = Symbols::default();
        let unfolder =
            Unfolder::new(module, &mut symbols, &known, (bounds, &options.movers), limits);
        let mut unfolder = unfolder.ok_or(GaveUp::TooLarge(nowhere))?;
        let unfolded = unfolder.run().and_then(|()| unfolder.resolve());
        figures.notes = module.notes.clone();
        figures.notes.extend(unfolder.out.notes.iter().map(|&note| note.to_owned()));
        match unfolded {
            Err(Stop::GaveUp(GaveUp::Address(_))) if !bounds.within_members => {
                bounds.within_members = true;
                continue;
            }
            unfolded => unfolded?,
        }
        let mut is_new = unfolder.contend(&mut next.contended);
        next.overwritten.extend(unfolder.out.wanted.iter().copied());
        is_new |= next.overwritten.len() > known.overwritten.len();
        let started = unfolder.out.threads.len() - 1;
        let needs_rooms = options.threads.is_some_and(|most| started > most as usize);
        if is_new || needs_rooms != bounds.has_rooms {
            bounds.has_rooms |= needs_rooms;
            if is_new || needs_rooms {
                continue;
            }
        }
        figures.threads = started + 1;
        figures.events = unfolder.out.events.len();
        return decide(&mut unfolder, options, figures);
    }
    Err(GaveUp::TooLarge(nowhere).into())
}

/// Asks the solver.
fn decide(
    unfolder: &mut Unfolder<'_>,
    options: &Options,
    figures: &mut Figures,
) -> Result<Answer, Stop> {
    let limits = &options.limits;
    let mut solver = Solver::default();
    solver.set_limits(limits);
    let Formula { order, fails, is_executed, goes_on } =
        Formula::new(unfolder, (options.threads, options.orders), &mut solver, limits)?;
    let clauses = solver.statistics().clauses.max(1);
    let is_all = unfolder.out.cuts.is_empty();
    let effort =
        options.effort.map(|effort| if is_all { effort.saturating_mul(OF_ALL) } else { effort });
    let conflicts = effort.map(|effort| (effort / clauses).max(FEWEST_CONFLICTS));
    solver.set_most_conflicts(conflicts.and_then(|most| u32::try_from(most).ok()));
    let mut ask = |unfolder: &mut Unfolder<'_>, what: &[TermId]| -> Result<_, Stop> {
        loop {
            let outcome = solver.check(&unfolder.symbols.store, what);
            let statistics = solver.statistics();
            (figures.clauses, figures.conflicts) = (statistics.clauses, statistics.conflicts);
            match outcome {
                Outcome::Unsat => return Ok(None),
                Outcome::Unknown => {
                    limits.check()?;
                    return Err(GaveUp::Solver.into());
                }
                Outcome::Sat => {
                    let store = &mut unfolder.symbols.store;
                    if let Some(schedule) = order.schedule(store, &mut solver, limits)? {
                        let failure =
                            schedule::failure(unfolder, &solver, &schedule, options.threads);
                        return Ok(Some(failure));
                    }
                }
            }
        }
    };
    let mut failure = ask(unfolder, &[fails, is_executed])?;
    if failure.is_none() && unfolder.symbols.store.as_boolean(is_executed) != Some(true) {
        failure = ask(unfolder, &[fails])?;
    }
    if let Some(failure) = failure {
        return Ok(match failure {
            Ok(failure) => Answer::Fails(failure),
            Err(reason) => Answer::Unknown(reason),
        });
    }
    if ask(unfolder, &[goes_on])?.is_some() {
        return Ok(Answer::Longer(cut_of_model(unfolder, &solver)));
    }
    let has_rooms = unfolder.bounds.has_rooms;
    Ok(Answer::Safe { rounds: unfolder.out.rounds, has_rooms })
}

/// Where the run of a model goes on that was not unfolded: one of the places at which it was cut off.
fn cut_of_model(unfolder: &Unfolder<'_>, solver: &Solver) -> Location {
    let holds = |guard| {
        let term = unfolder.guards.term(guard);
        solver.model_value(&unfolder.symbols.store, term) == 1
    };
    let cut = unfolder.out.cuts.iter().find(|cut| holds(cut.guard));
    cut.map_or_else(Location::default, |cut| cut.location)
}
