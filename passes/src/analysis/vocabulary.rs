//! What the predicates of a module name.

use rustc_hash::FxHashSet;
use sapa_ir::goto::{Expression, FunctionId, Module, ValueId, VariableId};

/// The locals of a function that predicates name.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Values.
    pub values: FxHashSet<ValueId>,
    /// Source variables.
    pub variables: FxHashSet<VariableId>,
}

/// Finds what predicates name of a function.
#[must_use]
pub fn named(module: &Module, id: FunctionId) -> Named {
    let mut named = Named::default();
    for predicate in &module.predicates {
        predicate.expression.for_each(&mut |e| match e {
            Expression::Value { function, value } if *function == id => {
                named.values.insert(*value);
            }
            Expression::Variable { function, variable } if *function == id => {
                named.variables.insert(*variable);
            }
            _ => {}
        });
    }
    named
}
