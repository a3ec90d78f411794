//! Which cells and values conditions compare.
//!
//! Inequalities between all pairs would be many, and most of no use. What is compared is found by the
//! flow of values: a cell, what is read of it, what is written to it, and these plus a constant are of
//! one *class*; two classes are compared if some comparison has a value of one on its left side and one
//! of the other on its right side, or sums of such.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BinaryOp, CompareOp, Function, FunctionId, Module, Op, Operand, ValueId};

use super::cells::{Access, CellId, Cells};
use super::inequalities::Reading;

/// What has a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Cell(CellId),
    Value(FunctionId, ValueId),
}

/// The classes, and which are compared.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Numbers of nodes.
    numbers: FxHashMap<Node, usize>,
    /// By number: another of its class; itself for the one that stands for the class.
    parents: Vec<usize>,
    /// Of two classes: both orders.
    pairs: BTreeSet<(usize, usize, Reading)>,
}

/// How deeply the sides of a comparison are looked into.
const DEPTH: usize = 3;

/// More differences are not followed.
const MOST_PAIRS: usize = 32;

impl Compared {
    /// Looks at the comparisons in functions.
    pub(super) fn new(module: &Module, functions: &[FunctionId], cells: &Cells) -> Self {
        let mut compared = Self::default();
        for &id in functions {
            compared.flow(module.function(id), id, cells);
        }
        for &id in functions {
            compared.comparisons(module.function(id), id);
        }
        compared
    }

    /// Puts what a function passes on into one class.
    fn flow(&mut self, function: &Function, id: FunctionId, cells: &Cells) {
        let value = |operand: Operand| match operand {
            Operand::Value(value) => Some(Node::Value(id, value)),
            _ => None,
        };
        for (at, block) in function.blocks.iter().enumerate() {
            for (index, instruction) in block.instructions.iter().enumerate() {
                let result = instruction.result.map(|value| Node::Value(id, value));
                let (to, from) = match (&instruction.op, cells.at(id, at, index)) {
                    (Op::Store { value: stored, .. }, Access::Write(cell)) => {
                        (Some(Node::Cell(*cell)), [value(*stored), None])
                    }
                    (_, Access::Read(cell)) => (result, [Some(Node::Cell(*cell)), None]),
                    (Op::Copy { a }, _) => (result, [value(*a), None]),
                    (Op::Select { a, b, .. }, _) => (result, [value(*a), value(*b)]),
                    (Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, a, b, .. }, _)
                        if [a, b].iter().any(|side| matches!(side, Operand::Int { .. })) =>
                    {
                        (result, [value(*a), value(*b)])
                    }
                    _ => continue,
                };
                let Some(to) = to else { continue };
                from.into_iter().flatten().for_each(|from| self.unite(to, from));
            }
            block.terminator.kind.for_each_target(|target| {
                let parameters = &function.block(target.block).parameters;
                for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                    if let Some(from) = value(argument) {
                        self.unite(Node::Value(id, parameter), from);
                    }
                }
            });
        }
    }

    /// Notes which classes a function compares.
    fn comparisons(&mut self, function: &Function, id: FunctionId) {
        let code = function.instructions();
        let definitions: FxHashMap<ValueId, &Op> =
            code.filter_map(|i| Some((i.result?, &i.op))).collect();
        for instruction in function.instructions() {
            let Op::Compare { op, a, b } = instruction.op else { continue };
            let readings: &[Reading] = match op {
                CompareOp::UnsignedLt | CompareOp::UnsignedLe => &[Reading::Unsigned],
                CompareOp::SignedLt | CompareOp::SignedLe => &[Reading::Signed],
                CompareOp::Eq | CompareOp::Ne => &[Reading::Unsigned, Reading::Signed],
            };
            let [a, b] = [a, b].map(|side| {
                let mut values = BTreeSet::new();
                summands(&definitions, side, DEPTH, &mut values);
                let classes = values.into_iter().map(|value| self.class(Node::Value(id, value)));
                classes.collect::<Vec<usize>>()
            });
            for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))) {
                let both = readings.iter().flat_map(|&r| [(a, b, r), (b, a, r)]);
                self.pairs.extend(both);
            }
        }
    }

    /// The class of a node: the number of the one that stands for it.
    fn class(&mut self, node: Node) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        self.root(number)
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    fn unite(&mut self, a: Node, b: Node) {
        let (a, b) = (self.class(a), self.class(b));
        self.parents[a] = b;
    }

    /// The pairs among these, which are given with their nodes, that are compared, in both orders, and
    /// how they are read.
    pub(super) fn pairs<T: Copy>(&self, all: &[(T, Node)]) -> Vec<(Reading, T, T)> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, (_, node)) in all.iter().enumerate() {
            if let Some(&number) = self.numbers.get(node) {
                members.entry(self.root(number)).or_default().push(at);
            }
        }
        let mut found = Vec::new();
        for (a, b, reading) in &self.pairs {
            let (Some(a), Some(b)) = (members.get(a), members.get(b)) else { continue };
            for (&a, &b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                if a != b && found.len() < 2 * MOST_PAIRS {
                    found.push((*reading, all[a].0, all[b].0));
                }
            }
        }
        found
    }
}

/// The values that are added up to an operand, with those that are sums of others.
fn summands(
    definitions: &FxHashMap<ValueId, &Op>,
    operand: Operand,
    depth: usize,
    found: &mut BTreeSet<ValueId>,
) {
    let Operand::Value(value) = operand else { return };
    found.insert(value);
    if let Some(Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, a, b, .. }) =
        definitions.get(&value)
        && let Some(depth) = depth.checked_sub(1)
    {
        summands(definitions, *a, depth, found);
        summands(definitions, *b, depth, found);
    }
}
