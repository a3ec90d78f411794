//! The order in which the code of a function is unfolded: a weak topological order (Bourdoncle,
//! "Efficient chaotic iteration strategies with widenings", 1993).

use std::collections::BTreeSet;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, Op, Operand, Section, ValueId};

/// The code of a block from an instruction on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Unit {
    pub block: BlockId,
    pub start: usize,
}

impl Unit {
    /// A block from its beginning.
    pub fn of(block: BlockId) -> Self {
        Self { block, start: 0 }
    }
}

/// Some code, or a loop.
pub(super) enum Item {
    /// Code, and where the next unit of its block begins.
    Unit(Unit, Option<usize>),
    Loop(Rc<Loop>),
}

/// Code that leads to itself. Every edge between items goes forward, but for those to the head.
pub(super) struct Loop {
    /// The first of `items`.
    pub head: Unit,
    /// What a round consists of, in order.
    pub items: Vec<Item>,
    /// All its code, that of inner loops too.
    pub units: FxHashSet<Unit>,
    /// Values that are defined in it and may be read after it was left.
    pub escaping: Vec<ValueId>,
    /// Values that are defined in it before the head and read after it.
    pub live: Vec<ValueId>,
}

/// The items of a function, in order.
pub(super) fn components(function: &Function) -> Vec<Item> {
    let code = Code::new(function);
    code.order(&code.units)
}

/// A function in units.
struct Code<'f> {
    function: &'f Function,
    cfg: Cfg,
    /// In reverse post-order.
    units: Vec<Unit>,
    /// Where the unit behind another one of its block begins.
    next: FxHashMap<Unit, usize>,
    /// The unit that defines each value.
    defined: FxHashMap<ValueId, Unit>,
    /// The values that are read at a unit or behind it as they were before, by their numbers.
    live: FxHashMap<Unit, FixedBitSet>,
}

impl<'f> Code<'f> {
    fn new(function: &'f Function) -> Self {
        let cfg = Cfg::new(function);
        let mut units = Vec::new();
        let mut next = FxHashMap::default();
        let mut defined = FxHashMap::default();
        for &block in cfg.reverse_postorder() {
            let data = function.block(block);
            let mut unit = Unit::of(block);
            units.push(unit);
            defined.extend(data.parameters.iter().map(|&value| (value, unit)));
            for (index, instruction) in data.instructions.iter().enumerate() {
                let begins = matches!(instruction.op, Op::AtomicBegin(Section::Locked));
                let before = index.checked_sub(1).map(|before| &data.instructions[before].op);
                // Who waits gives a lock back and takes it again: between the two it has none.
                if begins && matches!(before, Some(Op::Store { .. })) {
                    next.insert(unit, index);
                    unit = Unit { block, start: index };
                    units.push(unit);
                }
                defined.extend(instruction.result.map(|value| (value, unit)));
            }
        }
        let live = FxHashMap::default();
        let mut code = Self { function, cfg, units, next, defined, live };
        code.find_live();
        code
    }

    /// The units that one leads to.
    fn successors(&self, unit: Unit) -> Vec<Unit> {
        match self.next.get(&unit) {
            Some(&start) => vec![Unit { start, ..unit }],
            None => self.cfg.successors(unit.block).iter().copied().map(Unit::of).collect(),
        }
    }

    /// Calls `f` with every operand that a unit reads.
    fn for_each_operand(&self, unit: Unit, mut f: impl FnMut(Operand)) {
        let block = self.function.block(unit.block);
        let end = self.next.get(&unit).copied();
        for instruction in &block.instructions[unit.start..end.unwrap_or(block.instructions.len())]
        {
            instruction.op.for_each_operand(&mut f);
        }
        if end.is_none() {
            block.terminator.kind.for_each_operand(f);
        }
    }

    /// The items of some units, given in reverse post-order.
    fn order(&self, units: &[Unit]) -> Vec<Item> {
        let mut graph = DiGraph::<Unit, ()>::with_capacity(units.len(), units.len() * 2);
        let nodes: FxHashMap<Unit, _> =
            units.iter().map(|&unit| (unit, graph.add_node(unit))).collect();
        for &unit in units {
            for successor in self.successors(unit) {
                if let Some(&to) = nodes.get(&successor) {
                    graph.add_edge(nodes[&unit], to, ());
                }
            }
        }
        let mut items = Vec::new();
        // The components come successors first.
        for component in kosaraju_scc(&graph).into_iter().rev() {
            let mut inside: Vec<Unit> = component.iter().map(|&node| graph[node]).collect();
            inside.sort_by_key(|unit| (self.cfg.position(unit.block), unit.start));
            let first = inside[0];
            if inside.len() == 1 && !self.successors(first).contains(&first) {
                items.push(Item::Unit(first, self.next.get(&first).copied()));
                continue;
            }
            let mut head = inside.remove(0);
            let mut within = self.order(&inside);
            // A round that begins without a lock can be left out more often. Loops in this one have
            // their own heads.
            let without_lock = within.iter().find_map(|item| match item {
                Item::Unit(unit, _) if unit.start > 0 => Some(*unit),
                _ => None,
            });
            if let Some(unit) = without_lock {
                inside.insert(0, std::mem::replace(&mut head, unit));
                inside.retain(|&other| other != unit);
                within = self.order(&inside);
            }
            let mut items_within = vec![Item::Unit(head, self.next.get(&head).copied())];
            items_within.extend(within);
            let units: FxHashSet<Unit> = inside.into_iter().chain([head]).collect();
            let escaping = self.escaping(&units);
            let live = self.live_at(head, &units).collect();
            let inner = Loop { head, items: items_within, units, escaping, live };
            items.push(Item::Loop(Rc::new(inner)));
        }
        items
    }

    /// The values that are defined in some units and may be read, as they were then, at a unit or behind it.
    fn live_at<'s>(
        &'s self,
        unit: Unit,
        units: &'s FxHashSet<Unit>,
    ) -> impl Iterator<Item = ValueId> + 's {
        let live = self.live.get(&unit).into_iter().flat_map(FixedBitSet::ones);
        live.map(ValueId::new).filter(|v| self.defined.get(v).is_some_and(|u| units.contains(u)))
    }

    /// The values that are defined in a loop and may be read after it was left, also in it, where it can be
    /// entered elsewhere than at its head.
    fn escaping(&self, units: &FxHashSet<Unit>) -> Vec<ValueId> {
        let mut found = BTreeSet::new();
        for &unit in units {
            for target in self.successors(unit).into_iter().filter(|to| !units.contains(to)) {
                found.extend(self.live_at(target, units));
            }
        }
        found.into_iter().collect()
    }

    /// Finds the values that are read at each unit or behind it as they were before.
    fn find_live(&mut self) {
        let count = self.function.values.len();
        let mut own = FxHashMap::default();
        for &unit in &self.units {
            let mut read = FixedBitSet::with_capacity(count);
            self.for_each_operand(unit, |operand| {
                if let Some(value) = operand.value() {
                    read.insert(value.index());
                }
            });
            own.insert(unit, read);
        }
        let mut kills: FxHashMap<Unit, Vec<usize>> = FxHashMap::default();
        for (value, &unit) in &self.defined {
            kills.entry(unit).or_default().push(value.index());
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &unit in self.units.iter().rev() {
                let mut here = own[&unit].clone();
                for successor in self.successors(unit) {
                    if let Some(behind) = self.live.get(&successor) {
                        here.union_with(behind);
                    }
                }
                for &value in kills.get(&unit).map_or(&[][..], Vec::as_slice) {
                    here.set(value, false);
                }
                if self.live.get(&unit) != Some(&here) {
                    self.live.insert(unit, here);
                    changed = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(items: &[Item]) -> String {
        let words: Vec<String> = items
            .iter()
            .map(|item| match item {
                Item::Unit(unit, _) => match unit.start {
                    0 => unit.block.index().to_string(),
                    start => format!("{}+{start}", unit.block.index()),
                },
                Item::Loop(inner) => format!("({})", shape(&inner.items)),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn loops_are_nested_and_may_have_two_entries() {
        let text = "gir 1
            define @nested(i1) { bb0(%0: i1): jump bb1
              bb1: branch %0, bb2, bb5 bb2: jump bb3 bb3: branch %0, bb3, bb4 bb4: jump bb1
              bb5: return }
            define @two(i1) { bb0(%0: i1): branch %0, bb1, bb2
              bb1: jump bb2 bb2: branch %0, bb1, bb3 bb3: return }";
        let module = sapa_ir::goto::parse(text, "test").expect("it is well-formed");
        assert_eq!(shape(&components(&module.functions[0])), "0 (1 2 (3) 4) 5");
        let two = shape(&components(&module.functions[1]));
        assert!(two == "0 (1 2) 3" || two == "0 (2 1) 3", "{two}");
    }

    #[test]
    fn a_loop_that_waits_begins_where_it_has_no_lock() {
        let text = "gir 1 global $m: i32 = zero global $x: i32 = zero
            define @wait() { bb0: jump bb1
              bb1: %0: i32 = load $x %1: i1 = eq %0, 0i32 branch %1, bb2, bb3
              bb2: store i32, $m, 0i32 atomic_begin.locked store i32, $m, 1i32 atomic_end jump bb1
              bb3: store i32, $x, %0 return }";
        let module = sapa_ir::goto::parse(text, "test").expect("it is well-formed");
        let items = components(&module.functions[0]);
        assert_eq!(shape(&items), "0 (2+1 1 2) 3");
        let Some(Item::Loop(inner)) = items.get(1) else { panic!("it is a loop") };
        assert_eq!((inner.live.len(), inner.escaping.len()), (0, 1));
    }
}
