//! `forward-arguments`: a block parameter to which all jumps give the same value becomes a copy of it.
//!
//! Inlined calls, peeled loops and branches that constants decide leave such parameters. A parameter is a local variable of its
//! own to predicates, bounds and aliases, a copy is another name of what they know already. But a parameter that is given what
//! is computed keeps that apart: predicates are about a variable then, and not about all that it was computed from. Sums with a
//! constant that have a name are the exception: `me = last + 1` is told from others by `last`, whoever is given `me`. That it is right to read the value
//! where the parameter was read: its definition dominates the block, so that whoever executes it again comes through the
//! block again before the next use.

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    BinaryOp, Function, FunctionId, Instruction, Location, Module, Op, Operand, ValueId,
};
use sapa_limits::Limits;

use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "forward-arguments",
    summary: "make block parameters that always receive the same value copies of it",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    let function = &mut module.functions[id.index()];
    let originals = originals(function, context.limits)?;
    Ok(rewrite(function, &originals))
}

/// What each value is a copy of; itself, if of nothing. Indexed by value.
type Originals = Vec<Operand>;

fn originals(function: &Function, limits: &Limits) -> Result<Originals, PassError> {
    let cfg = Cfg::new(function);
    let mut originals: Originals =
        (0..function.values.len()).map(|value| Operand::Value(ValueId::new(value))).collect();
    // What jumps pass, by block.
    let mut passed: Vec<Vec<&[Operand]>> = vec![Vec::new(); function.blocks.len()];
    for &block in cfg.reverse_postorder() {
        let kind = &function.block(block).terminator.kind;
        kind.for_each_target(|target| passed[target.block.index()].push(&target.arguments));
    }
    let computed = computed(function);
    let mut is_new = true;
    while is_new {
        is_new = false;
        for &block in cfg.reverse_postorder() {
            limits.check()?;
            let data = function.block(block);
            for instruction in &data.instructions {
                if let (Some(result), Op::Copy { a }) = (instruction.result, &instruction.op) {
                    let a = original(&originals, *a);
                    is_new |= std::mem::replace(&mut originals[result.index()], a) != a;
                }
            }
            if block == Function::ENTRY {
                continue;
            }
            for (index, &parameter) in data.parameters.iter().enumerate() {
                let itself = Operand::Value(parameter);
                let arguments = passed[block.index()].iter().filter_map(|list| list.get(index));
                let arguments: Vec<Operand> = arguments.copied().collect();
                if originals[parameter.index()] != itself
                    || !is_known_without(function, parameter, &arguments)
                {
                    continue;
                }
                let mut arguments = arguments
                    .iter()
                    .map(|&argument| original(&originals, argument))
                    .filter(|&argument| argument != itself);
                if let Some(first) = arguments.next()
                    && !matches!(first, Operand::Value(value) if computed[value.index()])
                    && arguments.all(|argument| argument == first)
                {
                    originals[parameter.index()] = first;
                    is_new = true;
                }
            }
        }
    }
    Ok(originals)
}

/// Whether a value is computed, and no sum with a constant that has a name of its own; by value.
fn computed(function: &Function) -> Vec<bool> {
    let mut computed = vec![false; function.values.len()];
    let mut named = vec![false; function.values.len()];
    for instruction in function.instructions() {
        let Some(result) = instruction.result else { continue };
        computed[result.index()] = matches!(
            instruction.op,
            Op::Binary { .. }
                | Op::Unary { .. }
                | Op::Compare { .. }
                | Op::Cast { .. }
                | Op::Select { .. }
        );
        let is_version = |value: ValueId| function.values[value.index()].variable.is_some();
        match &instruction.op {
            Op::Copy { a: Operand::Value(a) } => named[a.index()] |= is_version(result),
            _ => named[result.index()] |= is_version(result),
        }
    }
    for instruction in function.instructions() {
        if let (Some(result), Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, a, b, .. }) =
            (instruction.result, &instruction.op)
            && named[result.index()]
        {
            let is_constant = |operand: &Operand| matches!(operand, Operand::Int { .. });
            computed[result.index()] = !is_constant(a) && !is_constant(b);
        }
    }
    computed
}

/// Whether a parameter may stop being a version of a source variable: it is of none, or the only jump passes a version
/// of the same one, which as a rule is what the variable has there. Where versions meet they stay, as the
/// variable would have none there.
fn is_known_without(function: &Function, parameter: ValueId, arguments: &[Operand]) -> bool {
    let variable = |value: ValueId| function.values[value.index()].variable;
    let version = variable(parameter);
    version.is_none()
        || matches!(arguments, [Operand::Value(argument)] if variable(*argument) == version)
}

/// What an operand is a copy of, as far as is known by now.
fn original(originals: &Originals, mut operand: Operand) -> Operand {
    while let Operand::Value(value) = operand
        && let Some(&next) = originals.get(value.index())
        && next != operand
    {
        operand = next;
    }
    operand
}

/// Makes copies of the parameters that are no variables of their own; whether there were any.
fn rewrite(function: &mut Function, originals: &Originals) -> bool {
    let mut copies = vec![Vec::new(); function.blocks.len()];
    let mut given = Vec::new();
    let changed = function.remove_parameters(|block, parameter| {
        let a = original(originals, Operand::Value(parameter));
        let is_copy = a != Operand::Value(parameter);
        if is_copy {
            given.push(parameter);
            let location = Location::default();
            let copy = Instruction { op: Op::Copy { a }, result: Some(parameter), location };
            copies[block.index()].push(copy);
        }
        is_copy
    });
    // A copy gives the variable nothing new.
    given.into_iter().for_each(|value| function.values[value.index()].variable = None);
    for (block, copies) in function.blocks.iter_mut().zip(copies) {
        block.instructions.splice(0..0, copies);
    }
    changed
}
