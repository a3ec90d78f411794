//! Which joined threads have results that can be followed.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{FunctionId, Module, Operand, TerminatorKind, Type, ValueId};
use sapa_limits::Exceeded;

use super::known::{Joins, Known, Starts};
use crate::analysis::Analyses;
use crate::analysis::points_to::{Object, PointsTo};

/// The types of the results that are read of joins, by whom these wait for. Not where joins of one
/// thread have results of several types, nor of threads that may end with no value, with one of
/// another type, or with an address of their own: such an address must not be stored where others
/// see it.
pub(super) fn results(
    module: &Module,
    entry: FunctionId,
    starts: &Starts,
    joins: &Joins,
    analyses: &mut Analyses,
) -> Result<BTreeMap<ValueId, Type>, Exceeded> {
    let function = module.function(entry);
    let read = function.values_read();
    let mut found: BTreeMap<ValueId, Type> = BTreeMap::new();
    let mut unread: BTreeSet<ValueId> = joins.values().map(|known| known.handle).collect();
    let mut several: BTreeSet<ValueId> = BTreeSet::new();
    for (&(block, index), &Known { handle, .. }) in joins {
        let join = function.block(block).instructions.get(index);
        let Some(result) = join.and_then(|join| join.result) else { continue };
        let ty = function.operand_type(Operand::Value(result));
        if read.contains(&result) {
            unread.remove(&handle);
        }
        if found.insert(handle, ty.clone()).is_some_and(|before| before != ty) {
            several.insert(handle);
        }
    }
    found.retain(|handle, _| !unread.contains(handle) && !several.contains(handle));
    if found.is_empty() {
        return Ok(found);
    }
    let points_to = analyses.get::<PointsTo>(module)?;
    found.retain(|handle, ty| {
        let Some(start) = starts.get(handle) else { return false };
        let started = module.function(start.function);
        started.blocks.iter().all(|block| match block.terminator.kind {
            TerminatorKind::Return(value) | TerminatorKind::EndThread(value) => {
                value.is_some_and(|value| {
                    let objects = points_to.targets(start.function, value);
                    let known = |object: &Object| {
                        *object != Object::Unknown && !object.is_per_thread(module)
                    };
                    started.operand_type(value) == *ty && objects.iter().all(known)
                })
            }
            _ => true,
        })
    });
    Ok(found)
}
