//! `extrapolate-cubes` and `drop-buffer-cubes` (CUPEX sections 4.3 and 6.3: Dan, Meshman, Vechev, Yahav,
//! SAS 2013).

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{Cube, CubeLiteral, Expression, Module};

use super::lift::Lifter;
use super::{RULE_5, RULE_6, RULE_7, Vocabulary, buffers, rules};
use crate::analysis::points_to::PointsTo;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// From cubes over memory to cubes over what waits.
pub const EXTRAPOLATE: Pass = Pass {
    name: "extrapolate-cubes",
    summary: "add cubes over store buffers, made from those over memory (after tso or pso)",
    options: &[RULE_5, RULE_6, RULE_7],
    preserves: &[],
    run: Run::Module(extrapolate),
};

/// Cubes without what waits.
pub const DROP: Pass = Pass {
    name: "drop-buffer-cubes",
    summary: "drop from cubes the predicates over what waits in store buffers (after tso or pso)",
    options: &[],
    preserves: &[],
    run: Run::Module(drop_buffered),
};

/// The literals of a cube, each predicate at most once; `None` if it contradicts itself.
fn cube(literals: impl IntoIterator<Item = CubeLiteral>) -> Option<Cube> {
    let literals: BTreeSet<CubeLiteral> = literals.into_iter().collect();
    let literals: Vec<CubeLiteral> = literals.into_iter().collect();
    let is_consistent = literals.windows(2).all(|pair| pair[0].predicate != pair[1].predicate);
    is_consistent.then_some(Cube { literals })
}

/// Each cube is one predicate to the rules: what is replaced is replaced in all of its literals.
fn extrapolate(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let points_to: Rc<PointsTo> = context.analyses.get(module)?;
    let buffers = buffers(module, EXTRAPOLATE.name, &points_to, context)?;
    let mut vocabulary = Vocabulary::of(module);
    let mut known: FxHashSet<Cube> = module.cubes.iter().cloned().collect();
    let mut added = Vec::new();
    let (rules, limits) = (rules(context.options), context.limits);
    let lifter = Lifter { module, points_to: &points_to, rules, limits };
    for of in &module.cubes {
        let predicate = |literal: &CubeLiteral| {
            module.predicates.get(literal.predicate as usize).map(|found| found.expression.clone())
        };
        let Some(expressions) =
            of.literals.iter().map(predicate).collect::<Option<Vec<Expression>>>()
        else {
            continue;
        };
        for buffer in &buffers {
            for version in lifter.versions(buffer, &expressions)? {
                let signs = of.literals.iter().map(|literal| literal.negated);
                let literals = version.into_iter().zip(signs).map(|(expression, negated)| {
                    CubeLiteral { predicate: vocabulary.place(expression), negated }
                });
                added.extend(cube(literals).filter(|cube| known.insert(cube.clone())));
            }
        }
    }
    let changed = !added.is_empty();
    module.cubes.extend(added);
    Ok(vocabulary.add_to(module) | changed)
}

fn drop_buffered(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let points_to: Rc<PointsTo> = context.analyses.get(module)?;
    let buffers = buffers(module, DROP.name, &points_to, context)?;
    let is_over_waiting = |literal: &CubeLiteral| {
        let mut found = false;
        if let Some(predicate) = module.predicates.get(literal.predicate as usize) {
            predicate.expression.for_each(&mut |e| {
                if let Expression::Variable { function, variable } = e {
                    let mut of = buffers.iter().filter(|buffer| buffer.function == *function);
                    found |= of.any(|buffer| buffer.holds_value(*variable));
                }
            });
        }
        found
    };
    let mut known: FxHashSet<Cube> = FxHashSet::default();
    let mut kept = Vec::new();
    for of in &module.cubes {
        let literals = of.literals.iter().filter(|literal| !is_over_waiting(literal));
        let left = cube(literals.copied()).filter(|left| left.literals.len() > 1);
        kept.extend(left.filter(|left| known.insert(left.clone())));
    }
    let changed = kept != module.cubes;
    module.cubes = kept;
    Ok(changed)
}
