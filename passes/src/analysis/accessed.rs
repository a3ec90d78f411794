//! Which bytes of objects a module's code and vocabulary may access.
//!
//! Of an array of 10,000 handles of which three are used, only these need a model. Without regard to
//! order and calling context, as [`points_to`](super::points_to) is, so that every interleaving is
//! covered.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Expression, FunctionId, Location, Module, Op, Operand};

use super::points_to::{Object, Offsets, Place, PointsTo};

/// Bytes of an object that an access may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where the access begins.
    pub offsets: Offsets,
    /// How many bytes it has.
    pub size: u64,
    /// Where it is in the source, if it is in the code.
    pub location: Option<Location>,
}

/// The bytes of each object that may be accessed.
#[derive(Clone, Debug, Default)]
pub struct Accessed {
    parts: FxHashMap<Object, Vec<Part>>,
    /// Accesses through addresses that may be any.
    anywhere: Vec<Part>,
}

impl Accessed {
    /// Analyses a module. Making memory arbitrary is no access of it where the instruction names
    /// the object: what nobody reads may stay what it is.
    #[must_use]
    pub fn new(module: &Module, points_to: &PointsTo) -> Self {
        let mut accessed = Self::default();
        for (id, function) in module.functions() {
            for instruction in function.instructions() {
                let at = Some(instruction.location);
                let mut access = |address: Operand, size: u64| {
                    accessed.operand(points_to, id, address, size, at);
                };
                match &instruction.op {
                    Op::Load { address, .. } => {
                        let result = instruction.result.map(Operand::Value);
                        let size = result.map(|r| function.operand_type(r).size(module));
                        access(*address, size.unwrap_or(1));
                    }
                    Op::Store { address, ty, .. } => access(*address, ty.size(module)),
                    Op::HavocMemory { address: Operand::Global(_) | Operand::Slot(_), .. } => {}
                    Op::HavocMemory { address, ty } => access(*address, ty.size(module)),
                    Op::CopyMemory { destination, source, ty } => {
                        access(*destination, ty.size(module));
                        access(*source, ty.size(module));
                    }
                    // What is called may access all that it is told of.
                    Op::Sync { arguments, .. } | Op::Call { arguments, .. } => {
                        for &argument in arguments {
                            for object in points_to.targets(id, argument) {
                                accessed.place(Place { object, offsets: Offsets::ALL }, 1, at);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for predicate in &module.predicates {
            predicate.expression.for_each(&mut |e| {
                if let Expression::Load { ty, address } = e {
                    for place in points_to.of_expression(module, address) {
                        accessed.place(place, ty.size(module), None);
                    }
                }
            });
        }
        accessed
    }

    fn operand(
        &mut self,
        points_to: &PointsTo,
        function: FunctionId,
        address: Operand,
        size: u64,
        location: Option<Location>,
    ) {
        for place in points_to.places(function, address) {
            self.place(place, size, location);
        }
    }

    fn place(&mut self, place: Place, size: u64, location: Option<Location>) {
        let part = Part { offsets: place.offsets, size, location };
        if place.object.is_any() {
            self.anywhere.push(Part { offsets: Offsets::ALL, ..part });
            return;
        }
        let parts = self.parts.entry(place.object).or_default();
        let is_known = |known: &&Part| (known.offsets, known.size) == (part.offsets, part.size);
        // In a function of thousands of accesses, those last seen are the most likely ones.
        if parts.iter().rev().take(REMEMBERED).find(is_known).is_none() {
            parts.push(part);
        }
    }

    /// The parts of an object that may be accessed; some may be the same.
    pub fn parts(&self, object: Object) -> impl Iterator<Item = &Part> {
        self.parts.get(&object).into_iter().flatten().chain(&self.anywhere)
    }
}

/// How many parts of an object a new one is compared with.
const REMEMBERED: usize = 64;

#[cfg(test)]
mod tests {
    use sapa_ir::goto::{GlobalId, parse};
    use sapa_limits::Limits;

    use super::*;

    #[test]
    fn elements_that_constants_name_are_told_apart() {
        let text = "gir 1\n\
            target pointer=64 short=16 int=32 long=64 long_long=64 wchar=32 char=signed endian=little\n\
            atomicity access\nsigned_overflow wrap\n\
            global $named: [9 x i64] = zero\nglobal $computed: [9 x i64] = zero\n\
            global $unused: [9 x i64] = zero\n\
            define @main() {\nbb0:\n  havoc [9 x i64], $named\n\
            %0: ptr = index i64, $named, 3i64\n  store i64, %0, 1i64\n\
            %1: i64 = load %0\n  %2: ptr = index i64, $computed, %1\n  store i64, %2, 0i64\n\
            return\n}\nentry @main\n";
        let module = parse(text, "t.gir").expect("it is sound");
        let points_to = PointsTo::within(&module, &Limits::default()).expect("no limit");
        let accessed = Accessed::new(&module, &points_to);
        let parts = |index| {
            let parts = accessed.parts(Object::Global(GlobalId(index)));
            parts.map(|part| (part.offsets, part.size)).collect::<Vec<_>>()
        };
        assert_eq!(parts(0), [(Offsets::new(24, 0), 8)]);
        assert_eq!(parts(1), [(Offsets::new(0, 8), 8)]);
        assert_eq!(parts(2), []);
    }
}
