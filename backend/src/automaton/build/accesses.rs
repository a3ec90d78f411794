//! What instructions do to memory, on the edge that is built.

use sapa_ir::goto::{Location, Operand, Type};

use super::{FunctionBuilder, Open, unsupported};
use crate::assumptions::{NO_GUESSES, VALID_POINTERS};
use crate::automaton::access::{self, Reach, Targets};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::automaton::memory::{Origin, scalars};
use crate::automaton::value::constant;
use crate::automaton::{AutomatonError, Input};
use crate::solver::TermId;

impl FunctionBuilder<'_> {
    /// Gives memory any contents. Of an object that is named, the scalars that have cells: nobody
    /// reads the others.
    pub(super) fn havoc(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        address: Operand,
        ty: &Type,
        location: Location,
    ) -> Result<(), AutomatonError> {
        let origin = match address {
            Operand::Global(id) => Some(Origin::Global(id)),
            Operand::Slot(slot) => Some(Origin::Slot(self.thread.id, slot)),
            _ => None,
        };
        let memory = self.thread.memory;
        let Some(object) = origin.and_then(|origin| memory.object_at(origin)) else {
            for (offset, bits) in self.scalars(ty)? {
                let input = Input { bits, offset: Some(offset) };
                let (_, any) = self.choice(symbols, open, input);
                self.store(symbols, open, (address, offset), any, bits, location);
            }
            return Ok(());
        };
        let size = ty.size(self.thread.module);
        for id in memory.object_cells(object) {
            let cell = memory.cell(id);
            if cell.offset >= size {
                continue;
            }
            let input = Input { bits: cell.bits, offset: Some(cell.offset) };
            let (_, any) = self.choice(symbols, open, input);
            open.step.update(symbols, Leaf::Cell(id), any);
        }
        Ok(())
    }

    /// The term of the place a number of bytes behind an address, and the cells that an access there may
    /// reach.
    fn place(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        (address, distance): (Operand, u64),
        bits: u16,
    ) -> (TermId, Reach) {
        let targets = self.thread.targets(address, distance);
        let base = self.operand(symbols, open, address);
        let distance = symbols.store.constant(symbols.store.width(base), u128::from(distance));
        let term = symbols.store.add(base, distance);
        let reach =
            access::reach(symbols, self.thread.memory, self.thread.id, term, &targets, bits);
        if matches!(targets, Targets::Anywhere) && self.thread.memory.has_private_objects() {
            self.parts.note(NO_GUESSES);
        }
        (term, reach)
    }

    pub(super) fn load(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        address: Operand,
        bits: u16,
        location: Location,
    ) -> TermId {
        let (address, reach) = self.place(symbols, open, (address, 0), bits);
        self.read(symbols, open, &reach, address, bits, location)
    }

    fn read(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        reach: &Reach,
        address: TermId,
        bits: u16,
        location: Location,
    ) -> TermId {
        let any = (!reach.is_exact()).then(|| self.input(symbols, open, bits).1);
        let (term, valid) =
            access::read(symbols, self.thread.memory, &open.step.step, reach, address, any);
        if let Some(valid) = valid {
            open.step.assume_before(symbols, valid, location);
            self.note_pointers();
        }
        // Where there is nothing to read, no execution gets past the guard.
        term.unwrap_or_else(|| constant(symbols, bits, 0))
    }

    /// Whether an object of a type lies at an address. Objects that have ended are not told from others:
    /// passes that ask keep a record of these.
    pub(super) fn accessible(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        address: Operand,
        ty: &Type,
    ) -> TermId {
        let size = ty.size(self.thread.module);
        let targets = self.thread.targets(address, 0);
        let address = self.operand(symbols, open, address);
        let (memory, root) = (self.thread.memory, self.thread.id);
        access::accessible(symbols, memory, root, address, &targets, size)
            .unwrap_or_else(|| self.input(symbols, open, 1).1)
    }

    pub(super) fn store(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        place: (Operand, u64),
        value: TermId,
        bits: u16,
        location: Location,
    ) {
        let (address, reach) = self.place(symbols, open, place, bits);
        self.write(symbols, open, &reach, address, value, location);
    }

    fn write(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        reach: &Reach,
        address: TermId,
        value: TermId,
        location: Location,
    ) {
        let guards = open.step.step.guards.len();
        let any: Vec<TermId> = reach
            .partial
            .iter()
            .map(|&cell| self.input(symbols, open, self.thread.memory.cell(cell).bits).1)
            .collect();
        let write = access::Write { reach, address, value, any: &any, location };
        access::write(symbols, self.thread.memory, &mut open.step, write);
        if open.step.step.guards.len() > guards {
            self.note_pointers();
        }
    }

    fn note_pointers(&mut self) {
        self.parts.note(VALID_POINTERS);
    }

    fn scalars(&self, ty: &Type) -> Result<Vec<(u64, u16)>, AutomatonError> {
        scalars(self.thread.module, ty).ok_or_else(|| {
            unsupported(self.thread.module, self.entity, "an object of that many scalars")
        })
    }

    pub(super) fn copy(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        destination: Operand,
        source: Operand,
        ty: &Type,
        location: Location,
    ) -> Result<(), AutomatonError> {
        // All is read before anything is written: they may overlap. The address terms are over
        // the state before the edge.
        let places: Vec<_> = self
            .scalars(ty)?
            .into_iter()
            .map(|(offset, bits)| {
                let from = self.place(symbols, open, (source, offset), bits);
                (from, self.place(symbols, open, (destination, offset), bits), bits)
            })
            .collect();
        let mut read = Vec::new();
        for ((term, reach), _, bits) in &places {
            read.push(self.read(symbols, open, reach, *term, *bits, location));
        }
        for ((_, (term, reach), _), value) in places.iter().zip(read) {
            self.write(symbols, open, reach, *term, value, location);
        }
        Ok(())
    }
}
