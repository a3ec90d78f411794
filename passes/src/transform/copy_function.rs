//! Copies of functions, with the predicates over their locals.

use sapa_ir::goto::{Expression, FunctionId, Module, Predicate};

/// Adds a copy of a function to the module; its name is that of the original
/// and a suffix.
pub(super) fn copy(module: &mut Module, original: FunctionId, suffix: &str) -> FunctionId {
    let copy = FunctionId::new(module.functions.len());
    let mut function = module.function(original).clone();
    let mut name = format!("{}{suffix}", function.name);
    while module.function_by_name(&name).is_some() {
        name.push('\'');
    }
    function.name = name;
    module.functions.push(function);
    let predicates: Vec<Predicate> = module
        .predicates
        .iter()
        .filter(|p| p.expression.function() == Some(original))
        .map(|p| retarget(p, copy))
        .collect();
    module.predicates.extend(predicates);
    copy
}

/// A predicate over the locals of a function, over those of its copy.
fn retarget(predicate: &Predicate, copy: FunctionId) -> Predicate {
    let mut predicate = predicate.clone();
    predicate.expression.for_each_mut(&mut |e| match e {
        Expression::Variable { function, .. }
        | Expression::Value { function, .. }
        | Expression::Slot { function, .. } => *function = copy,
        _ => {}
    });
    predicate
}
