//! `join-flags`: what a join says, as a fact about shared memory.
//!
//! The abstraction does not follow which thread a handle names, so it knows
//! nothing after a join. Where a join's handle is that of a start that is
//! executed at most once, the started function becomes a copy of its own that
//! sets a flag as its last step, and the join first waits for the flag: a
//! thread that has ended has set it, so the join waits for nothing more. What the thread ends with
//! is stored before, if somebody reads it, and the join's result is loaded from there.
//!
//! Copies multiply the states. Many starts of one function with the same arguments keep the one
//! function, which counts its ends: a join that comes after others waits for as many ends.

mod ends;
mod known;
mod memory;
mod results;

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::operation::THREAD_JOIN;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BlockId, CompareOp, Function, FunctionId, GlobalId, Instruction, Location, Module, Op, Operand,
    ValueId,
};
use sapa_limits::{Exceeded, Limits};

use self::ends::{COUNTER, FLAG, counted, flagged, is_counted, load};
use self::known::{Joins, Known, Starts, joins, starts};
use self::results::results;
use crate::analysis::{Preserved, once};
use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "join-flags",
    summary: "let joins of known threads wait for flags or counters, which these set in the end, and know their results",
    options: &[],
    run,
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let Some(entry) = module.entry.filter(|entry| once::functions(module).contains(entry)) else {
        return Ok(Changed::when(false, Preserved::NOTHING));
    };
    let starts = starts(module, entry);
    let joins = joins(module, entry, &starts, context.limits)?;
    if joins.is_empty() {
        return Ok(Changed::when(false, Preserved::NOTHING));
    }
    let waits = waits(module, entry, &starts, &joins, context.limits)?;
    let operation = Some(module.intern_name(THREAD_JOIN));
    let function = &mut module.functions[entry.index()];
    for block in 0..function.blocks.len() {
        let old = std::mem::take(&mut function.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        for (index, instruction) in old.into_iter().enumerate() {
            let location = Location { operation, ..instruction.location };
            let place = (BlockId::new(block), index);
            let wait = waits.get(&place);
            if let Some(wait) = wait {
                assume_ended(function, wait, location, &mut new);
            }
            let mut instruction = instruction;
            // So that nothing has to be known of the memory that the handle went through.
            if let Some(Known { handle, always: true }) = joins.get(&place)
                && let Op::Join { handle: given } = &mut instruction.op
            {
                *given = Operand::Value(*handle);
            }
            match (wait, instruction.result) {
                (Some(&Wait::Flag { result: Some(stored), .. }), Some(_)) => {
                    let join = Instruction { result: None, ..instruction.clone() };
                    let result = Instruction { op: load(stored), location, ..instruction };
                    new.extend([join, result]);
                }
                _ => new.push(instruction),
            }
        }
        function.blocks[block].instructions = new;
    }
    Ok(Changed::when(true, Preserved::NOTHING))
}

/// What a join may wait for.
enum Wait {
    /// That the thread has set its flag; where it stored what it ended with.
    Flag { flag: GlobalId, result: Option<GlobalId> },
    /// That at least `least` threads of the function have counted their ends.
    Count { counter: GlobalId, least: u128 },
}

/// What each join waits for; the threads do their part.
fn waits(
    module: &mut Module,
    entry: FunctionId,
    starts: &Starts,
    joins: &Joins,
    limits: &Limits,
) -> Result<BTreeMap<(BlockId, usize), Wait>, Exceeded> {
    let joined: BTreeSet<ValueId> = joins.values().map(|known| known.handle).collect();
    let mut counters: BTreeMap<FunctionId, GlobalId> = BTreeMap::new();
    let mut flags: BTreeMap<ValueId, (GlobalId, Option<GlobalId>)> = BTreeMap::new();
    let started = |handle: &ValueId| starts.get(handle).map(|start| start.function);
    let results = results(module, entry, starts, joins, limits)?;
    let with_results: BTreeSet<FunctionId> = results.keys().filter_map(started).collect();
    // Asked of all before any is changed: a start of a copy is none of the function any more.
    let to_count: BTreeSet<FunctionId> = joined
        .iter()
        .filter_map(started)
        .filter(|function| !with_results.contains(function))
        .filter(|function| is_counted(module, entry, starts, *function))
        .collect();
    for handle in joined {
        let Some(start) = starts.get(&handle) else { continue };
        if to_count.contains(&start.function) {
            counters.entry(start.function).or_insert_with(|| counted(module, start));
        } else {
            let result = results.get(&handle);
            flags.insert(handle, flagged(module, entry, handle, start, result));
        }
    }
    let dominators = Dominators::new(&Cfg::new(module.function(entry)));
    let mut waits = BTreeMap::new();
    for (&place, Known { handle, .. }) in joins {
        let function = started(handle);
        let wait = match function.and_then(|function| counters.get(&function)) {
            Some(&counter) => {
                let before = joined_before(joins, &dominators, place);
                let least = before.iter().filter(|other| started(other) == function).count();
                let least = least as u128;
                Wait::Count { counter, least }
            }
            None => match flags.get(handle) {
                Some(&(flag, result)) => Wait::Flag { flag, result },
                None => continue,
            },
        };
        waits.insert(place, wait);
    }
    Ok(waits)
}

/// The handles whose threads have ended once a join is passed.
fn joined_before(
    joins: &Joins,
    dominators: &Dominators,
    (block, index): (BlockId, usize),
) -> BTreeSet<ValueId> {
    let is_before = |(other, at): (BlockId, usize)| {
        if other == block { at <= index } else { dominators.dominates(other, block) }
    };
    joins.iter().filter(|(place, _)| is_before(**place)).map(|(_, known)| known.handle).collect()
}

/// Waits until a flag is set, or a counter has come far enough.
fn assume_ended(
    function: &mut Function,
    wait: &Wait,
    location: Location,
    code: &mut Vec<Instruction>,
) {
    let mut add = |op: Op, result: Option<ValueId>| code.push(Instruction { op, result, location });
    let (global, ty) = match *wait {
        Wait::Flag { flag, .. } => (flag, FLAG),
        Wait::Count { counter, .. } => (counter, COUNTER),
    };
    let (value, truth) = (function.add_value(ty, None), function.add_value(BOOL, None));
    let loaded = Operand::Value(value);
    let op = match *wait {
        Wait::Flag { .. } => Op::Compare { op: CompareOp::Eq, a: loaded, b: Operand::int(8, 1) },
        Wait::Count { least, .. } => {
            Op::Compare { op: CompareOp::UnsignedLe, a: Operand::int(32, least), b: loaded }
        }
    };
    add(Op::AtomicBegin, None);
    add(load(global), Some(value));
    add(op, Some(truth));
    add(Op::Assume { condition: Operand::Value(truth) }, None);
    add(Op::AtomicEnd, None);
}
