//! Which definition of a source variable reaches a place.
//!
//! A definition reaches a place if all paths there execute it, and no other definition of the
//! variable after it. At a block where different definitions meet, none does: these are the
//! blocks where the construction of SSA form puts its functions φ (Cytron et al., "Efficiently
//! computing static single assignment form and the control dependence graph", 1991: iterated
//! dominance frontiers). Everywhere else what reaches a block reaches the end of its immediate
//! dominator. So a variable needs memory by the number of its definitions and of such blocks, and
//! not at every place of the function.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, ValueId, VariableId};

use super::leaf::{Instance, Leaf, Symbols};
use super::value::Values;
use crate::index::small_index;
use crate::solver::TermId;

/// A place of a function: before the instruction of this index of a block. Block parameters are
/// defined there.
pub type Position = (BlockId, u32);

/// What the source variables of a function are bound to, at each of its places.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Per block: its number in a walk of the dominator tree, parents first; `None` if unreachable.
    numbers: Vec<Option<u32>>,
    variables: BTreeMap<VariableId, Bound>,
}

/// One variable.
#[derive(Clone, Debug, Default)]
struct Bound {
    /// Its definitions: block, how many instructions of it come before the first place where the
    /// definition holds, and the value; sorted.
    definitions: Vec<(BlockId, u32, ValueId)>,
    /// What it is bound to at the start of blocks, from the block of this number up to the next
    /// entry. Before the first entry it is bound to nothing.
    starts: Vec<(u32, Option<ValueId>)>,
}

impl Bindings {
    /// Finds all definitions that are tagged with source variables, and what they reach.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let mut variables = definitions(function);
        if variables.is_empty() {
            return Self::default();
        }
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let frontiers = dominators.frontiers(&cfg);
        let tree = Tree::new(function, &cfg, &dominators);
        for bound in variables.values_mut() {
            bound.starts = tree.starts(bound, &meets(bound, &tree, &frontiers));
        }
        Self { numbers: tree.numbers, variables }
    }

    /// The value that a variable is bound to at a place, if there is one.
    #[must_use]
    pub fn value(&self, variable: VariableId, (block, index): Position) -> Option<ValueId> {
        let number = self.numbers.get(block.index()).copied().flatten()?;
        let Bound { definitions, starts } = self.variables.get(&variable)?;
        let before = definitions.partition_point(|&(b, i, _)| (b, i) <= (block, index));
        if let Some(&(last, _, value)) = definitions[..before].last()
            && last == block
        {
            return Some(value);
        }
        let before = starts.partition_point(|&(start, _)| start <= number);
        starts[..before].last()?.1
    }

    /// All that the variables are bound to at a place.
    pub fn at(&self, place: Position) -> impl Iterator<Item = (VariableId, ValueId)> {
        let variables = self.variables.keys();
        variables.filter_map(move |&variable| Some((variable, self.value(variable, place)?)))
    }

    /// All definitions, of each variable in order of the blocks.
    pub fn definitions(&self) -> impl Iterator<Item = (VariableId, ValueId)> {
        self.variables.iter().flat_map(|(&variable, bound)| {
            bound.definitions.iter().map(move |&(_, _, value)| (variable, value))
        })
    }

    /// How much is stored: grows with the definitions, not with the places.
    #[must_use]
    pub fn size(&self) -> usize {
        self.variables.values().map(|bound| bound.definitions.len() + bound.starts.len()).sum()
    }
}

fn definitions(function: &Function) -> BTreeMap<VariableId, Bound> {
    let mut variables: BTreeMap<VariableId, Bound> = BTreeMap::new();
    let mut define = |value: ValueId, block: BlockId, index: usize| {
        if let Some(variable) = function.values[value.index()].variable {
            let index = small_index(index);
            variables.entry(variable).or_default().definitions.push((block, index, value));
        }
    };
    for (block, data) in function.blocks() {
        for &parameter in &data.parameters {
            define(parameter, block, 0);
        }
        for (index, instruction) in data.instructions.iter().enumerate() {
            if let Some(result) = instruction.result {
                define(result, block, index + 1);
            }
        }
    }
    variables
}

/// The blocks where different definitions of a variable meet, by number.
fn meets(bound: &Bound, tree: &Tree, frontiers: &[Vec<BlockId>]) -> BTreeMap<u32, BlockId> {
    let mut found = BTreeMap::new();
    let mut work: Vec<BlockId> = bound.definitions.iter().map(|&(block, ..)| block).collect();
    work.dedup();
    while let Some(block) = work.pop() {
        for &frontier in frontiers.get(block.index()).map_or(&[][..], Vec::as_slice) {
            if let Some(number) = tree.number(frontier)
                && found.insert(number, frontier).is_none()
            {
                work.push(frontier);
            }
        }
    }
    found
}

/// The dominator tree, numbered so that the blocks that one dominates follow it.
struct Tree {
    numbers: Vec<Option<u32>>,
    /// Per block: the number after those of the blocks that it dominates.
    ends: Vec<u32>,
}

impl Tree {
    fn new(function: &Function, cfg: &Cfg, dominators: &Dominators) -> Self {
        let mut children: Vec<Vec<BlockId>> = vec![Vec::new(); function.blocks.len()];
        for &block in cfg.reverse_postorder() {
            if let Some(parent) = dominators.immediate(block)
                && parent != block
            {
                children[parent.index()].push(block);
            }
        }
        let mut tree = Self {
            numbers: vec![None; function.blocks.len()],
            ends: vec![0; function.blocks.len()],
        };
        let mut next = 0;
        let mut stack = vec![(Function::ENTRY, false)];
        while let Some((block, done)) = stack.pop() {
            if done {
                tree.ends[block.index()] = next;
                continue;
            }
            tree.numbers[block.index()] = Some(next);
            next += 1;
            stack.push((block, true));
            stack.extend(children[block.index()].iter().rev().map(|&child| (child, false)));
        }
        tree
    }

    fn number(&self, block: BlockId) -> Option<u32> {
        self.numbers.get(block.index()).copied().flatten()
    }

    /// What a variable is bound to at the start of blocks, see [`Bound::starts`].
    fn starts(&self, bound: &Bound, meets: &BTreeMap<u32, BlockId>) -> Vec<(u32, Option<ValueId>)> {
        // The last definition in each block, by the block's number.
        let mut changes: BTreeMap<u32, (BlockId, Option<ValueId>)> =
            meets.iter().map(|(&number, &block)| (number, (block, None))).collect();
        for &(block, _, value) in &bound.definitions {
            if let Some(number) = self.number(block) {
                changes.insert(number, (block, Some(value)));
            }
        }
        let mut starts: Vec<(u32, Option<ValueId>)> = Vec::new();
        // The blocks around the current one: where each ends, and what holds after it.
        let mut around: Vec<(u32, Option<ValueId>)> = Vec::new();
        let mut now = None;
        let mut set = |number: u32, value: Option<ValueId>| match starts.last_mut() {
            Some(last) if last.0 == number => last.1 = value,
            _ => starts.push((number, value)),
        };
        for (number, (block, value)) in changes {
            while let Some(&(end, outside)) = around.last()
                && end <= number
            {
                set(end, outside);
                now = outside;
                around.pop();
            }
            around.push((self.ends[block.index()], now));
            if meets.contains_key(&number) {
                set(number, None);
                now = None;
            }
            if value.is_some() {
                set(number + 1, value);
                now = value;
            }
        }
        while let Some((end, outside)) = around.pop() {
            set(end, outside);
        }
        starts
    }
}

/// What the source variables of a thread function equal, as terms.
#[derive(Clone, Debug)]
pub struct SourceVariables {
    function: FunctionId,
    bindings: Bindings,
    /// Of the values that the variables are bound to somewhere.
    terms: FxHashMap<ValueId, (TermId, u16)>,
    /// The variables that are bound to a leaf somewhere, by its term; sorted.
    names: FxHashMap<TermId, Vec<VariableId>>,
}

impl SourceVariables {
    /// Finds them for a function whose values are known as terms.
    pub(super) fn new(
        symbols: &mut Symbols,
        module: &Module,
        function: FunctionId,
        values: &Values<'_>,
    ) -> Self {
        let bindings = Bindings::new(module.function(function));
        let mut terms = FxHashMap::default();
        let mut names: FxHashMap<TermId, Vec<VariableId>> = FxHashMap::default();
        for (variable, value) in bindings.definitions() {
            let (term, bits) = (values.value(symbols, value), values.bits(value));
            terms.insert(value, (term, bits));
            if matches!(symbols.leaf(term), Some((Leaf::Value(..), _))) {
                let list = names.entry(term).or_default();
                // They come in order.
                if list.last() != Some(&variable) {
                    list.push(variable);
                }
            }
        }
        Self { function, bindings, terms, names }
    }

    /// What a variable equals at a place, if there is a term for it.
    #[must_use]
    pub fn term(&self, variable: VariableId, place: Position) -> Option<TermId> {
        Some(self.terms.get(&self.bindings.value(variable, place)?)?.0)
    }

    /// A term with the active thread's source variables replaced by what they equal at a place.
    pub fn resolve(&self, symbols: &mut Symbols, place: Position, term: TermId) -> TermId {
        let first = symbols.store.true_();
        symbols.replace(term, first, &mut FxHashMap::default(), |leaf| match leaf {
            Leaf::Variable(function, variable) if function == self.function => {
                self.term(variable, place)
            }
            _ => None,
        })
    }

    /// A term with the active thread's SSA values replaced by the first source variable that
    /// equals each at a place, so that it has a meaning at other places too.
    pub fn name(&self, symbols: &mut Symbols, place: Position, term: TermId) -> TermId {
        let mut map = FxHashMap::default();
        for value in symbols.store.variables(term) {
            let candidates = self.names.get(&value).into_iter().flatten();
            let found = candidates.copied().find(|&v| self.term(v, place) == Some(value));
            if let Some(variable) = found {
                let bits = symbols.bits(value);
                let leaf = Leaf::Variable(self.function, variable);
                map.insert(value, symbols.variable(leaf, Instance::Active, bits));
            }
        }
        symbols.store.substitute(term, &map)
    }

    /// Each source variable with each term that it equals somewhere.
    pub fn equalities(&self) -> impl Iterator<Item = (Leaf, u16, TermId)> {
        self.bindings.definitions().filter_map(|(variable, value)| {
            let &(term, bits) = self.terms.get(&value)?;
            Some((Leaf::Variable(self.function, variable), bits, term))
        })
    }
}
