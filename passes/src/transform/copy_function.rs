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
    let copies = |predicate: &Predicate| {
        let own = predicate.expression.function() == Some(original);
        let other = predicate.expression.other_function() == Some(original);
        let which: &[(bool, bool)] = match (own, other) {
            (false, false) => &[],
            (true, false) => &[(true, false)],
            (false, true) => &[(false, true)],
            (true, true) => &[(true, false), (false, true), (true, true)],
        };
        which
            .iter()
            .map(|which| {
                let mut predicate = predicate.clone();
                retarget(&mut predicate.expression, *which, copy);
                predicate
            })
            .collect::<Vec<_>>()
    };
    let predicates: Vec<Predicate> = module.predicates.iter().flat_map(copies).collect();
    module.predicates.extend(predicates);
    copy
}

/// An expression over the locals of a function, over those of its copy: its own thread's, or those of the
/// other thread, or both.
fn retarget(expression: &mut Expression, (own, other): (bool, bool), copy: FunctionId) {
    // What another thread has is rewritten by itself, and is out of the way meanwhile.
    let mut others = Vec::new();
    expression.for_each_mut(&mut |e| {
        if let Expression::Other { of } = e {
            let mut of = std::mem::replace(&mut **of, Expression::Null);
            if other {
                move_locals(&mut of, copy);
            }
            others.push(of);
        }
    });
    if own {
        move_locals(expression, copy);
    }
    let mut others = others.into_iter();
    expression.for_each_mut(&mut |e| {
        if let Expression::Other { of } = e
            && let Some(rewritten) = others.next()
        {
            **of = rewritten;
        }
    });
}

fn move_locals(expression: &mut Expression, copy: FunctionId) {
    expression.for_each_mut(&mut |e| match e {
        Expression::Variable { function, .. }
        | Expression::Value { function, .. }
        | Expression::Slot { function, .. } => *function = copy,
        _ => {}
    });
}
