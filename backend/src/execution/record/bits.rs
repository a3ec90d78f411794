//! Bit-fields: accesses reach all that share an integer, or a byte, in memory.

use sapa_ir::goto::{BitField, Endianness, Module, Type, arithmetic};

use super::step::Step;
use crate::execution::name::Bits;

/// Bit-fields that share a field of the IR, and an access to it.
pub(super) struct Unit<'a, 'm> {
    bits: &'a Bits<'m>,
    /// What the field holds after the access, and before it; `None` where that cannot be said.
    new: Option<u128>,
    old: Option<u128>,
    /// The bits that the access reaches, and the lowest of them.
    reached: u128,
    shift: u64,
}

impl<'a, 'm> Unit<'a, 'm> {
    /// An access of `size` bytes at a pointer, which reads or writes a value.
    pub(super) fn accessed(
        module: &Module,
        step: &Step<'_>,
        bits: &'a Bits<'m>,
        pointer: u128,
        size: u64,
        value: u128,
    ) -> Self {
        let whole = bits.field.ty.size(module);
        // A row of bytes has the lowest first on all machines.
        let is_row = matches!(bits.field.ty, Type::Array(..));
        let is_little = module.target.endianness == Endianness::Little;
        let at = u64::try_from(pointer.saturating_sub(bits.pointer)).unwrap_or(u64::MAX);
        let below = match is_row || is_little {
            true => at,
            false => whole.saturating_sub(at.saturating_add(size)),
        };
        let shift = below.saturating_mul(8).min(128);
        let reached = ones(size.saturating_mul(8)).checked_shl(shift as u32).unwrap_or(0);
        // What is behind the 16 bytes that numbers here have is not shown.
        let peek = |at: u64| step.machine.peek(step.thread, bits.pointer + u128::from(at), 1);
        let old = (0..whole.min(16)).try_fold(0, |sum, at| {
            let place = if is_row || is_little { at } else { whole - 1 - at };
            Some(sum | peek(at)? << (8 * place))
        });
        let value = value.checked_shl(shift as u32).unwrap_or(0);
        let new = old.map(|old| old & !reached | value & reached);
        let new = new.or((reached == ones(whole.saturating_mul(8))).then_some(value));
        Self { bits, new, old, reached, shift }
    }

    fn text(&self, field: &BitField) -> Option<(String, String)> {
        let value = self.new? >> u32::from(field.offset).min(127) & ones(u64::from(field.width));
        let text = match field.signed {
            true => arithmetic::signed(value, field.width).to_string(),
            false => value.to_string(),
        };
        Some((format!("{}.{}", self.bits.name, field.name), text))
    }

    fn those(&self, is_it: impl Fn(u128) -> bool) -> Vec<(String, String)> {
        let fields = self.bits.field.bit_fields.iter().filter(|field| is_it(mask(field)));
        fields.filter_map(|field| self.text(field)).collect()
    }

    /// Names and values of those of which the program needs some bits; these count from the lowest
    /// that the access reaches.
    pub(super) fn read(&self, needed: u128) -> Vec<(String, String)> {
        let needed = needed.checked_shl(self.shift as u32).unwrap_or(0) & self.reached;
        self.those(|mask| mask & needed != 0)
    }

    /// Names and values of those that are written: all that the program did not read to keep them,
    /// and of the others those that have changed since.
    pub(super) fn written(&self, kept: u128) -> Vec<(String, String)> {
        let kept = kept.checked_shl(self.shift as u32).unwrap_or(0) & self.reached;
        let changed = match (self.old, self.new) {
            (Some(old), Some(new)) => old ^ new,
            _ => self.reached,
        };
        let assigned = self
            .those(|mask| mask & self.reached != 0 && mask & (!kept | changed) & self.reached != 0);
        match assigned.is_empty() {
            true => self.those(|mask| mask & self.reached != 0),
            false => assigned,
        }
    }
}

/// The lowest bits.
fn ones(count: u64) -> u128 {
    match count {
        0 => 0,
        1..128 => (1 << count) - 1,
        _ => u128::MAX,
    }
}

fn mask(field: &BitField) -> u128 {
    ones(u64::from(field.width)).checked_shl(u32::from(field.offset)).unwrap_or(0)
}
