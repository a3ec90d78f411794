//! Facts of the module as terms at the nodes where they hold.
//!
//! What an `invariant` says holds whenever a thread stands at its place, whatever others do meanwhile,
//! in all runs up to the first assertion that fails. So it holds before each edge from there that a run
//! takes, and may be assumed for it. It is about the thread that takes the edge and about what all
//! share, as constraints of the abstraction have to be.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Expression, Invariant, Module, Type};

use super::leaf::{Instance, Leaf, Symbols};
use super::memory::{CellId, Memory, Origin};
use super::value::{Values, binary, cast, compare, constant, field_offset, unary};
use super::{NodeId, Root};
use crate::index::small_index;
use crate::solver::TermId;

/// Puts the facts of a root's function into its nodes.
pub(super) fn add(symbols: &mut Symbols, module: &Module, values: &Values<'_>, root: &mut Root) {
    let mut at: FxHashMap<_, Vec<&Invariant>> = FxHashMap::default();
    for fact in module.invariants.iter().filter(|fact| fact.function == root.function) {
        at.entry((fact.block, fact.index)).or_default().push(fact);
    }
    if at.is_empty() {
        return;
    }
    for index in 0..root.nodes.len() {
        let node = NodeId(small_index(index));
        let Some(facts) = at.get(&root.nodes[node.index()].position) else { continue };
        let terms = facts.iter().filter_map(|fact| {
            let term = term(symbols, module, values, &fact.expression)?;
            let term = symbols.to_bool(term);
            (!symbols.store.is_literal_value(term)).then_some(term)
        });
        root.nodes[node.index()].facts = terms.collect();
    }
}

/// The term of an expression over the active thread's state; `None` if it reads memory that is not
/// one known cell, so that nothing of what it says is known here.
fn term(
    symbols: &mut Symbols,
    module: &Module,
    values: &Values<'_>,
    expression: &Expression,
) -> Option<TermId> {
    let of = |symbols: &mut Symbols, e: &Expression| term(symbols, module, values, e);
    Some(match expression {
        Expression::Int { bits, value } => constant(symbols, *bits, *value),
        Expression::Value { value, .. } => values.value(symbols, *value),
        Expression::Load { ty: Type::Int(bits), address } => {
            let cell = cell(module, values.memory(), address, *bits)?;
            symbols.variable(Leaf::Cell(cell), Instance::Active, *bits)
        }
        Expression::Unary { op, a } => {
            let a = of(symbols, a)?;
            unary(symbols, *op, a)
        }
        Expression::Binary { op, a, b } => {
            let (a, b) = (of(symbols, a)?, of(symbols, b)?);
            binary(symbols, *op, a, b)
        }
        Expression::Compare { op, a, b } => {
            let (a, b) = (of(symbols, a)?, of(symbols, b)?);
            compare(symbols, *op, a, b)
        }
        Expression::Cast { op, ty: Type::Int(bits), a } => {
            let a = of(symbols, a)?;
            cast(symbols, *op, a, *bits)
        }
        Expression::Select { condition, a, b } => {
            let condition = of(symbols, condition)?;
            let (a, b) = (of(symbols, a)?, of(symbols, b)?);
            symbols.store.ite(condition, a, b)
        }
        _ => return None,
    })
}

/// The cell of this width at an address that constants name.
fn cell(module: &Module, memory: &Memory, address: &Expression, bits: u16) -> Option<CellId> {
    let (origin, offset) = place(module, address)?;
    let object = memory.object_at(origin)?;
    let mut cells = memory.object_cells(object);
    cells.find(|&id| {
        let cell = memory.cell(id);
        cell.offset == offset && cell.ty == Type::Int(bits)
    })
}

/// The global that an address is in, and how far from its start.
fn place(module: &Module, address: &Expression) -> Option<(Origin, u64)> {
    match address {
        Expression::Global(global) => Some((Origin::Global(*global), 0)),
        Expression::FieldAddress { base, structure, field } => {
            let (origin, offset) = place(module, base)?;
            Some((origin, offset.checked_add(field_offset(module, *structure, *field))?))
        }
        Expression::IndexAddress { base, element, index } => {
            let Expression::Int { value, .. } = **index else { return None };
            let distance = u64::try_from(value).ok()?.checked_mul(element.size(module))?;
            let (origin, offset) = place(module, base)?;
            Some((origin, offset.checked_add(distance)?))
        }
        _ => None,
    }
}
