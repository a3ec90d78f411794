//! Thread transition systems, as BFC reads them: shared states and local states by number.
//!
//! The first line has how many there are of each. A row `s l -> s' l'` is a step of one thread,
//! `s l +> s' l'` starts another thread in `l'`, and `p ~> p'` after a step moves passive threads,
//! each to one of the states listed for it. What the format cannot say in one row takes several,
//! with shared states in which nobody else can move:
//! * for each shared valuation there is a state where a thread is in its atomic section, and two
//!   more for the two halves of starting a thread;
//! * local state 0 is the error, 1 that of a thread that has ended.

use std::collections::BTreeSet;
use std::fmt::Write;

use sapa_ir::boolean::flat::FlatProgram;

use super::EmitError;
use crate::check::flat_threads::FlatThreads;
use crate::check::thread_system::{LocalId, Move, SharedId, ThreadSystem};

/// No more states of single threads, and no more steps, than this are listed.
const LIMIT: usize = 1 << 15;

const FREE: u32 = 0;
const ATOMIC: u32 = 1;
const STARTING: u32 = 2;
const STARTED: u32 = 3;
const ERROR: u32 = 0;
const ENDED: u32 = 1;

/// The system of all states that threads can have if shared valuations and local states combine
/// freely.
///
/// # Errors
/// If there are too many states, or if a passive thread can block a broadcast.
pub fn emit(program: &FlatProgram, _threads: Option<u32>) -> Result<String, EmitError> {
    let mut system = FlatThreads::new(program);
    let too_large = |_| EmitError::TooLarge(LIMIT);
    let mut shared: Vec<SharedId> = Vec::new();
    let mut locals: Vec<LocalId> = Vec::new();
    let mut initial = Vec::new();
    for (s, l) in system.initial().map_err(too_large)? {
        initial.push((s, l));
        add(&mut shared, s);
        add(&mut locals, l);
    }
    // Close under steps; pairs that were looked at are below both marks.
    let (mut seen_shared, mut seen_locals) = (0, 0);
    let mut steps: Vec<(SharedId, LocalId, Option<Move>)> = Vec::new();
    let mut broadcasts = BTreeSet::new();
    while seen_shared < shared.len() || seen_locals < locals.len() {
        let (now_shared, now_locals) = (shared.len(), locals.len());
        if now_shared.saturating_mul(now_locals) > LIMIT {
            return Err(EmitError::TooLarge(LIMIT));
        }
        for at in 0..now_shared {
            for to in 0..now_locals {
                if at < seen_shared && to < seen_locals {
                    continue;
                }
                let (s, l) = (shared[at], locals[to]);
                let moves = system.moves(s, l).map_err(too_large)?;
                if steps.len() + moves.moves.len() > LIMIT {
                    return Err(EmitError::TooLarge(LIMIT));
                }
                if moves.fails {
                    steps.push((s, l, None));
                }
                for step in &moves.moves {
                    add(&mut shared, step.shared);
                    step.local.iter().chain(&step.spawned).for_each(|l| add(&mut locals, *l));
                    broadcasts.extend(step.broadcast);
                    steps.push((s, l, Some(*step)));
                }
            }
        }
        (seen_shared, seen_locals) = (now_shared, now_locals);
        for &broadcast in &broadcasts {
            for at in 0..locals.len() {
                let results = system.passive(broadcast, locals[at]).map_err(too_large)?;
                if results.is_empty() {
                    let what = "a broadcast that a passive thread can block";
                    return Err(EmitError::Unsupported { line: 0, what });
                }
                results.iter().for_each(|l| add(&mut locals, *l));
            }
        }
    }
    let text = write(&mut system, &shared, &locals, &initial, &steps);
    text.map_err(too_large)
}

fn add<T: PartialEq + Copy + Ord>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn write(
    system: &mut FlatThreads<'_>,
    shared: &[SharedId],
    locals: &[LocalId],
    initial: &[(SharedId, LocalId)],
    steps: &[(SharedId, LocalId, Option<Move>)],
) -> Result<String, crate::check::UnknownReason> {
    let state = |s: SharedId, mode: u32| 4 * s.0 + mode;
    let local = |l: LocalId| l.0 + 2;
    // A thread that starts another waits in a state of its own, by the step's number.
    let starts =
        steps.iter().filter(|(.., step)| step.is_some_and(|s| s.spawned.is_some())).count();
    let most = |ids: &mut dyn Iterator<Item = u32>| ids.max().map_or(0, |id| id + 1);
    let shared_count = 4 * most(&mut shared.iter().map(|s| s.0));
    let local_count = 2 + most(&mut locals.iter().map(|l| l.0));
    let mut text = String::new();
    let starting: Vec<String> =
        initial.iter().map(|(s, l)| format!("{}|{}", state(*s, FREE), local(*l))).collect();
    // Writing to a string does not fail.
    let _ = writeln!(text, "# initial states: {}", starting.join(" "));
    let _ = writeln!(text, "# error: local state {ERROR}");
    let _ = writeln!(text, "{shared_count} {}", local_count as usize + starts);
    let mut waiting = local_count;
    for (s, l, step) in steps {
        let inside = if system.in_atomic(*l) { ATOMIC } else { FREE };
        let from = format!("{} {}", state(*s, inside), local(*l));
        let Some(step) = step else {
            let _ = writeln!(text, "{from} -> {} {ERROR}", state(*s, inside));
            continue;
        };
        let mode = if step.local.is_some_and(|l| system.in_atomic(l)) { ATOMIC } else { FREE };
        let to = format!("{} {}", state(step.shared, mode), step.local.map_or(ENDED, local));
        if let Some(child) = step.spawned {
            let (first, second) = (state(*s, STARTING), state(*s, STARTED));
            let _ = writeln!(text, "{from} -> {first} {waiting}");
            let _ = writeln!(text, "{first} {waiting} +> {second} {}", local(child));
            let _ = writeln!(text, "{second} {waiting} -> {to}");
            waiting += 1;
            continue;
        }
        let _ = write!(text, "{from} -> {to}");
        if let Some(broadcast) = step.broadcast {
            for passive in locals {
                let results = system.passive(broadcast, *passive)?;
                if results.as_ref() != [*passive] {
                    for result in results.iter() {
                        let _ = write!(text, " {} ~> {}", local(*passive), local(*result));
                    }
                }
            }
        }
        text.push('\n');
    }
    Ok(text)
}
