//! Loads and stores on a step: case splits over the cells that an address may
//! mean (SAPA section 3: `targets`; Morris's general axiom of assignment).

use sapa_ir::goto::{FunctionId, Location};

use super::leaf::{Instance, Leaf, Symbols};
use super::memory::{CellId, Memory, ObjectId};
use super::step::Step;
use crate::solver::{Node, TermId};

/// Which cells an access may reach.
#[derive(Debug)]
pub struct Reach {
    /// Cells of the access's width, with their addresses.
    pub exact: Vec<CellId>,
    /// Cells of other widths in the same objects: an access there is not modelled exactly.
    pub inexact: Vec<CellId>,
}

impl Reach {
    /// Whether an access may reach memory that all threads see.
    #[must_use]
    pub fn is_shared(&self, memory: &Memory) -> bool {
        self.exact.iter().chain(&self.inexact).any(|&cell| memory.is_shared(cell))
    }
}

/// Objects that an address term may point to, for a thread that runs `root`.
///
/// A constant with an object number is the base of the address, and arithmetic
/// stays within an object (C 6.5.6); otherwise the address comes from a
/// pointer variable, which points to an object whose address is taken.
#[must_use]
pub fn objects(
    symbols: &Symbols,
    memory: &Memory,
    root: FunctionId,
    address: TermId,
) -> Vec<ObjectId> {
    if let Some(base) = constant_base(symbols, memory, address) {
        return vec![base];
    }
    memory.pointer_targets(root).collect()
}

fn constant_base(symbols: &Symbols, memory: &Memory, address: TermId) -> Option<ObjectId> {
    let store = &symbols.store;
    let mut term = address;
    loop {
        match store.node(term) {
            Node::Const { value, .. } => {
                return memory.object_at(u64::try_from(value).unwrap_or(0));
            }
            Node::Binary(crate::solver::BinaryOp::Add, a, b) => {
                let constant = [a, b].into_iter().find(|&t| store.as_constant(t).is_some());
                match constant {
                    Some(constant) => {
                        let value = u64::try_from(store.as_constant(constant)?).unwrap_or(0);
                        return memory.object_at(value);
                    }
                    None => term = a,
                }
            }
            _ => return None,
        }
    }
}

/// The cells that an access of `bits` at `address` may reach.
#[must_use]
pub fn reach(
    symbols: &Symbols,
    memory: &Memory,
    root: FunctionId,
    address: TermId,
    bits: u16,
) -> Reach {
    let mut reach = Reach { exact: Vec::new(), inexact: Vec::new() };
    let fixed = symbols.store.as_constant(address).and_then(|value| u64::try_from(value).ok());
    for object in objects(symbols, memory, root, address) {
        for cell in memory.object_cells(object) {
            let same = memory.cell(cell).bits == bits;
            match fixed {
                None if same => reach.exact.push(cell),
                None => reach.inexact.push(cell),
                Some(address) => {
                    let start = memory.cell_address(cell);
                    let end = start + u64::from(memory.cell(cell).bits.div_ceil(8));
                    if start == address && same {
                        reach.exact.push(cell);
                    } else if start < address + u64::from(bits.div_ceil(8)) && address < end {
                        reach.inexact.push(cell);
                    }
                }
            }
        }
    }
    reach
}

fn variable(symbols: &mut Symbols, memory: &Memory, cell: CellId) -> TermId {
    symbols.variable(Leaf::Cell(cell), Instance::Active, memory.cell(cell).bits)
}

fn is_at(symbols: &mut Symbols, memory: &Memory, address: TermId, cell: CellId) -> TermId {
    let width = symbols.store.width(address);
    let place = symbols.store.constant(width, u128::from(memory.cell_address(cell)));
    symbols.store.eq(address, place)
}

/// What is read, over the state at the access. `any` is what an access that is
/// not modelled exactly returns. The guard is that the address is valid.
pub fn read(
    symbols: &mut Symbols,
    memory: &Memory,
    reach: &Reach,
    address: TermId,
    any: TermId,
) -> (TermId, Option<TermId>) {
    let mut result = any;
    let mut valid = symbols.store.boolean(!reach.inexact.is_empty());
    for &cell in &reach.exact {
        let here = is_at(symbols, memory, address, cell);
        let value = variable(symbols, memory, cell);
        result = symbols.store.ite(here, value, result);
        valid = symbols.store.or(valid, here);
    }
    let valid = (symbols.store.as_boolean(valid) != Some(true)).then_some(valid);
    (result, valid)
}

/// A write; its terms are over the state before the step.
#[derive(Clone, Copy, Debug)]
pub struct Write<'r> {
    /// Cells it may reach.
    pub reach: &'r Reach,
    /// Where to.
    pub address: TermId,
    /// What.
    pub value: TermId,
    /// Arbitrary values, one per inexact cell of `reach`: what such a cell
    /// holds afterwards if the write overlaps it.
    pub any: &'r [TermId],
    /// Where in the source.
    pub location: Location,
}

/// Adds a write to a step, guarded by the validity of the address.
pub fn write(symbols: &mut Symbols, memory: &Memory, step: &mut Step, write: Write<'_>) {
    let Write { reach, address, value, any, location } = write;
    let mut hit = symbols.store.false_();
    let mut updates = Vec::new();
    for &cell in &reach.exact {
        let here = is_at(symbols, memory, address, cell);
        hit = symbols.store.or(hit, here);
        let old = variable(symbols, memory, cell);
        let old = step.before(symbols, old);
        updates.push((Leaf::Cell(cell), symbols.store.ite(here, value, old)));
    }
    for (&cell, &any) in reach.inexact.iter().zip(any) {
        let old = variable(symbols, memory, cell);
        let old = step.before(symbols, old);
        updates.push((Leaf::Cell(cell), symbols.store.ite(hit, old, any)));
    }
    if reach.inexact.is_empty() {
        step.assume_before(symbols, hit, location);
    }
    step.updates.extend(updates);
}
