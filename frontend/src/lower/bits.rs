//! Accesses to bit-fields: bits of one integer, or of bytes that are accessed one by one.

use sapa_ir::goto::{BinaryOp, Op, Operand, Type};

use super::body::{Body, Place, Value};
use super::layout::BitField;

/// The part of a bit-field that lies in one of the integers that hold it. All numbers count bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Which integer, from the address of the bit-field on.
    index: u16,
    /// Bits of the integer below the part.
    below: u16,
    /// Bits of the part.
    width: u16,
    /// Bits of the bit-field below the part.
    done: u16,
}

/// The parts of a bit-field, lowest first.
fn pieces(field: BitField) -> impl Iterator<Item = Piece> {
    let end = field.offset + field.width;
    let unit = field.unit;
    (field.offset / unit..end.div_ceil(unit)).map(move |index| {
        let first = field.offset.max(index * unit);
        let last = end.min((index + 1) * unit);
        let (below, done) = (first - index * unit, first - field.offset);
        Piece { index, below, width: last - first, done }
    })
}

impl Body<'_, '_> {
    /// The value of a bit-field. One that lies in several bytes is read byte by byte.
    pub fn load_bits(&mut self, place: &Place, field: BitField) -> Value {
        let mut bits = None;
        for piece in pieces(field) {
            let unit = self.load_unit(place, field, piece);
            let shifted =
                self.shift_bits(BinaryOp::LogicalShiftRight, unit, field.unit, piece.below);
            let part = self.resize(shifted, field.unit, false, field.width);
            let part = self.shift_bits(BinaryOp::ShiftLeft, part, field.width, piece.done);
            bits = Some(match bits {
                Some(lower) => self.binary(BinaryOp::Or, lower, part, false),
                None => part,
            });
        }
        let bits = bits.unwrap_or(Operand::int(field.width, 0));
        let signed = place.ty.is_signed();
        let ty = self.unit.integers().bit_field(&place.ty, field.width);
        let value = self.resize(bits, field.width, signed, self.bits(&ty));
        Value::Scalar(value, ty)
    }

    /// Writes a bit-field. What holds it is read and written whole, so that its neighbours there
    /// race with it as on the machine; several bytes are so treated one after the other, as GCC
    /// does, which writes no byte of another memory location (C11 3.14).
    pub fn store_bits(&mut self, place: &Place, field: BitField, value: Operand) {
        let from = self.bits(&place.ty);
        let value = self.resize(value, from, false, field.width);
        for piece in pieces(field) {
            // A byte that has nothing else in it needs not be read.
            let is_whole_byte = piece.width == field.unit && field.width > field.unit;
            let kept = (!is_whole_byte).then(|| {
                let unit = self.load_unit(place, field, piece);
                let mask = (u128::MAX >> (128 - piece.width)) << piece.below;
                self.binary(BinaryOp::And, unit, Operand::int(field.unit, !mask), false)
            });
            let part = self.shift_bits(BinaryOp::LogicalShiftRight, value, field.width, piece.done);
            let part = self.resize(part, field.width, false, piece.width);
            let part = self.resize(part, piece.width, false, field.unit);
            let part = self.shift_bits(BinaryOp::ShiftLeft, part, field.unit, piece.below);
            let value = match kept {
                Some(kept) => self.binary(BinaryOp::Or, kept, part, false),
                None => part,
            };
            let address = self.unit_address(place, field, piece);
            let (order, volatile) = (self.order_of(&place.ty), place.ty.volatile);
            self.effect(Op::Store { address, value, ty: Type::Int(field.unit), order, volatile });
        }
    }

    fn load_unit(&mut self, place: &Place, field: BitField, piece: Piece) -> Operand {
        let address = self.unit_address(place, field, piece);
        let (order, volatile) = (self.order_of(&place.ty), place.ty.volatile);
        self.define(Op::Load { address, order, volatile }, Type::Int(field.unit))
    }

    fn unit_address(&mut self, place: &Place, field: BitField, piece: Piece) -> Operand {
        if piece.index == 0 {
            return place.address;
        }
        let (element, index) = (Type::Int(field.unit), u128::from(piece.index));
        let index = Operand::int(self.pointer_bits(), index);
        self.define(Op::IndexAddress { base: place.address, element, index }, Type::Pointer)
    }

    /// An integer of that many bits, shifted.
    fn shift_bits(&mut self, op: BinaryOp, a: Operand, bits: u16, by: u16) -> Operand {
        match a {
            a if by == 0 => a,
            Operand::Int { value, .. } if op == BinaryOp::ShiftLeft => {
                Operand::int(bits, value << by)
            }
            Operand::Int { value, .. } => Operand::int(bits, value >> by),
            a => self.binary(op, a, Operand::int(bits, u128::from(by)), false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_field_is_cut_where_integers_end() {
        let field = BitField { offset: 4, width: 14, unit: 8, is_row: true };
        let found: Vec<_> = pieces(field).map(|p| (p.index, p.below, p.width, p.done)).collect();
        assert_eq!(found, [(0, 4, 4, 0), (1, 0, 8, 4), (2, 0, 2, 12)]);
        let whole = BitField { offset: 12, width: 20, unit: 32, is_row: false };
        let found: Vec<_> = pieces(whole).map(|p| (p.index, p.below, p.width, p.done)).collect();
        assert_eq!(found, [(0, 12, 20, 0)]);
    }
}
