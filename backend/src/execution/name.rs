//! Names of places in memory and of values, as the source writes them.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::interpret::Machine;
use sapa_ir::goto::operation::{self, THREAD_END};
use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{
    Field, FunctionId, Global, GlobalId, Initializer, Location, Module, Type, address, arithmetic,
};

use super::part::{Members, Part, Unnamed};

/// A place in memory.
#[derive(Clone, Debug)]
pub(crate) struct Place<'m> {
    /// As the source writes it, `byte 2 of x` where it is a part of a scalar; `None` for what the
    /// source does not know of.
    pub name: Option<String>,
    /// Type of what is there.
    pub ty: Type,
    /// Whether that is a signed integer of the source.
    pub signed: bool,
    /// Whether no other thread reaches it.
    pub private: bool,
    /// Whether it is inside of something whose members the source does not name.
    pub inner: bool,
    /// What it is some bytes of, where it is no more.
    pub part_of: Option<String>,
    /// The bit-fields that are there.
    pub bits: Option<Bits<'m>>,
    /// Bytes from the start of the innermost part that has a name.
    pub rest: u64,
    /// Whether the object has no contents at first that the source gives it.
    pub undefined: bool,
}

/// Bit-fields of a structure that share one field of the IR.
#[derive(Clone, Debug)]
pub(crate) struct Bits<'m> {
    /// The structure, as the source writes it.
    pub name: String,
    /// Where the field is.
    pub pointer: u128,
    pub field: &'m Field,
}

/// Names objects; those on the heap are numbered as they come.
#[derive(Debug)]
pub(crate) struct Names<'m> {
    module: &'m Module,
    /// Functions of the library that are models.
    models: BTreeSet<&'m str>,
    /// Numbers of objects on the heap, by the objects'.
    heap: BTreeMap<u64, usize>,
    /// The locals that objects on the heap stand for, by the objects' numbers.
    locals: BTreeMap<u64, &'m str>,
    /// The thread that does what is named: of what is local to threads, its own has the name in the
    /// source alone.
    pub(crate) thread: u32,
}

/// Where an object comes from.
enum Origin<'m> {
    Global(&'m Global),
    /// The object of a thread that each thread has.
    Own(&'m Global, u32),
    Slot(&'m sapa_ir::goto::Slot),
    Heap,
    Function(FunctionId),
}

impl<'m> Names<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        let models = module.functions.iter().filter(|f| is_library(module, f.location));
        let models = models.map(|function| function.name.as_str()).collect();
        let locals = module.globals.iter().zip(1..).filter_map(|(global, number)| {
            let local = local_of(module, global.location)?;
            Some((number, plain(local).unwrap_or(local)))
        });
        Self { module, models, heap: BTreeMap::new(), locals: locals.collect(), thread: 0 }
    }

    /// Whether a function of this name is a model of the library.
    pub(crate) fn is_model(&self, name: &str) -> bool {
        self.models.contains(name)
    }

    /// The name of a local variable; `None` for those of models, of macros of the system's headers
    /// and of the frontend.
    pub(crate) fn local(&self, name: &str) -> Option<String> {
        if let Some((function, _)) = name.rsplit_once("::")
            && self.is_model(function.rsplit("::").next().unwrap_or(function))
        {
            return None;
        }
        plain(name).filter(|name| !name.starts_with("__")).map(str::to_owned)
    }

    fn origin(&self, machine: &Machine<'_>, number: u64) -> Option<Origin<'m>> {
        let module = self.module;
        if let Some((thread, global)) = machine.own(number) {
            return module.globals.get(global.index()).map(|global| Origin::Own(global, thread));
        }
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        if let Some(global) = module.globals.get(index) {
            return Some(Origin::Global(global));
        }
        let index = index - module.globals.len();
        if index < module.functions.len() {
            return Some(Origin::Function(FunctionId::new(index)));
        }
        Some(match machine.slot(number) {
            Some((function, slot)) => {
                let function = module.function(function);
                Origin::Slot(function.slots.get(slot.index())?)
            }
            None => Origin::Heap,
        })
    }

    /// The number of the object that a pointer is into, and the offset there.
    fn decoded(&self, pointer: u128) -> (u64, u64) {
        let encoded = u64::try_from(pointer).unwrap_or(u64::MAX);
        address::decode(self.module.target.pointer_bits, encoded)
    }

    /// The name of an object on the heap.
    fn heap_name(&mut self, number: u64) -> String {
        if let Some(local) = self.locals.get(&number) {
            return (*local).to_owned();
        }
        let next = self.heap.len() + 1;
        format!("heap#{}", self.heap.entry(number).or_insert(next))
    }

    /// An allocation has made an object: where it stands for a local, that is its name, and nothing is allocated there in
    /// words of the source.
    pub(crate) fn allocate(&mut self, pointer: u128, location: Location) -> Option<String> {
        let (number, _) = self.decoded(pointer);
        match local_of(self.module, location) {
            Some(local) => {
                self.locals.insert(number, plain(local).unwrap_or(local));
                None
            }
            None => Some(self.heap_name(number)),
        }
    }

    /// Whether a pointer is to an object on the heap that stands for a local.
    pub(crate) fn is_local(&self, pointer: u128) -> bool {
        let (number, _) = self.decoded(pointer);
        self.locals.contains_key(&number)
    }

    /// The object of an allocation that is a global of the module.
    pub(crate) fn allocated(&mut self, id: GlobalId) -> Option<String> {
        let global = self.module.globals.get(id.index())?;
        let is_heap = is_heap(self.module, global);
        let is_local = local_of(self.module, global.location).is_some();
        (is_heap && !is_local).then(|| self.heap_name(u64::from(id.0) + 1))
    }

    /// Where an access goes that is to no object, or not to one alone, and why that is none.
    pub(crate) fn beyond(
        &mut self,
        machine: &Machine<'_>,
        pointer: u128,
        size: u64,
    ) -> (String, Option<String>) {
        let (number, offset) = self.decoded(pointer);
        let Some((whole, is_alive)) = machine.object(number) else {
            let offset_bits = address::offset_bits(self.module.target.pointer_bits);
            let is_before = arithmetic::signed(offset.into(), offset_bits) < 0;
            let next = is_before.then(|| self.object(machine, number + 1)).flatten();
            return match next.and_then(|object| object.name) {
                Some(name) => (format!("memory before {name}"), None),
                None => {
                    let address = self.pointer(machine, pointer);
                    ("no object".to_owned(), Some(format!("by the address {address}")))
                }
            };
        };
        let name = self.object(machine, number).and_then(|object| object.name);
        let name = name.unwrap_or_else(|| "an object".to_owned());
        if !is_alive && offset.checked_add(size).is_some_and(|end| end <= whole) {
            return (name, Some("which has ended".to_owned()));
        }
        let many = if whole == 1 { "1 byte".to_owned() } else { format!("{whole} bytes") };
        (format!("{} of {name}", bytes(offset, size)), Some(format!("which has {many}")))
    }

    /// The name of an object and what is known of it; `None` for what the source does not know of.
    fn object(&mut self, machine: &Machine<'_>, number: u64) -> Option<Object<'m>> {
        let module = self.module;
        Some(match self.origin(machine, number)? {
            Origin::Global(global) if is_heap(module, global) => Object {
                name: Some(self.heap_name(number)),
                ty: Some(&global.ty),
                // Allocations have no declared type: C's plain integers are signed.
                signed: true,
                private: false,
                undefined: global.initializer != Initializer::Zero,
            },
            Origin::Global(global) => Object {
                name: Some(global_name(module, global)?),
                ty: Some(&global.ty),
                signed: global.signed,
                private: global.constant,
                undefined: global.initializer == Initializer::Undefined,
            },
            Origin::Own(global, thread) => {
                let (name, is_own) = (global_name(module, global)?, thread == self.thread);
                Object {
                    name: Some(if is_own { name } else { format!("{name} of thread {thread}") }),
                    ty: Some(&global.ty),
                    signed: global.signed,
                    private: is_own || global.constant,
                    undefined: global.initializer == Initializer::Undefined,
                }
            }
            Origin::Slot(slot) => Object {
                name: self.local(&slot.name),
                ty: Some(&slot.ty),
                signed: slot.signed,
                private: true,
                undefined: true,
            },
            Origin::Heap => Object {
                name: Some(self.heap_name(number)),
                ty: None,
                signed: false,
                private: false,
                undefined: true,
            },
            Origin::Function(_) => return None,
        })
    }

    /// What an access of a type at a pointer reaches. The pointer was computed by way of some
    /// members.
    pub(crate) fn place(
        &mut self,
        machine: &Machine<'_>,
        pointer: u128,
        ty: &Type,
        members: &Members,
    ) -> Place<'m> {
        self.bytes(machine, pointer, (ty, size(self.module, ty)), members)
    }

    /// What `size` bytes at a pointer are, which are accessed as a type.
    pub(crate) fn bytes(
        &mut self,
        machine: &Machine<'_>,
        pointer: u128,
        (ty, size): (&Type, u64),
        members: &Members,
    ) -> Place<'m> {
        let module = self.module;
        let mut place = Place {
            name: None,
            ty: ty.clone(),
            signed: false,
            private: false,
            inner: false,
            part_of: None,
            bits: None,
            rest: 0,
            undefined: false,
        };
        let (number, offset) = self.decoded(pointer);
        let Some(object) = self.object(machine, number) else { return place };
        (place.private, place.undefined) = (object.private, object.undefined);
        let Some(object_ty) = object.ty else {
            place.name = object.name.map(|name| match offset {
                0 => name,
                _ => format!("{} of {name}", bytes(offset, size)),
            });
            return place;
        };
        let part =
            Part::whole(object_ty, object.signed, offset).accessed(module, ty, size, members);
        (place.signed, place.rest) = (part.signed, part.rest);
        let Some(name) = object.name.map(|name| name + &part.path) else { return place };
        // What is all of something whose members have no names of the source is that.
        let is_whole = part.rest == 0 && part.ty.size(module) == size;
        match part.unnamed {
            Some(Unnamed::Padding) => return place,
            Some(Unnamed::BitFields(field)) => {
                let pointer = pointer - u128::from(part.rest) + u128::from(field.offset);
                place.bits = Some(Bits { name: name.clone(), pointer, field });
            }
            Some(Unnamed::Inner) => place.inner = !is_whole,
            // A pointer that is accessed as an integer, or an integer as a pointer, is shown as it
            // is.
            None if is_whole && part.ty.is_scalar() => place.ty = part.ty.clone(),
            None if is_whole => {}
            None => {
                place.signed = false;
                place.name = Some(format!("{} of {name}", bytes(part.rest, size)));
                place.part_of = Some(name);
                return place;
            }
        }
        place.name = Some(name);
        place
    }

    /// A synchronisation object: without its own members.
    pub(crate) fn synchronised(&mut self, machine: &Machine<'_>, pointer: u128) -> Option<String> {
        self.place(machine, pointer, &Type::Int(32), &Members::new()).name
    }

    /// A value of a type.
    pub(crate) fn value(
        &mut self,
        machine: &Machine<'_>,
        value: u128,
        ty: &Type,
        signed: bool,
    ) -> String {
        let Some(bits) = ty.bits(self.module) else { return value.to_string() };
        if *ty == Type::Pointer {
            return self.pointer(machine, value);
        }
        let number = match signed {
            true => arithmetic::signed(value, bits).to_string(),
            false => value.to_string(),
        };
        match u8::try_from(value) {
            Ok(byte) if bits == 8 && (byte.is_ascii_graphic() || byte == b' ') => {
                format!("{number} ('{}')", char::from(byte))
            }
            _ => number,
        }
    }

    /// The object that a pointer is to, as a whole.
    pub(crate) fn whole(&mut self, machine: &Machine<'_>, pointer: u128) -> String {
        let (number, _) = self.decoded(pointer);
        let name = self.object(machine, number).and_then(|object| object.name);
        name.unwrap_or_else(|| self.pointer(machine, pointer))
    }

    fn pointer(&mut self, machine: &Machine<'_>, value: u128) -> String {
        let module = self.module;
        let (number, offset) = self.decoded(value);
        if value == 0 {
            return "NULL".to_owned();
        }
        if value >> address::offset_bits(module.target.pointer_bits) == 0 {
            // A number that was made a pointer.
            return value.to_string();
        }
        // As `MAP_FAILED` is, which is in no object.
        if arithmetic::signed(value, module.target.pointer_bits) == -1 {
            return "-1".to_owned();
        }
        if let Some(Origin::Function(id)) = self.origin(machine, number) {
            return source_name(&module.function(id).name).to_owned();
        }
        if let Some(Origin::Global(global)) = self.origin(machine, number)
            && let Some(text) = string(global)
        {
            return if offset == 0 { text } else { format!("{text} + {offset}") };
        }
        let Some(object) = self.object(machine, number) else { return format!("{value:#x}") };
        let Some(name) = object.name else { return format!("{value:#x}") };
        let Some(ty) = object.ty else { return format!("&{name}{}", behind(offset)) };
        if offset >= ty.size(module) {
            let past = offset - ty.size(module);
            return match ty {
                Type::Array(element, _) if past % element.size(module).max(1) == 0 => {
                    format!("&{name}[{}]", offset / element.size(module).max(1))
                }
                _ if past == 0 => format!("&{name} + 1"),
                _ => format!("&{name}{}", behind(offset)),
            };
        }
        let part = Part::whole(ty, false, offset).beginning(module);
        format!("&{name}{}{}", part.path, behind(part.rest))
    }
}

/// Bytes that are added to a pointer.
fn behind(offset: u64) -> String {
    match offset {
        0 => String::new(),
        1 => " + 1 byte".to_owned(),
        _ => format!(" + {offset} bytes"),
    }
}

/// Some bytes, counted from 0.
fn bytes(first: u64, size: u64) -> String {
    match size {
        0 | 1 => format!("byte {first}"),
        _ => format!("bytes {first} to {}", first.saturating_add(size - 1)),
    }
}

/// What is known of an object.
struct Object<'m> {
    name: Option<String>,
    ty: Option<&'m Type>,
    signed: bool,
    private: bool,
    undefined: bool,
}

/// The local that an allocation at this place stands for, or a global that was made of one.
fn local_of(module: &Module, location: Location) -> Option<&str> {
    let name = module.operation(location)?.strip_prefix(operation::LOCAL)?;
    name.strip_suffix(operation::LOCAL_END)
}

/// Whether a global of the module is an object of an allocation.
fn is_heap(module: &Module, global: &Global) -> bool {
    module.operation(global.location).is_some_and(|operation| operation != THREAD_END)
}

/// The name of a global; `None` for what passes and the library's models add.
fn global_name(module: &Module, global: &Global) -> Option<String> {
    let is_internal = module.operation(global.location).is_some()
        || (global.location.line != 0 && is_library(module, global.location));
    if let Some(text) = string(global) {
        return Some(text);
    }
    plain(&global.name).filter(|_| !is_internal).map(str::to_owned)
}

/// Whether a location is in the models of the library.
fn is_library(module: &Module, location: Location) -> bool {
    module.files.get(location.file.index()).is_some_and(|file| file.starts_with("<library>/"))
}

/// A name without what makes it unique in its module; `None` for what the frontend adds, which ends
/// in `#` (`temporary#`, and `temporary##2`).
fn plain(name: &str) -> Option<&str> {
    let own = name.rsplit("::").next().unwrap_or(name);
    match own.split_once('#') {
        None => Some(own),
        Some((_, "")) => None,
        Some((plain, number)) => (!number.starts_with('#')).then_some(plain),
    }
}

/// A function's name without what makes it unique in its module.
pub(crate) fn source_name(name: &str) -> &str {
    plain(name).unwrap_or(name)
}

/// Whether a variable of the abstraction is one that the source names: no value of an instruction,
/// nothing that passes have made, no part of what the system's headers keep to themselves.
pub(crate) fn is_of_source(variable: &str) -> bool {
    !variable.contains(['#', '%', '@', '`'])
        && variable.split(['.', ':', '[']).all(|part| !part.starts_with("__"))
}

/// A string literal, as the source writes it.
fn string(global: &Global) -> Option<String> {
    let Initializer::Aggregate(items) = &global.initializer else { return None };
    if !global.constant || !global.name.starts_with("string#") {
        return None;
    }
    let bytes = items.iter().map(|item| match item {
        Initializer::Int(byte) => u8::try_from(*byte).ok(),
        _ => None,
    });
    let bytes: Option<Vec<u8>> = bytes.collect();
    Some(format!("\"{}\"", String::from_utf8_lossy(&bytes?).escape_default()))
}

/// Bytes of a scalar.
pub(crate) fn size(module: &Module, ty: &Type) -> u64 {
    ty.bits(module).map_or_else(|| ty.size(module), int_size)
}
