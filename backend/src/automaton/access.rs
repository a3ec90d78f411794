//! Loads and stores on a step: case splits over the cells that an address may
//! mean (SAPA section 3: `targets`; Morris's general axiom of assignment).

use sapa_ir::goto::{FunctionId, Location, Operand};
use sapa_passes::analysis::points_to::{self, Offsets, Place, PointsTo};

use super::leaf::{Instance, Leaf, Symbols};
use super::memory::{CellId, Memory, ObjectId, Origin};
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

/// Where an address may be, before its value is known.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Places of objects; `None`: any object whose address is taken.
    places: Option<Vec<Place>>,
}

impl Targets {
    /// Of an operand of a function, so many bytes further on.
    #[must_use]
    pub fn new(
        points_to: &PointsTo,
        function: FunctionId,
        operand: Operand,
        distance: u64,
    ) -> Self {
        let places = points_to.places(function, operand);
        if places.iter().any(|place| place.object == points_to::Object::Unknown) {
            return Self::default();
        }
        let further = |place: Place| Place { offsets: place.offsets.plus(distance), ..place };
        Self { places: Some(places.into_iter().map(further).collect()) }
    }

    /// Offsets in an object where the address may be.
    fn offsets(&self, origin: Origin) -> Vec<Offsets> {
        let object = match origin {
            Origin::Global(id) => points_to::Object::Global(id),
            Origin::Slot(function, slot) => points_to::Object::Slot(function, slot),
        };
        match &self.places {
            None => vec![Offsets::ALL],
            Some(places) => {
                places.iter().filter(|p| p.object == object).map(|p| p.offsets).collect()
            }
        }
    }
}

/// Objects that an address term may point to, for a thread that runs `root`, and where in them.
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
    targets: &Targets,
) -> Vec<(ObjectId, Vec<Offsets>)> {
    if let Some(base) = constant_base(symbols, memory, address) {
        return vec![(base, vec![Offsets::ALL])];
    }
    let with_offsets = |id| (id, targets.offsets(memory.object(id).origin));
    let objects = memory.pointer_targets(root).map(with_offsets);
    objects.filter(|(_, offsets)| !offsets.is_empty()).collect()
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
    targets: &Targets,
    bits: u16,
) -> Reach {
    let mut reach = Reach { exact: Vec::new(), inexact: Vec::new() };
    let fixed = symbols.store.as_constant(address).and_then(|value| u64::try_from(value).ok());
    let bytes = |bits: u16| u64::from(bits.div_ceil(8));
    for (object, offsets) in objects(symbols, memory, root, address, targets) {
        let start = memory.object(object).address;
        for id in memory.object_cells(object) {
            let cell = memory.cell(id);
            let same = cell.bits == bits;
            let place = Offsets::new(cell.offset, 0);
            let (hit, exactly) = match fixed {
                None => {
                    let hit = |o: &Offsets| o.may_overlap(bytes(bits), place, bytes(cell.bits));
                    (offsets.iter().any(hit), same)
                }
                Some(address) => {
                    let (from, to) = (start + cell.offset, start + cell.offset + bytes(cell.bits));
                    (from < address + bytes(bits) && address < to, same && from == address)
                }
            };
            if exactly && hit {
                reach.exact.push(id);
            } else if hit {
                reach.inexact.push(id);
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
