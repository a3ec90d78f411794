//! What pointers may point to: inclusion constraints (Andersen 1994), without
//! regard to order and calling context, so that every interleaving is covered.
//!
//! An abstract object is a global, a function, a stack object of a function, or
//! an allocation; fields are told apart by their offsets, elements of an array are not. Integers
//! carry what was cast to them. [`Object::Unknown`] stands for an address that may be any: what
//! a pointer of unknown origin points to. A number is an address if it is cast to one or read as
//! one from memory, and then [`Object::Forged`]; memory that was never written, as at the start of
//! an object's life, holds none.

mod place;
mod solver;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Entity, Expression, FunctionId, GlobalId, Instruction, Location, Module, Op, Operand, Type,
    ValueId,
};
use sapa_limits::{Exceeded, Limits};

pub use place::{Object, Offsets, Place};
use solver::{FORGED, NUMBER, Solver};

use super::{Analyses, Analysis};

/// What has a set of places that it may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Value(FunctionId, ValueId),
    /// What was stored at a place, and its size in bytes.
    Stored(Place, u64),
    /// What is read from a place, and its size in bytes.
    Read(Place, u64),
    /// What a function returns.
    Result(FunctionId),
}

/// The solution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointsTo {
    sets: FxHashMap<Node, BTreeSet<Place>>,
    /// The nodes [`Node::Stored`] of each object.
    stored: FxHashMap<Object, Vec<(Offsets, u64)>>,
    objects: Vec<Object>,
}

impl PointsTo {
    /// Analyses a module, as long as the limits hold.
    ///
    /// # Errors
    /// A limit ended it; what was found until then is not all.
    pub fn within(module: &Module, limits: &Limits) -> Result<Self, Exceeded> {
        let mut solver = Solver::new(module);
        solver.module(limits)?;
        solver.solve(limits)?;
        Ok(Self { sets: solver.sets, stored: solver.stored, objects: solver.objects })
    }

    /// The places that an operand of a function may point to; none for what is
    /// no address.
    #[must_use]
    pub fn places(&self, function: FunctionId, operand: Operand) -> BTreeSet<Place> {
        match operand {
            Operand::Value(value) => {
                self.sets.get(&Node::Value(function, value)).cloned().unwrap_or_default()
            }
            constant => object_of(function, constant).map(Place::start).into_iter().collect(),
        }
    }

    /// The places that an expression over a module's variables may point to.
    #[must_use]
    pub fn of_expression(&self, module: &Module, expression: &Expression) -> BTreeSet<Place> {
        let of = |e: &Expression| self.of_expression(module, e);
        let moved = |places: BTreeSet<Place>, by: &dyn Fn(Offsets) -> Offsets| {
            let shift = |place: Place| Place { offsets: by(place.offsets), ..place };
            places.into_iter().map(shift).collect::<BTreeSet<Place>>()
        };
        match expression {
            Expression::Int { .. } | Expression::Null => BTreeSet::new(),
            Expression::Variable { function, variable } => {
                let values = module.functions.get(function.index()).map(|f| f.values.as_slice());
                let values = values.unwrap_or_default().iter().enumerate();
                let versions = values.filter(|(_, value)| value.variable == Some(*variable));
                let version = |(index, _)| Operand::Value(ValueId::new(index));
                versions.flat_map(|v| self.places(*function, version(v))).collect()
            }
            Expression::Value { function, value } => self.places(*function, Operand::Value(*value)),
            Expression::Global(id) => [Place::start(Object::Global(*id))].into(),
            Expression::Function(id) => [Place::start(Object::Function(*id))].into(),
            Expression::Slot { function, slot } => {
                [Place::start(Object::Slot(*function, *slot))].into()
            }
            Expression::Load { ty, address } => {
                let read = self.stored(&of(address), ty.size(module));
                let as_pointer = |place: Place| match place.object {
                    Object::Number if *ty == Type::Pointer => Some(FORGED),
                    Object::Number => None,
                    _ => Some(place),
                };
                read.into_iter().filter_map(as_pointer).collect()
            }
            Expression::FieldAddress { base, structure, field } => {
                let structure = module.structs.get(structure.index());
                let field = structure.and_then(|s| s.fields.get(field.index()));
                moved(of(base), &|offsets| match field {
                    Some(field) => offsets.plus(field.offset),
                    None => Offsets::ALL,
                })
            }
            Expression::IndexAddress { base, element, index } => {
                let step = element.size(module);
                let distance = match **index {
                    Expression::Int { value, .. } => forward(value, step),
                    _ => None,
                };
                moved(of(base), &|offsets| match distance {
                    Some(distance) => offsets.plus(distance),
                    None => offsets.stride(step),
                })
            }
            Expression::Cast { a, .. } | Expression::Other { of: a } => of(a),
            Expression::Select { a, b, .. } => of(a).union(&of(b)).copied().collect(),
            Expression::Unary { a, .. } => moved(of(a), &|_| Offsets::ALL),
            Expression::Binary { a, b, .. } | Expression::Compare { a, b, .. } => {
                moved(of(a).union(&of(b)).copied().collect(), &|_| Offsets::ALL)
            }
        }
    }

    /// Whether what a load of `size` bytes reads at an address may be a number that was stored, or
    /// bytes of several values.
    #[must_use]
    pub fn reads_number(&self, function: FunctionId, address: Operand, size: u64) -> bool {
        self.stored(&self.places(function, address), size).contains(&NUMBER)
    }

    /// What stores of `size` bytes may put at places.
    fn stored(&self, at: &BTreeSet<Place>, size: u64) -> BTreeSet<Place> {
        let mut found = BTreeSet::new();
        if at.iter().any(|read| read.object.is_any()) {
            let everywhere = self.sets.iter().filter(|(node, _)| matches!(node, Node::Stored(..)));
            found.extend(everywhere.flat_map(|(_, set)| set));
        }
        for read in at {
            for &(offsets, bytes) in self.stored.get(&read.object).map_or(&[][..], Vec::as_slice) {
                if offsets.may_overlap(bytes, read.offsets, size) {
                    let node = Node::Stored(Place { offsets, ..*read }, bytes);
                    found.extend(self.sets.get(&node).into_iter().flatten());
                }
                if offsets.may_straddle(bytes, read.offsets, size) {
                    found.insert(NUMBER);
                }
            }
        }
        found.extend(at.iter().filter(|place| place.object.is_any()));
        found
    }

    /// The objects of [`places`](Self::places).
    #[must_use]
    pub fn targets(&self, function: FunctionId, operand: Operand) -> BTreeSet<Object> {
        self.places(function, operand).into_iter().map(|place| place.object).collect()
    }

    /// Objects whose addresses may be stored in an object.
    #[must_use]
    pub fn contents(&self, object: Object) -> BTreeSet<Object> {
        let whole = BTreeSet::from([Place { object, offsets: Offsets::ALL }]);
        let all = self.stored(&whole, 1).into_iter().map(|place| place.object);
        all.filter(|object| *object != Object::Number).collect()
    }

    /// The objects that there are.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Objects into which what a function returns may point.
    #[must_use]
    pub fn returned(&self, function: FunctionId) -> BTreeSet<Object> {
        let places = self.sets.get(&Node::Result(function)).into_iter().flatten();
        places.map(|place| place.object).collect()
    }

    /// Objects whose addresses may be in memory, or be what a function returns.
    #[must_use]
    pub fn let_out(&self) -> FxHashSet<Object> {
        let is_out = |node: &Node| matches!(node, Node::Stored(..) | Node::Result(_));
        let sets = self.sets.iter().filter(|(node, _)| is_out(node));
        sets.flat_map(|(_, set)| set.iter().map(|place| place.object)).collect()
    }

    /// Objects that all threads can reach: globals that are not thread-local,
    /// and what is reachable from them through stored addresses or is handed to
    /// a started thread.
    #[must_use]
    pub fn shared(&self, module: &Module) -> FxHashSet<Object> {
        let mut shared = FxHashSet::default();
        let mut pending: Vec<Object> = module
            .globals
            .iter()
            .enumerate()
            .filter(|(_, global)| !global.thread_local)
            .map(|(index, _)| Object::Global(GlobalId::new(index)))
            .collect();
        for (id, function) in module.functions() {
            for instruction in function.instructions() {
                if let Op::Spawn { arguments, .. } = &instruction.op {
                    pending.extend(arguments.iter().flat_map(|&a| self.targets(id, a)));
                }
            }
        }
        while let Some(object) = pending.pop() {
            // What a number is the address of is shared already, but for guesses.
            if shared.insert(object) && object != Object::Forged {
                pending.extend(self.contents(object));
                if object == Object::Unknown {
                    pending.extend(&self.objects);
                }
            }
        }
        shared
    }

    /// The first instruction that gives the address of a thread's own object to shared memory or
    /// to another thread (SAPA section 3 excludes this: it says nothing that is the same for all
    /// threads).
    #[must_use]
    pub fn escape(&self, module: &Module) -> Option<Escape> {
        self.escape_through(module, |object| object == Object::Unknown)
    }

    /// Whether a number that gets to shared memory or to another thread as an address may happen
    /// to be that of a thread's own object.
    #[must_use]
    pub fn escapes_by_guess(&self, module: &Module) -> bool {
        self.escape_through(module, Object::is_any).is_some()
    }

    /// The first escape if what `is_own` holds of may be any address that is ever taken.
    fn escape_through(&self, module: &Module, is_own: impl Fn(Object) -> bool) -> Option<Escape> {
        let shared = self.shared(module);
        let own: Vec<Object> =
            self.objects.iter().copied().filter(|object| object.is_per_thread(module)).collect();
        let pointed_to: FxHashSet<Object> =
            self.sets.values().flatten().map(|place| place.object).collect();
        let taken = own.into_iter().find(|object| pointed_to.contains(object));
        let find = |set: BTreeSet<Object>| {
            let unknown = taken.filter(|_| set.iter().any(|&object| is_own(object)));
            set.into_iter().find(|object| object.is_per_thread(module)).or(unknown)
        };
        let is_shared = |id: FunctionId, address: Operand| {
            let is = |object: &Object| object.is_any() || shared.contains(object);
            self.targets(id, address).iter().any(is)
        };
        for (id, function) in module.functions() {
            for (entity, instruction) in function.entities(id) {
                let object = match &instruction.op {
                    Op::Spawn { arguments, .. } => {
                        arguments.iter().find_map(|&argument| find(self.targets(id, argument)))
                    }
                    Op::Store { address, value, .. } if is_shared(id, *address) => {
                        find(self.targets(id, *value))
                    }
                    Op::CopyMemory { destination, source, .. } if is_shared(id, *destination) => {
                        let sources = self.targets(id, *source);
                        sources.into_iter().find_map(|object| find(self.contents(object)))
                    }
                    _ => None,
                };
                if let Some(object) = object {
                    return Some(Escape::new(module, entity, instruction, object));
                }
            }
        }
        None
    }
}

impl Analysis for PointsTo {
    const NAME: &'static str = "points-to sets";

    fn compute(module: &Module, analyses: &mut Analyses) -> Result<Self, Exceeded> {
        Self::within(module, analyses.limits())
    }
}

/// The address of a thread's own object that other threads get to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The instruction that lets it out.
    pub entity: Entity,
    /// The place in the source where it does.
    pub location: Location,
    /// What happens there, in words.
    pub text: String,
    /// The place where the address of a local is taken.
    pub taken: Option<Location>,
}

impl Escape {
    /// What is at [`taken`](Self::taken).
    pub const TAKEN: &'static str = "its address is taken here";

    fn new(module: &Module, entity: Entity, by: &Instruction, object: Object) -> Self {
        let what = match object {
            Object::Slot(owner, slot) => {
                let owner = module.function(owner);
                let name = owner.slots.get(slot.index()).map_or("?", |s| s.name.as_str());
                format!("local '{name}' of '{}'", owner.name)
            }
            Object::Global(id) => {
                format!("thread-local '{}'", module.globals[id.index()].name)
            }
            _ => "an object".to_owned(),
        };
        let text = format!("the address of {what} gets into shared memory or another thread here");
        let is_local = matches!(object, Object::Slot(..));
        let taken = is_local.then(|| taken_at(module, object));
        Self { entity, location: by.location, text, taken }
    }
}

/// Where the address of a stack object is used other than to access it.
fn taken_at(module: &Module, object: Object) -> Location {
    let Object::Slot(owner, slot) = object else { return Location::default() };
    let function = module.function(owner);
    let instructions = function.instructions();
    let taking = instructions.filter(|instruction| {
        let mut found = false;
        match &instruction.op {
            Op::Load { .. } => {}
            Op::Store { value, .. } => found = *value == Operand::Slot(slot),
            op => op.for_each_operand(|operand| found |= operand == Operand::Slot(slot)),
        }
        found
    });
    taking.map(|instruction| instruction.location).next().unwrap_or(function.location)
}

/// By how many bytes an index moves an address forward, past elements of a size; `None` if it moves
/// it back, or too far.
fn forward(index: u128, size: u64) -> Option<u64> {
    let bytes = u64::try_from(index).ok()?.checked_mul(size)?;
    i64::try_from(bytes).is_ok().then_some(bytes)
}

fn object_of(function: FunctionId, operand: Operand) -> Option<Object> {
    match operand {
        Operand::Global(id) => Some(Object::Global(id)),
        Operand::Function(id) => Some(Object::Function(id)),
        Operand::Slot(slot) => Some(Object::Slot(function, slot)),
        Operand::Value(_) | Operand::Int { .. } | Operand::Null => None,
    }
}
