//! Families of objects of which one is followed.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, FunctionId, GlobalId, Type};

use crate::analysis::points_to::{Object, Place};

/// The type of what says whether the followed object of an allocation exists.
pub(super) const FLAG: Type = Type::Int(8);

/// What the objects of a family are, in the module as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The elements of a global array.
    Array(GlobalId),
    /// What an instruction, by block and index, allocates.
    Allocation(FunctionId, BlockId, usize),
}

/// Objects of which one is followed.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub origin: Origin,
    /// The object that is followed.
    pub one: GlobalId,
    /// What stands for all others: addresses of them are addresses in it, and nobody accesses it.
    pub others: GlobalId,
    /// The type of each.
    pub ty: Type,
    /// The global that says of an array which element is followed, which it may have in common with others; of an allocation,
    /// whether the one exists.
    pub state: GlobalId,
}

impl Family {
    /// Whether it is of the elements of an array.
    pub fn is_of_array(&self) -> bool {
        matches!(self.origin, Origin::Array(_))
    }
}

/// All families of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Families {
    list: Vec<Family>,
    /// By what stands for the others.
    by_others: FxHashMap<GlobalId, usize>,
    /// By both globals.
    by_part: FxHashMap<GlobalId, usize>,
    by_origin: FxHashMap<GlobalId, usize>,
}

impl Families {
    pub fn push(&mut self, family: Family) {
        let index = self.list.len();
        self.by_others.insert(family.others, index);
        self.by_part.insert(family.others, index);
        self.by_part.insert(family.one, index);
        if let Origin::Array(array) = family.origin {
            self.by_origin.insert(array, index);
        }
        self.list.push(family);
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Family> {
        self.list.iter()
    }

    /// How many objects are chosen: one a family, or for all that have their index in common.
    pub fn choices(&self) -> usize {
        self.list.iter().map(|family| family.state).collect::<BTreeSet<_>>().len()
    }

    /// The family that an array was.
    pub fn of_array(&self, array: GlobalId) -> Option<&Family> {
        self.by_origin.get(&array).map(|&index| &self.list[index])
    }

    /// The family of an abstract object: the one, or the others.
    pub fn of(&self, object: Object) -> Option<&Family> {
        match object {
            Object::Global(id) => self.by_part.get(&id).map(|&index| &self.list[index]),
            _ => None,
        }
    }

    /// The array among families that an abstract object is: nothing points into one any more, if all is well.
    pub fn left_behind(&self, object: Object) -> Option<&Family> {
        match object {
            Object::Global(id) => self.of_array(id),
            _ => None,
        }
    }

    /// Whether a place is in what stands for others.
    pub fn is_other(&self, place: &Place) -> bool {
        matches!(place.object, Object::Global(id) if self.by_others.contains_key(&id))
    }

    /// The families that places are in.
    pub fn among<'s>(
        &'s self,
        places: &'s BTreeSet<Place>,
    ) -> impl Iterator<Item = &'s Family> + 's {
        places.iter().filter_map(|place| self.of(place.object))
    }
}
