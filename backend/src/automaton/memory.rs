//! Objects and cells: memory cut into scalars.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    Endianness, Entity, Expression, FieldIndex, FunctionId, GlobalId, Initializer, Module, SlotId,
    StructId, Type, address, bytes, types::int_size,
};

use sapa_passes::analysis::accessed::{Accessed, Part};
use sapa_passes::analysis::needed::Needed;
use sapa_passes::analysis::points_to::{self, Offsets};

use super::AutomatonError;
use crate::index::{small_index, typed_index};
use crate::solver::semantics::mask;

/// A scalar in memory; indexes [`Memory::cells`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId(pub u32);

typed_index!(CellId);

/// An object in memory; indexes [`Memory::objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

typed_index!(ObjectId);

/// Who owns an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All threads see the one copy.
    Shared,
    /// Each thread has its own: a `_Thread_local` global.
    EveryThread,
    /// Each thread that runs this function has its own: a stack object.
    Threads(FunctionId),
}

/// What an object is in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A global.
    Global(GlobalId),
    /// A stack object.
    Slot(FunctionId, SlotId),
}

impl Origin {
    /// What messages call it.
    fn entity(self) -> Entity {
        match self {
            Self::Global(id) => Entity::Global(id),
            Self::Slot(function, slot) => Entity::Slot(function, slot),
        }
    }
}

/// An object: a global or a stack object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is in the module.
    pub origin: Origin,
    /// Who owns it.
    pub scope: Scope,
    /// Its address.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Its cells: a range of [`Memory::cells`].
    pub cells: std::ops::Range<u32>,
    /// Whether the program never writes it.
    pub constant: bool,
    /// Whether it has more than its cells: what is read elsewhere in it is any value. So it is with objects
    /// that nothing which matters reads, which have no cells, and with those of too many scalars, which
    /// have cells where constants name them.
    pub opaque: bool,
}

/// A scalar of an object.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The object.
    pub object: ObjectId,
    /// Distance from its start, in bytes.
    pub offset: u64,
    /// Scalar type.
    pub ty: Type,
    /// Width in bits.
    pub bits: u16,
    /// Its address as an expression, for predicates.
    pub place: Expression,
    /// Initial value if it is known (globals).
    pub initial: Option<u128>,
}

/// All objects and cells of a module.
#[derive(Debug, Default)]
pub struct Memory {
    /// Objects; indexed by [`ObjectId`].
    pub objects: Vec<Object>,
    /// Cells; indexed by [`CellId`].
    pub cells: Vec<Cell>,
    /// Objects by what they are in the module.
    by_origin: FxHashMap<Origin, ObjectId>,
    /// Whether there are objects that are one thread's.
    has_private: bool,
    pointer_bits: u16,
    endianness: Endianness,
}

/// Largest number of cells of one object.
const MAX_CELLS: u64 = 4096;

/// Largest size in bytes of an object that gets cells for all that it holds, accessed or not: users
/// name small objects.
const SMALL: u64 = 512;

/// Most cells of a larger object that gets them although nothing that matters reads it: handles that
/// joins read refute traces.
const MAX_UNNEEDED: usize = 64;

/// Most cells of an object that has too many scalars for a cell each.
const MAX_NAMED: usize = 64;

/// Largest global whose initial contents are looked at byte by byte.
const MAX_INITIALIZED: u64 = 1 << 24;

impl Memory {
    /// Lays out the globals of the module and the stack objects of `roots`.
    ///
    /// Of objects that are not small, what nothing accesses has no cells.
    ///
    /// # Errors
    /// If the addresses have no room for an object.
    pub fn new(
        module: &Module,
        roots: &[FunctionId],
        needed: &Needed,
        accessed: &Accessed,
    ) -> Result<Self, AutomatonError> {
        let mut memory = Self {
            pointer_bits: module.target.pointer_bits,
            endianness: module.target.endianness,
            ..Self::default()
        };
        for (index, global) in module.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            let scope = if global.thread_local { Scope::EveryThread } else { Scope::Shared };
            let what = points_to::Object::Global(id);
            let parts: Vec<&Part> = accessed.parts(what).collect();
            let wanted = Wanted { parts: &parts, needed: needed.contains(what) };
            let object = memory.add(module, Origin::Global(id), scope, &global.ty, &wanted)?;
            memory.objects[object.index()].constant = global.constant;
            memory.initialize(module, object, &global.ty, &global.initializer);
        }
        for &root in roots {
            for (index, slot) in module.function(root).slots.iter().enumerate() {
                let id = SlotId::new(index);
                let what = points_to::Object::Slot(root, id);
                let parts: Vec<&Part> = accessed.parts(what).collect();
                let wanted = Wanted { parts: &parts, needed: needed.contains(what) };
                let (origin, scope) = (Origin::Slot(root, id), Scope::Threads(root));
                memory.add(module, origin, scope, &slot.ty, &wanted)?;
            }
        }
        Ok(memory)
    }

    fn add(
        &mut self,
        module: &Module,
        origin: Origin,
        scope: Scope,
        ty: &Type,
        wanted: &Wanted<'_>,
    ) -> Result<ObjectId, AutomatonError> {
        let id = ObjectId::new(self.objects.len());
        let number = match origin {
            Origin::Global(global) => u64::from(global.0) + 1,
            Origin::Slot(..) => (module.functions.len() + self.objects.len()) as u64 + 1,
        };
        let size = ty.size(module);
        if number > address::max_object(self.pointer_bits)
            || size >= 1 << (address::offset_bits(self.pointer_bits) - 1)
        {
            let (entity, object) = (origin.entity(), name(module, origin));
            let location = module.location(entity);
            return Err(AutomatonError::NoRoom { entity, location, object });
        }
        let first = self.cells.len();
        let place = match origin {
            Origin::Global(global) => Expression::Global(global),
            Origin::Slot(function, slot) => Expression::Slot { function, slot },
        };
        let parts = (size > SMALL).then_some(wanted.parts);
        let mut cells = Vec::new();
        let all = flatten(module, ty, 0, place.clone(), parts, &mut cells);
        let unneeded =
            size > SMALL && !wanted.needed && (all.is_none() || cells.len() > MAX_UNNEEDED);
        let opaque = unneeded || all.is_none();
        if opaque {
            cells.clear();
        }
        if opaque && !unneeded {
            let is_named = |part: &&&Part| part.offsets.single().is_some();
            let named: Vec<&Part> = wanted.parts.iter().filter(is_named).copied().collect();
            let few = flatten(module, ty, 0, place, Some(&named), &mut cells);
            if few.is_none() || cells.len() > MAX_NAMED {
                cells.clear();
            }
        }
        for (offset, ty, place) in cells {
            let bits = ty.bits(module).unwrap_or(0);
            self.cells.push(Cell { object: id, offset, ty, bits, place, initial: None });
        }
        let address = address::encode(self.pointer_bits, number, 0);
        let cells = small_index(first)..small_index(self.cells.len());
        self.by_origin.insert(origin, id);
        self.has_private |= scope != Scope::Shared;
        self.objects.push(Object { origin, scope, address, size, cells, constant: false, opaque });
        Ok(id)
    }

    fn initialize(
        &mut self,
        module: &Module,
        object: ObjectId,
        ty: &Type,
        initializer: &Initializer,
    ) {
        if self.object(object).cells.is_empty() {
            return;
        }
        if *initializer == Initializer::Zero {
            for cell in self.object_cells(object) {
                self.cells[cell.index()].initial = Some(0);
            }
            return;
        }
        // What is not known is any value.
        let size = self.object(object).size;
        let Some(size) = usize::try_from(size).ok().filter(|_| size <= MAX_INITIALIZED) else {
            return;
        };
        let mut contents = vec![None; size];
        bytes::initialize(module, ty, initializer, &mut contents);
        for cell in self.object_cells(object) {
            let cell = &mut self.cells[cell.index()];
            let start = usize::try_from(cell.offset).unwrap_or(usize::MAX);
            let size = usize::try_from(int_size(cell.bits)).unwrap_or(usize::MAX);
            let own = contents.get(start..start.saturating_add(size));
            let value = own.and_then(|own| bytes::get(own, module.target.endianness));
            cell.initial = value.map(|value| value & mask(u32::from(cell.bits)));
        }
    }

    /// In which order the bytes of a cell lie.
    #[must_use]
    pub fn endianness(&self) -> Endianness {
        self.endianness
    }

    /// The cells of an object.
    pub fn object_cells(&self, object: ObjectId) -> impl Iterator<Item = CellId> + use<> {
        self.objects[object.index()].cells.clone().map(CellId)
    }

    /// The cell of this id.
    ///
    /// # Panics
    /// If there is no such cell.
    #[must_use]
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }

    /// The object of this id.
    ///
    /// # Panics
    /// If there is no such object.
    #[must_use]
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// The object that holds a cell.
    #[must_use]
    pub fn object_of(&self, cell: CellId) -> &Object {
        self.object(self.cell(cell).object)
    }

    /// Whether all threads see one copy of the cell.
    #[must_use]
    pub fn is_shared(&self, cell: CellId) -> bool {
        self.object_of(cell).scope == Scope::Shared
    }

    /// The address of a cell.
    #[must_use]
    pub fn cell_address(&self, cell: CellId) -> u64 {
        self.object_of(cell).address + self.cell(cell).offset
    }

    /// The address of an object of the module.
    #[must_use]
    pub fn address_of(&self, origin: Origin) -> Option<u64> {
        self.object_at(origin).map(|id| self.object(id).address)
    }

    /// The object that something of the module is.
    #[must_use]
    pub fn object_at(&self, origin: Origin) -> Option<ObjectId> {
        self.by_origin.get(&origin).copied()
    }

    /// Whether there are objects that are one thread's.
    #[must_use]
    pub fn has_private_objects(&self) -> bool {
        self.has_private
    }

    /// Objects that a thread that runs `root` may access: not other threads' stack objects, whose
    /// addresses stay with their threads.
    pub fn accessible(&self, root: FunctionId) -> impl Iterator<Item = ObjectId> {
        let objects = (0u32..).map(ObjectId).take(self.objects.len());
        objects.filter(move |&id| self.is_accessible(root, id))
    }

    /// Whether an object is one of [`accessible`](Self::accessible).
    #[must_use]
    pub fn is_accessible(&self, root: FunctionId, object: ObjectId) -> bool {
        !matches!(self.object(object).scope, Scope::Threads(other) if other != root)
    }
}

/// The name of an object in the module.
fn name(module: &Module, origin: Origin) -> String {
    match origin {
        Origin::Global(global) => module.globals[global.index()].name.clone(),
        Origin::Slot(function, slot) => module.function(function).slots[slot.index()].name.clone(),
    }
}

/// What an object needs of a model.
struct Wanted<'p> {
    /// What may be accessed of it.
    parts: &'p [&'p Part],
    /// Whether what it holds may matter.
    needed: bool,
}

/// Offset in bytes and width in bits of each scalar of a type; `None` if there are too many.
#[must_use]
pub fn scalars(module: &Module, ty: &Type) -> Option<Vec<(u64, u16)>> {
    let mut cells = Vec::new();
    flatten(module, ty, 0, Expression::Null, None, &mut cells)?;
    Some(cells.into_iter().map(|(offset, ty, _)| (offset, ty.bits(module).unwrap_or(1))).collect())
}

/// Whether bytes of an object may be accessed: all are if there are no parts to look at.
fn is_accessed(parts: Option<&[&Part]>, offset: u64, size: u64) -> bool {
    let bytes = Offsets::new(offset, 0);
    parts.is_none_or(|parts| {
        parts.iter().any(|part| part.offsets.may_overlap(part.size, bytes, size))
    })
}

/// Which elements of an array, `offset` bytes into an object, have to be looked at; `None` if they
/// are too many.
fn elements(parts: Option<&[&Part]>, offset: u64, step: u64, count: u64) -> Option<Vec<u64>> {
    let Some(parts) = parts.filter(|_| count > MAX_CELLS && step > 0) else {
        return (count <= MAX_CELLS).then(|| (0..count).collect());
    };
    let mut found = BTreeSet::new();
    for part in parts {
        let (first, last) = match part.offsets.single() {
            Some(start) => {
                let end = start.saturating_add(part.size.max(1));
                if end <= offset {
                    continue;
                }
                (start.saturating_sub(offset) / step, (end - 1 - offset) / step)
            }
            // As many of the first as show that there are too many.
            None => (0, MAX_CELLS.saturating_mul(MAX_CELLS)),
        };
        for index in first..=last.min(count - 1) {
            if is_accessed(Some(&[part]), offset.saturating_add(index.saturating_mul(step)), step) {
                found.insert(index);
            }
            if found.len() as u64 > MAX_CELLS {
                return None;
            }
        }
    }
    Some(found.into_iter().collect())
}

/// Appends the scalars of an object, of which there are `parts`, as (offset, type, address
/// expression); `None` if there are too many.
fn flatten(
    module: &Module,
    ty: &Type,
    offset: u64,
    place: Expression,
    parts: Option<&[&Part]>,
    cells: &mut Vec<(u64, Type, Expression)>,
) -> Option<()> {
    if !is_accessed(parts, offset, ty.size(module)) {
        return Some(());
    }
    match ty {
        Type::Int(_) | Type::Pointer => cells.push((offset, ty.clone(), place)),
        Type::Struct(id) => flatten_struct(module, *id, offset, &place, parts, cells)?,
        Type::Array(element, count) => {
            let step = element.size(module);
            for index in elements(parts, offset, step, *count)? {
                let place = Expression::IndexAddress {
                    base: Box::new(place.clone()),
                    element: (**element).clone(),
                    index: Box::new(Expression::Int {
                        bits: module.target.pointer_bits,
                        value: u128::from(index),
                    }),
                };
                flatten(module, element, offset + index * step, place, parts, cells)?;
            }
        }
    }
    (cells.len() as u64 <= MAX_CELLS).then_some(())
}

fn flatten_struct(
    module: &Module,
    id: StructId,
    offset: u64,
    place: &Expression,
    parts: Option<&[&Part]>,
    cells: &mut Vec<(u64, Type, Expression)>,
) -> Option<()> {
    let structure = module.structs.get(id.index())?;
    let mut covered = Vec::new();
    for (index, field) in structure.fields.iter().enumerate() {
        let place = Expression::FieldAddress {
            base: Box::new(place.clone()),
            structure: id,
            field: FieldIndex::new(index),
        };
        let range = field.offset..field.offset + field.ty.size(module);
        // Members of a union overlap: the bytes are cut by the first member
        // that has them; others read and write parts of those cells.
        if covered
            .iter()
            .any(|other: &std::ops::Range<u64>| other.start < range.end && range.start < other.end)
        {
            continue;
        }
        covered.push(range);
        flatten(module, &field.ty, offset + field.offset, place, parts, cells)?;
    }
    // Bytes that only a longer, later member of a union has, and padding, which bytes of the whole
    // object are copied through or set by.
    let mut byte = 0;
    while byte < structure.size {
        if let Some(range) = covered.iter().find(|range| range.contains(&byte)) {
            byte = range.end.max(byte + 1);
            continue;
        }
        if is_accessed(parts, offset + byte, 1) {
            cells.push((offset + byte, Type::Int(8), byte_place(module, place, byte)));
        }
        byte += 1;
    }
    Some(())
}

fn byte_place(module: &Module, place: &Expression, byte: u64) -> Expression {
    Expression::IndexAddress {
        base: Box::new(place.clone()),
        element: Type::Int(8),
        index: Box::new(Expression::Int {
            bits: module.target.pointer_bits,
            value: u128::from(byte),
        }),
    }
}
