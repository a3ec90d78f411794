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
//! function, which counts its ends: a join that comes after others waits for as many ends. So does one in a loop over
//! an array of handles (`arrays`).

mod arrays;
mod ends;
mod known;
mod memory;
mod results;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::operation::THREAD_JOIN;
use sapa_ir::goto::{
    BlockId, Builder, CompareOp, FunctionId, GlobalId, Instruction, Module, Op, Operand, Section,
    ValueId,
};
use sapa_limits::Exceeded;

use self::arrays::{ArrayJoin, Number, array_joins};
use self::ends::{COUNTER, FLAG, count, counted, flagged, is_counted, load, starts_counter};
use self::known::{Joins, Known, Starts, joins, starts};
use self::results::results;
use crate::analysis::Analyses;
use crate::analysis::once::ExecutedOnce;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "join-flags",
    summary: "let joins of known threads wait for flags or counters, which these set in the end, and know their results",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    let Some(entry) = module.entry.filter(|entry| once.contains(*entry)) else {
        return Ok(false);
    };
    let starts = starts(module, &once, entry);
    let joins = joins(module, entry, &starts, context.analyses)?;
    let arrays = array_joins(module, entry, &joins, context.limits)?;
    if joins.is_empty() && arrays.is_empty() {
        return Ok(false);
    }
    // Before functions are copied: what a copy does in the end counts for the function.
    let counters = array_counters(module, &arrays);
    let counted_starts = starts_of(module, entry, &counters);
    let mut waits = waits(module, entry, &starts, &joins, &counters, context.analyses)?;
    for (place, ArrayJoin { function, number }) in arrays {
        let counter = counters.get(&function).map(|counters| counters.ended);
        waits.extend(counter.map(|counter| (place, Wait::AsMany { counter, number })));
    }
    let operation = Some(module.intern_name(THREAD_JOIN));
    let function = &mut module.functions[entry.index()];
    function.rewrite(|builder, place, mut instruction| {
        builder.location.operation = operation;
        let wait = waits.get(&place);
        if let Some(wait) = wait {
            assume_ended(builder, wait);
        }
        if let Some(counter) = counted_starts.get(&place) {
            count(builder, *counter);
        }
        // So that nothing has to be known of the memory that the handle went through.
        if let Some(Known { handle, always: true }) = joins.get(&place)
            && let Op::Join { handle: given } = &mut instruction.op
        {
            *given = Operand::Value(*handle);
        }
        match (wait, instruction.result.take()) {
            (Some(&Wait::Flag { result: Some(stored), .. }), result @ Some(_)) => {
                let location = builder.location;
                builder.push(instruction);
                builder.push(Instruction { op: load(stored), result, location });
            }
            (_, result) => builder.push(Instruction { result, ..instruction }),
        }
    });
    Ok(true)
}

/// What counts the threads of a function.
struct Counters {
    started: GlobalId,
    ended: GlobalId,
}

/// Counters for the functions whose threads are joined in loops over arrays; the threads do their part.
fn array_counters(
    module: &mut Module,
    arrays: &FxHashMap<(BlockId, usize), ArrayJoin>,
) -> BTreeMap<FunctionId, Counters> {
    let functions: BTreeSet<FunctionId> = arrays.values().map(|join| join.function).collect();
    let mut counters =
        |id| Counters { started: starts_counter(module, id), ended: counted(module, id) };
    functions.into_iter().map(|id| (id, counters(id))).collect()
}

/// Where the entry starts threads that are counted, with the counters of their starts.
fn starts_of(
    module: &Module,
    entry: FunctionId,
    counters: &BTreeMap<FunctionId, Counters>,
) -> FxHashMap<(BlockId, usize), GlobalId> {
    let mut found = FxHashMap::default();
    for (block, content) in module.function(entry).blocks() {
        for (index, instruction) in content.instructions.iter().enumerate() {
            if let Op::Spawn { function: Operand::Function(function), .. } = &instruction.op
                && let Some(counters) = counters.get(function)
            {
                found.insert((block, index), counters.started);
            }
        }
    }
    found
}

/// What a join may wait for.
enum Wait {
    /// That the thread has set its flag; where it stored what it ended with.
    Flag { flag: GlobalId, result: Option<GlobalId> },
    /// That at least `least` threads of the function have counted their ends.
    Count { counter: GlobalId, least: u128 },
    /// That at least as many have as this is the number of a join in its loop.
    AsMany { counter: GlobalId, number: Number },
}

/// What each join waits for; the threads do their part.
fn waits(
    module: &mut Module,
    entry: FunctionId,
    starts: &Starts,
    joins: &Joins,
    in_arrays: &BTreeMap<FunctionId, Counters>,
    analyses: &mut Analyses,
) -> Result<BTreeMap<(BlockId, usize), Wait>, Exceeded> {
    let joined: BTreeSet<ValueId> = joins.values().map(|known| known.handle).collect();
    let mut counters: BTreeMap<FunctionId, GlobalId> = BTreeMap::new();
    let mut flags: BTreeMap<ValueId, (GlobalId, Option<GlobalId>)> = BTreeMap::new();
    let started = |handle: &ValueId| starts.get(handle).map(|start| start.function);
    let results = results(module, entry, starts, joins, analyses)?;
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
            counters.entry(start.function).or_insert_with(|| {
                match in_arrays.get(&start.function) {
                    Some(counters) => counters.ended,
                    None => counted(module, start.function),
                }
            });
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
fn assume_ended(builder: &mut Builder<'_>, wait: &Wait) {
    builder.effect(Op::AtomicBegin(Section::Locked));
    let condition = match *wait {
        Wait::Flag { flag, .. } => {
            let ended = builder.define(load(flag), FLAG);
            builder.compare(CompareOp::Eq, ended, Operand::int(8, 1))
        }
        Wait::Count { counter, least } => {
            let ended = builder.define(load(counter), COUNTER);
            builder.compare(CompareOp::UnsignedLe, Operand::int(32, least), ended)
        }
        Wait::AsMany { counter, number } => {
            let ended = builder.define(load(counter), COUNTER);
            let least = number.computed(builder);
            builder.compare(CompareOp::UnsignedLe, least, ended)
        }
    };
    builder.effect(Op::Assume { condition });
    builder.effect(Op::AtomicEnd);
}
