//! Where addresses may point: the values of terms, as far as they are few or multiples.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::address;

use super::object::{Object, Objects};
use crate::assumptions::PAGE;
use crate::solver::{BinaryOp, Node, TermId, TermStore};

/// What is known of the value of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// One of these.
    Exact(Rc<BTreeSet<u128>>),
    /// A place in one of these objects whose distance from the object's start is `residue` modulo
    /// 2^k: object and residue, and k.
    Within(Rc<BTreeSet<(u64, u64)>>, u32),
    /// A number that is a multiple of 2^k, and a pointer only by chance.
    Multiple(u32),
    /// What nobody has written, or something made of it: any number, but no valid pointer.
    Unwritten,
    /// What a load gives whose stores are not known yet.
    Open,
    /// Perhaps a pointer to anywhere.
    Unknown,
}

/// The most values that are listed.
const MANY: usize = 1 << 10;

/// As many times more is learned of what a load gives in any case.
const FEW: usize = 8;

/// The most places that an address may point to.
const MANY_PLACES: usize = 1 << 13;

/// What is known of the values of terms. What loads give is found out afterwards
/// ([`Targets::learn`]).
#[derive(Default)]
pub(super) struct Targets {
    known: FxHashMap<TermId, Values>,
    /// What loads of pointers give.
    loads: FxHashMap<TermId, Values>,
    /// How many times more was learned of what a load gives.
    grown: FxHashMap<TermId, usize>,
    /// Numbers that become pointers.
    cast: FxHashSet<TermId>,
}

/// The places that an address may be.
pub(super) enum Places {
    /// One of these: object and offset.
    Known(Vec<(u64, u64)>),
    /// It is read from memory that others may write.
    Open,
    /// Too many, or any.
    Unknown,
}

impl Targets {
    /// Says that a variable is what a load gives.
    pub fn add_load(&mut self, variable: TermId) {
        self.loads.insert(variable, Values::Open);
    }

    /// Says that a variable is what nobody has written: no pointer in it is valid.
    pub fn add_unwritten(&mut self, variable: TermId) {
        self.loads.insert(variable, Values::Unwritten);
    }

    /// Says that a term is an index of one of so many elements.
    pub fn add_index(&mut self, index: TermId, count: u64) {
        if count as usize <= MANY {
            let all = (0..count).map(u128::from).collect();
            self.loads.insert(index, Values::Exact(Rc::new(all)));
        }
    }

    /// Says that a number becomes a pointer. Where it is not one of a few, it may point to anything.
    pub fn add_cast(&mut self, number: TermId) {
        if self.cast.insert(number) {
            self.known.clear();
        }
    }

    /// Whether an access of `size` bytes may be to memory that the program does not declare: an address
    /// may be one that is in no object and is none before or behind one. Those in the first and the last
    /// page are nobody's.
    pub fn is_undeclared(
        &mut self,
        store: &TermStore,
        objects: &Objects,
        address: TermId,
        size: u64,
    ) -> bool {
        let Values::Exact(all) = self.values(store, objects, address) else { return false };
        let is_inside = |value: u128| {
            let (object, offset) = decoded(objects, value);
            let of = |o: &Object| offset.checked_add(size).is_some_and(|e| e <= o.size);
            objects.get(object).is_some_and(of)
        };
        let outside: Vec<u128> = all.iter().copied().filter(|&v| !is_inside(v)).collect();
        let is_nobodys = |&value: &u128| is_in_outer_page(objects, value);
        if outside.iter().all(is_nobodys) {
            return false;
        }
        // What is computed from a number that became a pointer is beside no object.
        let cast: Vec<TermId> = self.cast.iter().copied().collect();
        let is_given = |value: &u128| is_nobodys(value) || is_in_or_beside(objects, *value);
        let from_numbers = cast.into_iter().any(|number| {
            let values = self.values(store, objects, number);
            matches!(values, Values::Exact(all) if !all.iter().all(|value| {
                let (object, offset) = decoded(objects, *value);
                let is_inside = objects.get(object).is_some_and(|object| offset <= object.size);
                is_inside || is_nobodys(value)
            }))
        });
        from_numbers || !outside.iter().all(is_given)
    }

    /// Adds to what a load may give, where so many stores are to what it reads; whether that is new.
    ///
    /// Numbers that grow by each other, as what several threads count does, have no end here, where nothing is known of
    /// the order of stores. But a run goes through each store once, so who learns more of a load time and again takes
    /// it for any multiple.
    pub fn learn(
        &mut self,
        store: &TermStore,
        objects: &Objects,
        (load, stores): (TermId, usize),
        values: &Values,
    ) -> bool {
        let new = match (self.loads.get(&load), values) {
            (_, Values::Open) => return false,
            (Some(Values::Open) | None, _) => values.clone(),
            (Some(old), _) => union(objects, store.width(load), old, values),
        };
        if self.loads.get(&load) == Some(&new) {
            return false;
        }
        let grown = self.grown.entry(load).or_default();
        *grown += 1;
        let is_number = |values: &Values| {
            matches!(values, Values::Exact(_))
                && pointers(objects, objects.pointer_bits.into(), values).is_none()
        };
        let has_no_end = *grown > FEW + 4 * stores && is_number(&new);
        self.loads.insert(load, if has_no_end { Values::Multiple(zeros(&new)) } else { new });
        true
    }

    /// Forgets what was concluded, after something was learned.
    pub fn refresh(&mut self) {
        self.known.clear();
    }

    /// The values of a term.
    pub fn values(&mut self, store: &TermStore, objects: &Objects, term: TermId) -> Values {
        let mut stack = vec![(term, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.known.contains_key(&term) {
                continue;
            }
            let node = store.node(term);
            if ready {
                let of =
                    |term: TermId| self.known.get(&term).cloned().unwrap_or(Values::Multiple(0));
                let values = self.evaluate(store, objects, term, node, of);
                let is_guess = matches!(values, Values::Within(..) | Values::Multiple(_));
                let is_any = is_guess && self.cast.contains(&term);
                self.known.insert(term, if is_any { Values::Unknown } else { values });
            } else {
                stack.push((term, true));
                let is_looked_into = !store.is_bool(term);
                let operands = node.operands().filter(|_| is_looked_into);
                stack.extend(operands.filter(|&o| !store.is_bool(o)).map(|o| (o, false)));
            }
        }
        self.known[&term].clone()
    }

    fn evaluate(
        &self,
        store: &TermStore,
        objects: &Objects,
        term: TermId,
        node: Node,
        of: impl Fn(TermId) -> Values,
    ) -> Values {
        if let Some(values) = self.loads.get(&term) {
            return values.clone();
        }
        let width = store.width(term);
        let pointwise = |operands: &[TermId]| -> Option<Values> {
            let mut rows: Vec<Vec<u128>> = vec![Vec::new()];
            for &operand in operands {
                let Values::Exact(values) = of(operand) else { return None };
                if rows.len() * values.len() > MANY {
                    return None;
                }
                rows = rows
                    .iter()
                    .flat_map(|row| {
                        values
                            .iter()
                            .map(move |&value| row.iter().copied().chain([value]).collect())
                    })
                    .collect();
            }
            let place = |operand: TermId| operands.iter().position(|&other| other == operand);
            let of_row = |row: &Vec<u128>| {
                store.evaluate_node(term, &|_| 0, |operand| place(operand).map_or(0, |at| row[at]))
            };
            Some(Values::Exact(Rc::new(rows.iter().map(of_row).collect())))
        };
        match node {
            Node::Const { value, .. } => Values::Exact(Rc::new(BTreeSet::from([value]))),
            Node::Ite(_, a, b) => union(objects, width, &of(a), &of(b)),
            Node::Variable { .. } => Values::Multiple(0),
            _ => {
                let operands: Vec<TermId> = node.operands().collect();
                if operands.iter().any(|&operand| store.is_bool(operand)) {
                    return Values::Multiple(0);
                }
                let mut distinct = operands.clone();
                distinct.dedup();
                if let Some(values) = pointwise(&distinct) {
                    return values;
                }
                let operands: Vec<Values> = operands.into_iter().map(of).collect();
                let is_part = matches!(node, Node::Concat(..) | Node::Extract { .. });
                if is_part && is_unwritten(objects, &operands) {
                    return Values::Unwritten;
                }
                let (least, greatest) = store.bounds(term);
                if greatest - least < 256 {
                    return Values::Exact(Rc::new((least..=greatest).collect()));
                }
                combine(objects, node, &operands, width)
            }
        }
    }

    /// The places that an access of `size` bytes may be to.
    pub fn places(
        &mut self,
        store: &TermStore,
        objects: &Objects,
        address: TermId,
        size: u64,
    ) -> Places {
        let inside = |&(object, offset): &(u64, u64)| {
            objects
                .get(object)
                .is_some_and(|o| offset.checked_add(size).is_some_and(|e| e <= o.size))
        };
        match self.values(store, objects, address) {
            Values::Exact(all) => {
                let decode = |&value: &u128| {
                    address::decode(objects.pointer_bits, u64::try_from(value).unwrap_or(u64::MAX))
                };
                Places::Known(all.iter().map(decode).filter(inside).collect())
            }
            Values::Within(all, zeros) => {
                let mut places = BTreeSet::new();
                for &(object, residue) in all.iter() {
                    let length = objects.get(object).map_or(0, |object| object.size);
                    let step = 1_u64.checked_shl(zeros).unwrap_or(u64::MAX).max(1);
                    let mut offset = residue % step;
                    while offset.saturating_add(size) <= length {
                        places.insert((object, offset));
                        if places.len() > MANY_PLACES {
                            return Places::Unknown;
                        }
                        offset = offset.saturating_add(step);
                    }
                }
                Places::Known(places.into_iter().collect())
            }
            Values::Unwritten => Places::Known(Vec::new()),
            Values::Open => Places::Open,
            Values::Multiple(_) | Values::Unknown => Places::Unknown,
        }
    }
}

/// The object and the offset that a number is as a pointer.
fn decoded(objects: &Objects, value: u128) -> (u64, u64) {
    // No pointer is that large, and no object has that number.
    address::decode(objects.pointer_bits, u64::try_from(value).unwrap_or(u64::MAX))
}

/// Whether an address is in the first or the last page, where no object lies.
fn is_in_outer_page(objects: &Objects, value: u128) -> bool {
    let last = u128::MAX >> (128 - u32::from(objects.pointer_bits).clamp(1, 128));
    value <= PAGE || value >= last - PAGE
}

/// Whether an address is in an object, or before or behind one.
fn is_in_or_beside(objects: &Objects, value: u128) -> bool {
    let bits = u32::from(objects.pointer_bits);
    pointers(objects, bits, &Values::Exact(Rc::new(BTreeSet::from([value])))).is_some()
}

/// Whether values that are taken for none of the pointers among them are none in fact: addresses of
/// objects are followed, and nobody's are none.
pub(super) fn are_followed(objects: &Objects, values: &Values) -> bool {
    let Values::Exact(all) = values else { return true };
    all.iter().all(|&value| {
        is_in_outer_page(objects, value)
            || is_in_or_beside(objects, value)
            || objects.is_function(decoded(objects, value).0)
    })
}

/// How many low bits are zero in any case.
fn zeros(values: &Values) -> u32 {
    match values {
        Values::Exact(all) => all.iter().map(|value| value.trailing_zeros()).min().unwrap_or(0),
        Values::Multiple(zeros) => *zeros,
        Values::Within(..) | Values::Unwritten | Values::Open | Values::Unknown => 0,
    }
}

/// Whether some values, of which one is what nobody has written, make no pointer together.
fn is_unwritten(objects: &Objects, all: &[Values]) -> bool {
    let is_none = |values: &Values| match values {
        Values::Unwritten => true,
        Values::Exact(_) => pointers(objects, objects.pointer_bits.into(), values).is_none(),
        _ => false,
    };
    all.contains(&Values::Unwritten) && all.iter().all(is_none)
}

/// The value of an operation whose operands are not listed all.
fn combine(objects: &Objects, node: Node, operands: &[Values], width: u32) -> Values {
    let (first, second) = (&operands[0], operands.get(1).unwrap_or(&operands[0]));
    match node {
        Node::Binary(BinaryOp::Add, ..) => sum(objects, width, first, second),
        Node::Binary(BinaryOp::Mul, ..) => {
            Values::Multiple((zeros(first) + zeros(second)).min(width))
        }
        Node::Binary(BinaryOp::Shl, ..) => {
            let by = match second {
                Values::Exact(all) => all.first().copied().unwrap_or(0),
                _ => 0,
            };
            let by = u32::try_from(by).unwrap_or(width);
            Values::Multiple(zeros(first).saturating_add(by).min(width))
        }
        // Two pointers in one number, for example: it may be made a pointer to anywhere.
        Node::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..) => {
            let is = |values: &Values| operands.contains(values);
            let is_pointer = |values: &Values| pointers(objects, width, values).is_some();
            if is(&Values::Unknown) || operands.iter().any(is_pointer) {
                Values::Unknown
            } else if is(&Values::Open) {
                Values::Open
            } else {
                Values::Multiple(0)
            }
        }
        // The sign of a pointer is none, and so on.
        Node::Neg(_) | Node::ZeroExtend { .. } | Node::SignExtend { .. } => {
            Values::Multiple(zeros(first))
        }
        // Parts of a pointer may be put together again.
        Node::Concat(..) | Node::Extract { .. } => {
            let bits = objects.pointer_bits.into();
            let is_pointer = |v: &Values| {
                matches!(v, Values::Unknown | Values::Open) || pointers(objects, bits, v).is_some()
            };
            if operands.iter().any(is_pointer) && width > 8 {
                Values::Unknown
            } else {
                Values::Multiple(zeros(operands.last().unwrap_or(first)))
            }
        }
        _ => Values::Multiple(0),
    }
}

/// The places that a value of so many bits may be a pointer to, as those of [`Values::Within`]; `None`
/// if it is no pointer.
fn pointers(objects: &Objects, bits: u32, values: &Values) -> Option<(BTreeSet<(u64, u64)>, u32)> {
    match values {
        // It is too short.
        Values::Exact(_) if bits < u32::from(objects.pointer_bits) => None,
        Values::Exact(all) => {
            let bits = address::offset_bits(objects.pointer_bits);
            // What lies before an object is written as a place far behind the one before it.
            let decode = |&value: &u128| {
                let place = u64::try_from(value).unwrap_or(0);
                let (object, offset) = address::decode(objects.pointer_bits, place);
                let is_before = offset >> (bits - 1) == 1;
                [Some((object, offset)), is_before.then_some((object + 1, offset))]
            };
            let places: BTreeSet<(u64, u64)> = all
                .iter()
                .flat_map(decode)
                .flatten()
                .filter(|(object, _)| objects.get(*object).is_some())
                .collect();
            let exact = u32::from(address::offset_bits(objects.pointer_bits));
            (!places.is_empty()).then_some((places, exact))
        }
        Values::Within(all, zeros) => Some(((**all).clone(), *zeros)),
        Values::Multiple(_) | Values::Unwritten | Values::Open | Values::Unknown => None,
    }
}

/// The sum of two values, which is a pointer if one of them is.
fn sum(objects: &Objects, bits: u32, a: &Values, b: &Values) -> Values {
    if matches!(a, Values::Unknown) || matches!(b, Values::Unknown) {
        return Values::Unknown;
    }
    let (bases, known, distance) = match (pointers(objects, bits, a), pointers(objects, bits, b)) {
        (Some((bases, known)), None) => (bases, known, b),
        (None, Some((bases, known))) => (bases, known, a),
        // One of them is the difference of two.
        (Some((mut bases, _)), Some((others, _))) => {
            bases.extend(others);
            (bases, 0, a)
        }
        (None, None) if matches!(a, Values::Open) || matches!(b, Values::Open) => {
            return Values::Open;
        }
        (None, None) if is_unwritten(objects, &[a.clone(), b.clone()]) => return Values::Unwritten,
        (None, None) => return Values::Multiple(zeros(a).min(zeros(b))),
    };
    let base = if std::ptr::eq(distance, a) { b } else { a };
    if !are_followed(objects, base) {
        return Values::Unknown;
    }
    let distances = match distance {
        Values::Exact(all) if all.len() * bases.len() <= MANY => Some(all),
        _ => None,
    };
    let known = if distances.is_some() { known } else { known.min(zeros(distance)) };
    let none = Rc::new(BTreeSet::from([0]));
    let mask = (1_u64 << known) - 1;
    let mut places = BTreeSet::new();
    for (object, offset) in bases {
        for &distance in distances.unwrap_or(&none).iter() {
            places.insert((object, offset.wrapping_add(distance as u64) & mask));
        }
    }
    Values::Within(Rc::new(places), known)
}

/// What either may be.
fn union(objects: &Objects, bits: u32, a: &Values, b: &Values) -> Values {
    match (a, b) {
        _ if a == b => a.clone(),
        (Values::Unknown, _) | (_, Values::Unknown) => Values::Unknown,
        (Values::Open, _) | (_, Values::Open) => Values::Open,
        (Values::Exact(all), Values::Exact(some)) if some.is_subset(all) => a.clone(),
        (Values::Exact(some), Values::Exact(all)) if some.is_subset(all) => b.clone(),
        (Values::Exact(a), Values::Exact(b)) if a.len() + b.len() <= MANY => {
            Values::Exact(Rc::new(a.union(b).copied().collect()))
        }
        _ => match (pointers(objects, bits, a), pointers(objects, bits, b)) {
            (of_a, of_b)
                if (of_a.is_some() || of_b.is_some())
                    && !(are_followed(objects, a) && are_followed(objects, b)) =>
            {
                Values::Unknown
            }
            (Some((a, x)), Some((b, y))) => {
                let known = x.min(y);
                let mask = (1_u64 << known) - 1;
                let places = a.into_iter().chain(b).map(|(object, at)| (object, at & mask));
                Values::Within(Rc::new(places.collect()), known)
            }
            // Null, for one, points nowhere; another number may be a pointer by chance.
            (Some((places, known)), None) if matches!(b, Values::Exact(_) | Values::Unwritten) => {
                Values::Within(Rc::new(places), known)
            }
            (None, Some((places, known))) if matches!(a, Values::Exact(_) | Values::Unwritten) => {
                Values::Within(Rc::new(places), known)
            }
            (Some(_), None) | (None, Some(_)) => Values::Unknown,
            (None, None) if is_unwritten(objects, &[a.clone(), b.clone()]) => Values::Unwritten,
            (None, None) => Values::Multiple(zeros(a).min(zeros(b))),
        },
    }
}

#[cfg(test)]
mod tests {
    use sapa_ir::goto::parse;

    use super::*;
    use crate::solver::Sort;

    /// What a load gives that learns of these values one after the other.
    fn learned(stores: usize, values: impl IntoIterator<Item = u128>) -> Values {
        let module = parse("gir 1\nglobal $x: i64 = 0\n", "test").expect("a module");
        let objects = Objects::new(&module).expect("it is small");
        let mut store = TermStore::default();
        let mut targets = Targets::default();
        let load = store.fresh(Sort::Bv(64), "load");
        targets.add_load(load);
        for value in values {
            let value = Values::Exact(Rc::new(BTreeSet::from([value])));
            targets.learn(&store, &objects, (load, stores), &value);
        }
        targets.values(&store, &objects, load)
    }

    #[test]
    fn numbers_that_grow_more_often_than_there_are_stores_have_no_end() {
        let few = (0..FEW as u128).map(|n| 8 * n);
        assert_eq!(learned(0, few.clone()), Values::Exact(Rc::new(few.collect())));
        // Once there is no end, what is learned counts no more but for its zeros.
        let many = |stores: usize| (1..=(FEW + 4 * stores + 1) as u128).map(|n| 8 * n);
        assert_eq!(learned(2, many(2)), Values::Multiple(3));
        assert_eq!(learned(2, many(2).chain([4])), Values::Multiple(2));
        assert!(matches!(learned(3, many(2)), Values::Exact(_)));
    }

    #[test]
    fn pointers_are_listed_however_many_there_are() {
        let module = parse("gir 1\nglobal $x: i64 = 0\n", "test").expect("a module");
        let objects = Objects::new(&module).expect("it is small");
        let all: BTreeSet<u128> = (0..64).map(|offset| objects.pointer(1, offset)).collect();
        assert_eq!(learned(0, all.iter().copied()), Values::Exact(Rc::new(all)));
    }
}
