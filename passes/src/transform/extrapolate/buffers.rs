//! The store buffers that are a part of a module's code: which places a thread's stores may wait for,
//! and in which variables.
//!
//! That is read off the stores that reach memory ([`FLUSH`]): each is of a variable, to the place that the
//! waiting store is to.

use std::collections::BTreeSet;

use sapa_ir::goto::{
    Expression, Function, FunctionId, Location, Module, NameId, Op, Type, VariableId,
};
use sapa_limits::{Exceeded, Limits};

use crate::analysis::points_to::{Object, Place, PointsTo};
use crate::transform::store_buffers::{FLUSH, Held};

/// A scalar in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Where it is.
    pub(super) place: Place,
    /// What it holds.
    pub(super) ty: Type,
}

/// Stores that may wait, as one kind of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stores {
    /// What they may be to.
    places: BTreeSet<Place>,
    /// What they store.
    ty: Type,
    /// Where they are, if they are not all to one scalar: those are numbered each by itself.
    at: Option<Location>,
    /// The variables that have the waiting values, the oldest first.
    pub(super) entries: Vec<VariableId>,
}

/// The buffer of the threads of a function.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) function: FunctionId,
    /// Each kind once.
    pub(super) stores: Vec<Stores>,
    /// The variables that say how many stores wait, and how many these are at most.
    pub(super) counts: Vec<(VariableId, usize)>,
    /// The variables that say which place a waiting store is to; places are numbered from 1.
    pub(super) which: Vec<VariableId>,
}

impl Buffer {
    /// The buffers of all threads.
    ///
    /// # Errors
    /// If a limit ends it.
    pub(super) fn all(
        module: &Module,
        points_to: &PointsTo,
        limits: &Limits,
    ) -> Result<Vec<Self>, Exceeded> {
        let Some(flush) = module.names.iter().position(|name| name == FLUSH).map(NameId::new)
        else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for (id, function) in module.functions() {
            limits.check()?;
            found.extend(Self::of(module, points_to, (id, function), flush));
        }
        Ok(found)
    }

    fn of(
        module: &Module,
        points_to: &PointsTo,
        (id, function): (FunctionId, &Function),
        flush: NameId,
    ) -> Option<Self> {
        let mut of_buffer: Vec<(VariableId, Held<'_>)> = variables(module, function).collect();
        of_buffer.retain(|(id, _)| is_defined(function, *id));
        let mut stores: Vec<Stores> = Vec::new();
        for instruction in function.instructions() {
            let Op::Store { ty, address, value, .. } = &instruction.op else { continue };
            if instruction.location.operation != Some(flush) {
                continue;
            }
            let of_value = value.value().and_then(|value| function.values.get(value.index()));
            let oldest = of_value.and_then(|value| value.variable);
            let oldest = of_buffer.iter().find(|(id, _)| Some(*id) == oldest);
            let Some((_, Held::Value { of, column, .. })) = oldest else { continue };
            let mut entries: Vec<(usize, VariableId)> = Vec::new();
            for (id, held) in &of_buffer {
                if let Held::Value { of: queue, column: other, number } = held
                    && (queue, other) == (of, column)
                {
                    entries.push((*number, *id));
                }
            }
            entries.sort_unstable();
            let entries = entries.into_iter().map(|(_, id)| id).collect();
            let places = points_to.places(id, *address);
            let is_one = Cell::at(places.clone(), ty).is_some();
            let at = (!is_one).then_some(instruction.location);
            let found = Stores { places, ty: ty.clone(), at, entries };
            if !stores.contains(&found) {
                stores.push(found);
            }
        }
        let most = |queue: &str| {
            let numbers = of_buffer.iter().filter_map(|(_, held)| match held {
                Held::Value { of, number, .. } if *of == queue => Some(*number),
                _ => None,
            });
            numbers.max().unwrap_or(0)
        };
        let mut buffer = Self { function: id, stores, counts: Vec::new(), which: Vec::new() };
        for (id, held) in &of_buffer {
            match held {
                Held::Count { of } => buffer.counts.push((*id, most(of))),
                Held::Which => buffer.which.push(*id),
                Held::Value { .. } => {}
            }
        }
        (!buffer.stores.is_empty()).then_some(buffer)
    }

    /// The variables of waiting stores that may be to a scalar.
    pub(super) fn entries(&self, module: &Module, cell: &Cell) -> BTreeSet<VariableId> {
        let size = cell.ty.size(module);
        let may_be_to = |stores: &&Stores| {
            stores.ty == cell.ty
                && stores.places.iter().any(|place| {
                    place.object == cell.place.object
                        && place.offsets.may_overlap(size, cell.place.offsets, size)
                })
        };
        self.stores.iter().filter(may_be_to).flat_map(|s| s.entries.iter().copied()).collect()
    }

    /// The variables of all waiting stores of a type.
    pub(super) fn of_type(&self, ty: &Type) -> BTreeSet<VariableId> {
        let all = self.stores.iter().filter(|stores| stores.ty == *ty);
        all.flat_map(|stores| stores.entries.iter().copied()).collect()
    }

    /// Whether a variable of the function holds a value that waits.
    pub(super) fn holds_value(&self, variable: VariableId) -> bool {
        self.stores.iter().any(|stores| stores.entries.contains(&variable))
    }

    /// Whether a variable of the function is one of the buffer.
    pub(super) fn has(&self, variable: VariableId) -> bool {
        self.counts.iter().any(|(count, _)| *count == variable)
            || self.which.contains(&variable)
            || self.holds_value(variable)
    }

    /// Whether the places of the buffer share its entries, so that two values cannot both be what
    /// waits in one of them.
    pub(super) fn is_one_queue(&self) -> bool {
        !self.which.is_empty()
    }
}

impl Stores {
    /// What they are to, if they all are to one scalar.
    pub(super) fn cell(&self) -> Option<Cell> {
        Cell::at(self.places.clone(), &self.ty)
    }
}

impl Cell {
    /// What is accessed as a type at an address; `None` if that may be several places.
    pub(super) fn at(places: BTreeSet<Place>, ty: &Type) -> Option<Self> {
        let mut places = places.into_iter();
        let (place, None) = (places.next()?, places.next()) else { return None };
        let is_fixed =
            matches!(place.object, Object::Global(_)) && place.offsets.single().is_some();
        is_fixed.then(|| Self { place, ty: ty.clone() })
    }

    /// What memory has there.
    pub(super) fn in_memory(&self, module: &Module) -> Option<Expression> {
        let Object::Global(global) = self.place.object else { return None };
        let base = Box::new(Expression::Global(global));
        let address = match self.place.offsets.single()? {
            0 => base,
            offset => {
                let bits = module.target.pointer_bits;
                let index = Box::new(Expression::Int { bits, value: u128::from(offset) });
                Box::new(Expression::IndexAddress { base, element: Type::Int(8), index })
            }
        };
        Some(Expression::Load { ty: self.ty.clone(), address })
    }
}

/// The variables of a function that are called as those of buffers are.
pub(super) fn variables<'f>(
    module: &Module,
    function: &'f Function,
) -> impl Iterator<Item = (VariableId, Held<'f>)> {
    let model = module.memory;
    let all = (0..).map(VariableId).zip(&function.variables);
    all.filter_map(move |(id, variable)| Some((id, Held::read(model, &variable.name)?)))
}

/// Whether a variable has a value anywhere.
pub(super) fn is_defined(function: &Function, variable: VariableId) -> bool {
    function.values.iter().any(|value| value.variable == Some(variable))
}
