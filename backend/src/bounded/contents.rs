//! What memory holds where nobody else writes: terms by object and place.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use sapa_ir::goto::Endianness;

use super::object::Objects;
use crate::automaton::leaf::Symbols;
use crate::solver::TermId;

/// Scalars by their offset, with their sizes in bytes; they do not overlap.
type Pieces = BTreeMap<u64, (u64, TermId)>;

/// The contents of objects as far as they were written; the rest is as it was at first.
#[derive(Clone, Default)]
pub(super) struct Contents {
    objects: Rc<BTreeMap<u64, Rc<Pieces>>>,
}

impl Contents {
    /// What a part of an object holds, as a bit-vector of `8 * size` bits.
    pub fn read(
        &self,
        symbols: &mut Symbols,
        objects: &mut Objects,
        (object, offset): (u64, u64),
        size: u64,
    ) -> TermId {
        let Some(pieces) = self.objects.get(&object) else {
            return objects.initial(symbols, object, offset, size);
        };
        if let Some(&(exact, term)) = pieces.get(&offset)
            && exact == size
        {
            return term;
        }
        let end = offset + size;
        let mut parts = Vec::new();
        let mut at = offset;
        while at < end {
            let before = pieces.range(..=at).next_back();
            let covering = before.filter(|(start, (length, _))| **start + length > at);
            if let Some((&start, &(length, term))) = covering {
                let stop = end.min(start + length);
                parts.push(slice(
                    symbols,
                    objects.endianness,
                    term,
                    length,
                    at - start..stop - start,
                ));
                at = stop;
            } else {
                let next = pieces.range(at..end).next().map_or(end, |(&start, _)| start);
                parts.push(objects.initial(symbols, object, at, next - at));
                at = next;
            }
        }
        join(symbols, objects.endianness, &parts)
    }

    /// Writes a bit-vector of `8 * size` bits.
    pub fn write(
        &mut self,
        symbols: &mut Symbols,
        objects: &Objects,
        (object, offset): (u64, u64),
        size: u64,
        value: TermId,
    ) {
        let all = Rc::make_mut(&mut self.objects);
        let pieces = Rc::make_mut(all.entry(object).or_default());
        if pieces.get(&offset).is_none_or(|&(length, _)| length != size) {
            let end = offset + size;
            let overlapping: Vec<_> = pieces
                .range(..end)
                .rev()
                .take_while(|(start, (length, _))| **start + length > offset)
                .map(|(&start, &(length, term))| (start, length, term))
                .collect();
            for (start, length, term) in overlapping {
                pieces.remove(&start);
                if start < offset {
                    let kept = offset - start;
                    let part = slice(symbols, objects.endianness, term, length, 0..kept);
                    pieces.insert(start, (kept, part));
                }
                if start + length > end {
                    let part =
                        slice(symbols, objects.endianness, term, length, end - start..length);
                    pieces.insert(end, (start + length - end, part));
                }
            }
        }
        pieces.insert(offset, (size, value));
    }

    /// The places that were written, of all objects: object, offset and size.
    pub fn written(&self) -> Vec<(u64, u64, u64)> {
        let pieces = self.objects.iter().flat_map(|(&object, pieces)| {
            pieces.iter().map(move |(&offset, &(size, _))| (object, offset, size))
        });
        pieces.collect()
    }

    /// The places at which two differ, perhaps: object, offset and size.
    fn differences(&self, other: &Self) -> Vec<(u64, u64, u64)> {
        if Rc::ptr_eq(&self.objects, &other.objects) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let objects: BTreeSet<u64> =
            self.objects.keys().chain(other.objects.keys()).copied().collect();
        let none = Rc::new(Pieces::new());
        for object in objects {
            let (a, b) = (self.objects.get(&object), other.objects.get(&object));
            let (a, b) = (a.unwrap_or(&none), b.unwrap_or(&none));
            if Rc::ptr_eq(a, b) {
                continue;
            }
            let mut cuts = BTreeSet::new();
            for (&offset, &(size, _)) in a.iter().chain(b.iter()) {
                cuts.extend([offset, offset + size]);
            }
            let cuts: Vec<u64> = cuts.into_iter().collect();
            for pair in cuts.windows(2) {
                let (start, size) = (pair[0], pair[1] - pair[0]);
                let exact = |pieces: &Pieces| pieces.get(&start).copied();
                let covers = |pieces: &Pieces| {
                    let before = pieces.range(..=start).next_back();
                    before.is_some_and(|(&at, &(length, _))| at + length > start)
                };
                if exact(a).is_none_or(|piece| exact(b) != Some(piece)) && (covers(a) || covers(b))
                {
                    found.push((object, start, size));
                }
            }
        }
        found
    }

    /// `condition ? self : other`.
    pub fn merge(
        &mut self,
        symbols: &mut Symbols,
        objects: &mut Objects,
        condition: TermId,
        other: &Self,
    ) {
        for (object, offset, size) in self.differences(other) {
            let a = self.read(symbols, objects, (object, offset), size);
            let b = other.read(symbols, objects, (object, offset), size);
            if a != b {
                let value = symbols.store.ite(condition, a, b);
                self.write(symbols, objects, (object, offset), size, value);
            }
        }
    }

    /// That the contents differ.
    pub fn differ(&self, symbols: &mut Symbols, objects: &mut Objects, other: &Self) -> TermId {
        let mut differ = symbols.store.false_();
        for (object, offset, size) in self.differences(other) {
            let a = self.read(symbols, objects, (object, offset), size);
            let b = other.read(symbols, objects, (object, offset), size);
            let equal = symbols.store.eq(a, b);
            let different = symbols.store.not(equal);
            differ = symbols.store.or(differ, different);
        }
        differ
    }
}

/// Some bytes of a scalar of `length` bytes, counted from its address.
pub(super) fn slice(
    symbols: &mut Symbols,
    endianness: Endianness,
    term: TermId,
    length: u64,
    bytes: std::ops::Range<u64>,
) -> TermId {
    let (low, high) = match endianness {
        Endianness::Little => (bytes.start, bytes.end),
        Endianness::Big => (length - bytes.end, length - bytes.start),
    };
    let bit = |byte: u64| u32::try_from(8 * byte).expect("a scalar has at most 128 bits");
    symbols.store.extract(term, bit(high) - 1, bit(low))
}

/// Scalars one behind the other as one.
///
/// # Panics
/// If there is none.
pub(super) fn join(symbols: &mut Symbols, endianness: Endianness, parts: &[TermId]) -> TermId {
    let mut parts = parts.iter().copied();
    let first = parts.next().expect("there is a part");
    parts.fold(first, |all, part| match endianness {
        Endianness::Little => symbols.store.concat(part, all),
        Endianness::Big => symbols.store.concat(all, part),
    })
}
