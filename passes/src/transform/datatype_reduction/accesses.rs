//! What is done with addresses of families (accesses, comparisons, claims), and what has to become of that.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BlockId, CompareOp, Function, FunctionId, GlobalId, Initializer, Instruction, Module, Op,
    Operand, TerminatorKind, Type,
};
use sapa_limits::{Exceeded, Limits};

use super::about::claims;
use super::family::{Families, Family, Origin};
use crate::analysis::definitions::Definitions;
use crate::analysis::points_to::{Object, Offsets, Place, PointsTo};

/// Why families cannot be.
pub(super) enum Refused {
    /// These are used in a way of which too little is known.
    Families(BTreeSet<Origin>),
    /// An access may be anywhere.
    All,
}

/// The same of what is done with an address.
enum Unknown {
    /// Too little is known of it for this family.
    Family(Origin),
    /// It may be anywhere.
    All,
}

/// What says of an address whether it is one of the others.
#[derive(Clone, Debug)]
pub(super) struct Among {
    pub address: Operand,
    /// The places in others that it may be.
    pub others: Vec<Place>,
    /// Whether it is nothing else, if it is an address at all.
    pub always: bool,
    /// How it is computed from the one place that it is in if it is in none of them, if there is just one.
    pub own: Option<Own>,
}

/// An address in an object that is known.
#[derive(Clone, Debug)]
pub(super) enum Own {
    At(GlobalId, u64),
    /// An element behind another address, by a value.
    Index(Box<Own>, Type, Operand),
    /// A number of bytes behind another address.
    Behind(Box<Own>, u64),
}

/// What becomes of an instruction.
#[derive(Debug)]
pub(super) enum Change {
    /// A load; with the addresses that it may read from others, if it reads one.
    Load(Among, Option<Vec<Constant>>),
    Store(Among),
    /// A copy, to and from.
    Copy(Option<Among>, Option<Among>),
    Havoc(Among),
    /// An end of objects: those followed that it may be, with what says that they exist, and whether it may be of objects
    /// in no family.
    Free {
        ended: BTreeSet<(GlobalId, GlobalId)>,
        own: bool,
    },
    /// A comparison of two addresses; both may be others of one family.
    Equal(Among, Among),
    /// One of which nothing is known.
    Any,
    /// A claim about objects.
    Claim(Vec<Among>),
    /// An index within an array in an object, which has this many elements.
    Within(Operand, u64),
}

/// An address as a constant: that of a global or function, and an offset.
pub(super) type Constant = (Operand, u64);

/// What becomes of the instructions of a module, by their place.
pub(super) type Plan = FxHashMap<(FunctionId, BlockId, usize), Change>;

/// Says what becomes of each instruction of a module in which addresses are those of families already.
///
/// # Errors
/// A limit ended it.
pub(super) fn plan(
    module: &Module,
    points_to: &PointsTo,
    families: &Families,
    limits: &Limits,
) -> Result<Result<Plan, Refused>, Exceeded> {
    let mut plan = Plan::default();
    let mut left_out = BTreeSet::new();
    // Of what threads end with nothing is known where they are waited for.
    let takes = |i: &Instruction| matches!(i.op, Op::Join { .. }) && i.result.is_some();
    let hands_on = module.functions.iter().any(|function| function.instructions().any(takes));
    let reads_unwritten = reads_unwritten(module, points_to);
    for (id, function) in module.functions() {
        let definitions = Definitions::new(function);
        let uses = Uses { module, points_to, families, id, function, definitions, reads_unwritten };
        for (block, data) in function.blocks() {
            limits.check()?;
            for (index, instruction) in data.instructions.iter().enumerate() {
                match uses.change(instruction) {
                    Ok(None) => {}
                    Ok(Some(change)) => drop(plan.insert((id, block, index), change)),
                    Err(Unknown::Family(origin)) => {
                        left_out.insert(origin);
                    }
                    Err(Unknown::All) => return Ok(Err(Refused::All)),
                }
            }
        }
        for (_, data) in function.blocks().filter(|_| hands_on) {
            if let TerminatorKind::Return(Some(value)) | TerminatorKind::EndThread(Some(value)) =
                data.terminator.kind
                && let Some(origin) = uses.family(value)
            {
                left_out.insert(origin);
            }
        }
        for (place, about) in claims(&uses, limits)? {
            // An address may be in families that another is chosen of: that it is one of their others says nothing.
            let is_of = |state: GlobalId, place: &Place| {
                families.of(place.object).is_some_and(|family| family.state == state)
            };
            let among = |(state, address)| uses.among(address, |place| is_of(state, place));
            let about = about.into_iter().filter_map(among).collect();
            plan.insert((id, place.0, place.1), Change::Claim(about));
        }
    }
    Ok(if left_out.is_empty() { Ok(plan) } else { Err(Refused::Families(left_out)) })
}

/// Most steps in which an address is computed that are looked at: in unreachable code there may be no end of them.
pub(super) const MAX_STEPS: usize = 8;

/// A function, and what is known of its addresses.
pub(super) struct Uses<'m> {
    module: &'m Module,
    points_to: &'m PointsTo,
    pub families: &'m Families,
    id: FunctionId,
    pub function: &'m Function,
    definitions: Definitions<'m>,
    /// Whether there are pointers that nobody wrote ([`reads_unwritten`]).
    reads_unwritten: bool,
}

/// Whether a pointer may be read from memory that nobody wrote: such a one may be that of any object, and to the analysis
/// of pointers it is that of none.
fn reads_unwritten(module: &Module, points_to: &PointsTo) -> bool {
    let mut havocked = BTreeSet::new();
    for (id, function) in module.functions() {
        for instruction in function.instructions() {
            if let Op::HavocMemory { address, ty } = &instruction.op
                && ty.holds_pointer(module)
            {
                havocked.extend(points_to.targets(id, *address));
            }
        }
    }
    let is_written = |object: &Object| match object {
        Object::Global(global) => {
            let initializer = &module.globals[global.index()].initializer;
            !matches!(initializer, Initializer::Undefined | Initializer::Nondet)
                && !havocked.contains(object)
        }
        _ => false,
    };
    module.functions().any(|(id, function)| {
        function.instructions().any(|instruction| match (&instruction.op, instruction.result) {
            (Op::Load { address, .. }, Some(result)) => {
                function.operand_type(Operand::Value(result)) == Type::Pointer
                    && !points_to.targets(id, *address).iter().all(is_written)
            }
            _ => false,
        })
    })
}

impl Uses<'_> {
    /// The places that an operand may be the address of.
    pub fn places(&self, operand: Operand) -> BTreeSet<Place> {
        self.points_to.places(self.id, operand)
    }

    /// The first family that an operand may be an address in.
    fn family(&self, operand: Operand) -> Option<Origin> {
        let places = self.places(operand);
        let first = self.families.among(&places).next();
        let left = || places.iter().find_map(|place| self.families.left_behind(place.object));
        first.or_else(left).map(|family| family.origin)
    }

    /// How to see whether an address is one of the others, in families that are asked about; `None` if it never is.
    fn among(&self, address: Operand, is_asked: impl Fn(&Place) -> bool) -> Option<Among> {
        let places = self.places(address);
        let (others, own): (Vec<Place>, Vec<Place>) =
            places.into_iter().partition(|place| self.families.is_other(place) && is_asked(place));
        if others.is_empty() {
            return None;
        }
        let always = own.is_empty();
        Some(Among { address, others, always, own: self.own(address, MAX_STEPS) })
    }

    /// How an address is computed if it is none of the others, and then in one object.
    fn own(&self, address: Operand, steps: usize) -> Option<Own> {
        let places = self.places(address);
        let mut own = places.iter().filter(|place| !self.families.is_other(place));
        if let (Some(Place { object: Object::Global(id), offsets }), None) =
            (own.next(), own.next())
            && let Some(offset) = offsets.single()
        {
            return Some(Own::At(*id, offset));
        }
        let behind = |base: Operand| Some(Box::new(self.own(base, steps.checked_sub(1)?)?));
        match self.definitions.behind_copies(address)? {
            Op::FieldAddress { base, structure, field } => {
                let structure = self.module.structs.get(structure.index())?;
                Some(Own::Behind(behind(*base)?, structure.fields.get(field.index())?.offset))
            }
            Op::IndexAddress { base, element, index } => {
                Some(Own::Index(behind(*base)?, element.clone(), *index))
            }
            _ => None,
        }
    }

    /// The same of what is accessed, which has a type: in elements of arrays it has to lie in one of them.
    fn accessed(&self, address: Operand, ty: &Type) -> Result<Option<Among>, Unknown> {
        self.lies_within(address, ty.size(self.module))?;
        let places = self.places(address);
        for place in &places {
            if place.object.is_any() {
                return Err(Unknown::All);
            }
            if let Some(family) = self.families.left_behind(place.object) {
                return Err(Unknown::Family(family.origin));
            }
        }
        Ok(self.among(address, |_| true))
    }

    /// Requires that so many bytes from an address on are of one element, if it is an address in elements of arrays.
    fn lies_within(&self, address: Operand, size: u64) -> Result<(), Unknown> {
        let places = self.places(address);
        match self.of_elements(&places).next() {
            Some((family, _)) if self.extent(address, MAX_STEPS).is_none_or(|all| all < size) => {
                Err(Unknown::Family(family.origin))
            }
            _ => Ok(()),
        }
    }

    /// The places that are in elements of arrays, with their families.
    fn of_elements<'s>(
        &'s self,
        places: &'s BTreeSet<Place>,
    ) -> impl Iterator<Item = (&'s Family, Place)> {
        let family = |place: &Place| Some((self.families.of(place.object)?, *place));
        places.iter().filter_map(family).filter(|(family, _)| family.is_of_array())
    }

    /// How many bytes there are from an address on in the element of an array that it is in; `None` if that is not known.
    fn extent(&self, address: Operand, steps: usize) -> Option<u64> {
        let places = self.places(address);
        let left = |(family, place): (&Family, Place)| {
            family.ty.size(self.module).checked_sub(place.offsets.single()?)
        };
        let all: Option<Vec<u64>> = self.of_elements(&places).map(left).collect();
        if let Some(all) = all {
            return all.into_iter().min();
        }
        let of = |base: Operand| self.extent(base, steps.checked_sub(1)?);
        match self.definitions.behind_copies(address)? {
            Op::FieldAddress { base, structure, field } => {
                let structure = self.module.structs.get(structure.index())?;
                of(*base)?.checked_sub(structure.fields.get(field.index())?.offset)
            }
            Op::IndexAddress { base, element, index } => {
                let size = element.size(self.module);
                match *index {
                    Operand::Int { value, .. } => {
                        of(*base)?.checked_sub(u64::try_from(value).ok()?.checked_mul(size)?)
                    }
                    // That it stays in its array is asserted.
                    _ => Some(size),
                }
            }
            _ => None,
        }
    }

    /// What becomes of an instruction, if it does not stay.
    fn change(&self, instruction: &Instruction) -> Result<Option<Change>, Unknown> {
        // An address that is a number may be compared with others as numbers are.
        if let Some(result) = instruction.result.map(Operand::Value)
            && self.function.operand_type(result) != Type::Pointer
            && let Some(origin) = self.family(result)
        {
            return Err(Unknown::Family(origin));
        }
        Ok(match &instruction.op {
            Op::Load { address, .. } => {
                let Some(result) = instruction.result.map(Operand::Value) else { return Ok(None) };
                let ty = self.function.operand_type(result);
                match self.accessed(*address, &ty)? {
                    Some(among) => Some(Change::Load(among, self.read(result, *address)?)),
                    None => None,
                }
            }
            Op::Store { address, ty, .. } => self.accessed(*address, ty)?.map(Change::Store),
            Op::HavocMemory { address, ty } => self.accessed(*address, ty)?.map(Change::Havoc),
            Op::Free { address } => {
                self.accessed(*address, &Type::Int(8))?;
                let places = self.places(*address);
                let own = places.iter().any(|place| self.families.of(place.object).is_none());
                // Both the one and the others are of a family.
                let ended: BTreeSet<_> = self
                    .families
                    .among(&places)
                    .filter(|family| !family.is_of_array())
                    .map(|family| (family.one, family.state))
                    .collect();
                (!ended.is_empty()).then_some(Change::Free { ended, own })
            }
            Op::CopyMemory { destination, source, ty } => {
                let to = self.accessed(*destination, ty)?;
                let from = self.accessed(*source, ty)?;
                if from.is_some() && ty.holds_pointer(self.module) {
                    return Err(self.refused(*source));
                }
                (to.is_some() || from.is_some()).then_some(Change::Copy(to, from))
            }
            Op::Compare { op, a, b } if self.function.operand_type(*a) == Type::Pointer => {
                self.comparison(*op, *a, *b)
            }
            Op::IndexAddress { base, element, index } => self.index(*base, element, *index)?,
            Op::FieldAddress { base, structure, field } => {
                // A member of no size at the end has the address of what follows.
                let structure = self.module.structs.get(structure.index());
                let field = structure.and_then(|s| s.fields.get(field.index()));
                let end = field.map_or(u64::MAX, |field| field.offset.saturating_add(1));
                self.lies_within(*base, structure.map_or(end, |s| s.size.max(end)))?;
                None
            }
            Op::Copy { .. }
            | Op::Select { .. }
            | Op::Spawn { .. }
            | Op::Compare { .. }
            | Op::Allocate { .. } => None,
            op => {
                let mut found = None;
                op.for_each_operand(|operand| found = found.or(self.family(operand)));
                match found {
                    Some(origin) => return Err(Unknown::Family(origin)),
                    None => None,
                }
            }
        })
    }

    fn refused(&self, operand: Operand) -> Unknown {
        self.family(operand).map_or(Unknown::All, Unknown::Family)
    }

    /// The addresses that a load may read from others; `None` if it reads a number.
    fn read(&self, result: Operand, address: Operand) -> Result<Option<Vec<Constant>>, Unknown> {
        let places = self.places(result);
        if self.function.operand_type(result) != Type::Pointer {
            let is_number = places.iter().all(|place| place.object == Object::Number);
            return if is_number { Ok(None) } else { Err(self.refused(address)) };
        }
        let constant = |place: Place| {
            let base = match place.object {
                Object::Global(id) => Operand::Global(id),
                Object::Function(id) => Operand::Function(id),
                _ => return None,
            };
            Some((base, place.offsets.single()?))
        };
        let read: Option<Vec<_>> = places.into_iter().map(constant).collect();
        read.map(Some).ok_or_else(|| self.refused(address))
    }

    fn comparison(&self, op: CompareOp, a: Operand, b: Operand) -> Option<Change> {
        let is_equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        // No address of an object is null.
        if is_equality && (a == Operand::Null || b == Operand::Null) {
            return None;
        }
        let [of_a, of_b] = [a, b].map(|side| {
            let places = self.places(side);
            self.families.among(&places).map(|family| family.others).collect::<BTreeSet<_>>()
        });
        let [loose_a, loose_b] = [a, b].map(|side| self.may_be_unwritten(side, MAX_STEPS));
        let (none_a, none_b) = (of_a.is_empty(), of_b.is_empty());
        if none_a && none_b && !(loose_a && loose_b) {
            return None;
        }
        let is_any = |side| self.places(side).iter().any(|place| place.object.is_any());
        let is_exact = |side| {
            let places = self.places(side);
            let mut others = places.iter().filter(|place| self.families.is_other(place));
            others.all(|place| place.offsets.single().is_some())
        };
        // An address that was made of nothing may be that of one of the others, and of no other of them. Ends of objects, and
        // what is beyond them, are not told apart by where they are.
        if !is_equality || is_any(a) || is_any(b) || !is_exact(a) || !is_exact(b) {
            return Some(Change::Any);
        }
        if of_a.is_disjoint(&of_b) && !loose_a && !loose_b {
            return None;
        }
        // An address that nobody wrote may be in any of those that the other may be in.
        let all: Vec<GlobalId> = match none_a && none_b {
            true => self.families.iter().map(|family| family.others).collect(),
            false => of_a.union(&of_b).copied().collect(),
        };
        let side = |address: Operand, is_loose: bool| {
            let mut others: Vec<Place> = self.places(address).into_iter().collect();
            others.retain(|place| self.families.is_other(place));
            if is_loose {
                let anywhere = |&id: &GlobalId| Place {
                    offsets: Offsets::ALL,
                    ..Place::start(Object::Global(id))
                };
                others.extend(all.iter().map(anywhere));
            }
            let own = None;
            (!others.is_empty()).then_some(Among { address, others, always: false, own })
        };
        Some(Change::Equal(side(a, loose_a)?, side(b, loose_b)?))
    }

    /// Whether a pointer may be what nobody wrote: what is read or handed over may, where anything is.
    fn may_be_unwritten(&self, pointer: Operand, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1).filter(|_| self.reads_unwritten) else {
            return self.reads_unwritten;
        };
        let pointer = self.definitions.copied(pointer);
        match pointer.value().and_then(|value| self.definitions.get(&value)) {
            Some(Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. }) => {
                self.may_be_unwritten(*base, steps)
            }
            Some(Op::Select { a, b, .. }) => {
                self.may_be_unwritten(*a, steps) || self.may_be_unwritten(*b, steps)
            }
            Some(Op::Allocate { .. }) => false,
            _ => pointer.value().is_some(),
        }
    }

    /// An address behind another. Where that is in an element of an array, it has to stay in it.
    fn index(
        &self,
        base: Operand,
        element: &Type,
        index: Operand,
    ) -> Result<Option<Change>, Unknown> {
        let mut within: Option<u64> = None;
        for place in self.places(base) {
            if let Some(family) = self.families.left_behind(place.object) {
                return Err(Unknown::Family(family.origin));
            }
            let Some(family) = self.families.of(place.object) else { continue };
            // Behind a heap object there is nothing.
            if !family.is_of_array() {
                continue;
            }
            let refused = Unknown::Family(family.origin);
            let Some(offset) = place.offsets.single() else { return Err(refused) };
            if let Operand::Int { value, .. } = index {
                let distance = u128::from(element.size(self.module)).checked_mul(value);
                let end = distance.and_then(|distance| distance.checked_add(u128::from(offset)));
                if end.is_none_or(|end| end >= u128::from(family.ty.size(self.module))) {
                    return Err(refused);
                }
                continue;
            }
            let Some(count) = elements(self.module, &family.ty, offset, element) else {
                return Err(refused);
            };
            within = Some(within.map_or(count, |other| other.min(count)));
        }
        Ok(within.map(|count| Change::Within(index, count)))
    }
}

/// How many elements of a type there are from an offset in an object on, as far as the array there goes, or the one element.
fn elements(module: &Module, ty: &Type, offset: u64, element: &Type) -> Option<u64> {
    match ty {
        _ if offset == 0 && ty == element => Some(1),
        Type::Array(of, count) => {
            let size = of.size(module);
            let number = offset.checked_div(size)?;
            let left = count.checked_sub(number).filter(|left| *left > 0)?;
            if of.as_ref() == element && offset.is_multiple_of(size) {
                return Some(left);
            }
            elements(module, of, offset % size, element)
        }
        Type::Struct(id) => {
            let fields = &module.structs.get(id.index())?.fields;
            let holding = fields.iter().filter(|field| {
                (field.offset..field.offset + field.ty.size(module)).contains(&offset)
            });
            let mut found = None;
            for field in holding {
                let here = elements(module, &field.ty, offset - field.offset, element)?;
                found = Some(found.map_or(here, |other: u64| other.min(here)));
            }
            found
        }
        Type::Int(_) | Type::Pointer => None,
    }
}
