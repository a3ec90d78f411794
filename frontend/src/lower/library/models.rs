//! Functions whose models are written in C (`models/*.c`) and compiled with the
//! programs that call them.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{FunctionId, Operand};

use super::is_listed;
use crate::lower::body::{Body, Value};
use crate::lower::program::{Lowered, Lowerer, Part};
use crate::position::Position;

/// The models that the user asks for with [`Outside::posix`], as a verdict says that rests on them.
///
/// [`Outside::posix`]: crate::lower::Outside::posix
pub(crate) const POSIX: (&str, &str) = ("<library>/posix.c", include_str!("models/posix.c"));

/// The models' sources, by name.
pub(crate) const SOURCES: &[(&str, &str)] = &[
    ("<library>/calendar.c", include_str!("models/calendar.c")),
    ("<library>/characters.c", include_str!("models/characters.c")),
    ("<library>/clocks.c", include_str!("models/clocks.c")),
    ("<library>/doubles.c", include_str!("models/doubles.c")),
    ("<library>/environment.c", include_str!("models/environment.c")),
    ("<library>/exit.c", include_str!("models/exit.c")),
    ("<library>/float.c", include_str!("models/float.c")),
    ("<library>/input.c", include_str!("models/input.c")),
    ("<library>/memory.c", include_str!("models/memory.c")),
    ("<library>/numbers.c", include_str!("models/numbers.c")),
    ("<library>/output.c", include_str!("models/output.c")),
    ("<library>/sorting.c", include_str!("models/sorting.c")),
    ("<library>/system.c", include_str!("models/system.c")),
    ("<library>/text.c", include_str!("models/text.c")),
    ("<library>/threads.c", include_str!("models/threads.c")),
    ("<library>/unknown.c", include_str!("models/unknown.c")),
];

impl Lowerer<'_> {
    /// Reads the models, once. They become further units of the program.
    fn load_models(&mut self, position: Position) -> Lowered<()> {
        if self.models.is_some() {
            return Ok(());
        }
        let mut models = FxHashMap::default();
        let units = match (self.library)(self.options.outside.posix) {
            Ok(units) => units,
            Err(what) => return self.error(position, what),
        };
        for of_models in units {
            let unit = self.units.len();
            let input = Rc::clone(&of_models.input);
            for found in input.definitions() {
                let place = (unit, found.item);
                if found.is_static {
                    self.statics.insert((unit, found.name), place);
                } else {
                    models.insert(found.name, place);
                }
            }
            self.units.push(of_models);
            // Files of a program are declared one after the other; this one comes later.
            let current = std::mem::replace(&mut self.unit, unit);
            let scopes = std::mem::take(&mut self.scopes);
            while self.file_scopes.len() < unit {
                self.file_scopes.push(crate::lower::program::Scope::default());
            }
            input.declare(self);
            self.scopes = scopes;
            self.unit = current;
        }
        self.models = Some(models);
        Ok(())
    }

    /// Whether a function has a model that the user did not ask for.
    pub fn has_stub(&self, name: &str) -> bool {
        !self.options.outside.posix
            && self.models_define(|part, found| part == Part::System && found == name)
    }

    /// Whether a function is one of the C library's that has a model, or needs none.
    pub fn is_of_c_library(&self, name: &str) -> bool {
        let is_it = |found: &str| found.strip_prefix("__sapa_").unwrap_or(found) == name;
        is_listed(name) || self.models_define(|_, found| is_it(found))
    }

    /// Whether a part of the library defines such a function for others.
    fn models_define(&self, is_such: impl Fn(Part, &str) -> bool) -> bool {
        let units = (self.library)(true).unwrap_or_default();
        units.iter().any(|unit| {
            let definitions = unit.input.definitions();
            definitions.iter().any(|found| !found.is_static && is_such(unit.part, &found.name))
        })
    }

    /// The model of this name, to be lowered.
    pub fn model_function(
        &mut self,
        name: &str,
        position: Position,
    ) -> Lowered<Option<FunctionId>> {
        self.load_models(position)?;
        let Some(definition) = self.models.as_ref().and_then(|models| models.get(name)).copied()
        else {
            return Ok(None);
        };
        if let Some(id) = self.defined.get(&definition) {
            return Ok(Some(*id));
        }
        if self.units.get(definition.0).is_some_and(|unit| unit.part == Part::System) {
            self.note(
                "assuming that the calls of the system that '--stubs posix' models return, and change no memory \
                 but where their arguments say",
            );
        }
        let Some(ty) = self.type_of_definition(definition) else { return Ok(None) };
        let current = std::mem::replace(&mut self.unit, definition.0);
        let id = self.add_function(name, &ty, Some(definition), Position::default());
        self.unit = current;
        Ok(Some(id))
    }
}

impl Body<'_, '_> {
    /// A call of a function that has a model in C; `None` for others.
    pub(super) fn modelled(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let Some(id) = self.unit.model_function(plain, position)? else { return Ok(None) };
        let definition = self.unit.models.as_ref().and_then(|models| models.get(plain)).copied();
        let Some(ty) = definition.and_then(|definition| self.unit.type_of_definition(definition))
        else {
            return Ok(None);
        };
        // What `open` takes behind the parameters of its model does not matter to it.
        let count = if ty.open { arguments.len() } else { ty.parameters.len() };
        let arguments = arguments.iter().take(count).cloned().collect();
        self.call_function(Operand::Function(id), &ty, arguments, position).map(Some)
    }
}
