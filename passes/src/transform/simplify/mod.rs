//! `simplify`: equality saturation (egg; Willsey et al., POPL 2021) of the
//! computations of each block.
//!
//! All pure operations of a block become one e-graph over what they are given;
//! it is saturated with rules that hold at every width, up to limits on nodes
//! and rounds, never by the clock; and each result is computed again in its cheapest form.
//! Results that are equal share one computation.
//!
//! Signed operations whose overflow may be undefined, and divisions and shifts
//! that are not defined for all operands, are left alone: they can cut a run off. Versions of source variables stay definitions of their
//! variable.
//!
//! | file | holds |
//! | --- | --- |
//! | `term` | operations as nodes of an e-graph, and what is known of a class |
//! | `rules` | the rewrite rules |
//! | `rebuild` | blocks from their simplified terms |

mod rebuild;
mod rules;
mod term;

use std::time::Duration;

use egg::{EGraph, Id, Runner};
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    BlockId, Function, FunctionId, Instruction, Module, Op, Operand, SignedOverflow, ValueId,
};

use crate::analysis::vocabulary::named;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};
use term::{Facts, Term};

/// The pass.
pub const PASS: Pass = Pass {
    name: "simplify",
    summary: "simplify computations by equality saturation",
    options: &[
        OptionSpec {
            name: "nodes",
            kind: OptionKind::Number(10_000),
            summary: "most nodes of the e-graph of a block",
        },
        OptionSpec {
            name: "rounds",
            kind: OptionKind::Number(8),
            summary: "most rounds of rewriting for a block",
        },
    ],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    // Values that predicates name stay.
    let pinned = named(module, id).values;
    let function = &mut module.functions[id.index()];
    let before = function.clone();
    for block in 0..function.blocks.len() {
        context.limits.check()?;
        simplify(function, BlockId::new(block), context, &pinned);
    }
    Ok(*function != before)
}

/// The operations that become nodes; the results of others are given.
fn is_term(instruction: &Instruction) -> bool {
    match &instruction.op {
        // Without a look at what the module says of overflow: a signed one is left alone.
        Op::Binary { .. } => !instruction.op.may_be_undefined(SignedOverflow::Absent),
        Op::Unary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Select { .. }
        | Op::Copy { .. } => true,
        _ => false,
    }
}

fn simplify(
    function: &mut Function,
    block: BlockId,
    context: &Context<'_>,
    pinned: &FxHashSet<ValueId>,
) {
    let terms = function.block(block).instructions.iter().filter(|i| is_term(i)).count();
    if terms == 0 {
        return;
    }
    let mut graph: EGraph<Term, Facts> = EGraph::default();
    let mut classes: FxHashMap<ValueId, Id> = FxHashMap::default();
    for instruction in &function.block(block).instructions {
        if let (true, Some(result)) = (is_term(instruction), instruction.result) {
            let id = add(&mut graph, function, &classes, instruction, result);
            classes.insert(result, id);
        }
    }
    let limit = |name: &str| usize::try_from(context.options.number(name)).unwrap_or(usize::MAX);
    let limits = context.limits.clone();
    let runner = Runner::default()
        .with_egraph(graph)
        .with_node_limit(limit("nodes"))
        .with_iter_limit(limit("rounds"))
        // By the clock, the result would depend on the machine. The nodes bound a round's time.
        .with_time_limit(Duration::MAX)
        .with_hook(move |_| limits.check().map_err(|exceeded| exceeded.to_string()))
        .run(&rules::rules());
    // Where the limits ended it, they end the pass.
    rebuild::rebuild(function, block, &runner.egraph, &classes, pinned);
}

/// Adds an operation; its class.
fn add(
    graph: &mut EGraph<Term, Facts>,
    function: &Function,
    classes: &FxHashMap<ValueId, Id>,
    instruction: &Instruction,
    result: ValueId,
) -> Id {
    let mut operand = |operand: Operand| match operand {
        Operand::Value(value) if classes.contains_key(&value) => classes[&value],
        Operand::Int { bits, value } => graph.add(Term::Int { bits, value }),
        given => {
            let bits = match function.operand_type(given) {
                sapa_ir::goto::Type::Int(bits) => Some(bits),
                _ => None,
            };
            graph.add(Term::Given { operand: given, bits })
        }
    };
    let bits = match function.values[result.index()].ty {
        sapa_ir::goto::Type::Int(bits) => Some(bits),
        _ => None,
    };
    let node = match &instruction.op {
        Op::Binary { op, a, b, .. } => Term::Binary(*op, [operand(*a), operand(*b)]),
        Op::Unary { op, a } => Term::Unary(*op, [operand(*a)]),
        Op::Compare { op, a, b } => Term::Compare(*op, [operand(*a), operand(*b)]),
        Op::Cast { op, a } => Term::Cast(*op, bits, [operand(*a)]),
        Op::Select { condition, a, b } => {
            Term::Select([operand(*condition), operand(*a), operand(*b)])
        }
        Op::Copy { a } => return operand(*a),
        _ => Term::Given { operand: Operand::Value(result), bits },
    };
    graph.add(node)
}

#[cfg(test)]
mod tests;
