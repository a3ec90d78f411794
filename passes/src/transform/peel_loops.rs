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
use sapa_ir::goto::{Block, Expression, Function, FunctionId, Module, Op, Operand, ValueId};

use super::peel::peel;
use super::{constant_propagation, unreachable};
use crate::analysis::loops::{self, Loop};
use crate::analysis::{Preserved, once};
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Changed, Context, Pass};

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
    run,
};

/// Most rounds that can be asked for.
const MAX_ROUNDS: u64 = 1000;

/// What may be made of loops.
#[derive(Clone, Copy)]
struct Limits {
    rounds: usize,
    instructions: usize,
}

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let number = |name: &str, most: u64| {
        usize::try_from(context.options.number(name).min(most)).unwrap_or(usize::MAX)
    };
    let limits = Limits {
        rounds: number("rounds", MAX_ROUNDS),
        instructions: number("instructions", 1 << 20),
    };
    let mut changed = false;
    let mut done: BTreeSet<FunctionId> = BTreeSet::new();
    // A start that is in no loop any more may make its function one that is executed once.
    loop {
        let Some(id) = once::functions(module).into_iter().find(|id| !done.contains(id)) else {
            return Ok(Changed::when(changed, Preserved::NOTHING));
        };
        context.limits.check()?;
        done.insert(id);
        changed |= unreachable::remove(&mut module.functions[id.index()]);
        let mut state = State { limits, tried: FxHashSet::default(), effort: EFFORT };
        // Those with threads first: they get what they need, and others what is left.
        for pays in [has_threads, walks] {
            while let Some(nest) = untried(module, id, &mut state.tried, pays, &|_| true) {
                context.limits.check()?;
                changed |= unroll_nest(module, id, &nest, &mut state, pays);
            }
        }
    }
}

/// Instructions looked at for a function in all, with those looked at again: a second or so.
const EFFORT: usize = 1 << 21;

/// How far the loops of a function are.
struct State {
    /// What may still be made of its loops.
    limits: Limits,
    tried: Tried,
    /// What is left of [`EFFORT`].
    effort: usize,
}

/// Whether unrolling a loop is worth it.
type Pays = fn(&Function, &Loop) -> bool;

/// Loops that were looked at, known by the values they define.
type Tried = FxHashSet<BTreeSet<ValueId>>;

/// The first loop that is in no other, among those that pay and whose values are of some kind, that
/// may be unrolled and was not looked at yet.
fn untried(
    module: &Module,
    id: FunctionId,
    tried: &mut Tried,
    pays: Pays,
    kind: &dyn Fn(&BTreeSet<ValueId>) -> bool,
) -> Option<Loop> {
    let function = module.function(id);
    loops::outermost(function).into_iter().find(|content| {
        let values = content.values(function);
        pays(function, content)
            && kind(&values)
            && !is_named(module, id, &values)
            && tried.insert(values)
    })
}

/// Unrolls a loop and all in it for which that pays, if the limits allow it for all of them; whether
/// they do.
fn unroll_nest(
    module: &mut Module,
    id: FunctionId,
    nest: &Loop,
    state: &mut State,
    pays: Pays,
) -> bool {
    let before = (module.function(id).clone(), state.tried.clone());
    let (own, first_new) = (nest.values(&before.0), ValueId::new(before.0.values.len()));
    let budget = state.limits.instructions;
    let allowed = size(before.0.blocks.iter()).saturating_add(budget);
    if !unroll(module, id, nest, state) {
        return false;
    }
    let is_inner =
        |values: &BTreeSet<ValueId>| values.iter().all(|v| *v >= first_new || own.contains(v));
    loop {
        let now = size(module.function(id).blocks.iter());
        if now > allowed {
            (module.functions[id.index()], state.tried) = before;
            return false;
        }
        let Some(inner) = untried(module, id, &mut state.tried, pays, &is_inner) else {
            state.limits.instructions = (allowed - now).min(budget);
            return true;
        };
        unroll(module, id, &inner, state);
    }
}

/// Unrolls a loop if it has few rounds; whether it has.
fn unroll(module: &mut Module, id: FunctionId, content: &Loop, state: &mut State) -> bool {
    let cost = size(module.function(id).blocks.iter());
    let Some(effort) = state.effort.checked_sub(cost) else { return false };
    state.effort = effort;
    let Some(rounds) = rounds(module, id, content, &state.limits) else { return false };
    let mut function = module.function(id).clone();
    if peel(&mut function, content, rounds - 1).is_none() {
        return false;
    }
    module.functions[id.index()] = function;
    constant_propagation::propagate(module, id);
    forward(&mut module.functions[id.index()]);
    true
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

/// Whether a predicate names one of these values, which would be several.
fn is_named(module: &Module, id: FunctionId, values: &BTreeSet<ValueId>) -> bool {
    let mut named = false;
    for predicate in &module.predicates {
        predicate.expression.for_each(&mut |e| {
            named |= matches!(e, Expression::Value { function, value }
                if *function == id && values.contains(value));
        });
    }
    named
}

/// Instructions and terminators of blocks.
fn size<'b>(blocks: impl Iterator<Item = &'b Block>) -> usize {
    blocks.map(|block| block.instructions.len() + 1).sum()
}

/// How often a loop comes to its header in any run, if that is known and little enough.
fn rounds(module: &mut Module, id: FunctionId, content: &Loop, limits: &Limits) -> Option<usize> {
    let blocks = content.blocks.iter().map(|&block| module.function(id).block(block));
    let allowed = limits.instructions / size(blocks).max(1);
    if allowed == 0 {
        return None;
    }
    let mut peeled = module.function(id).clone();
    // The last copy is for the test that ends the loop.
    let headers = peel(&mut peeled, content, allowed.min(limits.rounds) + 1)?;
    let original = std::mem::replace(&mut module.functions[id.index()], peeled);
    let reached = constant_propagation::reached(module, id);
    module.functions[id.index()] = original;
    let is_reached = |block: usize| reached.get(block) == Some(&true);
    let count = headers.iter().filter(|header| is_reached(header.index())).count();
    (!is_reached(content.header.index()) && count > 0).then_some(count)
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
    let replace = |operand: &mut Operand| {
        // A parameter dominates what is given on: the chain ends.
        while let Operand::Value(value) = operand
            && let Some(Some(by)) = given.get(value)
        {
            *operand = *by;
        }
    };
    function.for_each_operand_mut(replace);
}
