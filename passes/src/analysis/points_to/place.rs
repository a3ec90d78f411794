//! Places in abstract objects: what a pointer points to.

use std::fmt::Write;

use sapa_ir::goto::{BlockId, FunctionId, GlobalId, Module, SlotId, Type};

/// An abstract object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A global.
    Global(GlobalId),
    /// A stack object of every activation of a function.
    Slot(FunctionId, SlotId),
    /// A function.
    Function(FunctionId),
    /// All objects that an instruction (by block and index) allocates.
    Allocation(FunctionId, BlockId, u32),
    /// Any object.
    Unknown,
    /// What a pointer points to that was made of a number, or of nothing at all: any object, but a
    /// thread's own only by a guess, as addresses of objects that numbers carry are told of beside
    /// it.
    Forged,
    /// None: an integer that was stored. It is an address only if it is read as a pointer, and then
    /// [forged](Self::Forged).
    Number,
}

impl Object {
    /// What it is an object of, where that is declared.
    #[must_use]
    pub fn ty(self, module: &Module) -> Option<&Type> {
        match self {
            Self::Global(id) => module.globals.get(id.index()).map(|global| &global.ty),
            Self::Slot(id, slot) => {
                let slots = &module.functions.get(id.index())?.slots;
                slots.get(slot.index()).map(|slot| &slot.ty)
            }
            Self::Function(_)
            | Self::Allocation(..)
            | Self::Unknown
            | Self::Forged
            | Self::Number => None,
        }
    }

    /// Whether it stands for any object.
    #[must_use]
    pub fn is_any(self) -> bool {
        matches!(self, Self::Unknown | Self::Forged)
    }

    /// Whether each thread has an object of its own of this name.
    #[must_use]
    pub fn is_per_thread(self, module: &Module) -> bool {
        match self {
            Self::Slot(..) => true,
            Self::Global(id) => module.globals.get(id.index()).is_some_and(|g| g.thread_local),
            _ => false,
        }
    }
}

/// Offsets in bytes from the start of an object: `offset` plus any multiple of `step`, negative
/// ones too; `offset` alone if `step` is 0. So the members of all elements of an array of
/// structures are told apart without any claim about indices (strided intervals without bounds,
/// after Balakrishnan and Reps, CC 2004).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Offsets {
    offset: u64,
    step: u64,
}

impl Offsets {
    /// The start of the object.
    pub const START: Self = Self { offset: 0, step: 0 };
    /// All of them.
    pub const ALL: Self = Self { offset: 0, step: 1 };

    /// An offset and multiples of a step from there.
    #[must_use]
    pub fn new(offset: u64, step: u64) -> Self {
        Self { offset: if step == 0 { offset } else { offset % step }, step }
    }

    /// These, moved.
    #[must_use]
    pub fn plus(self, distance: u64) -> Self {
        match self.offset.checked_add(distance) {
            Some(offset) => Self::new(offset, self.step),
            None => Self::ALL,
        }
    }

    /// These, moved by any multiples of a step.
    #[must_use]
    pub fn stride(self, step: u64) -> Self {
        Self::new(self.offset, gcd(self.step, step))
    }

    /// These, moved by any of the others as distances.
    #[must_use]
    pub fn moved(self, by: Self) -> Self {
        self.plus(by.offset).stride(by.step)
    }

    /// The one offset that these are; `None` if they are several.
    #[must_use]
    pub fn single(self) -> Option<u64> {
        (self.step == 0).then_some(self.offset)
    }

    /// Whether all are beyond the end of an object of `size` bytes; the end is not.
    #[must_use]
    pub fn is_beyond(self, size: u64) -> bool {
        self.step == 0 && self.offset > size
    }

    /// Whether it is the end of an object of `size` bytes.
    #[must_use]
    pub fn is_end(self, size: u64) -> bool {
        self.step == 0 && self.offset == size
    }

    /// Whether an access of `size` bytes here and one of `other_size` bytes at the others may
    /// have a byte in common.
    #[must_use]
    pub fn may_overlap(self, size: u64, other: Self, other_size: u64) -> bool {
        let step = gcd(self.step, other.step);
        if step == 0 {
            let (a, b) = (self.offset, other.offset);
            return a < b.saturating_add(other_size) && b < a.saturating_add(size);
        }
        // Some multiple of the step apart: how far the other begins behind or before this.
        let (a, b) = (self.offset % step, other.offset % step);
        let behind = (b + step - a) % step;
        behind < size || step - behind < other_size
    }

    /// Whether an access of `size` bytes here and one of `other_size` bytes at the others may have
    /// bytes in common and yet not be the same bytes: either then reads a part of what the other
    /// wrote.
    #[must_use]
    pub fn may_straddle(self, size: u64, other: Self, other_size: u64) -> bool {
        if size != other_size {
            return self.may_overlap(size, other, other_size);
        }
        let step = gcd(self.step, other.step);
        if step == 0 {
            return self.offset != other.offset && self.offset.abs_diff(other.offset) < size;
        }
        let behind = (other.offset % step + step - self.offset % step) % step;
        let nearest = if behind == 0 { step } else { behind.min(step - behind) };
        nearest < size
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Where a pointer may point: offsets in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The object.
    pub object: Object,
    /// Where in it.
    pub offsets: Offsets,
}

impl Place {
    /// The start of an object.
    #[must_use]
    pub fn start(object: Object) -> Self {
        Self { object, offsets: Offsets::START }
    }

    /// Whether an access of `size` bytes here and one of `other_size` bytes at the other place may have a byte in common: they
    /// may be in one object.
    #[must_use]
    pub fn may_meet(self, size: u64, other: Self, other_size: u64) -> bool {
        let is_any = self.object.is_any() || other.object.is_any();
        is_any
            || self.object == other.object
                && self.offsets.may_overlap(size, other.offsets, other_size)
    }

    /// Whether it is one past the last byte of its object.
    #[must_use]
    pub fn is_end(self, module: &Module) -> bool {
        self.object.ty(module).is_some_and(|ty| self.offsets.is_end(ty.size(module)))
    }

    /// Name and member as in C, such as `nodes[*].next`, for an object of this name.
    #[must_use]
    pub fn text(self, module: &Module, name: &str) -> String {
        let mut text = name.to_owned();
        let Some(mut ty) = self.object.ty(module) else { return text };
        let Offsets { mut offset, mut step } = self.offsets;
        loop {
            match ty {
                Type::Array(element, _) => {
                    let size = element.size(module).max(1);
                    if step == 0 {
                        let _ = write!(text, "[{}]", offset / size);
                    } else if step % size == 0 || size % step == 0 {
                        text.push_str("[*]");
                        step = if size % step == 0 && size != step { step } else { 0 };
                    } else {
                        break;
                    }
                    offset %= size;
                    ty = element;
                }
                Type::Struct(id) if step == 0 => {
                    let field = module.structs.get(id.index()).and_then(|structure| {
                        let here = |f: &&sapa_ir::goto::Field| {
                            (f.offset..f.offset + f.ty.size(module)).contains(&offset)
                        };
                        structure.fields.iter().find(here)
                    });
                    let Some(field) = field else { break };
                    let _ = write!(text, ".{}", field.name);
                    offset -= field.offset;
                    ty = &field.ty;
                }
                Type::Struct(_) | Type::Int(_) | Type::Pointer => break,
            }
        }
        if step != 0 {
            text.push_str(" (anywhere)");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the enumeration of both sets of bytes.
    #[test]
    fn overlaps_are_those_of_the_bytes() {
        let starts = |offsets: Offsets| -> Vec<i64> {
            let multiples = if offsets.step == 0 { 0..=0 } else { -14..=14i64 };
            multiples.map(|m| offsets.offset as i64 + m * offsets.step as i64).collect()
        };
        let bytes = |offsets: Offsets, size: u64| -> Vec<i64> {
            starts(offsets).into_iter().flat_map(|start| start..start + size as i64).collect()
        };
        for (a, b) in (0..12).flat_map(|a| (0..12).map(move |b| (a, b))) {
            for (s, t) in (0..7).flat_map(|s| (0..7).map(move |t| (s, t))) {
                for (n, m) in [(1, 1), (2, 4), (4, 1), (8, 8)] {
                    let (x, y) = (Offsets::new(a, s), Offsets::new(b, t));
                    let found = bytes(x, n);
                    let expected = bytes(y, m).iter().any(|byte| found.contains(byte));
                    assert_eq!(x.may_overlap(n, y, m), expected, "{x:?} {n} {y:?} {m}");
                    let apart = starts(x).iter().all(|&i| {
                        let is_same = |j: i64| i == j && n == m;
                        let meets = |j: i64| i < j + m as i64 && j < i + n as i64;
                        starts(y).iter().all(|&j| is_same(j) || !meets(j))
                    });
                    assert_eq!(x.may_straddle(n, y, m), !apart, "{x:?} {n} {y:?} {m}");
                }
            }
        }
    }

    #[test]
    fn steps_combine() {
        assert_eq!(Offsets::START.stride(16).plus(8), Offsets::new(8, 16));
        assert_eq!(Offsets::new(8, 16).stride(12), Offsets::new(0, 4));
        assert_eq!(Offsets::new(u64::MAX, 0).plus(1), Offsets::ALL);
    }
}
