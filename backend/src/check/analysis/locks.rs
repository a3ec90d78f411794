//! Which shared variables are locks that no two threads hold at once.

use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, SharedVar};

/// The shared variables that are written by `lock` and `unlock` only, in rising order. As long as
/// nobody releases such a lock without holding it, which whoever relies on it has to check, the
/// sets of locks that two threads hold are disjoint (BOPPO section 2.3).
pub(crate) fn exclusive_locks(program: &FlatProgram) -> Vec<SharedVar> {
    let mut locks: Vec<SharedVar> = program
        .locations
        .iter()
        .filter_map(|location| match location.statement {
            FlatStatement::Lock { variable, .. } => Some(variable),
            _ => None,
        })
        .collect();
    locks.sort_unstable();
    locks.dedup();
    for location in &program.locations {
        if let FlatStatement::Assign { assignment, .. } = &location.statement {
            locks.retain(|lock| assignment.shared.iter().all(|(target, _)| target != lock));
        }
    }
    locks
}
