//! Names of a module's globals, functions and locals in predicates.
//!
//! A global and a function stand under their names, a local variable and a stack object of a
//! function `f` as `f::x`, an SSA value as `f::%7`, or as `f::x@7` if it is a version of the source
//! variable `x`. What such a text does not lead to, because of odd characters or of another name
//! that comes first, stands as the text form of the IR writes it, between backquotes: `` `$odd name` ``.

use super::entity::{FunctionId, GlobalId, SlotId, ValueId, VariableId};
use super::module::Module;
use super::predicate::Expression;
use super::print::print_expression;
use super::types::Type;

/// The bytes that a name takes at the start of a text, backquotes included; 0 if there is none.
#[must_use]
pub fn length(text: &[u8]) -> usize {
    let at = |index: usize| text.get(index).copied().unwrap_or(0);
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    if at(0) == b'`' {
        let mut end = 1;
        while end < text.len() {
            match (at(end), at(end + 1)) {
                (b'`', b'`') => end += 2,
                (b'`', _) => return end + 1,
                _ => end += 1,
            }
        }
        return 0;
    }
    if !is_start(at(0)) {
        return 0;
    }
    let mut end = 1;
    loop {
        end += match (at(end), at(end + 1), at(end + 2)) {
            (byte, ..) if is_start(byte) || byte.is_ascii_digit() || byte == b'\'' => 1,
            (b'#' | b'@', digit, _) if digit.is_ascii_digit() => 2,
            (b':', b':', b'%') if at(end + 3).is_ascii_digit() => 4,
            (b':', b':', byte) if is_start(byte) => 3,
            _ => return end,
        };
    }
}

/// A text between backquotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("`{}`", text.replace('`', "``"))
}

/// The name of a global, function, variable, value or stack object, which [`resolve`] leads back to
/// it.
#[must_use]
pub fn of(module: &Module, leaf: &Expression) -> String {
    let local = |function: FunctionId, name: Option<String>| {
        Some(format!("{}::{}", module.functions.get(function.index())?.name, name?))
    };
    let name = match leaf {
        Expression::Global(id) => module.globals.get(id.index()).map(|g| g.name.clone()),
        Expression::Function(id) => module.functions.get(id.index()).map(|f| f.name.clone()),
        Expression::Variable { function, variable } => {
            let of = module.functions.get(function.index());
            let found = of.and_then(|f| f.variables.get(variable.index()));
            local(*function, found.map(|v| v.name.clone()))
        }
        Expression::Slot { function, slot } => {
            let of = module.functions.get(function.index());
            local(*function, of.and_then(|f| f.slots.get(slot.index())).map(|s| s.name.clone()))
        }
        Expression::Value { function, value } => {
            let version = module.functions.get(function.index()).and_then(|of| {
                let variable = of.values.get(value.index())?.variable?;
                Some(format!("{}@{}", of.variables.get(variable.index())?.name, value.0))
            });
            local(*function, Some(version.unwrap_or_else(|| format!("%{}", value.0))))
        }
        _ => None,
    };
    let name = name.filter(|name| {
        length(name.as_bytes()) == name.len() && resolve(module, name).as_ref() == Ok(leaf)
    });
    name.unwrap_or_else(|| quoted(&print_expression(module, leaf)))
}

/// What a name means: a global, else a local with its function's name, else a local whose name
/// only one function has, else a function.
///
/// # Errors
/// Nothing has the name, or locals of two functions have it.
pub fn resolve(module: &Module, name: &str) -> Result<Expression, String> {
    if let Some(text) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
        let text = text.replace("``", "`");
        let found = leaves(module).find(|leaf| print_expression(module, leaf) == text);
        return found.ok_or_else(|| format!("nothing of the module is written '{text}'"));
    }
    if let Some(id) = module.global_by_name(name) {
        return Ok(Expression::Global(id));
    }
    let qualified = module.functions().find_map(|(id, function)| {
        local(module, id, name.strip_prefix(&function.name)?.strip_prefix("::")?)
    });
    if let Some(found) = qualified {
        return Ok(found);
    }
    let found: Vec<(FunctionId, Expression)> =
        module.functions().filter_map(|(id, _)| Some((id, local(module, id, name)?))).collect();
    match found.as_slice() {
        [] => match module.function_by_name(name) {
            Some(id) => Ok(Expression::Function(id)),
            None => Err(format!("nothing is called '{name}'; locals are 'function::variable'")),
        },
        [(_, one)] => Ok(one.clone()),
        several => {
            let names: Vec<String> = several.iter().map(|(_, leaf)| of(module, leaf)).collect();
            Err(format!("'{name}' may be {}", names.join(" or ")))
        }
    }
}

/// The local that a function itself calls by a name.
fn local(module: &Module, id: FunctionId, name: &str) -> Option<Expression> {
    let function = module.function(id);
    if let Some(index) = function.variables.iter().position(|v| v.name == name) {
        return Some(Expression::Variable { function: id, variable: VariableId::new(index) });
    }
    if let Some(index) = function.slots.iter().position(|s| s.name == name) {
        return Some(Expression::Slot { function: id, slot: SlotId::new(index) });
    }
    let (variable, number) = match name.strip_prefix('%') {
        Some(number) => (None, number),
        None => name.rsplit_once('@').map(|(variable, number)| (Some(variable), number))?,
    };
    let value = ValueId(number.parse().ok()?);
    let tagged = function.values.get(value.index())?.variable;
    let tagged = tagged.and_then(|id| function.variables.get(id.index()));
    let fits = variable.is_none_or(|name| tagged.is_some_and(|tagged| tagged.name == name));
    fits.then_some(Expression::Value { function: id, value })
}

/// All that has a name.
fn leaves(module: &Module) -> impl Iterator<Item = Expression> {
    let globals = (0..module.globals.len()).map(|index| Expression::Global(GlobalId::new(index)));
    let locals = module.functions().flat_map(|(function, data)| {
        let variables = (0..data.variables.len()).map(VariableId::new);
        let slots = (0..data.slots.len()).map(SlotId::new);
        let values = (0..data.values.len()).map(ValueId::new);
        std::iter::once(Expression::Function(function))
            .chain(variables.map(move |variable| Expression::Variable { function, variable }))
            .chain(slots.map(move |slot| Expression::Slot { function, slot }))
            .chain(values.map(move |value| Expression::Value { function, value }))
    });
    globals.chain(locals)
}

/// The type of what a name means, and whether it is a signed integer or an array of such: of the
/// object that is there for globals and stack objects. SSA values that are no versions of a source
/// variable count as signed, as C's plain integers are. `None` for functions and what is no name.
#[must_use]
pub fn declared(module: &Module, leaf: &Expression) -> Option<(Type, bool)> {
    let function = |id: &FunctionId| module.functions.get(id.index());
    match leaf {
        Expression::Global(id) => {
            module.globals.get(id.index()).map(|global| (global.ty.clone(), global.signed))
        }
        Expression::Slot { function: of, slot } => {
            let slot = function(of)?.slots.get(slot.index())?;
            Some((slot.ty.clone(), slot.signed))
        }
        Expression::Variable { function: of, variable } => {
            let variable = function(of)?.variables.get(variable.index())?;
            Some((variable.ty.clone(), variable.signed))
        }
        Expression::Value { function: of, value } => {
            let function = function(of)?;
            let value = function.values.get(value.index())?;
            let variable = value.variable.and_then(|id| function.variables.get(id.index()));
            Some((value.ty.clone(), variable.is_none_or(|variable| variable.signed)))
        }
        _ => None,
    }
}
