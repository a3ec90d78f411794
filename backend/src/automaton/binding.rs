//! Which definition of a source variable reaches a node.

use std::collections::BTreeMap;

use sapa_ir::goto::{BlockId, Function, Instruction, ValueId, VariableId};

/// Bindings at the start of every block of a function.
#[derive(Clone, Debug)]
pub struct Bindings {
    /// Per block: variables with a known definition; `None` if unreachable.
    starts: Vec<Option<BTreeMap<VariableId, ValueId>>>,
}

impl Bindings {
    /// Forward data flow over the tagged definitions; a variable stays in the
    /// map as long as all paths agree.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let mut starts: Vec<Option<BTreeMap<VariableId, ValueId>>> =
            vec![None; function.blocks.len()];
        if starts.is_empty() {
            return Self { starts };
        }
        starts[Function::ENTRY.index()] = Some(BTreeMap::new());
        let mut work = vec![Function::ENTRY];
        while let Some(block) = work.pop() {
            let Some(mut state) = starts[block.index()].clone() else { continue };
            define_parameters(function, block, &mut state);
            for instruction in &function.block(block).instructions {
                define(function, instruction, &mut state);
            }
            function.block(block).terminator.kind.for_each_target(|target| {
                let slot = &mut starts[target.block.index()];
                let merged = match slot {
                    None => state.clone(),
                    Some(old) => old
                        .iter()
                        .filter(|(variable, value)| state.get(variable) == Some(value))
                        .map(|(&k, &v)| (k, v))
                        .collect(),
                };
                if slot.as_ref() != Some(&merged) {
                    *slot = Some(merged);
                    work.push(target.block);
                }
            });
        }
        Self { starts }
    }

    /// Bindings before the instruction at `index` of a block: what the
    /// variables that are in the map equal. Block parameters count as defined.
    #[must_use]
    pub fn at(
        &self,
        function: &Function,
        block: BlockId,
        index: u32,
    ) -> BTreeMap<VariableId, ValueId> {
        let Some(mut state) = self.starts.get(block.index()).cloned().flatten() else {
            return BTreeMap::new();
        };
        define_parameters(function, block, &mut state);
        for instruction in function.block(block).instructions.iter().take(index as usize) {
            define(function, instruction, &mut state);
        }
        state
    }
}

fn define_parameters(
    function: &Function,
    block: BlockId,
    state: &mut BTreeMap<VariableId, ValueId>,
) {
    for &parameter in &function.block(block).parameters {
        if let Some(variable) = function.values[parameter.index()].variable {
            state.insert(variable, parameter);
        }
    }
}

fn define(
    function: &Function,
    instruction: &Instruction,
    state: &mut BTreeMap<VariableId, ValueId>,
) {
    if let Some(result) = instruction.result
        && let Some(variable) = function.values[result.index()].variable
    {
        state.insert(variable, result);
    }
}
