//! Blocks from their simplified terms.

use egg::{CostFunction, EGraph, Extractor, Id, Language};
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{BlockId, Function, Instruction, Location, Op, Operand, Type, ValueId};

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
    let extractor = Extractor::new(graph, Operations);
    let old = std::mem::take(&mut function.blocks[block.index()].instructions);
    // Given values of this block that are not defined yet must not be read.
    let later: FxHashSet<ValueId> =
        old.iter().filter(|i| !is_term(i)).filter_map(|i| i.result).collect();
    let mut writer = Writer {
        function,
        graph,
        extractor,
        done: FxHashMap::default(),
        later,
        code: Vec::with_capacity(old.len()),
        location: Location::default(),
    };
    let mut replaced: FxHashMap<ValueId, Operand> = FxHashMap::default();
    for mut instruction in old {
        writer.location = instruction.location;
        instruction.op.for_each_operand_mut(|operand| {
            *operand = operand.value().and_then(|v| replaced.get(&v).copied()).unwrap_or(*operand);
        });
        let Some(result) = instruction.result else {
            writer.code.push(instruction);
            continue;
        };
        writer.later.remove(&result);
        let Some(&class) = classes.get(&result) else {
            writer.code.push(instruction);
            continue;
        };
        let class = graph.find(class);
        let stays =
            writer.function.values[result.index()].variable.is_some() || pinned.contains(&result);
        match writer.operand(class, result) {
            // Computed into the result itself.
            Some(Operand::Value(value)) if value == result => {}
            Some(operand) => {
                if stays {
                    let op = Op::Copy { a: operand };
                    writer.code.push(Instruction { op, ..instruction });
                }
                replaced.insert(result, operand);
            }
            // Not all it reads is defined: as it was.
            None => {
                writer.done.entry(class).or_insert(Operand::Value(result));
                writer.code.push(instruction);
            }
        }
    }
    let code = std::mem::take(&mut writer.code);
    function.blocks[block.index()].instructions = code;
    if !replaced.is_empty() {
        function.replace_values(|value| replaced.get(&value).copied());
    }
}

struct Writer<'a> {
    function: &'a mut Function,
    graph: &'a EGraph<Term, Facts>,
    extractor: Extractor<'a, Operations, Term, Facts>,
    /// Classes that have been computed.
    done: FxHashMap<Id, Operand>,
    /// Given values that are not defined yet.
    later: FxHashSet<ValueId>,
    code: Vec<Instruction>,
    location: Location,
}

impl Writer<'_> {
    /// Computes a class, into `result` if its term is an operation of its own;
    /// `None` if it reads what is not defined yet.
    fn operand(&mut self, class: Id, result: ValueId) -> Option<Operand> {
        if let Some(&operand) = self.done.get(&class) {
            return Some(operand);
        }
        self.is_ready(class).then(|| self.compute(class, Some(result)))
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
    fn compute(&mut self, class: Id, into: Option<ValueId>) -> Operand {
        let class = self.graph.find(class);
        if let Some(&operand) = self.done.get(&class) {
            return operand;
        }
        let term = self.extractor.find_best_node(class).clone();
        let children: Vec<Operand> =
            term.children().iter().map(|&child| self.compute(child, None)).collect();
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
            self.function.add_value(ty, None)
        });
        self.code.push(Instruction { op, result: Some(result), location: self.location });
        self.done.insert(class, Operand::Value(result));
        Operand::Value(result)
    }
}
