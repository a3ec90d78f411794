//! Where fences may stand that keep stores from waiting too long, and modules with such fences.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{
    Atomicity, BlockId, Builder, FileId, Function, Instruction, Location, MemoryOrder, Module,
    NameId, Op, Section,
};

use super::sections::Sections;
use super::{FLUSH, WAITS};

/// A place for a fence: behind a store of the source. What is copied or inlined of that store is the
/// same place, and so is the same text in several units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// File of the store.
    pub file: FileId,
    /// Line of the store, from 1.
    pub line: u32,
    /// Column of the store.
    pub column: u32,
}

impl Place {
    /// The place behind a store; `None` if it is not known where that is.
    #[must_use]
    pub fn behind(store: Location) -> Option<Self> {
        let Location { file, line, column, .. } = store;
        (line != 0).then_some(Self { file, line, column })
    }

    /// The location of the place in a function.
    #[must_use]
    pub fn location(self, function: NameId) -> Location {
        let Self { file, line, column } = self;
        Location { file, line, column, function, operation: None }
    }
}

/// A place for a fence that a program has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The place.
    pub place: Place,
    /// The function of the source that it is in.
    pub function: NameId,
    /// All stores behind which the same fence stands: those of one step, if that has several.
    pub stores: BTreeSet<Place>,
    /// Whether threads may come to the fence when none of these stores has begun to wait: the text
    /// also stores what never waits, or is the call of a function with such a store.
    pub is_uncertain: bool,
}

/// The places behind stores that may wait, in the order of the source. `original` is the program
/// before all passes, `buffered` what `tso` or `pso` have made of it. Where `original` takes no
/// fence there is no place.
#[must_use]
pub fn places(original: &Module, buffered: &Module) -> Vec<Candidate> {
    let mut found: Vec<(Place, NameId)> = Vec::new();
    for instruction in buffered.functions.iter().flat_map(Function::instructions) {
        let location = instruction.location;
        if buffered.operation(location) == Some(WAITS)
            && let Some(place) = Place::behind(location)
        {
            found.push((place, location.function));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(place, _)| *place);
    let known = found.iter().map(|(place, _)| *place).collect();
    let mut fences: BTreeMap<Place, BTreeSet<(usize, BlockId, usize)>> = BTreeMap::new();
    let mut uncertain: BTreeSet<Place> = buffered
        .functions
        .iter()
        .flat_map(Function::instructions)
        .filter(|i| matches!(i.op, Op::Store { .. } | Op::Copy { .. }))
        .filter(|i| !matches!(buffered.operation(i.location), Some(WAITS | FLUSH)))
        .filter_map(|i| Place::behind(i.location))
        .collect();
    for (number, function) in original.functions.iter().enumerate() {
        for Position { block, index, place, is_call } in positions(function, &known) {
            fences.entry(place).or_default().insert((number, block, index));
            if is_call {
                uncertain.insert(place);
            }
        }
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for (place, function) in found {
        let Some(here) = fences.get(&place) else { continue };
        match candidates.iter_mut().find(|known| fences.get(&known.place) == Some(here)) {
            Some(known) => {
                known.stores.insert(place);
                known.is_uncertain |= uncertain.contains(&place);
            }
            None => {
                let (stores, is_uncertain) = (BTreeSet::from([place]), uncertain.contains(&place));
                candidates.push(Candidate { place, function, stores, is_uncertain });
            }
        }
    }
    candidates
}

/// The program before all passes, with `seq_cst` fences at places.
#[must_use]
pub fn insert(original: &Module, places: &BTreeSet<Place>) -> Module {
    let mut module = original.clone();
    let is_section = module.atomicity == Atomicity::Statement;
    for function in &mut module.functions {
        let positions = positions(function, places);
        if positions.is_empty() {
            continue;
        }
        function.rewrite(|builder, (block, index), instruction| {
            let location = instruction.location;
            builder.push(instruction);
            if positions.iter().any(|p| (p.block, p.index) == (block, index)) {
                fence(builder, location, is_section);
            }
        });
    }
    module
}

/// A fence as a statement of the source: a section of its own, where statements are sections.
fn fence(builder: &mut Builder<'_>, location: Location, is_section: bool) {
    let op = Op::Fence { order: MemoryOrder::SequentiallyConsistent };
    let section = |op| is_section.then_some(op);
    let code = [section(Op::AtomicBegin(Section::Step)), Some(op), section(Op::AtomicEnd)];
    let location = Location { operation: None, ..location };
    for op in code.into_iter().flatten() {
        builder.push(Instruction { op, result: None, location });
    }
}

/// Where a fence stands in code.
struct Position {
    block: BlockId,
    /// It is behind this instruction.
    index: usize,
    /// The place that it is for.
    place: Place,
    /// Whether the store there is in a function that is called.
    is_call: bool,
}

/// The instructions behind which a fence stands for one of some places: the stores there or, where
/// they are in functions that are called there, the calls; and the end of the section around, in
/// which no store reaches memory. Stores in sections that wait for the buffer never wait.
fn positions(function: &Function, places: &BTreeSet<Place>) -> Vec<Position> {
    let place = |instruction: &Instruction| {
        Place::behind(instruction.location).filter(|place| places.contains(place))
    };
    let stores: BTreeSet<Place> =
        function.instructions().filter(|i| is_store(&i.op)).filter_map(place).collect();
    let mut found = Vec::new();
    let Ok(sections) = Sections::new(function) else { return found };
    for (block, data) in function.blocks() {
        for (index, instruction) in data.instructions.iter().enumerate() {
            let Some(place) = place(instruction) else { continue };
            let is_call = matches!(instruction.op, Op::Call { .. });
            if !(is_store(&instruction.op) || is_call && !stores.contains(&place)) {
                continue;
            }
            let around = sections.before(function, block, index);
            if around.contains(&Section::Locked) {
                continue;
            }
            let behind = (index..data.instructions.len())
                .find(|&last| sections.before(function, block, last + 1).is_empty());
            if let Some(last) = behind {
                found.push(Position { block, index: last, place, is_call });
            }
        }
    }
    found
}

fn is_store(op: &Op) -> bool {
    matches!(op, Op::Store { .. } | Op::CopyMemory { .. } | Op::HavocMemory { .. })
}
