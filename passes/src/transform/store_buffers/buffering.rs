//! What instructions do to the buffer of their thread, for those who keep buffers of their own.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, Entity, FunctionId, GlobalId, MemoryModel, Module, Section};

use super::alone::Alone;
use super::effect::{Effect, Reader};
use super::sections::Sections;
use super::{started, threads};
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;

/// What an instruction does to the buffer of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Buffering {
    /// A store waits, to one of these globals, or to an object that is none.
    Waits(BTreeSet<GlobalId>),
    /// The thread goes on when nothing waits.
    Drains,
}

/// The instructions of all threads that do something to buffers, in a module without buffers. Objects
/// that are copied as a whole are left out.
///
/// # Errors
/// As those of the pass that makes the buffers of the model a part of the code.
pub fn buffering(
    module: &Module,
    points_to: &PointsTo,
    model: MemoryModel,
) -> Result<FxHashMap<(FunctionId, BlockId, u32), Buffering>, PassError> {
    let pass = if model == MemoryModel::Pso { super::PSO.name } else { super::TSO.name };
    let shared = points_to.shared(module);
    let started = started(module);
    let alone = Alone::new(module, |entry| started.contains(&entry));
    let mut found = FxHashMap::default();
    for id in threads(module) {
        let reader = Reader { pass, model, module, points_to, shared: &shared, alone: &alone };
        let effects = reader.read(id)?;
        let function = module.function(id);
        let sections = Sections::new(function).map_err(|block| {
            let message = "a block is entered from sections of different kinds";
            PassError::new(pass, module, Entity::Block(id, block), message)
        })?;
        for (block, data) in function.blocks() {
            for (index, effect) in (0..data.instructions.len()).zip(&effects.of[block.index()]) {
                let is_locked =
                    || sections.before(function, block, index).contains(&Section::Locked);
                let kind = match effect {
                    Effect::Drain | Effect::Fence | Effect::Begin(Section::Locked) => {
                        Buffering::Drains
                    }
                    Effect::Store { class, .. } if !is_locked() => {
                        let places = effects.classes.get(*class).access.places.iter();
                        let global = |object| match object {
                            Object::Global(id) => Some(id),
                            _ => None,
                        };
                        Buffering::Waits(places.filter_map(|place| global(place.object)).collect())
                    }
                    _ => continue,
                };
                let index = u32::try_from(index).expect("instructions fit in memory");
                found.insert((id, block, index), kind);
            }
        }
    }
    Ok(found)
}
