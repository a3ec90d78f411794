//! What instructions do to the buffer of their thread (docs/memory-models.md).

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    BlockId, Entity, Function, FunctionId, Global, GlobalId, Instruction, Location, MemoryModel,
    MemoryOrder, Module, Op, Operand, Section, Type,
};

use super::access::{Access, Overlap};
use super::alone::Alone;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;

/// A kind of stores that may wait: those to one place, or those of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ClassId(usize);

/// See [`ClassId`].
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// What the stores touch.
    pub access: Access,
    /// Type of what they store.
    pub ty: Type,
    /// The only place of all of them; `None` if each waits with an address of its own.
    pub fixed: Option<(GlobalId, u64)>,
    /// What is stored to, in the words of the source; no two classes of a function have the same.
    pub name: String,
    /// Whether the value is signed, to show it.
    pub signed: bool,
    /// The first of the stores.
    pub location: Location,
}

impl Class {
    /// The name without what tells it from others.
    pub fn plain_name(&self) -> &str {
        self.name.trim_end_matches('\'')
    }
}

/// All classes of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes(Vec<Class>);

impl Classes {
    pub fn get(&self, id: ClassId) -> &Class {
        &self.0[id.0]
    }

    /// All of them, in the order of the code.
    pub fn ids(&self) -> impl Iterator<Item = ClassId> {
        (0..self.0.len()).map(ClassId)
    }

    /// Adds a class, with primes behind its name until no other has it.
    fn add(&mut self, mut class: Class) -> ClassId {
        while self.0.iter().any(|other| other.name == class.name) {
            class.name.push('\'');
        }
        self.0.push(class);
        ClassId(self.0.len() - 1)
    }

    /// What two stores of these classes have in common.
    pub fn overlap(&self, a: ClassId, b: ClassId) -> Overlap {
        self.get(a).access.overlap(&self.get(b).access)
    }
}

/// What an instruction does to the buffer.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// Nothing, and nobody sees it.
    Silent,
    /// Nothing, but the thread may stop at it.
    Cut,
    /// Nothing, but other threads may see it.
    Visible,
    /// It reads what waits, else memory; `visible`: which others write; `cut`: the thread may stop
    /// at it.
    Load { access: Access, visible: bool, cut: bool },
    /// Its store waits; if not `begins`, only behind another that waits.
    Store { class: ClassId, release: bool, begins: bool },
    /// It happens when the buffer is empty.
    Drain,
    /// It is nothing but a wait until the buffer is empty.
    Fence,
    /// It keeps what waits before what comes later.
    Barrier,
    /// A section begins.
    Begin(Section),
    /// A section ends.
    End,
}

impl Effect {
    /// Whether the thread waits until its buffer is empty.
    pub fn drains(&self) -> bool {
        matches!(self, Self::Drain | Self::Fence | Self::Begin(Section::Locked))
    }
}

/// The effects of a function's instructions, by block and index.
#[derive(Debug)]
pub(super) struct Effects {
    pub classes: Classes,
    pub of: Vec<Vec<Effect>>,
}

impl Effects {
    /// Lets stores wait only behind others, but for those of which `may_begin`, given block and index, is true.
    pub fn restrict(&mut self, may_begin: impl Fn(BlockId, usize) -> bool) {
        for (block, effects) in self.of.iter_mut().enumerate() {
            for (index, effect) in effects.iter_mut().enumerate() {
                if let Effect::Store { begins, .. } = effect {
                    *begins = may_begin(BlockId::new(block), index);
                }
            }
        }
    }
}

pub(super) struct Reader<'m> {
    pub pass: &'static str,
    pub model: MemoryModel,
    pub module: &'m Module,
    pub points_to: &'m PointsTo,
    pub shared: &'m FxHashSet<Object>,
    pub alone: &'m Alone,
}

impl Reader<'_> {
    /// Reads a function.
    ///
    /// # Errors
    /// It has calls, or operations on locks, that the passes before should have made code of.
    pub fn read(&self, id: FunctionId) -> Result<Effects, PassError> {
        let function = self.module.function(id);
        self.own_objects_stay()?;
        let waiting = self.waiting(id, function)?;
        let mut classes = Classes::default();
        let mut known = FxHashMap::default();
        let mut of = Vec::with_capacity(function.blocks.len());
        for (block, data) in function.blocks() {
            let mut effects = Vec::with_capacity(data.instructions.len());
            for (index, instruction) in data.instructions.iter().enumerate() {
                effects.push(match &instruction.op {
                    Op::Store { address, value, ty, order, .. }
                        if waiting[block.index()][index] =>
                    {
                        let access = self.access(id, *address, ty);
                        let sequential = *order == MemoryOrder::SequentiallyConsistent;
                        let release = *order == MemoryOrder::Release;
                        if sequential {
                            Effect::Drain
                        } else {
                            let class = Class {
                                fixed: access.fixed(),
                                name: self.name(function, &access, *address),
                                signed: self.is_signed(function, &access, *value),
                                access,
                                ty: ty.clone(),
                                location: instruction.location,
                            };
                            let key = match class.fixed {
                                Some(place) => (Some((place, ty.clone())), None),
                                None => (None, Some((block, index))),
                            };
                            let class = *known.entry(key).or_insert_with(|| classes.add(class));
                            Effect::Store { class, release, begins: true }
                        }
                    }
                    _ => {
                        let entity = Entity::Instruction(id, block, index);
                        self.other(id, entity, function, instruction)?
                    }
                });
            }
            of.push(effects);
        }
        Ok(Effects { classes, of })
    }

    /// That no other thread comes to what is local to one: several objects would have the same name,
    /// and a place could not be told by it.
    fn own_objects_stay(&self) -> Result<(), PassError> {
        let own = (0..self.module.globals.len()).map(GlobalId::new).find(|&id| {
            let object = Object::Global(id);
            object.is_per_thread(self.module) && self.shared.contains(&object)
        });
        let Some(id) = own else { return Ok(()) };
        let message = "what is local to a thread may be accessed by others: buffers in the code do not \
                       tell whose it is";
        Err(PassError::new(self.pass, self.module, Entity::Global(id), message))
    }

    fn access(&self, id: FunctionId, address: Operand, ty: &Type) -> Access {
        Access { places: self.points_to.places(id, address), size: ty.size(self.module) }
    }

    /// Whether stores to an object may wait.
    fn is_buffered(&self, object: Object) -> bool {
        match object {
            Object::Global(id) => self.module.globals.get(id.index()).is_some_and(|global| {
                global.is_buffered() && (!global.thread_local || self.shared.contains(&object))
            }),
            Object::Slot(..) | Object::Allocation(..) => self.shared.contains(&object),
            Object::Unknown | Object::Forged => true,
            Object::Function(_) | Object::Number => false,
        }
    }

    /// Whether stores to an object never wait, although others may see them.
    pub fn is_written_at_once(&self, object: Object) -> bool {
        let Object::Global(id) = object else { return false };
        let is_ghost = |global: &Global| !global.is_buffered() && !global.constant;
        self.shared.contains(&object) && self.module.globals.get(id.index()).is_some_and(is_ghost)
    }

    /// By block and index: the stores that wait. Those that may touch what a store that waits
    /// may touch wait too, so that none overtakes another to the same place.
    ///
    /// # Errors
    /// A store that waits and may be to what is written at once.
    fn waiting(&self, id: FunctionId, function: &Function) -> Result<Vec<Vec<bool>>, PassError> {
        let mut stores = Vec::new();
        for (block, data) in function.blocks() {
            for (index, instruction) in data.instructions.iter().enumerate() {
                if let Op::Store { address, ty, .. } = &instruction.op {
                    let access = self.access(id, *address, ty);
                    let waits = !self.alone.at(id, block, index)
                        && access.may_touch(|object| self.is_buffered(object));
                    stores.push((block, index, access, waits));
                }
            }
        }
        loop {
            let late = stores.iter().position(|(block, index, access, waits)| {
                let overtakes = |(.., other, waits): &(_, _, Access, bool)| {
                    *waits && other.overlap(access) != Overlap::None
                };
                !waits && !self.alone.at(id, *block, *index) && stores.iter().any(overtakes)
            });
            match late.and_then(|late| stores.get_mut(late)) {
                Some((.., waits)) => *waits = true,
                None => break,
            }
        }
        let sizes = function.blocks.iter().map(|block| vec![false; block.instructions.len()]);
        let mut waiting: Vec<Vec<bool>> = sizes.collect();
        for (block, index, access, waits) in stores {
            let mut objects = access.places.iter().map(|place| place.object);
            if waits && objects.any(|object| self.is_written_at_once(object)) {
                let entity = Entity::Instruction(id, block, index);
                let location = function.block(block).instructions[index].location;
                let message = "the store may be to what waits in a buffer, or to what never does: use \
                               different pointers for them";
                return Err(PassError::at(self.pass, entity, location, message));
            }
            waiting[block.index()][index] = waits;
        }
        Ok(waiting)
    }

    /// The effect of what is no store that waits.
    fn other(
        &self,
        id: FunctionId,
        entity: Entity,
        function: &Function,
        instruction: &Instruction,
    ) -> Result<Effect, PassError> {
        let refuse =
            |message: &str| Err(PassError::at(self.pass, entity, instruction.location, message));
        let sees = |access: &Access| access.may_touch(|object| self.shared.contains(&object));
        // An access outside its object has no meaning, and ends its thread's run.
        let may_stop = |address: Operand| !matches!(address, Operand::Global(_) | Operand::Slot(_));
        Ok(match &instruction.op {
            Op::Load { address, .. } => {
                let ty = instruction.result.map(|result| &function.values[result.index()].ty);
                let access = self.access(id, *address, ty.unwrap_or(&Type::Pointer));
                Effect::Load { visible: sees(&access), cut: may_stop(*address), access }
            }
            Op::Store { address, ty, order, .. } => {
                if *order == MemoryOrder::SequentiallyConsistent {
                    Effect::Drain
                } else if sees(&self.access(id, *address, ty)) {
                    Effect::Visible
                } else if may_stop(*address) {
                    Effect::Cut
                } else {
                    Effect::Silent
                }
            }
            Op::CopyMemory { .. } | Op::HavocMemory { .. } => Effect::Silent,
            Op::Allocate { .. }
            | Op::Free { .. }
            | Op::ObjectSize { .. }
            | Op::Accessible { .. } => Effect::Visible,
            Op::Spawn { function: Operand::Function(_), .. } | Op::Join { .. } => Effect::Drain,
            Op::Spawn { .. } => {
                return refuse("a thread's function must be known: run 'inline' before");
            }
            Op::Fence { order } => match (order, self.model) {
                (MemoryOrder::SequentiallyConsistent, _) => Effect::Fence,
                (MemoryOrder::Release | MemoryOrder::AcquireRelease, MemoryModel::Pso) => {
                    Effect::Barrier
                }
                _ => Effect::Silent,
            },
            Op::AtomicBegin(section) => Effect::Begin(*section),
            Op::AtomicEnd => Effect::End,
            Op::Assume { .. } => Effect::Cut,
            op if op.may_be_undefined(self.module.signed_overflow) => Effect::Cut,
            Op::Sync { .. } => {
                return refuse(
                    "operations on locks have to be memory first: run 'lower-sync' before",
                );
            }
            Op::Call { callee, .. } => match callee {
                Operand::Function(callee) if !self.module.function(*callee).is_defined() => {
                    Effect::Silent
                }
                _ => return refuse("threads must have no calls: run 'inline' before"),
            },
            _ => Effect::Silent,
        })
    }

    /// What a store is to, for names and reports.
    fn name(&self, function: &Function, access: &Access, address: Operand) -> String {
        if let Some(name) = access.name(self.module) {
            return name;
        }
        let of_value = address.value().and_then(|value| function.values.get(value.index()));
        let variable = of_value.and_then(|value| value.variable);
        match variable.and_then(|variable| function.variables.get(variable.index())) {
            Some(variable) => format!("*{}", variable.name),
            None => match access.places.first() {
                Some(place) => match place.object {
                    Object::Global(id) => self.module.globals.get(id.index()).map_or_else(
                        || "memory".to_owned(),
                        |global| place.text(self.module, &global.name),
                    ),
                    _ => "memory".to_owned(),
                },
                None => "memory".to_owned(),
            },
        }
    }

    fn is_signed(&self, function: &Function, access: &Access, value: Operand) -> bool {
        let of_value = value.value().and_then(|value| function.values.get(value.index()));
        let variable = of_value.and_then(|value| value.variable);
        let variable = variable.and_then(|id| function.variables.get(id.index()));
        let global = access.fixed().and_then(|(id, _)| self.module.globals.get(id.index()));
        global
            .map(|global| global.signed)
            .or(variable.map(|variable| variable.signed))
            .unwrap_or(false)
    }
}
