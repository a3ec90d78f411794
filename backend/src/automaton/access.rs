//! Loads and stores on a step: case splits over the cells that an address may
//! mean (SAPA section 3: `targets`; Morris's general axiom of assignment).

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{FunctionId, Location};
use sapa_passes::analysis::points_to::{self, Offsets, Place};

use super::leaf::{Instance, Leaf, Symbols};
use super::memory::{CellId, Memory, Object, ObjectId, Origin};
use super::pieces::Position;
use super::step::{Growing, Step};
use crate::solver::TermId;

/// Where an address may be, before its value is known.
#[derive(Clone, Debug)]
pub enum Targets {
    /// Places of objects. Those of heap objects are not modelled.
    Places(Vec<Place>),
    /// Any object, or memory that the program does not declare.
    Anywhere,
}

impl Targets {
    /// The places `distance` bytes behind these.
    #[must_use]
    pub fn new(places: BTreeSet<Place>, distance: u64) -> Self {
        if places.iter().any(|place| place.object.is_any()) {
            return Self::Anywhere;
        }
        let further = |place: Place| Place { offsets: place.offsets.plus(distance), ..place };
        Self::Places(places.into_iter().map(further).collect())
    }

    /// The objects that a thread that runs `root` may access there, and where in them.
    pub fn objects<'m>(
        &self,
        memory: &'m Memory,
        root: FunctionId,
    ) -> impl Iterator<Item = (&'m Object, ObjectId, Vec<Offsets>)> {
        let mut found: BTreeMap<ObjectId, Vec<Offsets>> = BTreeMap::new();
        match self {
            Self::Anywhere => {
                found.extend(memory.accessible(root).map(|id| (id, vec![Offsets::ALL])));
            }
            Self::Places(places) => {
                for place in places {
                    if let Some(id) = origin(place.object).and_then(|o| memory.object_at(o))
                        && memory.is_accessible(root, id)
                    {
                        found.entry(id).or_default().push(place.offsets);
                    }
                }
            }
        }
        found.into_iter().map(|(id, offsets)| (memory.object(id), id, offsets))
    }
}

/// What an object of the points-to analysis is in the module, if it is in memory.
fn origin(object: points_to::Object) -> Option<Origin> {
    match object {
        points_to::Object::Global(id) => Some(Origin::Global(id)),
        points_to::Object::Slot(function, slot) => Some(Origin::Slot(function, slot)),
        _ => None,
    }
}

/// More positions across cells are not told apart.
const MAX_POSITIONS: usize = 16;

/// Which cells an access may reach.
#[derive(Debug)]
pub struct Reach {
    /// Cells that may be just what is accessed.
    exact: Vec<CellId>,
    /// Where parts of cells, or more than one, may be accessed.
    across: Vec<Position>,
    /// Cells that may be accessed in part, or among others, in further ways: those are not
    /// modelled exactly. A cell may be in all lists.
    pub partial: Vec<CellId>,
    /// Those objects that have more than their cells in which the address may be.
    opaque: Vec<ObjectId>,
    /// Objects in which the address may be; `None`: anywhere.
    within: Option<Vec<ObjectId>>,
    /// Bytes accessed.
    size: u64,
}

impl Reach {
    /// Whether the value of every valid access is known.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.partial.is_empty() && self.opaque.is_empty() && self.within.is_some()
    }

    /// Leaves out the cells that are not `wanted`.
    pub fn retain(&mut self, wanted: impl Fn(CellId) -> bool) {
        self.exact.retain(|&cell| wanted(cell));
        self.across.retain(|position| position.pieces.iter().all(|piece| wanted(piece.cell)));
    }

    /// The condition under which the access is valid; `None` if that is not known.
    fn validity(&self, symbols: &mut Symbols, memory: &Memory, address: TermId) -> Option<TermId> {
        let within = self.within.as_ref()?;
        let mut valid = symbols.store.false_();
        if self.partial.is_empty() {
            let cells = self.exact.iter().map(|&cell| memory.cell_address(cell));
            for place in cells.chain(self.across.iter().map(|position| position.address)) {
                let here = is_at(symbols, address, place);
                valid = symbols.store.or(valid, here);
            }
        }
        // Where cells do not tell the places apart, all of the object are right.
        let whole = if self.partial.is_empty() { &self.opaque } else { within };
        for &object in whole {
            let Object { address: start, size, .. } = *memory.object(object);
            let Some(last) = size.checked_sub(self.size) else { continue };
            let here = is_among(symbols, address, start, last + 1);
            valid = symbols.store.or(valid, here);
        }
        (symbols.store.as_boolean(valid) != Some(true)).then_some(valid)
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
    let size = int_size(bits);
    let fixed = symbols.store.as_constant(address).and_then(|value| u64::try_from(value).ok());
    let (mut exact, mut partial, mut within) = (Vec::new(), Vec::new(), Vec::new());
    let (mut across, mut opaque) = (Vec::new(), Vec::new());
    for (object, id, mut offsets) in targets.objects(memory, root) {
        if let Some(address) = fixed {
            // Before its start there is nothing of the object.
            let Some(offset) = address.checked_sub(object.address) else { continue };
            offsets = vec![Offsets::new(offset, 0)];
        }
        within.push(id);
        let first = exact.len();
        let mut overlapped = Vec::new();
        for id in memory.object_cells(id) {
            let cell = memory.cell(id);
            let own = int_size(cell.bits);
            let meets = |start: u64, bytes: u64, size: u64| {
                offsets.iter().any(|o| o.may_overlap(size, Offsets::new(start, 0), bytes))
            };
            if cell.bits == bits {
                // An access of one byte overlaps the first byte just if it begins there.
                if meets(cell.offset, 1, 1) {
                    exact.push(id);
                }
                let before = cell.offset > 0 && size > 1 && meets(cell.offset - 1, 1, size - 1);
                let inside = size > 1 && meets(cell.offset + 1, own - 1, 1);
                if before || inside {
                    overlapped.push(id);
                }
            } else if meets(cell.offset, own, size) {
                overlapped.push(id);
            }
        }
        // One known place is just a cell or it is not.
        let is_cell = fixed.is_some() && exact.len() > first && overlapped.is_empty();
        if object.opaque && !is_cell {
            opaque.push(id);
        }
        if !overlapped.is_empty() {
            let known =
                |offset| exact[first..].iter().any(|&cell| memory.cell(cell).offset == offset);
            // Nothing says that an access anywhere does not reach over an object's end.
            let is_within = matches!(targets, Targets::Places(_));
            let found = is_within.then(|| positions(memory, id, &offsets, bits, known)).flatten();
            match found {
                Some(positions) => across.extend(positions),
                None => partial.extend(overlapped),
            }
        }
    }
    let is_known = match targets {
        Targets::Places(places) => {
            !places.iter().any(|place| matches!(place.object, points_to::Object::Allocation(..)))
        }
        Targets::Anywhere => false,
    };
    Reach { exact, across, partial, opaque, within: is_known.then_some(within), size }
}

/// Whether `size` bytes at an address lie in one of the objects that it may point to; `None` if that is not known.
#[must_use]
pub fn accessible(
    symbols: &mut Symbols,
    memory: &Memory,
    root: FunctionId,
    address: TermId,
    targets: &Targets,
    size: u64,
) -> Option<TermId> {
    let Targets::Places(places) = targets else { return None };
    let is_of_the_heap = |place: &Place| matches!(place.object, points_to::Object::Allocation(..));
    if places.iter().any(is_of_the_heap) {
        return None;
    }
    let mut found = symbols.store.false_();
    for (object, ..) in targets.objects(memory, root) {
        let Some(last) = object.size.checked_sub(size) else { continue };
        let here = is_among(symbols, address, object.address, last + 1);
        found = symbols.store.or(found, here);
    }
    Some(found)
}

/// Where in an object an access of `bits` may be but for those offsets that are `known`; `None` if
/// these are many, or not all of them can be modelled.
fn positions(
    memory: &Memory,
    object: ObjectId,
    offsets: &[Offsets],
    bits: u16,
    known: impl Fn(u64) -> bool,
) -> Option<Vec<Position>> {
    let size = int_size(bits);
    if u64::from(bits) != 8 * size {
        return None;
    }
    let last = memory.object(object).size.checked_sub(size);
    let mut found = Vec::new();
    for offset in last.map_or(0..0, |last| 0..last + 1) {
        let here = Offsets::new(offset, 0);
        if known(offset) || !offsets.iter().any(|o| o.may_overlap(1, here, 1)) {
            continue;
        }
        if found.len() == MAX_POSITIONS {
            return None;
        }
        found.push(Position::new(memory, object, offset, size)?);
    }
    Some(found)
}

fn variable(symbols: &mut Symbols, memory: &Memory, cell: CellId) -> TermId {
    symbols.variable(Leaf::Cell(cell), Instance::Active, memory.cell(cell).bits)
}

/// What a cell holds after a step, over the state before it.
fn contents(symbols: &mut Symbols, memory: &Memory, step: &Step, cell: CellId) -> TermId {
    let known = step.updates.get(&Leaf::Cell(cell)).copied();
    known.unwrap_or_else(|| variable(symbols, memory, cell))
}

fn is_at(symbols: &mut Symbols, address: TermId, place: u64) -> TermId {
    let width = symbols.store.width(address);
    let place = symbols.store.constant(width, u128::from(place));
    symbols.store.eq(address, place)
}

/// Whether an address is among `count` ones from `first` on.
fn is_among(symbols: &mut Symbols, address: TermId, first: u64, count: u64) -> TermId {
    let width = symbols.store.width(address);
    let first = symbols.store.constant(width, u128::from(first));
    let distance = symbols.store.sub(address, first);
    let count = symbols.store.constant(width, u128::from(count));
    symbols.store.ult(distance, count)
}

/// What is read after `step`, over the state before it, as `address` is. `any` is what an access
/// that is not modelled exactly returns; it may be missing if there is none. The guard is that the
/// address is valid.
pub fn read(
    symbols: &mut Symbols,
    memory: &Memory,
    step: &Step,
    reach: &Reach,
    address: TermId,
    any: Option<TermId>,
) -> (Option<TermId>, Option<TermId>) {
    let mut result = any;
    let mut choose = |symbols: &mut Symbols, place: u64, value: TermId| {
        let here = is_at(symbols, address, place);
        result = Some(match result {
            Some(other) => symbols.store.ite(here, value, other),
            None => value,
        });
    };
    for &cell in &reach.exact {
        let value = contents(symbols, memory, step, cell);
        choose(symbols, memory.cell_address(cell), value);
    }
    for position in &reach.across {
        let of = |symbols: &mut Symbols, cell| contents(symbols, memory, step, cell);
        if let Some(value) = position.read(symbols, memory, of) {
            choose(symbols, position.address, value);
        }
    }
    (result, reach.validity(symbols, memory, address))
}

/// A write; its terms are over the state before the step.
#[derive(Clone, Copy, Debug)]
pub struct Write<'r> {
    /// Cells it may reach.
    pub reach: &'r Reach,
    /// Where to.
    pub address: TermId,
    /// The value that is stored there.
    pub value: TermId,
    /// Arbitrary values, one for each partial cell of `reach`: what such a cell
    /// holds afterwards if the write overlaps it.
    pub any: &'r [TermId],
    /// Where in the source.
    pub location: Location,
}

/// Adds a write to a step, guarded by the validity of the address.
pub fn write(symbols: &mut Symbols, memory: &Memory, growing: &mut Growing, write: Write<'_>) {
    let step = &growing.step;
    let Write { reach, address, value, any, location } = write;
    let valid = reach.validity(symbols, memory, address);
    let mut updates: BTreeMap<CellId, TermId> = BTreeMap::new();
    for (&cell, &any) in reach.partial.iter().zip(any) {
        let (start, own) = (memory.cell_address(cell), int_size(memory.cell(cell).bits));
        let first = (start + 1).saturating_sub(reach.size);
        let overlaps = is_among(symbols, address, first, start + own - first);
        let old = contents(symbols, memory, step, cell);
        updates.insert(cell, symbols.store.ite(overlaps, any, old));
    }
    let mut change = |symbols: &mut Symbols, cell: CellId, place: u64, value: TermId| {
        let here = is_at(symbols, address, place);
        let other = match updates.get(&cell) {
            Some(&other) => other,
            None => contents(symbols, memory, step, cell),
        };
        updates.insert(cell, symbols.store.ite(here, value, other));
    };
    for &cell in &reach.exact {
        change(symbols, cell, memory.cell_address(cell), value);
    }
    for position in &reach.across {
        for piece in &position.pieces {
            let old = contents(symbols, memory, step, piece.cell);
            let new = piece.write(symbols, memory, old, value, reach.size);
            change(symbols, piece.cell, position.address, new);
        }
    }
    if let Some(valid) = valid {
        growing.assume_before(symbols, valid, location);
    }
    for (cell, term) in updates {
        growing.update(symbols, Leaf::Cell(cell), term);
    }
}
