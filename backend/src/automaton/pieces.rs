//! Accesses to other bytes than just one cell's: to a part of a scalar, or across several.

use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{Endianness, Type};

use super::leaf::Symbols;
use super::memory::{CellId, Memory, ObjectId};
use crate::solver::TermId;

/// Bytes that an access and a cell have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The cell.
    pub cell: CellId,
    /// How many bytes of the cell come before them.
    from: u64,
    /// How many bytes of the access come before them.
    at: u64,
    /// How many they are.
    count: u64,
}

/// An address and what an access there is made of.
#[derive(Clone, Debug)]
pub struct Position {
    /// The address.
    pub address: u64,
    /// The pieces, in order of their addresses; together they are all that is accessed.
    pub pieces: Vec<Piece>,
}

impl Position {
    /// An access of `size` bytes that begins `offset` bytes into an object; `None` if it has bytes
    /// of pointers (what they are is a matter of the layout of memory), or of integers whose width
    /// is not that of their bytes.
    #[must_use]
    pub fn new(memory: &Memory, object: ObjectId, offset: u64, size: u64) -> Option<Self> {
        let mut pieces = Vec::new();
        for id in memory.object_cells(object) {
            let cell = memory.cell(id);
            let own = int_size(cell.bits);
            let first = offset.max(cell.offset);
            let count = (offset + size).min(cell.offset + own).saturating_sub(first);
            if count == 0 {
                continue;
            }
            if cell.ty == Type::Pointer || u64::from(cell.bits) != 8 * own {
                return None;
            }
            pieces.push(Piece { cell: id, from: first - cell.offset, at: first - offset, count });
        }
        pieces.sort_unstable_by_key(|piece| piece.at);
        let is_all = pieces.iter().map(|piece| piece.count).sum::<u64>() == size;
        let address = memory.object(object).address + offset;
        is_all.then_some(Self { address, pieces })
    }

    /// What is read here; `contents` are those of a cell.
    pub fn read(
        &self,
        symbols: &mut Symbols,
        memory: &Memory,
        mut contents: impl FnMut(&mut Symbols, CellId) -> TermId,
    ) -> Option<TermId> {
        let mut result = None;
        for piece in &self.pieces {
            let cell = contents(symbols, piece.cell);
            let own = int_size(memory.cell(piece.cell).bits);
            let (high, low) = bits(memory.endianness(), own, piece.from, piece.count);
            let part = symbols.store.extract(cell, high, low);
            result = Some(match (result, memory.endianness()) {
                (None, _) => part,
                (Some(before), Endianness::Little) => symbols.store.concat(part, before),
                (Some(before), Endianness::Big) => symbols.store.concat(before, part),
            });
        }
        result
    }
}

impl Piece {
    /// What the cell holds after an access of `size` bytes has written `value`; `old` before.
    pub fn write(
        self,
        symbols: &mut Symbols,
        memory: &Memory,
        old: TermId,
        value: TermId,
        size: u64,
    ) -> TermId {
        let own = int_size(memory.cell(self.cell).bits);
        let (high, low) = bits(memory.endianness(), size, self.at, self.count);
        let mut result = symbols.store.extract(value, high, low);
        let (high, low) = bits(memory.endianness(), own, self.from, self.count);
        if low > 0 {
            let below = symbols.store.extract(old, low - 1, 0);
            result = symbols.store.concat(result, below);
        }
        let width = symbols.store.width(old);
        if high + 1 < width {
            let above = symbols.store.extract(old, width - 1, high + 1);
            result = symbols.store.concat(above, result);
        }
        result
    }
}

/// The highest and the lowest bit of `count` bytes, after the first ones, of an integer of `bytes` bytes.
fn bits(endianness: Endianness, bytes: u64, first: u64, count: u64) -> (u32, u32) {
    let low = match endianness {
        Endianness::Little => first,
        Endianness::Big => bytes - first - count,
    };
    // Integers have at most 16 bytes.
    let low = u32::try_from(8 * low).unwrap_or(0);
    (low + u32::try_from(8 * count).unwrap_or(8) - 1, low)
}
