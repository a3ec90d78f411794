//! The objects of an unfolding, and what they hold at first.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::bytes::initialize;
use sapa_ir::goto::{
    BlockId, Endianness, FunctionId, GlobalId, Initializer, Module, Operand, SlotId, Type, address,
};

use super::contents::join;
use crate::automaton::leaf::Symbols;
use crate::solver::{Sort, TermId};

/// Where the program has an object. One place may make several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Site {
    Global(GlobalId),
    Slot(FunctionId, SlotId),
    /// An allocation: function, block and index of the instruction.
    Heap(FunctionId, BlockId, usize),
}

/// An object of one activation, or one execution of an allocation.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub site: Site,
    /// In bytes; the largest, if that is not known.
    pub size: u64,
    /// The size, where it is not a constant.
    pub size_term: Option<TermId>,
    /// The contents at first; what is not determined is `None`.
    bytes: Rc<Vec<Option<u8>>>,
    /// Of these, what somebody has written who is not modelled: it may be valid pointers.
    is_given: Rc<Vec<bool>>,
}

/// Largest object, in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// All objects, by number: those of globals and functions as in the interpreter ([`address`]), then
/// those that come into being, in the order of unfolding.
pub(super) struct Objects {
    pub endianness: Endianness,
    pub pointer_bits: u16,
    all: FxHashMap<u64, Object>,
    next: u64,
    /// The numbers that are those of functions.
    functions: std::ops::Range<u64>,
    /// Bytes that are not determined at first, by object and offset.
    unknown: FxHashMap<(u64, u64), TermId>,
    /// The newest of them.
    unwritten: Vec<TermId>,
}

impl Objects {
    /// The globals of a module; `None` if one is too large.
    pub fn new(module: &Module) -> Option<Self> {
        let last = (module.globals.len() + module.functions.len()) as u64;
        let mut objects = Self {
            endianness: module.target.endianness,
            pointer_bits: module.target.pointer_bits,
            all: FxHashMap::default(),
            next: last + 1,
            functions: module.globals.len() as u64 + 1..last + 1,
            unknown: FxHashMap::default(),
            unwritten: Vec::new(),
        };
        for (index, global) in module.globals.iter().enumerate() {
            let size = global.ty.size(module);
            if size > MAX_SIZE {
                return None;
            }
            let mut bytes = vec![None; usize::try_from(size).ok()?];
            initialize(module, &global.ty, &global.initializer, &mut bytes);
            let mut given = vec![None; bytes.len()];
            initialize(module, &global.ty, &without_undefined(&global.initializer), &mut given);
            let is_given = given.iter().map(Option::is_none).collect();
            objects.all.insert(
                index as u64 + 1,
                Object {
                    site: Site::Global(GlobalId::new(index)),
                    size,
                    size_term: None,
                    bytes: Rc::new(bytes),
                    is_given: Rc::new(is_given),
                },
            );
        }
        Some(objects)
    }

    /// A new object; `None` if it is too large. `size_term` is the size where it is no constant, and
    /// `size` the largest.
    pub fn add(
        &mut self,
        site: Site,
        size: u64,
        size_term: Option<TermId>,
        zeroed: bool,
    ) -> Option<u64> {
        if size > MAX_SIZE || self.next >= address::max_object(self.pointer_bits) {
            return None;
        }
        let number = self.next;
        self.next += 1;
        // What is not there is not determined: calls have many large objects of which little is read.
        let determined = if zeroed { usize::try_from(size).ok()? } else { 0 };
        let bytes = vec![Some(0); determined];
        let is_given = Rc::new(Vec::new());
        let bytes = Rc::new(bytes);
        let object = Object { site, size, size_term, bytes, is_given };
        self.all.insert(number, object);
        Some(number)
    }

    /// Another object of a global, as each thread has its own of what is local to threads; `None` if there
    /// are too many.
    pub fn add_own(&mut self, global: GlobalId) -> Option<u64> {
        let new = self.next;
        let object = self.all.get(&(global.index() as u64 + 1))?.clone();
        if new >= address::max_object(self.pointer_bits) {
            return None;
        }
        self.next += 1;
        self.all.insert(new, object);
        Some(new)
    }

    pub fn get(&self, number: u64) -> Option<&Object> {
        self.all.get(&number)
    }

    /// Whether a number is that of a function, as a pointer to it has it.
    pub fn is_function(&self, number: u64) -> bool {
        self.functions.contains(&number)
    }

    /// The pointer to a place.
    pub fn pointer(&self, object: u64, offset: u64) -> u128 {
        u128::from(address::encode(self.pointer_bits, object, offset))
    }

    /// The variables that stand for what is not determined, since they were last asked for.
    pub fn take_unwritten(&mut self) -> Vec<TermId> {
        std::mem::take(&mut self.unwritten)
    }

    /// What a part of an object holds at first.
    pub fn initial(
        &mut self,
        symbols: &mut Symbols,
        number: u64,
        offset: u64,
        size: u64,
    ) -> TermId {
        let (bytes, is_given) = match self.all.get(&number) {
            Some(object) => (object.bytes.clone(), object.is_given.clone()),
            None => Default::default(),
        };
        let parts: Vec<TermId> = (offset..offset + size)
            .map(|at| {
                let known =
                    usize::try_from(at).ok().and_then(|at| bytes.get(at).copied()).flatten();
                match known {
                    Some(byte) => symbols.store.constant(8, u128::from(byte)),
                    None => *self.unknown.entry((number, at)).or_insert_with(|| {
                        let byte = symbols.store.fresh(Sort::Bv(8), "unwritten");
                        let at = usize::try_from(at).unwrap_or(usize::MAX);
                        if is_given.get(at) != Some(&true) {
                            self.unwritten.push(byte);
                        }
                        byte
                    }),
                }
            })
            .collect();
        join(symbols, self.endianness, &parts)
    }
}

/// Initial contents with zeros where nobody has written.
fn without_undefined(initializer: &Initializer) -> Initializer {
    match initializer {
        Initializer::Undefined => Initializer::Zero,
        Initializer::Aggregate(items) => {
            Initializer::Aggregate(items.iter().map(without_undefined).collect())
        }
        other => other.clone(),
    }
}

/// Parts of at most 16 bytes in which an object of a type is copied: its scalars, and what lies
/// between them. Members of a union that overlap are one part, or several, cut anywhere.
pub(super) fn parts(module: &Module, ty: &Type) -> Vec<(u64, u64)> {
    let mut cuts = std::collections::BTreeSet::new();
    let size = ty.size(module);
    cuts.extend([0, size]);
    add_cuts(module, ty, 0, &mut cuts);
    let cuts: Vec<u64> = cuts.into_iter().collect();
    let mut parts = Vec::new();
    for pair in cuts.windows(2) {
        let mut at = pair[0];
        while at < pair[1] {
            let length = (pair[1] - at).min(16);
            parts.push((at, length));
            at += length;
        }
    }
    parts
}

fn add_cuts(module: &Module, ty: &Type, offset: u64, cuts: &mut std::collections::BTreeSet<u64>) {
    match ty {
        Type::Int(_) | Type::Pointer => cuts.extend([offset, offset + ty.size(module)]),
        Type::Struct(id) => {
            for field in module.structs.get(id.index()).map_or(&[][..], |s| &s.fields) {
                add_cuts(module, &field.ty, offset + field.offset, cuts);
            }
        }
        Type::Array(element, count) => {
            let step = element.size(module);
            for index in 0..*count {
                add_cuts(module, element, offset + index * step, cuts);
            }
        }
    }
}

/// The number of the object that an operand names, if it is a global or a function.
pub(super) fn named(module: &Module, operand: Operand) -> Option<u64> {
    match operand {
        Operand::Global(global) => Some(address::global(module, global)),
        Operand::Function(function) => Some(address::function(module, function)),
        _ => None,
    }
}
