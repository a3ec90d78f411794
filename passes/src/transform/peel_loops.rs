//! `peel-loops`: loops of few rounds become straight code where the code is executed at most once.
//!
//! Passes that look at what is executed at most once see nothing in `for (i = 0; i < N; i++)
//! pthread_create(&t[i], …)`, since its one place is passed N times. Peeling is right whatever a
//! loop does: the copies do what its first rounds did, and the loop is still behind them. So all
//! that has to be known is that the loop behind the copies is never reached, and that is what
//! constant propagation says: no form of loop is recognised. The outermost loops go first, as
//! bounds of inner ones may depend on them.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{Block, BlockId, Function, FunctionId, Module, Op, Operand, ValueId};
use sapa_limits::{Exceeded, Limits};

use super::peel::peel;
use super::{constant_propagation, unreachable};
use crate::analysis::loops::{self, Loop};
use crate::analysis::once::ExecutedOnce;
use crate::analysis::vocabulary::named;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "peel-loops",
    summary: "unroll loops of few rounds in code that is executed at most once",
    options: &[
        OptionSpec {
            name: "rounds",
            kind: OptionKind::Number(16),
            summary: "most rounds of a loop, besides the test that ends it",
        },
        OptionSpec {
            name: "instructions",
            kind: OptionKind::Number(16_000),
            summary: "most instructions that the loops of a function may become more",
        },
    ],
    preserves: &[],
    run: Run::Module(run),
};

/// Most rounds that can be asked for.
const MAX_ROUNDS: u64 = 1000;

/// What may be made of loops.
#[derive(Clone, Copy)]
struct Growth {
    rounds: usize,
    instructions: usize,
}

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let number = |name: &str, most: u64| {
        usize::try_from(context.options.number(name).min(most)).unwrap_or(usize::MAX)
    };
    let most = Growth {
        rounds: number("rounds", MAX_ROUNDS),
        instructions: number("instructions", 1 << 20),
    };
    let mut changed = false;
    let mut done: BTreeSet<FunctionId> = BTreeSet::new();
    // A start that is in no loop any more may make its function one that is executed once.
    loop {
        if changed {
            context.analyses.keep(PASS.preserves);
        }
        let once = context.analyses.get::<ExecutedOnce>(module)?;
        let found: Vec<_> = once.functions().filter(|id| !done.contains(id)).collect();
        if found.is_empty() {
            return Ok(changed);
        }
        for id in found {
            done.insert(id);
            changed |= unreachable::remove(&mut module.functions[id.index()]);
            let effort = size(module.function(id).blocks.iter()).saturating_mul(EFFORT_PER_SIZE);
            let effort = effort.max(EFFORT);
            let limits = context.limits.clone();
            let mut state = State { most, tried: FxHashSet::default(), effort, limits };
            // Those with threads first: they get what they need, and others what is left.
            for pays in [has_threads, walks] {
                loop {
                    let nests = untried(module, id, &mut state, pays, &|_| Some(0));
                    if nests.is_empty() {
                        break;
                    }
                    let nests: Vec<Loop> = nests.into_iter().map(|(_, nest)| nest).collect();
                    changed |= unroll_nests(module, id, &nests, &mut state, pays)?;
                }
            }
        }
    }
}

/// Instructions looked at for a function in all, with those looked at again: a second or so.
const EFFORT: usize = 1 << 21;

/// The same for each instruction of a large function.
const EFFORT_PER_SIZE: usize = 64;

/// How far the loops of a function are.
struct State {
    /// What may still be made of its loops.
    most: Growth,
    tried: Tried,
    /// What is left of [`EFFORT`].
    effort: usize,
    /// Those of the run.
    limits: Limits,
}

/// Whether unrolling a loop is worth it.
type Pays = fn(&Function, &Loop) -> bool;

/// Loops that were looked at, known by the values they define.
type Tried = FxHashSet<BTreeSet<ValueId>>;

/// Loops of a level, each with the number of the nest that it is in.
type Level = Vec<(usize, Loop)>;

/// Loops that are in no other, among those that pay, for whose values there is a nest, that may be
/// unrolled and were not looked at yet. Together with their copies they are a few times as large as
/// the function at most, so that there may be others.
fn untried(
    module: &Module,
    id: FunctionId,
    state: &mut State,
    pays: Pays,
    nest: &dyn Fn(&BTreeSet<ValueId>) -> Option<usize>,
) -> Level {
    let function = module.function(id);
    let named = named(module, id).values;
    let mut room = size(function.blocks.iter()).saturating_mul(4);
    let mut found = Vec::new();
    for content in loops::outermost(function) {
        if room == 0 {
            break;
        }
        let values = content.values(function);
        if pays(function, &content)
            && let Some(nest) = nest(&values)
            // What a predicate names would be several.
            && !named.iter().any(|value| values.contains(value))
            && state.tried.insert(values)
        {
            let own = loop_size(function, &content);
            room = room.saturating_sub(own.saturating_mul(state.copies(own)));
            found.push((nest, content));
        }
    }
    found
}

impl State {
    /// How many copies of a loop of a size are looked at.
    fn copies(&self, size: usize) -> usize {
        let allowed = self.most.instructions / size.max(1);
        // The last copy is for the test that ends the loop.
        if allowed == 0 { 0 } else { allowed.min(self.most.rounds) + 1 }
    }
}

/// Unrolls loops and all in them for which that pays, each if the limits allow it for all of its
/// nest; whether there is any. All nests are looked at together, level by level, so that the work
/// grows with the function and not with the product of its size and its loops.
fn unroll_nests(
    module: &mut Module,
    id: FunctionId,
    nests: &[Loop],
    state: &mut State,
    pays: Pays,
) -> Result<bool, Exceeded> {
    let before = (module.function(id).clone(), state.tried.clone());
    let mut given_up = vec![false; nests.len()];
    loop {
        match unroll_levels(module, id, nests, &mut given_up, state, pays)? {
            Some(changed) => return Ok(changed),
            // A nest was too large after all: again without it.
            None => (module.functions[id.index()], state.tried) = before.clone(),
        }
    }
}

/// Unrolls nests but for those that are given up; `None` if more must be given up.
fn unroll_levels(
    module: &mut Module,
    id: FunctionId,
    nests: &[Loop],
    given_up: &mut [bool],
    state: &mut State,
    pays: Pays,
) -> Result<Option<bool>, Exceeded> {
    // The nest that a value belongs to: of the loop itself, or of a copy.
    let mut nest_of: FxHashMap<ValueId, usize> = FxHashMap::default();
    for (number, content) in nests.iter().enumerate() {
        nest_of.extend(content.values(module.function(id)).into_iter().map(|v| (v, number)));
    }
    let mut spent = vec![0_usize; nests.len()];
    let mut left = state.most.instructions;
    let mut changed = false;
    let mut level: Level = nests.iter().cloned().enumerate().collect();
    level.retain(|&(nest, _)| !given_up[nest]);
    let mut is_first = true;
    while !level.is_empty() {
        state.limits.check()?;
        let rounds = rounds(module, id, &level, state);
        let mut chosen: Vec<(usize, &Loop, usize)> = Vec::new();
        for ((nest, content), rounds) in level.iter().zip(rounds) {
            if let Some(rounds) = rounds {
                let function = module.function(id);
                let (own, test) = (loop_size(function, content), function.block(content.header));
                // Of the last round, the test is left.
                let rest = own - (test.instructions.len() + 1);
                spent[*nest] += ((rounds - 1) * own).saturating_sub(rest);
                chosen.push((*nest, content, rounds));
            }
        }
        left = state.most.instructions;
        let mut more = false;
        for (nest, spent) in spent.iter().enumerate() {
            if !given_up[nest] && *spent > left {
                given_up[nest] = true;
                more = true;
            } else if !given_up[nest] {
                left -= spent;
            }
        }
        if more && !is_first {
            return Ok(None);
        }
        chosen.retain(|&(nest, ..)| !given_up[nest]);
        if chosen.is_empty() {
            break;
        }
        let peeled: Vec<(&Loop, usize)> = chosen.iter().map(|&(_, l, r)| (l, r - 1)).collect();
        let mut function = module.function(id).clone();
        let Some(found) = peel(&mut function, &peeled) else { break };
        for (&(nest, ..), peeled) in chosen.iter().zip(found) {
            nest_of.extend(peeled.values.map(|value| (ValueId::new(value), nest)));
        }
        module.functions[id.index()] = function;
        constant_propagation::propagate(module, id);
        forward(&mut module.functions[id.index()]);
        changed = true;
        let chosen: FxHashSet<usize> = chosen.iter().map(|&(nest, ..)| nest).collect();
        let inside = |values: &BTreeSet<ValueId>| {
            let mut nests = values.iter().map(|value| nest_of.get(value).copied());
            let first = nests.next()??;
            (chosen.contains(&first) && nests.all(|nest| nest == Some(first))).then_some(first)
        };
        level = untried(module, id, state, pays, &inside);
        is_first = false;
    }
    state.most.instructions = left;
    Ok(Some(changed))
}

/// Whether a loop starts or joins a thread or allocates: other passes understand that in straight
/// code only.
fn has_threads(function: &Function, content: &Loop) -> bool {
    has(function, content, |op| {
        matches!(op, Op::Spawn { .. } | Op::Join { .. } | Op::Allocate { .. })
    })
}

/// Whether a loop comes to another element of an array each time, which is an object of its own to
/// the abstraction if the index is a constant.
fn walks(function: &Function, content: &Loop) -> bool {
    has(function, content, |op| matches!(op, Op::IndexAddress { index: Operand::Value(_), .. }))
}

fn has(function: &Function, content: &Loop, what: impl Fn(&Op) -> bool) -> bool {
    let mut code = content.blocks.iter().flat_map(|&block| &function.block(block).instructions);
    code.any(|instruction| what(&instruction.op))
}

/// Instructions and terminators of blocks.
fn size<'b>(blocks: impl Iterator<Item = &'b Block>) -> usize {
    blocks.map(|block| block.instructions.len() + 1).sum()
}

/// Instructions and terminators of a loop.
fn loop_size(function: &Function, content: &Loop) -> usize {
    size(content.blocks.iter().map(|&block| function.block(block)))
}

/// How often each loop comes to its header in any run, if that is known and little enough.
fn rounds(
    module: &mut Module,
    id: FunctionId,
    loops: &[(usize, Loop)],
    state: &mut State,
) -> Vec<Option<usize>> {
    let function = module.function(id);
    let copies = |content: &Loop| state.copies(loop_size(function, content));
    let copies: Vec<usize> = loops.iter().map(|(_, content)| copies(content)).collect();
    let mut peeled = function.clone();
    let contents = loops.iter().map(|(_, content)| content);
    let wanted: Vec<(&Loop, usize)> =
        contents.zip(&copies).map(|(content, &copies)| (content, copies)).collect();
    let nothing = vec![None; loops.len()];
    let Some(found) = peel(&mut peeled, &wanted) else { return nothing };
    let Some(effort) = state.effort.checked_sub(size(peeled.blocks.iter())) else { return nothing };
    state.effort = effort;
    let original = std::mem::replace(&mut module.functions[id.index()], peeled);
    let reached = constant_propagation::reached(module, id);
    module.functions[id.index()] = original;
    let is_reached = |block: BlockId| reached.get(block.index()) == Some(&true);
    loops
        .iter()
        .zip(found)
        .map(|((_, content), peeled)| {
            let count = peeled.headers.iter().filter(|header| is_reached(**header)).count();
            (!is_reached(content.header) && count > 0).then_some(count)
        })
        .collect()
}

/// Lets readers of a block parameter that is always given the same operand read that. The
/// parameters stay: as versions of source variables they may be all there is of them.
fn forward(function: &mut Function) {
    let mut given: FxHashMap<ValueId, Option<Operand>> = FxHashMap::default();
    for block in &function.blocks {
        block.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                if argument != Operand::Value(parameter) {
                    let before = given.entry(parameter).or_insert(Some(argument));
                    *before = before.filter(|&before| before == argument);
                }
            }
        });
    }
    // A parameter dominates what is given on: chains end.
    function.replace_values(|value| given.get(&value).copied().flatten());
}
