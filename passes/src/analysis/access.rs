//! What an instruction accesses, as points-to analysis sees it.

use std::collections::BTreeSet;

use sapa_ir::goto::{FunctionId, GlobalId, Instruction, Module, Op, Operand};

use super::points_to::{Object, Offsets, Place, PointsTo};

/// An access: bytes of memory that are read or written at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Where it may begin.
    pub places: BTreeSet<Place>,
    /// How many bytes it touches.
    pub size: u64,
}

/// What an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    pub reads: Vec<Access>,
    pub writes: Vec<Access>,
}

impl Accesses {
    /// Those of an instruction of a function. To end the life of an object is to write all of it, and to look whether it
    /// exists, or how large it is, is to read all of it.
    pub fn of(
        module: &Module,
        points_to: &PointsTo,
        function: FunctionId,
        instruction: &Instruction,
    ) -> Self {
        let of = |address: Operand, size: u64| {
            vec![Access { places: points_to.places(function, address), size }]
        };
        let whole = |address: Operand| {
            let objects = points_to.targets(function, address).into_iter();
            let places = objects.map(|object| Place { object, offsets: Offsets::ALL }).collect();
            vec![Access { places, size: 1 }]
        };
        let mut found = Self::default();
        match &instruction.op {
            Op::Load { address, .. } => {
                if let Some(result) = instruction.result {
                    let ty = module.function(function).operand_type(Operand::Value(result));
                    found.reads = of(*address, ty.size(module));
                }
            }
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                found.writes = of(*address, ty.size(module));
            }
            Op::CopyMemory { destination, source, ty } => {
                found.reads = of(*source, ty.size(module));
                found.writes = of(*destination, ty.size(module));
            }
            Op::Free { address } => found.writes = whole(*address),
            Op::ObjectSize { address } | Op::Accessible { address, .. } => {
                found.reads = whole(*address);
            }
            _ => {}
        }
        found
    }
}

impl Access {
    /// The global, and the offset in it, if there is only one place.
    pub fn fixed(&self) -> Option<(GlobalId, u64)> {
        let mut places = self.places.iter();
        match (places.next(), places.next()) {
            (Some(Place { object: Object::Global(id), offsets }), None) => {
                offsets.single().map(|offset| (*id, offset))
            }
            _ => None,
        }
    }

    /// Whether it and another one may have a byte in common.
    pub fn may_meet(&self, other: &Self) -> bool {
        let meets = |a: &Place, b: &Place| a.may_meet(self.size, *b, other.size);
        self.places.iter().any(|a| other.places.iter().any(|b| meets(a, b)))
    }

    /// Whether it may touch an object that `is` holds of, or one that is not known.
    pub fn may_touch(&self, is: impl Fn(Object) -> bool) -> bool {
        self.places.iter().any(|place| place.object.is_any() || is(place.object))
    }

    /// What it is of, in the words of the source, if it is fixed.
    pub fn name(&self, module: &Module) -> Option<String> {
        let (id, _) = self.fixed()?;
        let global = module.globals.get(id.index())?;
        self.places.first().map(|place| place.text(module, &global.name))
    }
}
