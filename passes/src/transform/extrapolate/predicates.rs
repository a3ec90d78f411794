//! `extrapolate-predicates`: the seven rules of CUPEX section 5 (Dan, Meshman, Vechev, Yahav, SAS 2013).

use std::rc::Rc;

use sapa_ir::goto::{CompareOp, Expression, FunctionId, Module, VariableId};

use super::buffers::Buffer;
use super::lift::Lifter;
use super::{RULE_5, RULE_6, RULE_7, Vocabulary, buffers, rules};
use crate::analysis::points_to::PointsTo;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// From predicates over memory to predicates over what waits.
pub const PASS: Pass = Pass {
    name: "extrapolate-predicates",
    summary: "add predicates over store buffers, made from those over memory (after tso or pso)",
    options: &[
        OptionSpec {
            name: "rule1",
            kind: OptionKind::Switch(true),
            summary: "add which stores wait, where that is in variables",
        },
        OptionSpec {
            name: "rule2",
            kind: OptionKind::Switch(true),
            summary: "keep the predicates that there are",
        },
        OptionSpec {
            name: "rule3",
            kind: OptionKind::Switch(true),
            summary: "add the predicates with what waits in place of what memory has",
        },
        OptionSpec {
            name: "rule4",
            kind: OptionKind::Switch(true),
            summary: "add that what waits is what memory has, and what the store before it has stored",
        },
        RULE_5,
        RULE_6,
        RULE_7,
    ],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let points_to: Rc<PointsTo> = context.analyses.get(module)?;
    let buffers = buffers(module, PASS.name, &points_to, context)?;
    let is_on = |rule| context.options.switch(rule);
    let given: Vec<Expression> = module.predicates.iter().map(|p| p.expression.clone()).collect();
    let mut vocabulary = Vocabulary::of(module);
    for buffer in &buffers {
        if is_on("rule1") {
            vocabulary.extend(which_wait(module, buffer));
        }
        if is_on("rule3") {
            let (rules, limits) = (rules(context.options), context.limits);
            let lifter = Lifter { module, points_to: &points_to, rules, limits };
            for expression in &given {
                let versions = lifter.versions(buffer, std::slice::from_ref(expression))?;
                vocabulary.extend(versions.into_iter().flatten());
            }
        }
        if is_on("rule4") {
            vocabulary.extend(what_agrees(module, buffer));
        }
    }
    let mut changed = vocabulary.add_to(module);
    if !is_on("rule2") {
        changed |= !given.is_empty();
        let mut left = given.len();
        module.replace_predicates(|predicate| {
            let is_given = left > 0;
            left = left.saturating_sub(1);
            if is_given { Vec::new() } else { vec![predicate] }
        });
    }
    Ok(changed)
}

fn equal(a: Expression, b: Expression) -> Expression {
    Expression::Compare { op: CompareOp::Eq, a: Box::new(a), b: Box::new(b) }
}

fn variable(function: FunctionId, variable: VariableId) -> Expression {
    Expression::Variable { function, variable }
}

/// Rule 1. The rule has numbers of stores from 1; the paper's example in section 2.3 has 0 too, without
/// which nothing says that a number below the bound is one of these.
///
/// Where all places have one queue (TSO), it takes besides to which of them a store is.
/// There is no `overflow = 0`: a store too many is an assertion where it stands.
fn which_wait(module: &Module, buffer: &Buffer) -> Vec<Expression> {
    let function = buffer.function;
    let is = |id: VariableId, number: usize| {
        let of = module.function(function).variables.get(id.index());
        let bits = of.and_then(|variable| variable.ty.bits(module)).unwrap_or(8);
        let value = u128::try_from(number).unwrap_or(0);
        equal(variable(function, id), Expression::Int { bits, value })
    };
    let counts = buffer.counts.iter();
    let counts = counts.flat_map(|&(id, most)| (0..=most).map(move |number| is(id, number)));
    let which = buffer.which.iter();
    counts
        .chain(which.flat_map(|&id| (1..=buffer.stores.len()).map(move |place| is(id, place))))
        .collect()
}

/// Rule 4.
fn what_agrees(module: &Module, buffer: &Buffer) -> Vec<Expression> {
    let waits = |id: VariableId| variable(buffer.function, id);
    let mut found = Vec::new();
    for stores in &buffer.stores {
        for pair in stores.entries.windows(2) {
            found.push(equal(waits(pair[0]), waits(pair[1])));
        }
        if let Some(memory) = stores.cell().and_then(|cell| cell.in_memory(module)) {
            found.extend(stores.entries.iter().map(|&entry| equal(waits(entry), memory.clone())));
        }
    }
    found
}
