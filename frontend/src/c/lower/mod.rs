//! Lowering: syntax trees to the goto IR.
//!
//! | file | holds |
//! | --- | --- |
//! | `types` | C types, conversions, layout |
//! | `unit` | scopes, functions, diagnostics |
//! | `specifier` | specifiers and declarators to types |
//! | `constant` | constant expressions, types of expressions |
//! | `declaration` | globals, locals, functions |
//! | `initializer` | initialisers |
//! | `body` | the function that is being lowered: loads, stores, conversions |
//! | `expression`, `call`, `statement` | what the names say |
//! | `predicate` | C expressions as predicates |
//!
//! Locals become stack slots; the pass `mem2reg` makes values of them. Only
//! functions that the program can reach are lowered, so that what headers
//! define does not matter.

mod body;
mod call;
mod constant;
mod declaration;
mod expression;
mod initializer;
mod predicate;
mod specifier;
mod statement;
#[cfg(test)]
mod tests;
mod types;
mod unit;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use sapa_ir::goto::{Atomicity, GlobalId, Initializer, Module, Operand};

use super::ast::{ExternalDeclaration, TranslationUnit};
use super::diagnostic::{Diagnostic, Severity};
use unit::Lowerer;

/// How to lower.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the entry function; `main` if `None`.
    pub entry: Option<String>,
    /// What one step of a thread is.
    pub atomicity: Atomicity,
}

/// Lowers translation units to one module.
///
/// # Errors
/// Everything that is wrong or not supported, in order; the list may hold warnings too.
pub fn lower(
    units: Vec<TranslationUnit>,
    options: &Options,
) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut definitions = HashMap::new();
    let mut ambiguous = HashSet::new();
    for (unit, tree) in units.iter().enumerate() {
        for (item, declaration) in tree.items.iter().enumerate() {
            if let ExternalDeclaration::Function(definition) = declaration
                && let Some(name) = &definition.declarator.name
            {
                // Several units may define a static function of one name.
                if definitions.insert(name.to_string(), (unit, item)).is_some() {
                    ambiguous.insert(name.to_string());
                }
            }
        }
    }
    let mut lowerer = Lowerer {
        options,
        module: Module { atomicity: options.atomicity, ..Module::default() },
        units: units.into_iter().map(Rc::new).collect(),
        unit: 0,
        scopes: Vec::new(),
        records: Vec::new(),
        functions: HashMap::new(),
        definitions,
        ambiguous,
        initialised: HashSet::new(),
        file_scopes: Vec::new(),
        pending: VecDeque::new(),
        diagnostics: Vec::new(),
        warned: HashSet::new(),
        strings: 0,
    };
    for unit in 0..lowerer.units.len() {
        lowerer.unit = unit;
        lowerer.file_scope();
    }
    let entry = options.entry.as_deref().unwrap_or("main");
    match lowerer.defined_type(entry) {
        Some(ty) => {
            let id = lowerer.function(entry, &ty, super::position::Position::default());
            lowerer.module.entry = Some(id);
        }
        None => {
            let message = format!("the entry function '{entry}' is not defined");
            lowerer.diagnostics.push(Diagnostic::new(Severity::Error, None, message));
        }
    }
    while let Some((id, place)) = lowerer.pending.pop_front() {
        lowerer.lower_function(id, place);
    }
    let used = used_globals(&lowerer.module);
    let undefined: Vec<String> = lowerer
        .module
        .globals
        .iter()
        .enumerate()
        .filter(|(index, global)| {
            global.initializer == Initializer::Nondet && used.contains(&GlobalId::new(*index))
        })
        .map(|(_, global)| format!("extern object `{}` starts with any contents", global.name))
        .collect();
    lowerer.module.notes.extend(undefined);
    let Lowerer { module, diagnostics, .. } = lowerer;
    if diagnostics.iter().any(Diagnostic::is_error) {
        Err(diagnostics)
    } else {
        Ok((module, diagnostics))
    }
}

/// The globals that code or initialisers mention.
fn used_globals(module: &Module) -> HashSet<GlobalId> {
    let mut used = HashSet::new();
    let mut operand = |operand: Operand| {
        if let Operand::Global(id) = operand {
            used.insert(id);
        }
    };
    for block in module.functions.iter().flat_map(|f| &f.blocks) {
        block.instructions.iter().for_each(|i| i.op.for_each_operand(&mut operand));
        block.terminator.kind.for_each_operand(&mut operand);
    }
    let mut pending: Vec<_> = module.globals.iter().map(|g| &g.initializer).collect();
    while let Some(initializer) = pending.pop() {
        match initializer {
            Initializer::Global(id, _) => drop(used.insert(*id)),
            Initializer::Aggregate(elements) => pending.extend(elements),
            _ => {}
        }
    }
    used
}
