//! Names of places in memory and of values, as the source writes them.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::interpret::Machine;
use sapa_ir::goto::operation::THREAD_END;
use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{
    FunctionId, Global, GlobalId, Initializer, Location, Module, Type, address, arithmetic,
};

/// A place in memory.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// As the source writes it; `None` for what the source does not know of.
    pub name: Option<String>,
    /// Type of the scalar there.
    pub ty: Type,
    /// Whether that is a signed integer of the source.
    pub signed: bool,
    /// Whether no other thread reaches it.
    pub private: bool,
    /// Whether it is inside of something whose members the source does not name.
    pub inner: bool,
    /// Bytes from the start of the innermost part that has a name.
    pub rest: u64,
    /// Whether the object has no contents at first that the source gives it.
    pub undefined: bool,
}

/// Names objects; those on the heap are numbered as they come.
#[derive(Debug)]
pub(super) struct Names<'m> {
    module: &'m Module,
    /// Functions of the library that are models.
    models: BTreeSet<&'m str>,
    /// Numbers of objects on the heap, by the objects'.
    heap: BTreeMap<u64, usize>,
}

/// Where an object comes from.
enum Origin<'m> {
    Global(&'m Global),
    Slot(&'m sapa_ir::goto::Slot),
    Heap,
    Function(FunctionId),
}

impl<'m> Names<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        let models = module.functions.iter().filter(|f| is_library(module, f.location));
        let models = models.map(|function| function.name.as_str()).collect();
        Self { module, models, heap: BTreeMap::new() }
    }

    /// Whether a function of this name is a model of the library.
    pub(super) fn is_model(&self, name: &str) -> bool {
        self.models.contains(name)
    }

    /// The name of a local variable; `None` for those of models, of macros of the system's headers
    /// and of the frontend.
    pub(super) fn local(&self, name: &str) -> Option<String> {
        if let Some((function, _)) = name.rsplit_once("::")
            && self.is_model(function.rsplit("::").next().unwrap_or(function))
        {
            return None;
        }
        plain(name).filter(|name| !name.starts_with("__")).map(str::to_owned)
    }

    fn origin(&self, machine: &Machine<'_>, number: u64) -> Option<Origin<'m>> {
        let module = self.module;
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

    /// The name of an object on the heap.
    fn heap_name(&mut self, number: u64) -> String {
        let next = self.heap.len() + 1;
        format!("heap#{}", self.heap.entry(number).or_insert(next))
    }

    /// The object of an allocation that is a global of the module.
    pub(super) fn allocated(&mut self, id: GlobalId) -> Option<String> {
        let global = self.module.globals.get(id.index())?;
        is_heap(self.module, global).then(|| self.heap_name(u64::from(id.0) + 1))
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
                private: global.thread_local || global.constant,
                undefined: global.initializer == Initializer::Undefined,
            },
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

    /// What an access of a type at a pointer reaches.
    pub(super) fn place(&mut self, machine: &Machine<'_>, pointer: u128, ty: &Type) -> Place {
        let module = self.module;
        let mut place = Place {
            name: None,
            ty: ty.clone(),
            signed: false,
            private: false,
            inner: false,
            rest: 0,
            undefined: false,
        };
        let encoded = u64::try_from(pointer).unwrap_or(u64::MAX);
        let (number, offset) = address::decode(module.target.pointer_bits, encoded);
        let Some(object) = self.object(machine, number) else { return place };
        (place.private, place.undefined) = (object.private, object.undefined);
        let size = ty.size(module);
        let Some(object_ty) = object.ty else {
            let at = if offset == 0 { String::new() } else { format!("+{offset}") };
            place.name = object.name.map(|name| format!("{name}{at}"));
            return place;
        };
        let found = walk(module, object_ty, object.signed, offset, |inner, at| {
            at == 0 && inner.size(module) == size && inner.is_scalar()
        });
        (place.signed, place.inner, place.rest) = (found.signed, found.inner, found.rest);
        // A pointer that is accessed as an integer, or an integer as a pointer, is shown as it is.
        if found.ty.is_some_and(|found| found.size(module) == size) {
            place.ty = found.ty.cloned().unwrap_or(place.ty);
        }
        place.name = object.name.map(|name| name + &found.path);
        place
    }

    /// A synchronisation object: without its own members.
    pub(super) fn synchronised(&mut self, machine: &Machine<'_>, pointer: u128) -> Option<String> {
        self.place(machine, pointer, &Type::Int(32)).name
    }

    /// A value of a type.
    pub(super) fn value(
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
    pub(super) fn whole(&mut self, machine: &Machine<'_>, pointer: u128) -> String {
        let encoded = u64::try_from(pointer).unwrap_or(u64::MAX);
        let (number, _) = address::decode(self.module.target.pointer_bits, encoded);
        let name = self.object(machine, number).and_then(|object| object.name);
        name.unwrap_or_else(|| self.pointer(machine, pointer))
    }

    fn pointer(&mut self, machine: &Machine<'_>, value: u128) -> String {
        let module = self.module;
        let encoded = u64::try_from(value).unwrap_or(u64::MAX);
        let (number, offset) = address::decode(module.target.pointer_bits, encoded);
        if value == 0 {
            return "NULL".to_owned();
        }
        if number == 0 {
            // A number that was made a pointer.
            return value.to_string();
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
        let Some(ty) = object.ty else {
            return if offset == 0 { format!("&{name}") } else { format!("&{name}+{offset}") };
        };
        if offset >= ty.size(module) {
            let past = offset - ty.size(module);
            return if past == 0 { format!("&{name} + 1") } else { format!("&{name}+{offset}") };
        }
        // The whole of what begins there; of an array, the first element.
        let is_it = |inner: &Type, at| at == 0 && !matches!(inner, Type::Array(..));
        let found = walk(module, ty, false, offset, is_it);
        match found.rest {
            0 => format!("&{name}{}", found.path),
            rest => format!("&{name}{}+{rest}", found.path),
        }
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

/// A part of an object.
struct Part<'m> {
    /// Members and indices, as the source writes them after the object's name.
    path: String,
    /// Type of the part.
    ty: Option<&'m Type>,
    signed: bool,
    /// Bytes from its start.
    rest: u64,
    /// Whether it has members that the source does not name.
    inner: bool,
}

/// Goes from an object to its part at an offset until `is_it` says so, or it has no parts, or the
/// parts are none that the source names (those of the C library's objects).
fn walk<'m>(
    module: &'m Module,
    ty: &'m Type,
    signed: bool,
    offset: u64,
    is_it: impl Fn(&Type, u64) -> bool,
) -> Part<'m> {
    let mut part = Part { path: String::new(), ty: Some(ty), signed, rest: offset, inner: false };
    while let Some(ty) = part.ty {
        if is_it(ty, part.rest) {
            break;
        }
        match ty {
            Type::Array(element, _) => {
                let size = element.size(module).max(1);
                part.path.push_str(&format!("[{}]", part.rest / size));
                (part.ty, part.rest) = (Some(element.as_ref()), part.rest % size);
            }
            Type::Struct(id) => {
                let fields = module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                let reaches = |ty: &Type, at: u64| at < ty.size(module).max(1);
                let inside = |f: &&sapa_ir::goto::Field| {
                    f.offset <= part.rest && reaches(&f.ty, part.rest - f.offset)
                };
                // Members of a union begin together: one that is as large as what is looked for.
                let exact =
                    |f: &&sapa_ir::goto::Field| inside(f) && is_it(&f.ty, part.rest - f.offset);
                let found = fields.iter().find(exact).or_else(|| fields.iter().find(inside));
                // Padding, or a part of a member.
                let Some(field) = found else {
                    part.inner = true;
                    break;
                };
                if field.name.starts_with("__") || field.name.contains('#') {
                    part.inner = true;
                    break;
                }
                if !field.name.is_empty() {
                    part.path.push('.');
                    part.path.push_str(&field.name);
                }
                part.rest -= field.offset;
                (part.ty, part.signed) = (Some(&field.ty), field.signed);
            }
            _ => break,
        }
    }
    part
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
pub(super) fn source_name(name: &str) -> &str {
    plain(name).unwrap_or(name)
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
pub(super) fn size(module: &Module, ty: &Type) -> u64 {
    ty.bits(module).map_or_else(|| ty.size(module), int_size)
}
