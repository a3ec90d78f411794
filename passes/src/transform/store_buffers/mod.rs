//! `tso` and `pso`: the store buffers of a memory model become a part of the code, so that what was
//! executed under that model is executed under sequential consistency (docs/memory-models.md).
//!
//! The idea is that of Dan, Meshman, Vechev, Yahav, "Predicate Abstraction for Relaxed Memory
//! Models" (SAS 2013), section 3, who keep buffers in variables, bounded. Here it is control that
//! knows which stores wait, by default: see [`control`].

mod access;
mod aggregate;
mod control;
mod effect;
mod sections;
mod shape;

use std::collections::BTreeSet;

use sapa_ir::goto::{
    Expression, FunctionId, MemoryModel, Module, Op, Operand, Predicate, ValueId, mnemonic,
};

use self::effect::Reader;
use crate::analysis::points_to::PointsTo;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

pub use control::OVERFLOW;

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "k",
        kind: OptionKind::Number(0),
        summary: "most stores that wait: of a thread (tso), or of a thread and a place (pso); 0: any number",
    },
    OptionSpec {
        name: "overflow",
        kind: OptionKind::Word(&["assert", "wait"]),
        summary: "a store that would be one more fails an assertion (assert), or waits for room (wait)",
    },
];

/// Total store order.
pub const TSO: Pass = Pass {
    name: "tso",
    summary: "make the store buffers of x86 (total store order) a part of the code",
    options: OPTIONS,
    preserves: &[],
    run: Run::Module(|module, context| run(module, context, TSO.name, MemoryModel::Tso)),
};

/// Partial store order.
pub const PSO: Pass = Pass {
    name: "pso",
    summary: "make the store buffers of SPARC's partial store order a part of the code",
    options: OPTIONS,
    preserves: &[],
    run: Run::Module(|module, context| run(module, context, PSO.name, MemoryModel::Pso)),
};

/// What a store is a part of that reaches memory, in reports.
pub const FLUSH: &str = "reaches memory";

fn run(
    module: &mut Module,
    context: &mut Context<'_>,
    pass: &'static str,
    model: MemoryModel,
) -> Result<bool, PassError> {
    let entity = sapa_ir::goto::Entity::Module;
    if module.memory != MemoryModel::Sc {
        let word = mnemonic::word(mnemonic::MEMORY, &module.memory);
        let message = format!("the module has buffers already: it says `memory {word}`");
        return Err(PassError::new(pass, module, entity, message));
    }
    let bound = match context.options.number("k") {
        0 => None,
        bound => Some(usize::try_from(bound).unwrap_or(usize::MAX)),
    };
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let shared = points_to.shared(module);
    let threads = threads(module);
    for &id in &threads {
        let is_shared = |op: &Op| {
            let mut found = false;
            op.for_each_operand(|operand| {
                let mut objects = points_to.targets(id, operand).into_iter();
                found |= objects.any(|object| object.is_any() || shared.contains(&object));
            });
            found
        };
        aggregate::split(module, id, pass, is_shared)?;
    }
    let points_to = PointsTo::within(module, context.limits)?;
    let flush = module.intern_name(FLUSH);
    let waits_for_room = context.options.word("overflow") == "wait";
    let limits = context.limits;
    let rules = control::Rules { pass, model, bound, waits_for_room, flush, limits };
    for id in threads {
        let reader = Reader { pass, model, module, points_to: &points_to, shared: &shared };
        let effects = reader.read(id)?;
        let copies = control::run(module, id, &effects, &rules)?;
        follow(module, id, &copies);
    }
    module.memory = model;
    Ok(true)
}

/// The functions that threads execute.
fn threads(module: &Module) -> BTreeSet<FunctionId> {
    let mut found: BTreeSet<FunctionId> = module.entry.into_iter().collect();
    for instruction in module.functions.iter().flat_map(sapa_ir::goto::Function::instructions) {
        if let Op::Spawn { function: Operand::Function(id), .. } = &instruction.op
            && module.function(*id).is_defined()
        {
            found.insert(*id);
        }
    }
    found
}

/// Predicates over a value are over each of its copies now. Those over several values of the
/// function, whose copies belong together in ways that nothing says, are dropped.
fn follow(module: &mut Module, id: FunctionId, copies: &control::Copies) {
    let mut followed: Vec<Predicate> = Vec::new();
    for predicate in std::mem::take(&mut module.predicates) {
        let mut values = BTreeSet::<ValueId>::new();
        predicate.expression.clone().for_each_mut(&mut |e| {
            if let Expression::Value { function, value } = e
                && *function == id
            {
                values.insert(*value);
            }
        });
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (None, _) => followed.push(predicate),
            (Some(value), None) => {
                for &copy in copies.get(&value).into_iter().flatten() {
                    let mut predicate = predicate.clone();
                    predicate.expression.for_each_mut(&mut |e| {
                        if let Expression::Value { function, value } = e
                            && *function == id
                        {
                            *value = copy;
                        }
                    });
                    followed.push(predicate);
                }
            }
            (Some(_), Some(_)) => {}
        }
    }
    module.predicates = followed;
}
