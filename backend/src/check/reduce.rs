//! A program with fewer places to stand at, which does the same.
//!
//! Threads that stand at different locations are counted apart, so with N threads every location
//! at which many of them can wait multiplies the states by up to N. Two kinds of locations need
//! not be told apart:
//!
//! - An assignment to locals that are dead after it, which nothing can block, is a skip: a
//!   thread's first step that gives its predicates any value is one, as far as they are assigned
//!   again before they are read. Engines walk skips together with the step before them.
//! - Locations with equal statements and equal successors are one location, as are the ends of a
//!   thread's branches. Successors are compared first, so each location is looked at once;
//!   locations of a loop stay apart. Assertions stay too, as messages name them.
//!
//! A trace of the smaller program is made one of the program itself by walking its steps there
//! ([`lift`]).

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use sapa_bdd::{BddManager, LimitReached, ManagerOptions};
use sapa_ir::boolean::flat::{Assignment, FlatProgram, FlatStatement, LocalVar, LocationId};
use sapa_ir::boolean::trace::{ThreadState, Trace, TraceState};
use sapa_limits::Exceeded;

use super::analysis::flow::successors_first;
use super::analysis::liveness::Liveness;
use super::explicit::single_steps_along;
use super::semantics::counted::{CountedState, CountedThread};
use super::semantics::replay::ReplayError;
use super::symbolic::encode::Encoder;
use super::{CheckOptions, SuspectStep, UnknownReason};

/// The largest size of all statements together that is looked at: beyond it, a copy of the program
/// takes more than it saves.
const MOST_SIZE: usize = 1 << 18;

/// Constraints are not looked at in programs with more BDD variables; their order alone takes long.
const MOST_VARIABLES: usize = 1 << 12;

/// The most BDD nodes for the constraints of all assignments.
const MOST_NODES: usize = 1 << 16;

/// The smaller program, with the same variables and the same numbers of locations; `None` if there
/// is nothing to make smaller.
///
/// # Errors
/// The limit that was reached.
pub(super) fn reduce(
    program: &FlatProgram,
    options: &CheckOptions,
) -> Result<Option<FlatProgram>, UnknownReason> {
    let size: usize = program.iter().map(|(_, location)| location.statement.size() + 1).sum();
    if size > MOST_SIZE {
        return Ok(None);
    }
    let mut reduced = program.clone();
    let idle = idle(program, options)?;
    for &(location, next) in &idle {
        reduced.locations[location.index()].statement = FlatStatement::Skip { next };
    }
    let representatives = merge(&mut reduced);
    let merged = representatives.iter().enumerate().any(|(at, to)| to.index() != at);
    Ok((merged || !idle.is_empty()).then_some(reduced))
}

/// The assignments that do nothing that matters, each with its successor.
pub(super) fn idle(
    program: &FlatProgram,
    options: &CheckOptions,
) -> Result<Vec<(LocationId, LocationId)>, UnknownReason> {
    let to_locals = |assignment: &Assignment| {
        assignment.shared.is_empty()
            && !assignment.local.is_empty()
            && !assignment.involves_passive()
    };
    let candidates: Vec<_> = program
        .iter()
        .filter_map(|(at, location)| match &location.statement {
            FlatStatement::Assign { assignment, next } if to_locals(assignment) => {
                Some((at, assignment, *next))
            }
            _ => None,
        })
        .collect();
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let liveness = Liveness::new(program, options)?;
    let dead = |(_, assignment, next): &(LocationId, &Assignment, LocationId)| {
        assignment.local.iter().all(|(variable, _)| !liveness.is_live(*next, *variable))
    };
    let mut idle = Vec::new();
    let mut constrained = Vec::new();
    for candidate in candidates.into_iter().filter(dead) {
        match candidate.1.constraint {
            None => idle.push((candidate.0, candidate.2)),
            Some(_) => constrained.push(candidate),
        }
    }
    if constrained.is_empty() || Encoder::variables_for_counting(program) > MOST_VARIABLES {
        return Ok(idle);
    }
    let manager = BddManager::with_options(ManagerOptions {
        node_limit: MOST_NODES,
        limits: options.limits.clone(),
        ..ManagerOptions::default()
    });
    let encoder = Encoder::for_counting(program, manager);
    for (at, assignment, next) in constrained {
        match never_blocks(&encoder, assignment) {
            Ok(true) => idle.push((at, next)),
            Ok(false) => {}
            // What is too large to be seen through stays.
            Err(LimitReached::Nodes(_) | LimitReached::Bytes(_) | LimitReached::Work) => break,
            Err(LimitReached::Time) => return Err(UnknownReason::Exceeded(Exceeded::Time)),
        }
    }
    Ok(idle)
}

/// Whether some values satisfy the constraint, whatever the variables are before.
fn never_blocks(encoder: &Encoder<'_>, assignment: &Assignment) -> Result<bool, LimitReached> {
    let (relation, written) = encoder.own_change(0, assignment)?;
    let after: Vec<_> = written.iter().map(|bit| bit.next).collect();
    let after = encoder.layout.manager.cube(&after)?;
    Ok(relation.exists(&after)?.is_true())
}

/// Redirects all statements to one of equal locations each, and empties the others. Which location
/// stands for each.
fn merge(program: &mut FlatProgram) -> Vec<LocationId> {
    let count = program.locations.len();
    let itself = |at: usize| LocationId(at as u32);
    let mut representative: Vec<LocationId> = (0..count).map(itself).collect();
    let mut known: FxHashMap<u64, Vec<LocationId>> = FxHashMap::default();
    for location in successors_first(program) {
        let statement = &mut program.locations[location.index()].statement;
        statement.redirect(|next| representative[next.index()]);
        if matches!(statement, FlatStatement::Assert { .. }) {
            continue;
        }
        let mut hasher = FxHasher::default();
        statement.hash(&mut hasher);
        let alike = known.entry(hasher.finish()).or_default();
        let statement = program.statement(location);
        match alike.iter().find(|other| program.statement(**other) == statement) {
            Some(other) => representative[location.index()] = *other,
            None => alike.push(location),
        }
    }
    for (at, location) in program.locations.iter_mut().enumerate() {
        if representative[at].index() == at {
            // Edges back into a loop were not redirected before.
            location.statement.redirect(|next| representative[next.index()]);
        } else {
            location.statement = FlatStatement::EndThread;
        }
    }
    program.entry = representative[program.entry.index()];
    representative
}

/// The program's own trace for one of the smaller program: each thread takes the same steps, and
/// the values of what is dead are found again.
///
/// # Errors
/// The limit that was reached; a failed replay only if the reduction is wrong.
pub(super) fn lift(
    program: &FlatProgram,
    reduced: &FlatProgram,
    trace: &Trace,
    options: &CheckOptions,
) -> Result<Trace, UnknownReason> {
    let liveness = Liveness::new(program, options)?;
    let unsound = || UnknownReason::ReplayFailed(ReplayError::Failure);
    // Where each thread is in the program itself.
    let mut places: FxHashMap<u32, LocationId> = FxHashMap::default();
    places.insert(0, program.entry);
    let mut path = vec![counted(&trace.initial, &places, &liveness).ok_or_else(unsound)?];
    for step in &trace.steps {
        let place = *places.get(&step.thread).ok_or_else(unsound)?;
        let statement = program.statement(place);
        match step.successor {
            Some(successor) => {
                let next = lifted(program, reduced, (place, step.location), successor);
                places.insert(step.thread, next.ok_or_else(unsound)?);
            }
            None => {
                places.remove(&step.thread);
            }
        }
        if let FlatStatement::StartThread { entry, .. } = statement {
            for thread in &step.state.threads {
                places.entry(thread.thread).or_insert(*entry);
            }
        }
        path.push(counted(&step.state, &places, &liveness).ok_or_else(unsound)?);
    }
    single_steps_along(program, options, &path)
}

/// Where a step of the smaller program leads in the program itself, if it leads to `successor`
/// there: the successor in the same place.
fn lifted(
    program: &FlatProgram,
    reduced: &FlatProgram,
    (place, location): (LocationId, LocationId),
    successor: LocationId,
) -> Option<LocationId> {
    let targets = reduced.statement(location).successors();
    let chosen = targets.iter().position(|target| *target == successor)?;
    program.statement(place).successors().get(chosen).copied()
}

/// The program's own steps for steps of the smaller program; `None` if they do not follow each
/// other.
pub(super) fn lift_steps(
    program: &FlatProgram,
    reduced: &FlatProgram,
    steps: &[SuspectStep],
) -> Option<Vec<SuspectStep>> {
    let mut places: FxHashMap<u32, LocationId> = FxHashMap::default();
    places.insert(0, program.entry);
    let mut lifted_steps = Vec::with_capacity(steps.len());
    for step in steps {
        let place = *places.get(&step.thread)?;
        let successor = match step.successor {
            Some(to) => Some(lifted(program, reduced, (place, step.location), to)?),
            None => None,
        };
        match successor {
            Some(next) => places.insert(step.thread, next),
            None => places.remove(&step.thread),
        };
        if let (FlatStatement::StartThread { entry, .. }, Some(started)) =
            (program.statement(place), step.started)
        {
            places.insert(started, *entry);
        }
        lifted_steps.push(SuspectStep { location: place, successor, ..*step });
    }
    Some(lifted_steps)
}

/// A state with its threads at the given places, dead locals false.
fn counted(
    state: &TraceState,
    places: &FxHashMap<u32, LocationId>,
    liveness: &Liveness,
) -> Option<CountedState> {
    let thread = |thread: &ThreadState| {
        let location = *places.get(&thread.thread)?;
        let locals = (0u32..).zip(thread.locals.iter());
        Some(CountedThread {
            location,
            initial: thread.thread == 0,
            holder: state.atomic == Some(thread.thread),
            locals: locals
                .map(|(v, value)| value && liveness.is_live(location, LocalVar(v)))
                .collect(),
        })
    };
    let threads = state.threads.iter().map(thread).collect::<Option<Vec<_>>>()?;
    Some(CountedState { shared: state.shared.iter().collect(), threads })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::symbolic::{counter, plain};
    use crate::check::{Answer, ThreadBound, check, explicit};
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    fn program_of(text: &str) -> FlatProgram {
        flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
    }

    fn reduced(text: &str) -> Option<FlatProgram> {
        reduce(&program_of(text), &CheckOptions::new(ThreadBound::Bounded(2))).unwrap()
    }

    /// How many locations can be reached from the entry.
    fn places(program: &FlatProgram) -> usize {
        let mut seen = vec![program.entry];
        let mut at = 0;
        while let Some(location) = seen.get(at).copied() {
            at += 1;
            let next = program.statement(location).successors().to_vec();
            seen.extend(next.into_iter().filter(|n| !seen.contains(n)).collect::<Vec<_>>());
        }
        seen.len()
    }

    #[test]
    fn equal_branches_are_one() {
        let text = "decl g, h; void main() begin
            if (g) then h := 1; g := 0; else h := 1; g := 0; fi end";
        let program = program_of(text);
        let smaller = reduced(text).unwrap();
        assert_eq!(places(&smaller), places(&program) - 2);
        let text = "decl g; void main() begin A: g := 1; goto A; end";
        assert!(reduced(text).is_none());
    }

    #[test]
    fn assignments_to_what_is_dead_are_skips() {
        let skips = |first: &str| {
            let text = format!(
                "decl g; void main() begin decl a, b; {first} A: a, b := g, !g; assert(a | b); end"
            );
            let program = program_of(&text);
            let reduced = reduced(&text).unwrap_or_else(|| program.clone());
            let assigns = |program: &FlatProgram| {
                let is_assign = |s: &FlatStatement| matches!(s, FlatStatement::Assign { .. });
                program.iter().filter(|(_, l)| is_assign(&l.statement)).count()
            };
            assigns(&program) - assigns(&reduced)
        };
        // The declarations of `a` and `b` are such assignments.
        assert_eq!(skips(""), 2);
        assert_eq!(skips("a := 1;"), 3);
        assert_eq!(skips("a, b := *, * constrain 'a | 'b;"), 3);
        assert_eq!(skips("a, b := *, * constrain ('a | !g) & 'b;"), 3);
        // These can block, or matter.
        assert_eq!(skips("a, b := *, * constrain g;"), 2);
        assert_eq!(skips("a, b := 0, 0 constrain 'a;"), 2);
        assert_eq!(skips("a, g := 1, 1;"), 2);
    }

    #[test]
    fn traces_are_those_of_the_program() {
        let text = "decl g := 0; decl thread_local a;
            void worker() begin
                a := * constrain 'a | g;
                if (*) then a := 1; g := 1; else a := 1; g := 1; fi;
                LAST: assert(!g);
            end
            void main() begin start_thread worker(); start_thread worker(); end";
        let program = program_of(text);
        assert!(reduced(text).is_some());
        for engine in [&explicit::ENGINE, &counter::ENGINE, &plain::ENGINE] {
            for por in [false, true] {
                let options = CheckOptions {
                    partial_order_reduction: por,
                    ..CheckOptions::new(ThreadBound::Bounded(2))
                };
                let outcome = check(engine, &program, &options, &mut |_| {});
                let Answer::Failing { trace, .. } = outcome.answer else { panic!("{outcome:?}") };
                let failing = program.location(trace.failing_location);
                assert_eq!(failing.labels, ["LAST"]);
            }
        }
    }

    #[test]
    fn traces_do_not_go_round_loops_of_skips() {
        // `S` and `R` are one place of the smaller program.
        let text = "decl g := 0; void main() begin
            S: skip; goto A;
            A: skip; skip; goto R, B;
            R: skip; goto A;
            B: assert(g); end";
        let program = program_of(text);
        assert!(reduced(text).is_some());
        let options = CheckOptions::new(ThreadBound::Bounded(1));
        let outcome = check(&explicit::ENGINE, &program, &options, &mut |_| {});
        let Answer::Failing { trace, .. } = outcome.answer else { panic!("{outcome:?}") };
        let mut places: Vec<_> = trace.steps.iter().map(|step| step.location).collect();
        let steps = places.len();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), steps, "a place is passed twice");
    }
}
