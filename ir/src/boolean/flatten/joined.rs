//! Which variables of different procedures are one variable, because broadcasts mean them by name.
//!
//! `[x]` is the passive thread's `x`, in whatever procedure it runs: SATABS declares its local and
//! mixed predicates again in every procedure and broadcasts to them from one. So if an `[x]` means
//! a procedure's own `x` and others declare one too, all of these are the same variable of the
//! thread. That is exact as long as a thread has at most one of them at a time, which
//! [`Flattener::call`](super::Flattener) sees to.

use rustc_hash::{FxHashMap, FxHashSet};

use super::declared;
use crate::boolean::ast::{
    Expression, Owner, Position, Procedure, Program, Statement, StatementKind, Target,
};
use crate::boolean::error::Error;

/// The names whose variables in all procedures are one.
///
/// # Errors
/// A passive mention of a name that is both a thread-local global and a procedure's own variable:
/// which of the two a thread has depends on where it is.
pub(super) fn joined_names(program: &Program) -> Result<FxHashSet<&str>, Error> {
    let mut joined = FxHashSet::default();
    let mentions: Vec<_> = program.procedures.iter().map(mentions_of).collect();
    if mentions.iter().all(Vec::is_empty) {
        return Ok(joined);
    }
    let owners = owners(program);
    let mut global = FxHashSet::default();
    global.extend(program.globals.iter().filter(|g| g.thread_local).map(|g| g.name.as_str()));
    for &(name, position) in mentions.iter().flatten() {
        match owners.get(name).map(Vec::as_slice) {
            Some([owner, ..]) if global.contains(name) => {
                let message = format!(
                    "`[{name}]` may be the thread-local global `{name}` or that which `{}` \
                     declares: one must have another name",
                    owner.name
                );
                return Err(Error::new(position, message));
            }
            Some([_, _, ..]) => drop(joined.insert(name)),
            _ => {}
        }
    }
    Ok(joined)
}

/// For each name, the procedures that declare it.
pub(super) fn owners(program: &Program) -> FxHashMap<&str, Vec<&Procedure>> {
    let mut owners: FxHashMap<&str, Vec<&Procedure>> = FxHashMap::default();
    for procedure in &program.procedures {
        let mut variables = Vec::new();
        declared(&procedure.body, &mut variables);
        let variables = variables.into_iter().map(|variable| variable.name.as_str());
        for name in procedure.parameters.iter().map(String::as_str).chain(variables) {
            owners.entry(name).or_default().push(procedure);
        }
    }
    owners
}

/// The passive mentions of a procedure, each with its statement's place.
pub(super) fn mentions_of(procedure: &Procedure) -> Vec<(&str, Position)> {
    let mut found = Vec::new();
    in_block(&procedure.body, &mut found);
    found
}

fn in_block<'a>(block: &'a [Statement], found: &mut Vec<(&'a str, Position)>) {
    for statement in block {
        let mut note = |name: &'a str| found.push((name, statement.position));
        match &statement.kind {
            StatementKind::Assign { targets, values, constraint } => {
                in_targets(targets, &mut note);
                values.iter().chain(constraint).for_each(|e| in_expression(e, &mut note));
            }
            StatementKind::Call { targets, .. } => in_targets(targets, &mut note),
            StatementKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| in_block(body, found));
                otherwise.iter().for_each(|body| in_block(body, found));
            }
            StatementKind::While { body, .. } => in_block(body, found),
            StatementKind::StartThread { thread, .. } => {
                in_block(std::slice::from_ref(&**thread), found);
            }
            // Elsewhere passive mentions are refused.
            _ => {}
        }
    }
}

fn in_targets<'a>(targets: &'a [Target], note: &mut impl FnMut(&'a str)) {
    for target in targets {
        if let Target::Variable { name, owner: Owner::Passive } = target {
            note(name);
        }
    }
}

fn in_expression<'a>(expression: &'a Expression, note: &mut impl FnMut(&'a str)) {
    match expression {
        Expression::Variable { name, owner: Owner::Passive, .. } => note(name),
        Expression::Variable { .. } | Expression::Constant(_) | Expression::Nondet => {}
        Expression::Not(e) => in_expression(e, note),
        Expression::And(es) | Expression::Or(es) | Expression::Xor(es) => {
            es.iter().for_each(|e| in_expression(e, note));
        }
        Expression::Choose(a, b)
        | Expression::Equal(a, b)
        | Expression::NotEqual(a, b)
        | Expression::Implies(a, b) => [a, b].into_iter().for_each(|e| in_expression(e, note)),
        Expression::Conditional(c, a, b) => {
            [c, a, b].into_iter().for_each(|e| in_expression(e, note));
        }
    }
}
