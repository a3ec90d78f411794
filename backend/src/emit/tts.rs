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

use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::FlatProgram;

use super::EmitError;
use crate::check::coverability::flat_threads::FlatThreads;
use crate::check::coverability::thread_system::{Budget, LocalId, Move, SharedId, ThreadSystem};
use crate::check::{CheckOptions, ThreadBound};

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
    super::without_invariants(program)?;
    let too_large = |_| EmitError::TooLarge(LIMIT);
    let options =
        CheckOptions { max_states: Some(LIMIT), ..CheckOptions::new(ThreadBound::Unbounded) };
    let mut system = FlatThreads::new(program, &options).map_err(too_large)?;
    let initial = system.initial(&mut Budget::new(&options, &mut |_| {})).map_err(too_large)?;
    // Close under steps; pairs that were looked at are below both marks.
    let (mut seen_shared, mut seen_locals) = (0, 0);
    let mut steps: Vec<(SharedId, LocalId, Option<Move>)> = Vec::new();
    let mut broadcasts = BTreeSet::new();
    while (seen_shared, seen_locals) != system.known() {
        let (shared, locals) = system.known();
        if u64::from(shared) * u64::from(locals) > LIMIT as u64 {
            return Err(EmitError::TooLarge(LIMIT));
        }
        for (s, l) in (0..shared).flat_map(|s| (0..locals).map(move |l| (s, l))) {
            if s < seen_shared && l < seen_locals {
                continue;
            }
            let (s, l) = (SharedId(s), LocalId(l));
            let moves = system.moves(s, l).map_err(too_large)?;
            if steps.len() + moves.moves.len() > LIMIT {
                return Err(EmitError::TooLarge(LIMIT));
            }
            if moves.fails {
                steps.push((s, l, None));
            }
            for step in &moves.moves {
                broadcasts.extend(step.broadcast);
                steps.push((s, l, Some(*step)));
            }
        }
        (seen_shared, seen_locals) = (shared, locals);
        for &broadcast in &broadcasts {
            for local in 0..locals {
                let results = system.passive(broadcast, LocalId(local)).map_err(too_large)?;
                if results.is_empty() {
                    let what = "a broadcast that a passive thread can block";
                    return Err(EmitError::Unsupported { position: Position::default(), what });
                }
            }
        }
    }
    write(&mut system, &initial, &steps).map_err(too_large)
}

fn write(
    system: &mut FlatThreads<'_>,
    initial: &[(SharedId, LocalId)],
    steps: &[(SharedId, LocalId, Option<Move>)],
) -> Result<String, crate::check::UnknownReason> {
    let state = |s: SharedId, mode: u32| 4 * s.0 + mode;
    let local = |l: LocalId| l.0 + 2;
    // A thread that starts another waits in a state of its own, by the step's number.
    let starts =
        steps.iter().filter(|(.., step)| step.is_some_and(|s| s.spawned.is_some())).count();
    let (shared_count, locals) = system.known();
    let (shared_count, local_count) = (4 * shared_count, 2 + locals);
    let mut text = String::new();
    let starting: Vec<String> =
        initial.iter().map(|(s, l)| format!("{}|{}", state(*s, FREE), local(*l))).collect();
    // Writing to a string does not fail.
    // What `check/transition_system/read.rs` reads again; to others they are comments.
    let _ = writeln!(text, "# initial: {}", starting.join(" "));
    let _ = writeln!(text, "# target: *|{ERROR}");
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
            for passive in (0..locals).map(LocalId) {
                let results = system.passive(broadcast, passive)?;
                if results.as_ref() != [passive] {
                    for result in results.iter() {
                        let _ = write!(text, " {} ~> {}", local(passive), local(*result));
                    }
                }
            }
        }
        text.push('\n');
    }
    Ok(text)
}
