//! Blocks from their simplified terms.

use egg::{CostFunction, EGraph, Extractor, Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{BlockId, Builder, Function, Instruction, Op, Operand, Type, ValueId};

use super::is_term;
use super::term::{Facts, Term};

/// Operations to compute; what is given costs a little, so that constants win.
struct Operations;

impl CostFunction<Term> for Operations {
    type Cost = u64;

    fn cost<C>(&mut self, term: &Term, mut costs: C) -> u64
    where
        C: FnMut(Id) -> u64,
    {
        let own = match term {
            Term::Int { .. } => 1,
            Term::Given { .. } => 2,
            // Conversions cost a solver nothing.
            Term::Cast(..) => 3,
            _ => 10,
        };
        term.fold(own, |sum, id| sum.saturating_add(costs(id)))
    }
}

/// Computes each result of a block in its cheapest form.
pub(super) fn rebuild(
    function: &mut Function,
    block: BlockId,
    graph: &EGraph<Term, Facts>,
    classes: &FxHashMap<ValueId, Id>,
    pinned: &FxHashSet<ValueId>,
) {
    // Given values of this block that are not defined yet must not be read.
    let code = function.block(block).instructions.iter();
    let later = code.filter(|i| !is_term(i)).filter_map(|i| i.result).collect();
    let extractor = Extractor::new(graph, Operations);
    let mut writer = Writer { graph, extractor, done: FxHashMap::default(), later };
    let mut replaced: FxHashMap<ValueId, Operand> = FxHashMap::default();
    function.rewrite_block(block, |builder, _, instruction| {
        let Some(result) = instruction.result else { return builder.push(instruction) };
        writer.later.remove(&result);
        let Some(&class) = classes.get(&result) else { return builder.push(instruction) };
        let class = graph.find(class);
        let is_tagged = builder.function.values[result.index()].variable.is_some();
        match writer.operand(builder, class, result) {
            // Computed into the result itself.
            Some(Operand::Value(value)) if value == result => {}
            Some(operand) => {
                if is_tagged || pinned.contains(&result) {
                    let op = Op::Copy { a: operand };
                    builder.push(Instruction { op, ..instruction });
                }
                replaced.insert(result, operand);
            }
            // Not all it reads is defined: as it was.
            None => {
                writer.done.entry(class).or_insert(Operand::Value(result));
                builder.push(instruction);
            }
        }
    });
    if !replaced.is_empty() {
        function.replace_values(|value| replaced.get(&value).copied());
    }
}

struct Writer<'a> {
    graph: &'a EGraph<Term, Facts>,
    extractor: Extractor<'a, Operations, Term, Facts>,
    /// Classes that have been computed.
    done: FxHashMap<Id, Operand>,
    /// Given values that are not defined yet.
    later: FxHashSet<ValueId>,
}

impl Writer<'_> {
    /// Computes a class, into `result` if its term is an operation of its own;
    /// `None` if it reads what is not defined yet.
    fn operand(
        &mut self,
        builder: &mut Builder<'_>,
        class: Id,
        result: ValueId,
    ) -> Option<Operand> {
        if let Some(&operand) = self.done.get(&class) {
            return Some(operand);
        }
        self.is_ready(class).then(|| self.compute(builder, class, Some(result)))
    }

    /// Whether all that the cheapest term of a class reads is defined.
    fn is_ready(&self, class: Id) -> bool {
        let class = self.graph.find(class);
        if self.done.contains_key(&class) {
            return true;
        }
        let term = self.extractor.find_best_node(class);
        if let Term::Given { operand: Operand::Value(value), .. } = term {
            return !self.later.contains(value);
        }
        term.children().iter().all(|&child| self.is_ready(child))
    }

    /// Appends what computes a class; the last operation defines `into`.
    fn compute(&mut self, builder: &mut Builder<'_>, class: Id, into: Option<ValueId>) -> Operand {
        let class = self.graph.find(class);
        if let Some(&operand) = self.done.get(&class) {
            return operand;
        }
        let term = self.extractor.find_best_node(class).clone();
        let children: Vec<Operand> =
            term.children().iter().map(|&child| self.compute(builder, child, None)).collect();
        let child = |index: usize| children.get(index).copied().unwrap_or(Operand::Null);
        let op = match &term {
            Term::Int { bits, value } => return Operand::int(*bits, *value),
            Term::Given { operand, .. } => return *operand,
            Term::Binary(op, _) => {
                Op::Binary { op: *op, a: child(0), b: child(1), no_signed_wrap: false }
            }
            Term::Unary(op, _) => Op::Unary { op: *op, a: child(0) },
            Term::Compare(op, _) => Op::Compare { op: *op, a: child(0), b: child(1) },
            Term::Cast(op, ..) => Op::Cast { op: *op, a: child(0) },
            Term::Select(_) => Op::Select { condition: child(0), a: child(1), b: child(2) },
        };
        let result = into.unwrap_or_else(|| {
            let ty = self.graph[class].data.bits.map_or(Type::Pointer, Type::Int);
            builder.function.add_value(ty, None)
        });
        builder.push(Instruction { op, result: Some(result), location: builder.location });
        self.done.insert(class, Operand::Value(result));
        Operand::Value(result)
    }
}
