//! Which cells and values conditions compare.
//!
//! Inequalities between all pairs would be many, and most of no use. What is compared is found by the
//! flow of values: a cell, what is read of it, what is written to it, and these plus a constant are of
//! one *class*; two classes are compared if some comparison has a value of one on its left side and one
//! of the other on its right side, or sums of such.
//!
//! A side that is a sum, and the difference of both sides, are *templates*: their bounds are followed
//! for all members of the classes, modulo 2^w (`head - tail < 16`, also behind a wrap-around).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BinaryOp, CompareOp, Function, FunctionId, Module, Op, Operand, Type, ValueId,
};

use super::cells::{Access, CellId, Cells};
use super::inequalities::Reading;
use crate::analysis::definitions::Definitions;
use crate::linear::Sum;

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
    /// Sums of members of classes, by their width: each class with a coefficient, in ascending order.
    templates: BTreeSet<(u32, Vec<(usize, u128)>)>,
}

/// How deeply the sides of a comparison are looked into.
const DEPTH: usize = 3;

/// More differences are not followed.
const MOST_PAIRS: usize = 32;

/// More templates are not followed, no sums of more variables, and no more sums of one state.
const MOST_TEMPLATES: usize = 24;
const MOST_TERMS: usize = 3;
const MOST_SUMS: usize = 32;

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
        let definitions = Definitions::new(function);
        for instruction in function.instructions() {
            let Op::Compare { op, a, b } = instruction.op else { continue };
            let readings: &[Reading] = match op {
                CompareOp::UnsignedLt | CompareOp::UnsignedLe => &[Reading::Unsigned],
                CompareOp::SignedLt | CompareOp::SignedLe => &[Reading::Signed],
                CompareOp::Eq | CompareOp::Ne => &[Reading::Unsigned, Reading::Signed],
            };
            let [left, right] = [a, b].map(|side| linear(function, &definitions, side, DEPTH));
            if let (Some(left), Some(right)) = (left, right) {
                let mut apart = left.clone();
                apart.add(&right, u128::MAX);
                [left, right, apart].iter().for_each(|sum| self.template(id, sum));
            }
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

    /// Notes what kind of sum one is that a condition looks at.
    fn template(&mut self, id: FunctionId, sum: &Sum<ValueId>) {
        if !(2..=MOST_TERMS).contains(&sum.coefficients.len()) {
            return;
        }
        let terms = sum.coefficients.iter();
        let terms = terms.map(|(&value, &c)| (self.class(Node::Value(id, value)), c));
        let mut terms: Vec<(usize, u128)> = terms.collect();
        let negative = sum.times(u128::MAX);
        let opposite = negative.coefficients.iter();
        let opposite = opposite.map(|(&value, &c)| (self.class(Node::Value(id, value)), c));
        let mut opposite: Vec<(usize, u128)> = opposite.collect();
        terms.sort_unstable();
        opposite.sort_unstable();
        if self.templates.len() < MOST_TEMPLATES {
            self.templates.insert((sum.width, terms.min(opposite)));
        }
    }

    /// The sums of these, which are given with their nodes and widths, whose bounds are followed.
    pub(super) fn sums<V: Ord + Clone>(&self, all: &[(V, Node, u32)]) -> Vec<Sum<V>> {
        let mut members: BTreeMap<(u32, usize), Vec<&V>> = BTreeMap::new();
        for (name, node, width) in all {
            if let Some(&number) = self.numbers.get(node) {
                members.entry((*width, self.root(number))).or_default().push(name);
            }
        }
        let mut found: Vec<Sum<V>> = Vec::new();
        for (width, terms) in &self.templates {
            let mut sums = vec![Sum::constant(*width, 0)];
            for (class, coefficient) in terms {
                let of_class = members.get(&(*width, *class)).map_or(&[][..], Vec::as_slice);
                let with = |sum: &Sum<V>, name: &V| {
                    let mut sum = sum.clone();
                    let is_new = !sum.coefficients.contains_key(name);
                    sum.add(&Sum::variable(*width, name.clone()), *coefficient);
                    is_new.then_some(sum)
                };
                let longer = sums
                    .iter()
                    .flat_map(|sum| of_class.iter().filter_map(move |name| with(sum, name)));
                sums = longer.take(MOST_SUMS).collect();
            }
            for sum in sums {
                let sum = sum.up_to_sign().0;
                if found.len() < MOST_SUMS && !found.contains(&sum) {
                    found.push(sum);
                }
            }
        }
        found
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

/// What an operand is as a sum of values that are no sums; `None` if it is no integer.
fn linear(
    function: &Function,
    definitions: &Definitions<'_>,
    operand: Operand,
    depth: usize,
) -> Option<Sum<ValueId>> {
    let Type::Int(bits) = function.operand_type(operand) else { return None };
    let width = u32::from(bits);
    let value = match operand {
        Operand::Int { value, .. } => return Some(Sum::constant(width, value)),
        Operand::Value(value) => value,
        _ => return None,
    };
    let whole = Some(Sum::variable(width, value));
    let Some(depth) = depth.checked_sub(1) else { return whole };
    let side = |operand: &Operand| linear(function, definitions, *operand, depth);
    match definitions.get(&value) {
        Some(Op::Copy { a }) => side(a),
        Some(Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), a, b, .. }) => {
            let factor = if *op == BinaryOp::Add { 1 } else { u128::MAX };
            let (mut a, b) = (side(a)?, side(b)?);
            a.add(&b, factor);
            Some(a)
        }
        Some(Op::Binary { op: BinaryOp::Mul, a, b, .. }) => {
            let (a, b) = (side(a)?, side(b)?);
            match (a.value(), b.value()) {
                (Some(factor), _) => Some(b.times(factor)),
                (_, Some(factor)) => Some(a.times(factor)),
                _ => whole,
            }
        }
        _ => whole,
    }
}

/// The values that are added up to an operand, with those that are sums of others.
fn summands(
    definitions: &Definitions<'_>,
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
