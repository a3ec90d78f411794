//! `assert-invariants`: what is noted as a fact becomes an assertion, so that anything that looks for
//! failing assertions can check it again.

use std::collections::BTreeMap;

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BlockId, Builder, Entity, Expression, FieldIndex, FunctionId, Instruction, Invariant, Module,
    Op, Operand, Section, StructId, Type, ValueId, print_expression,
};

use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "assert-invariants",
    summary: "assert invariants where they stand, so that they are checked",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    if let Some(index) = module.invariants.iter().position(|fact| !is_computable(module, fact)) {
        let message = "the invariant reads what has no value in the code at its place";
        return Err(PassError::new(PASS.name, module, Entity::Invariant(index), message));
    }
    let mut by_place: BTreeMap<(FunctionId, BlockId), Vec<Invariant>> = BTreeMap::new();
    for invariant in std::mem::take(&mut module.invariants) {
        by_place.entry((invariant.function, invariant.block)).or_default().push(invariant);
    }
    let changed = !by_place.is_empty();
    for ((id, block), invariants) in by_place {
        context.limits.check()?;
        let texts: Vec<String> =
            invariants.iter().map(|i| print_expression(module, &i.expression)).collect();
        let found: Vec<(Invariant, String)> = invariants.into_iter().zip(texts).collect();
        let function = &mut module.functions[id.index()];
        let length = function.block(block).instructions.len();
        let location = function.block(block).terminator.location;
        let check = |builder: &mut Builder<'_>, index: usize| {
            for (invariant, text) in found.iter().filter(|(i, _)| i.index as usize == index) {
                assert(builder, &invariant.expression, text);
            }
        };
        function.rewrite_block(block, |builder, index, instruction: Instruction| {
            check(builder, index);
            builder.push(instruction);
        });
        // Those at the end of the block.
        let kind = &function.block(block).terminator.kind.clone();
        let mut builder = Builder::new(function, location);
        builder.switch_to(block);
        check(&mut builder, length);
        builder.terminate(kind.clone());
    }
    Ok(changed)
}

/// Whether all that a fact reads has been defined on every way to its place.
fn is_computable(module: &Module, fact: &Invariant) -> bool {
    let function = module.function(fact.function);
    let dominators = Dominators::new(&Cfg::new(function));
    let is_defined = |value: ValueId| {
        function.blocks().any(|(block, data)| {
            let code = data.instructions.iter().position(|i| i.result == Some(value));
            let is_here = data.parameters.contains(&value)
                || code.is_some_and(|at| block != fact.block || at < fact.index as usize);
            is_here && dominators.dominates(block, fact.block)
        })
    };
    let mut computable = true;
    fact.expression.for_each(&mut |e| match e {
        Expression::Variable { .. } => computable = false,
        Expression::Value { value, .. } => computable &= is_defined(*value),
        _ => {}
    });
    computable
}

/// Computes an expression in one step, and asserts it.
fn assert(builder: &mut Builder<'_>, expression: &Expression, text: &str) {
    builder.effect(Op::AtomicBegin(Section::Locked));
    let condition = compute(builder, expression);
    builder.effect(Op::Assert { condition, property: format!("invariant {text}") });
    builder.effect(Op::AtomicEnd);
}

/// The value of an expression without source variables.
fn compute(builder: &mut Builder<'_>, expression: &Expression) -> Operand {
    let mut of = |e: &Expression| compute(builder, e);
    match expression {
        Expression::Int { bits, value } => Operand::Int { bits: *bits, value: *value },
        Expression::Null => Operand::Null,
        Expression::Variable { .. } => unreachable!("it is refused before"),
        Expression::Other { .. } => unreachable!("the verifier refuses it in invariants"),
        Expression::Value { value, .. } => Operand::Value(*value),
        Expression::Global(global) => Operand::Global(*global),
        Expression::Function(function) => Operand::Function(*function),
        Expression::Slot { slot, .. } => Operand::Slot(*slot),
        Expression::Load { ty, address } => {
            let address = of(address);
            builder.load(ty.clone(), address)
        }
        Expression::FieldAddress { base, structure, field } => {
            let base = of(base);
            field_address(builder, base, *structure, *field)
        }
        Expression::IndexAddress { base, element, index } => {
            let (base, index) = (of(base), of(index));
            let element = element.clone();
            builder.define(Op::IndexAddress { base, element, index }, Type::Pointer)
        }
        Expression::Unary { op, a } => {
            let a = of(a);
            builder.unary(*op, a)
        }
        Expression::Binary { op, a, b } => {
            let (a, b) = (of(a), of(b));
            builder.binary(*op, a, b, false)
        }
        Expression::Compare { op, a, b } => {
            let (a, b) = (of(a), of(b));
            builder.compare(*op, a, b)
        }
        Expression::Cast { op, ty, a } => {
            let a = of(a);
            builder.cast(*op, a, ty.clone())
        }
        Expression::Select { condition, a, b } => {
            let (condition, first, second) = (of(condition), of(a), of(b));
            let op = Op::Select { condition, a: first, b: second };
            let ty = builder.function.operand_type(first);
            builder.define(op, ty)
        }
    }
}

fn field_address(
    builder: &mut Builder<'_>,
    base: Operand,
    structure: StructId,
    field: FieldIndex,
) -> Operand {
    builder.define(Op::FieldAddress { base, structure, field }, Type::Pointer)
}
