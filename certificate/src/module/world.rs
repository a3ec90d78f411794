//! States as bits: memory, and what threads have in registers, before some instructions and after them.
//!
//! Memory is bytes. What it holds before is a variable for each bit, made when it is asked for; what was
//! written since is kept beside that. Of a thread's own objects every thread has a copy. Where they
//! lie is of no concern: their addresses count from 0 in each ([`Code`]
//! sees to it that these are used for accesses alone).

use rustc_hash::FxHashMap;
use sapa_ir::goto::bytes;
use sapa_ir::goto::{
    Endianness, FunctionId, GlobalId, Module, Operand, Type, ValueId, VariableId, address,
};

use super::bits::{self, Bits};
use super::code::{Code, Object};
use super::interruption::object_size;
use super::pointers::Targets;
use super::{Made, Problem};
use crate::sat::{FALSE, Literal, Sat, TRUE};

/// How many places of an object one access may be at: of those that may be at more nothing is known.
const MOST_PLACES: usize = 1024;
/// How large an object may be that such places are looked for in.
const MOST_BYTES: u64 = 1 << 15;
/// The largest object, in bytes, whose first contents are looked at.
const LARGEST: u64 = 1 << 20;

/// A byte of memory.
pub(super) type Byte = [Literal; 8];

/// Who has something: all threads, or one of those that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Who {
    /// All share it.
    All,
    /// The thread that moves.
    Active,
    /// Another, which runs this function.
    Passive(FunctionId),
}

/// A byte's name.
type Cell = (Who, Object, u64);

/// What is the case before some instructions, and the solver.
pub(super) struct World<'m> {
    pub(super) module: &'m Module,
    pub(super) sat: Sat,
    cells: FxHashMap<Cell, Byte>,
    /// Bytes of objects that were written somewhere.
    unknown: FxHashMap<(Cell, u32), Byte>,
    /// How often anything was forgotten.
    forgettings: u32,
    values: FxHashMap<(Who, ValueId), Bits>,
    variables: FxHashMap<(Who, VariableId), Bits>,
    /// Whether memory that is shared, and what threads have of their own, is as at first.
    shared_is_new: bool,
    own_is_new: bool,
    /// First contents of globals.
    first: FxHashMap<GlobalId, Vec<Option<u8>>>,
    /// Whether constant objects are sure to stay as they are.
    constants_stay: bool,
}

/// What some instructions have changed.
#[derive(Clone, Default)]
pub(super) struct Changed {
    cells: FxHashMap<Cell, Byte>,
    /// Objects that were written somewhere, and how often: what else they hold may be anything since.
    forgotten: FxHashMap<(Who, Object), u32>,
}

/// Where the bytes of an access may be.
struct Places {
    /// Objects and distances from their starts, with a literal that holds just if they are there.
    known: Vec<(Object, u64, Literal)>,
    /// Objects in which it may be anywhere.
    somewhere: Vec<Object>,
    /// Whether the address is a valid one.
    valid: Literal,
}

/// Where an access is: in an object, or where a pointer may lead.
pub(super) struct Access {
    object: Option<Object>,
    targets: Targets,
    address: Bits,
    size: u64,
}

impl<'m> World<'m> {
    pub(super) fn new(module: &'m Module, sat: Sat, constants_stay: bool) -> Self {
        World {
            module,
            sat,
            cells: FxHashMap::default(),
            unknown: FxHashMap::default(),
            forgettings: 0,
            values: FxHashMap::default(),
            variables: FxHashMap::default(),
            shared_is_new: false,
            own_is_new: false,
            first: FxHashMap::default(),
            constants_stay,
        }
    }

    /// Where the program starts: memory is as it is at first.
    pub(super) fn with_new_memory(mut self) -> Self {
        self.shared_is_new = true;
        self
    }

    /// Where the active thread starts: what it has of its own is as it is at first.
    pub(super) fn with_new_thread(mut self) -> Self {
        self.own_is_new = true;
        self
    }

    pub(super) fn pointer_bits(&self) -> usize {
        usize::from(self.module.target.pointer_bits)
    }

    /// What a thread has in the register of a value.
    pub(super) fn value(&mut self, who: Who, value: ValueId, bits: usize) -> Bits {
        let sat = &mut self.sat;
        self.values.entry((who, value)).or_insert_with(|| sat.several(bits)).clone()
    }

    /// What a thread has in the register of a source variable.
    pub(super) fn variable(&mut self, who: Who, variable: VariableId, bits: usize) -> Bits {
        let sat = &mut self.sat;
        self.variables.entry((who, variable)).or_insert_with(|| sat.several(bits)).clone()
    }

    /// What an operand that is no value is.
    pub(super) fn constant(&self, operand: Operand) -> Bits {
        match operand {
            Operand::Int { bits, value } => bits::constant(usize::from(bits), value),
            Operand::Global(id) => self.global_address(id),
            Operand::Function(id) => {
                let value = u128::from(address::function(self.module, id));
                bits::constant(self.pointer_bits(), value)
            }
            Operand::Null | Operand::Slot(_) | Operand::Value(_) => {
                bits::constant(self.pointer_bits(), 0)
            }
        }
    }

    /// The address of a global; that of a thread's own counts from 0.
    pub(super) fn global_address(&self, id: GlobalId) -> Bits {
        let is_own = self.module.globals.get(id.index()).is_some_and(|global| global.thread_local);
        let value = if is_own { 0 } else { address::global(self.module, id) };
        bits::constant(self.pointer_bits(), u128::from(value))
    }

    /// Any handle of a thread or address of a new object: anything but 0.
    pub(super) fn any_handle(&mut self, bits: usize) -> (Bits, Literal) {
        let any = self.sat.several(bits);
        let zero = bits::equal(&mut self.sat, &any, &bits::constant(bits, 0));
        (any, -zero)
    }

    /// That an address is behind those of all globals and functions, as those of objects on the heap are.
    pub(super) fn is_on_heap(&mut self, address: &[Literal]) -> Literal {
        let last = (self.module.globals.len() + self.module.functions.len()) as u64 + 1;
        let end = address::encode(self.module.target.pointer_bits, last, 0);
        let end = bits::constant(self.pointer_bits(), u128::from(end));
        -bits::less(&mut self.sat, address, &end)
    }

    fn first_contents(&mut self, id: GlobalId) -> Result<&[Option<u8>], Problem> {
        if !self.first.contains_key(&id) {
            let module = self.module;
            let global = &module.globals[id.index()];
            let size = global.ty.size(module);
            if size > LARGEST {
                let what = format!("the object `{}` is too large", global.name);
                return Err(Problem::Unsupported {
                    what,
                    at: Some(module.describe(global.location)),
                });
            }
            let mut contents = vec![None; usize::try_from(size).unwrap_or(0)];
            bytes::initialize(module, &global.ty, &global.initializer, &mut contents);
            self.first.insert(id, contents);
        }
        Ok(self.first.get(&id).map_or(&[][..], Vec::as_slice))
    }

    /// A byte before the instructions.
    fn before(&mut self, cell: Cell) -> Result<Byte, Problem> {
        if let Some(known) = self.cells.get(&cell) {
            return Ok(*known);
        }
        let (who, object, at) = cell;
        let known = match object {
            Object::Shared(id) => {
                let is_constant = self.module.globals.get(id.index()).is_some_and(|g| g.constant);
                (self.shared_is_new || (is_constant && self.constants_stay)).then_some(id)
            }
            Object::OwnGlobal(id) => (self.own_is_new && who == Who::Active).then_some(id),
            Object::Slot(_) => None,
        };
        let known = match known {
            Some(id) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                self.first_contents(id)?.get(at).copied().flatten()
            }
            None => None,
        };
        let mut byte = [FALSE; 8];
        match known {
            Some(value) => {
                let bits = bits::constant(8, u128::from(value));
                byte.copy_from_slice(&bits);
            }
            None => byte.iter_mut().for_each(|bit| *bit = self.sat.fresh()),
        }
        self.cells.insert(cell, byte);
        Ok(byte)
    }

    fn byte(&mut self, changed: &Changed, cell: Cell) -> Result<Byte, Problem> {
        if let Some(byte) = changed.cells.get(&cell) {
            return Ok(*byte);
        }
        match changed.forgotten.get(&(cell.0, cell.1)) {
            Some(version) => {
                let sat = &mut self.sat;
                let any = || std::array::from_fn(|_| sat.fresh());
                Ok(*self.unknown.entry((cell, *version)).or_insert_with(any))
            }
            None => self.before(cell),
        }
    }

    /// An access of that many bytes.
    pub(super) fn access(
        &self,
        (object, targets): (Option<Object>, Targets),
        address: Bits,
        size: u64,
    ) -> Access {
        Access { object, targets, address, size }
    }

    fn places(&mut self, code: &Code<'_>, access: &Access) -> Places {
        let objects = match access.object {
            Some(object) => vec![object],
            None => {
                let is_shared = |id: &GlobalId| {
                    self.module.globals.get(id.index()).is_some_and(|global| !global.thread_local)
                };
                access.targets.shared().filter(is_shared).map(Object::Shared).collect()
            }
        };
        let (mut known, mut somewhere, mut valid) = (Vec::new(), Vec::new(), FALSE);
        for object in objects {
            let start = match object {
                Object::Shared(id) => address::global(self.module, id),
                Object::OwnGlobal(_) | Object::Slot(_) => 0,
            };
            let size = object_size(code, object);
            let Some(last) = size.checked_sub(access.size) else { continue };
            // What it may lead to does not depend on how much is known of it.
            let leads = |distance: &u64| match (access.object, object) {
                (None, Object::Shared(id)) => access.targets.contains(id, *distance),
                _ => true,
            };
            let offsets: Vec<u64> = match bits::as_constant(&access.address) {
                Some(address) => {
                    let distance = address.checked_sub(u128::from(start));
                    let distance = distance.and_then(|d| u64::try_from(d).ok());
                    let distance = distance.filter(|distance| *distance <= last);
                    distance.filter(leads).into_iter().collect()
                }
                None if last >= MOST_BYTES => {
                    somewhere.push(object);
                    continue;
                }
                None => (0..=last).filter(leads).collect(),
            };
            let mut found = Vec::new();
            for offset in offsets {
                let here = u128::from(start.wrapping_add(offset));
                let here = bits::constant(access.address.len(), here);
                let here = bits::equal(&mut self.sat, &access.address, &here);
                if here != FALSE {
                    found.push((object, offset, here));
                }
            }
            if found.len() > MOST_PLACES {
                somewhere.push(object);
                continue;
            }
            for (_, _, here) in &found {
                valid = self.sat.or(valid, *here);
            }
            known.append(&mut found);
        }
        if !somewhere.is_empty() {
            // It may be there; where it is not, there is one run more.
            valid = TRUE;
        }
        if access.object.is_none() && access.targets.has_heap() {
            let on_heap = self.is_on_heap(&access.address);
            valid = self.sat.or(valid, on_heap);
        }
        Places { known, somewhere, valid }
    }

    /// The bytes that are read; elsewhere than in known objects they are `other`, or any if there are none: an
    /// instruction may read what a predicate, which is a function of the state, must not. The literal says that the
    /// address is valid.
    pub(super) fn read(
        &mut self,
        (code, who): (&Code<'_>, Who),
        changed: &Changed,
        access: &Access,
        other: Option<Vec<Byte>>,
    ) -> Made<(Vec<Byte>, Literal)> {
        let Places { known, somewhere, valid } = self.places(code, access);
        let is_instruction = other.is_none();
        let mut result = other.unwrap_or_else(|| self.any_bytes(access.size));
        if let Some(object) = somewhere.first() {
            if !is_instruction {
                let what = format!("a predicate that reads anywhere in {object:?}");
                return Err(Problem::Unsupported { what, at: None });
            }
            return Ok((self.any_bytes(access.size), TRUE));
        }
        for (object, offset, here) in known {
            for (at, byte) in result.iter_mut().enumerate() {
                let whose = if object.is_own() { who } else { Who::All };
                let there = self.byte(changed, (whose, object, offset + at as u64))?;
                for (bit, there) in byte.iter_mut().zip(there) {
                    *bit = self.sat.ite(here, there, *bit);
                }
            }
        }
        Ok((result, valid))
    }

    /// Bytes of any contents.
    pub(super) fn any_bytes(&mut self, size: u64) -> Vec<Byte> {
        let mut byte = || std::array::from_fn(|_| self.sat.fresh());
        (0..size).map(|_| byte()).collect()
    }

    /// Writes bytes; the literal says that the address is valid.
    pub(super) fn write(
        &mut self,
        (code, who): (&Code<'_>, Who),
        changed: &mut Changed,
        access: &Access,
        bytes: &[Byte],
    ) -> Made<Literal> {
        let Places { known, somewhere, valid } = self.places(code, access);
        for object in somewhere {
            let whose = if object.is_own() { who } else { Who::All };
            self.forgettings += 1;
            changed.forgotten.insert((whose, object), self.forgettings);
            changed.cells.retain(|(owner, known, _), _| (*owner, *known) != (whose, object));
        }
        for (object, offset, here) in known {
            for (at, byte) in bytes.iter().enumerate() {
                let whose = if object.is_own() { who } else { Who::All };
                let cell = (whose, object, offset + at as u64);
                let mut there = self.byte(changed, cell)?;
                for (old, new) in there.iter_mut().zip(byte) {
                    *old = self.sat.ite(here, *new, *old);
                }
                changed.cells.insert(cell, there);
            }
        }
        Ok(valid)
    }

    /// The integer of that many bits that some bytes are.
    pub(super) fn integer(&self, bytes: &[Byte], bits: usize) -> Bits {
        let mut all: Bits = Vec::with_capacity(bytes.len() * 8);
        match self.module.target.endianness {
            Endianness::Little => bytes.iter().for_each(|byte| all.extend(byte)),
            Endianness::Big => bytes.iter().rev().for_each(|byte| all.extend(byte)),
        }
        bits::resized(&all, bits)
    }

    /// The bytes of an integer.
    pub(super) fn bytes(&self, integer: &[Literal], size: u64) -> Vec<Byte> {
        let size = usize::try_from(size).unwrap_or(0);
        let all = bits::resized(integer, size * 8);
        let bytes = all.chunks_exact(8).map(|bits| std::array::from_fn(|at| bits[at]));
        match self.module.target.endianness {
            Endianness::Little => bytes.collect(),
            Endianness::Big => bytes.rev().collect(),
        }
    }

    /// The width of a scalar.
    pub(super) fn width(&self, ty: &Type) -> Made<usize> {
        ty.bits(self.module).map(usize::from).ok_or_else(|| Problem::Unsupported {
            what: "an aggregate as a value".to_owned(),
            at: None,
        })
    }

    /// A literal that some bits are not 0.
    pub(super) fn is_one(&self, bits: &[Literal]) -> Literal {
        bits.first().copied().unwrap_or(TRUE)
    }
}
