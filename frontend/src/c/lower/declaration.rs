//! Declarations: globals, locals, functions.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{FunctionId, Initializer, Location, Op, Operand, SlotId, Type, operation};

use super::attribute::has;
use crate::c::ast::{
    ArraySize, Declaration, Derivation, ExternalDeclaration, FunctionDefinition, InitDeclarator,
    InitializerKind, Name, Parameters, Specifiers, StaticAssert, StorageClass, TranslationUnit,
    TypeSpecifier,
};
use crate::lower::body::{Body, Place, Value};
use crate::lower::link::Found;
use crate::lower::program::{Definition, Entity, Incomplete, Lowered, Lowerer, Scope};
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::Position;

/// The functions that a translation unit defines.
pub(crate) fn definitions(tree: &TranslationUnit) -> Vec<Found> {
    let mut found = Vec::new();
    // A declaration that says `static` says it for the definition too.
    let mut statics = FxHashSet::default();
    for item in &tree.items {
        if let ExternalDeclaration::Declaration(declaration) = item
            && declaration.specifiers.storage == Some(StorageClass::Static)
        {
            statics
                .extend(declaration.declarators.iter().filter_map(|d| d.declarator.name.clone()));
        }
    }
    for (item, declaration) in tree.items.iter().enumerate() {
        if let ExternalDeclaration::Function(definition) = declaration
            && let Some(name) = &definition.declarator.name
        {
            let specifiers = &definition.specifiers;
            found.push(Found {
                item,
                name: name.to_string(),
                is_static: specifiers.storage == Some(StorageClass::Static)
                    || statics.contains(name),
                is_inline: specifiers.inline,
                position: definition.position,
            });
        }
    }
    found
}

/// The type of the function at an item of a unit.
pub(crate) fn type_of_definition(
    lowerer: &mut Lowerer<'_>,
    unit: usize,
    tree: &TranslationUnit,
    item: usize,
) -> Option<FunctionType> {
    let definition = definition_at(tree, item)?;
    let name = definition.declarator.name.as_ref()?;
    // The scope of the unit that is being lowered is on the stack.
    let current = lowerer.scopes.first().filter(|_| unit == lowerer.unit);
    let scope = current.or(lowerer.file_scopes.get(unit))?;
    match scope.names.get(name) {
        Some(Entity::Function(ty)) => Some((**ty).clone()),
        _ => None,
    }
}

/// The function definition at an item of a unit.
fn definition_at(tree: &TranslationUnit, item: usize) -> Option<&FunctionDefinition> {
    match tree.items.get(item) {
        Some(ExternalDeclaration::Function(definition)) => Some(definition),
        _ => None,
    }
}

/// Lowers the body of the function at an item of the current unit.
pub(crate) fn lower_function(
    lowerer: &mut Lowerer<'_>,
    id: FunctionId,
    tree: &TranslationUnit,
    item: usize,
) {
    let Some(definition) = definition_at(tree, item) else { return };
    let unit = lowerer.unit;
    if let Some(scope) = lowerer.file_scopes.get_mut(unit) {
        lowerer.scopes.push(std::mem::take(scope));
    }
    // What is wrong was reported.
    let _ = lower_body(lowerer, id, (unit, item), definition);
    lowerer.scopes.truncate(1);
    if let (Some(scope), Some(kept)) = (lowerer.scopes.pop(), lowerer.file_scopes.get_mut(unit)) {
        *kept = scope;
    }
}

impl Lowerer<'_> {
    pub fn static_assert(&mut self, check: &StaticAssert) -> Lowered<()> {
        match self.constant(&check.condition) {
            Some((0, _)) => self.error(check.position, "static assertion failed"),
            _ => Ok(()),
        }
    }

    /// The items of the current unit at file scope.
    pub fn file_scope(&mut self, tree: &TranslationUnit) {
        self.scopes.push(Scope::default());
        for item in &tree.items {
            // Errors are collected; later items are still looked at.
            let _: Lowered<()> = match item {
                ExternalDeclaration::Function(definition) => self.declare_function(definition),
                ExternalDeclaration::Declaration(declaration) => self.file_declaration(declaration),
                ExternalDeclaration::StaticAssert(check) => self.static_assert(check),
                ExternalDeclaration::Asm(asm) => self.file_assembly(asm),
            };
        }
        self.define_tentative();
        if let Some(scope) = self.scopes.pop() {
            self.file_scopes.push(scope);
        }
    }

    fn declare_function(&mut self, definition: &FunctionDefinition) -> Lowered<()> {
        let base = self.specified(&definition.specifiers)?;
        let ty = self.declared(base, &definition.declarator)?;
        if let (Some(name), Kind::Function(mut ty)) = (&definition.declarator.name, ty.kind) {
            if let Some(parameters) = self.old_style(definition)? {
                let passed = |ty| self.integers().promote_argument(ty);
                ty.parameters = parameters.iter().map(passed).collect();
            }
            self.declare_constructor(name, &definition.specifiers, &definition.declarator);
            // What cannot be used cannot be used once it is defined either.
            if !matches!(self.lookup(name), Some(Entity::Refused(_))) {
                self.declare(name.clone(), Entity::Function(Rc::new(*ty)));
            }
        }
        Ok(())
    }

    /// The types that a K&R definition declares for its parameters. They are passed after the
    /// default argument promotions.
    fn old_style(&mut self, definition: &FunctionDefinition) -> Lowered<Option<Vec<CType>>> {
        let Some(Derivation::Function(Parameters::Identifiers(identifiers))) =
            definition.declarator.derived.first()
        else {
            return Ok(None);
        };
        let mut types = Vec::new();
        for identifier in identifiers {
            let mut ty = self.integers().int();
            for declaration in &definition.old_style {
                for declarator in &declaration.declarators {
                    if declarator.declarator.name.as_ref() == Some(&identifier.name) {
                        let base = self.specified(&declaration.specifiers)?;
                        ty = self.parameter_type(base, &declarator.declarator)?;
                    }
                }
            }
            types.push(ty);
        }
        Ok(Some(types))
    }

    pub fn declare_typedef(
        &mut self,
        name: Name,
        ty: CType,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
    ) {
        let ty = self.aligned_type(ty, specifiers, &declarator.declarator.attributes);
        self.declare(name, Entity::Typedef(ty));
    }

    /// Declares a function, unless it `is_known`, or known to be refused.
    fn declare_prototype(
        &mut self,
        name: Name,
        ty: FunctionType,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
        is_known: bool,
    ) {
        self.declare_noreturn(specifiers, declarator);
        self.declare_constructor(&name, specifiers, &declarator.declarator);
        if self.is_absent(specifiers, declarator) {
            self.declare(name, Entity::Absent(Kind::Function(Box::new(ty)).into()));
        } else if let Some(why) = self.refusal(specifiers, declarator, true) {
            self.declare(name, Entity::Refused(why));
        } else if !is_known
            && !matches!(self.lookup(&name), Some(Entity::Refused(_) | Entity::Absent(_)))
        {
            self.declare(name, Entity::Function(Rc::new(ty)));
        }
    }

    fn file_declaration(&mut self, declaration: &Declaration) -> Lowered<()> {
        let base = self.specified(&declaration.specifiers)?;
        for declarator in &declaration.declarators {
            let _ = self.file_declarator(&declaration.specifiers, base.clone(), declarator);
        }
        Ok(())
    }

    fn file_declarator(
        &mut self,
        specifiers: &Specifiers,
        base: CType,
        declarator: &InitDeclarator,
    ) -> Lowered<()> {
        let position = declarator.declarator.position;
        let mut ty = self.declared(base, &declarator.declarator)?;
        let Some(name) = declarator.declarator.name.clone() else { return Ok(()) };
        if specifiers.storage == Some(StorageClass::Typedef) {
            self.declare_typedef(name, ty, specifiers, declarator);
            return Ok(());
        }
        if let Kind::Function(function) = ty.kind {
            let is_known = matches!(self.lookup(&name), Some(Entity::Function(_)));
            self.declare_prototype(name, *function, specifiers, declarator, is_known);
            return Ok(());
        }
        self.check_assembler_name(specifiers, declarator)?;
        if let Some(why) = self.refusal(specifiers, declarator, false) {
            self.declare(name, Entity::Refused(why));
            return Ok(());
        }
        if let Some(initializer) = &declarator.initializer {
            ty = self.complete(ty, initializer)?;
        }
        let is_extern = specifiers.storage == Some(StorageClass::Extern);
        let is_static = specifiers.storage == Some(StorageClass::Static);
        let known = match self.scopes.first().and_then(|scope| scope.names.get(&name)) {
            Some(Entity::Global(global, before)) => {
                ty = ty.composed(before);
                Some(*global)
            }
            _ if is_static => None,
            _ => self.externals.get(&*name).copied(),
        };
        let id = match known {
            Some(id) => id,
            None => {
                let location = self.location(position, sapa_ir::goto::NameId(0));
                // Headers declare objects of types that nobody uses.
                let initial = if is_extern { Initializer::Nondet } else { Initializer::Zero };
                match self.add_global(&name, &ty, initial, location) {
                    Ok(id) => {
                        if !is_static {
                            self.externals.insert(name.to_string(), id);
                        }
                        id
                    }
                    Err(_) if self.waits(&ty, is_extern, is_static) => {
                        self.tentative(name, ty, is_extern, location);
                        return Ok(());
                    }
                    Err(_) if is_extern => return Ok(()),
                    Err(what) => {
                        // A use says why.
                        let why = format!("'{name}': {what} is not supported");
                        self.declare(name, Entity::Refused(why.into()));
                        return Ok(());
                    }
                }
            }
        };
        self.module.globals[id.index()].thread_local |= specifiers.thread_local;
        self.declare(name.clone(), Entity::Global(id, ty.clone()));
        self.declare_alignment(specifiers, declarator)?;
        if let Some(initializer) = &declarator.initializer {
            let value = self.global_initializer(&ty, initializer)?;
            if !self.initialised.insert(id) {
                return self.error(position, format!("'{name}' is initialised more than once"));
            }
            self.set_initializer(id, value, position)?;
        } else if !is_extern && self.module.globals[id.index()].initializer == Initializer::Nondet {
            self.module.globals[id.index()].initializer = Initializer::Zero;
        }
        Ok(())
    }
}

impl Lowerer<'_> {
    /// Whether a declaration at file scope, whose type is not complete, is to be looked at again.
    fn waits(&self, ty: &CType, is_extern: bool, is_static: bool) -> bool {
        let is_record = matches!(&ty.kind, Kind::Record(id) if self.record(*id).is_none());
        (is_record || matches!(ty.kind, Kind::Array(_, None))) && (is_extern || !is_static)
    }

    /// Remembers an object whose type is not complete. Without `extern` it is an array of one
    /// element if the unit does not say more (C11 6.9.2p5).
    fn tentative(&mut self, name: Name, ty: CType, is_extern: bool, location: Location) {
        let unit = self.unit;
        let later = Incomplete { unit, name, ty, location };
        if is_extern { self.incomplete.push(later) } else { self.tentative.push(later) }
    }

    /// Defines the objects of the current unit that are of types which it completes later, or does
    /// not: an array of one element is meant then.
    fn define_tentative(&mut self) {
        for Incomplete { unit, name, ty, location } in std::mem::take(&mut self.tentative) {
            if matches!(self.lookup(&name), Some(Entity::Global(..))) {
                continue;
            }
            let single = match ty.kind.clone() {
                Kind::Array(element, None) => Kind::Array(element, Some(1)).into(),
                _ => ty.clone(),
            };
            match self.add_global(&name, &single, Initializer::Zero, location) {
                Ok(id) => {
                    self.externals.insert(name.to_string(), id);
                    self.declare(name, Entity::Global(id, ty));
                }
                Err(_) => self.incomplete.push(Incomplete { unit, name, ty, location }),
            }
        }
    }
}

fn lower_body(
    unit: &mut Lowerer<'_>,
    id: FunctionId,
    place: Definition,
    definition: &FunctionDefinition,
) -> Lowered<()> {
    let Some(name) = definition.declarator.name.clone() else { return Ok(()) };
    let Some(ty) = unit.type_of_definition(place) else { return Ok(()) };
    unit.current_function = name.to_string();
    unit.counts.clear();
    unit.scopes.push(Scope::default());
    let (mut body, operands) = Body::new(unit, id, &name, &ty, definition.position);
    parameters(&mut body, definition, &ty, &operands)?;
    if &*name == "reach_error" {
        body.fail("reach_error() is never called");
    }
    if name.starts_with("__VERIFIER_atomic_") {
        body.is_section = true;
    }
    let result = body.block(&definition.body);
    body.at(definition.body.end);
    if result.is_ok() && body.block.is_some() {
        // C11 5.1.2.2.3: reaching the end of main returns 0.
        let zero = match body.function.result {
            Some(Type::Int(bits)) if &*name == "main" => Some(Operand::int(bits, 0)),
            _ => None,
        };
        body.finish(zero);
    }
    for (label, position) in std::mem::take(&mut body.wanted) {
        if !body.placed.contains(&label) {
            // A block's own label has a number in the function.
            let label = label.split('#').next().unwrap_or_default();
            return body.error(position, format!("the label '{label}' does not exist"));
        }
    }
    if result.is_ok() {
        body.settle_sections()?;
    }
    body.settle_order();
    let function = body.function;
    unit.scopes.pop();
    unit.module.functions[id.index()] = function;
    result
}

/// Parameters arrive in the entry block's parameters and live in slots.
fn parameters(
    body: &mut Body<'_, '_>,
    definition: &FunctionDefinition,
    ty: &FunctionType,
    operands: &[Operand],
) -> Lowered<()> {
    let Some(Derivation::Function(parameters)) = definition.declarator.derived.first() else {
        return Ok(());
    };
    let own = body.unit.old_style(definition)?.unwrap_or_default();
    let names: Vec<_> = match parameters {
        Parameters::Prototype { parameters, .. } => {
            parameters.iter().map(|p| (p.declarator.name.clone(), p.position)).collect()
        }
        Parameters::Identifiers(identifiers) => {
            identifiers.iter().map(|i| (Some(i.name.clone()), i.position)).collect()
        }
        Parameters::Unspecified => Vec::new(),
    };
    let passed = ty.parameters.iter().zip(operands).enumerate();
    for ((name, position), (index, (ty, operand))) in names.into_iter().zip(passed) {
        if let Err(what) = ty.in_memory() {
            return body.error(position, format!("{what} is not supported as a parameter"));
        }
        if let Some(name) = name {
            // Calls give them values, not a statement of the body, which may be on the same line:
            // that is at the head.
            let position = definition.position;
            body.at(position);
            // What the caller passes is a pointer; to what, is known here.
            let mut ty = ty.clone();
            if let Parameters::Prototype { parameters, .. } = parameters
                && let Some(parameter) = parameters.get(index)
                && let Some((outer, inner)) = parameter.declarator.derived.split_first()
                && {
                    body.evaluate_outer_count(outer)?;
                    body.evaluate_counts(inner)?
                }
            {
                let base = body.unit.specified(&parameter.specifiers)?;
                let own = body.unit.parameter_type(base, &parameter.declarator)?;
                if own.pointee().is_some_and(CType::is_variable) {
                    ty = own;
                }
            }
            let ty = &ty;
            if let Some(own) = own.get(index).filter(|own| own.is_arithmetic()) {
                // C11 6.9.1: converted on entry, as if by assignment.
                let place = body.declare_local(&name, own.clone(), position)?;
                let passed = Value::Scalar(*operand, ty.clone());
                let value = body.convert(passed, own, position)?;
                body.store(&place, value, position)?;
            } else {
                let place = body.declare_local(&name, ty.clone(), position)?;
                body.receive(&place, *operand, position)?;
            }
        }
    }
    Ok(())
}

impl Body<'_, '_> {
    pub fn local_declaration(&mut self, declaration: &Declaration) -> Lowered<()> {
        let specifiers = &declaration.specifiers;
        if specifiers.base == TypeSpecifier::AutoType {
            return self.auto_declaration(declaration);
        }
        let base = self.unit.specified(specifiers)?;
        for declarator in &declaration.declarators {
            self.local_declarator(specifiers, base.clone(), declarator)?;
        }
        Ok(())
    }

    fn auto_declaration(&mut self, declaration: &Declaration) -> Lowered<()> {
        for declarator in &declaration.declarators {
            let position = declarator.declarator.position;
            self.unit.check_attributes(&declaration.specifiers.attributes)?;
            self.unit.check_attributes(&declarator.declarator.attributes)?;
            let (Some(name), Some(initializer)) =
                (&declarator.declarator.name, &declarator.initializer)
            else {
                return self.error(position, "'__auto_type' needs an initialiser");
            };
            let InitializerKind::Expression(expression) = &initializer.kind else {
                return self.error(position, "'__auto_type' needs an expression");
            };
            self.open_statement();
            let value = self.value(expression)?;
            let ty = match &value {
                Value::Scalar(_, ty) => ty.clone(),
                Value::Record(place) => place.ty.clone(),
                Value::Void => return self.error(position, "a value is needed here"),
            };
            let place = self.declare_local(name, ty, position)?;
            self.unit.declare_alignment(&declaration.specifiers, declarator)?;
            self.store(&place, value, position)?;
            self.close_statement();
            let attributes =
                [&declaration.specifiers.attributes[..], &declarator.declarator.attributes[..]];
            self.declare_cleanup(attributes, &place, position)?;
        }
        Ok(())
    }

    fn local_declarator(
        &mut self,
        specifiers: &Specifiers,
        base: CType,
        declarator: &InitDeclarator,
    ) -> Lowered<()> {
        let position = declarator.declarator.position;
        self.at(position);
        if matches!(specifiers.storage, None | Some(StorageClass::Typedef)) {
            self.open_statement();
            self.evaluate_counts(&declarator.declarator.derived)?;
            self.close_statement();
        }
        let mut ty = self.unit.declared(base, &declarator.declarator)?;
        let is_typedef = specifiers.storage == Some(StorageClass::Typedef);
        if matches!(ty.kind, Kind::Array(..)) && ty.is_variable() && !is_typedef {
            return self.variable_array(specifiers, declarator, ty, position);
        }
        let Some(name) = declarator.declarator.name.clone() else { return Ok(()) };
        if is_typedef {
            self.unit.declare_typedef(name, ty, specifiers, declarator);
            return Ok(());
        }
        if let Kind::Function(function) = ty.kind {
            self.unit.declare_prototype(name, *function, specifiers, declarator, false);
            return Ok(());
        }
        self.unit.check_assembler_name(specifiers, declarator)?;
        if specifiers.storage == Some(StorageClass::Extern) {
            if let Some(why) = self.unit.refusal(specifiers, declarator, false) {
                self.unit.declare(name, Entity::Refused(why));
                return Ok(());
            }
            if self.unit.is_linked(&name) {
                // The object that is visible here, whatever its linkage.
                return Ok(());
            }
            let location = self.location;
            return match self.unit.external(&name, &ty, location) {
                Ok(global) => {
                    self.unit.declare(name, Entity::Global(global, ty));
                    self.unit.declare_alignment(specifiers, declarator)
                }
                Err(what) => self.error(position, format!("{what} is not supported")),
            };
        }
        if let Some(initializer) = &declarator.initializer {
            if matches!(ty.kind, Kind::Array(_, None)) {
                // The name is in scope in its initialiser, which gives the size; until then only
                // the elements' type is known, and nothing is evaluated.
                self.unit.declare(name.clone(), Entity::Slot(SlotId::new(0), ty.clone()));
            }
            let completed = self.unit.complete(ty, initializer);
            if completed.is_err() {
                self.unit.declare(name.clone(), Entity::Refused("".into()));
            }
            ty = completed?;
        }
        if specifiers.storage == Some(StorageClass::Static) {
            return self.static_local(specifiers, declarator, name, ty);
        }
        let attributes = [&specifiers.attributes[..], &declarator.declarator.attributes[..]];
        // If it cannot be made, that is said once.
        self.unit.declare(name.clone(), Entity::Refused("".into()));
        let place = self.declare_local(&name, ty.clone(), position)?;
        self.declare_end(&place);
        self.unit.declare_alignment(specifiers, declarator)?;
        match &declarator.initializer {
            Some(initializer) => {
                self.open_statement();
                let result = self.initialize(&place, initializer);
                self.close_statement();
                result?;
            }
            None => {
                // Each time the declaration is passed, the contents are arbitrary.
                if let Ok(memory) = ty.in_memory() {
                    self.effect(Op::HavocMemory { address: place.address, ty: memory });
                }
            }
        }
        self.declare_cleanup(attributes, &place, position)
    }

    /// A local of static storage duration: a global that only this scope names.
    fn static_local(
        &mut self,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
        name: Name,
        ty: CType,
    ) -> Lowered<()> {
        let position = declarator.declarator.position;
        let unique = format!("{}::{name}", self.function.name);
        let location = self.location;
        let global = match self.unit.add_global(&unique, &ty, Initializer::Zero, location) {
            Ok(global) => global,
            Err(what) => return self.error(position, format!("{what} is not supported")),
        };
        self.unit.module.globals[global.index()].thread_local = specifiers.thread_local;
        // Its scope begins before its initialiser (C11 6.2.1p7).
        self.unit.declare(name, Entity::Global(global, ty.clone()));
        self.unit.declare_alignment(specifiers, declarator)?;
        let Some(initializer) = &declarator.initializer else { return Ok(()) };
        let initial = self.unit.global_initializer(&ty, initializer)?;
        self.unit.set_initializer(global, initial, position)
    }

    /// Evaluates the numbers of elements of arrays that are no constants, for the type that is made of the
    /// derivations then; whether there are such. C leaves their order open; GCC evaluates the last first.
    pub fn evaluate_counts(&mut self, derivations: &[Derivation]) -> Lowered<bool> {
        let mut evaluated = FxHashSet::default();
        for derivation in derivations.iter().rev() {
            let Derivation::Array(array) = derivation else { continue };
            let ArraySize::Expression(count) = &array.size else { continue };
            if self.unit.constant(count).is_some() {
                continue;
            }
            let position = array.position;
            if !evaluated.insert(position) {
                return self.error(position, "the sizes of these arrays cannot be told apart");
            }
            let size = self.unit.integers().size();
            let value = self.value(count)?;
            let value = self.convert(value, &size, position)?;
            let slot = self.slot("count#", &size, position)?;
            self.store(&Place::new(Operand::Slot(slot), size), value, position)?;
            self.unit.counts.insert(position, slot);
        }
        Ok(!evaluated.is_empty())
    }

    /// Evaluates how many elements an array has that a parameter seems to be, for what that does (GCC does; C11
    /// 6.7.6.3p7 makes it a pointer).
    fn evaluate_outer_count(&mut self, derivation: &Derivation) -> Lowered<()> {
        if let Derivation::Array(array) = derivation
            && let ArraySize::Expression(count) = &array.size
            && self.unit.constant(count).is_none()
        {
            self.value(count)?;
        }
        Ok(())
    }

    /// An array of variable length: an object made where the declaration is passed.
    fn variable_array(
        &mut self,
        specifiers: &Specifiers,
        declarator: &InitDeclarator,
        ty: CType,
        position: Position,
    ) -> Lowered<()> {
        let Some(name) = declarator.declarator.name.clone() else { return Ok(()) };
        if declarator.initializer.is_some() {
            return self.error(position, "an array of variable length has no initialiser");
        }
        if [&specifiers.attributes, &declarator.declarator.attributes]
            .iter()
            .any(|of| has(of, &["cleanup"]))
        {
            return self
                .error(position, "'cleanup' of an array of variable length is not supported");
        }
        let size_type = self.unit.integers().size();
        self.open_statement();
        let bytes = self.size_now(&ty, position)?;
        let op = Op::Allocate { size: bytes, zeroed: false, ty: None };
        let address = self.in_operation(operation::AUTOMATIC, position, |body| {
            Ok(body.define(op, Type::Pointer))
        })?;
        let pointer = CType::from(Kind::Void).pointer();
        let slot = format!("{name}{}", operation::ADDRESS_OF_ARRAY);
        let slot = self.slot(&slot, &pointer, position)?;
        let size_slot = self.slot(&format!("{name}#size"), &size_type, position)?;
        let place = Place::new(Operand::Slot(slot), pointer.clone());
        self.store(&place, Value::Scalar(address, pointer), position)?;
        let place = Place::new(Operand::Slot(size_slot), size_type.clone());
        self.store(&place, Value::Scalar(bytes, size_type), position)?;
        self.close_statement();
        self.unit.declare(name, Entity::Variable(slot, ty, size_slot));
        self.unit.declare_alignment(specifiers, declarator)
    }
}
