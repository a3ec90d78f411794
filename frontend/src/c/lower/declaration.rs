//! Declarations: globals, locals, functions.

use std::rc::Rc;

use sapa_ir::goto::{FunctionId, Global, GlobalId, Initializer, Location, Op, Operand, Type};

use super::body::{Body, Place};
use super::types::{CType, FunctionType, Kind};
use super::unit::{Entity, Lowered, Lowerer, Reported, Scope, definition_at};
use crate::c::ast::{
    Declaration, Derivation, ExternalDeclaration, FunctionDefinition, InitDeclarator, Parameters,
    Specifiers, StaticAssert, StorageClass, TypeSpecifier,
};

impl Lowerer<'_> {
    pub fn static_assert(&mut self, check: &StaticAssert) -> Lowered<()> {
        match self.constant(&check.condition) {
            Some((0, _)) => self.error(check.position, "static assertion failed"),
            _ => Ok(()),
        }
    }

    pub fn add_global(
        &mut self,
        name: &str,
        ty: &CType,
        initializer: Initializer,
        location: Location,
    ) -> Result<GlobalId, &'static str> {
        let memory = ty.in_memory()?;
        let id = GlobalId::new(self.module.globals.len());
        self.module.globals.push(Global {
            name: name.to_owned(),
            ty: memory,
            initializer,
            thread_local: false,
            constant: false,
            signed: ty.is_signed(),
            location,
        });
        Ok(id)
    }

    /// The items of the current unit at file scope.
    pub fn file_scope(&mut self) {
        let Some(unit) = self.units.get(self.unit).map(Rc::clone) else { return };
        self.scopes.push(Scope::default());
        for item in &unit.items {
            // Errors are collected; later items are still looked at.
            let _: Lowered<()> = match item {
                ExternalDeclaration::Function(definition) => self.declare_function(definition),
                ExternalDeclaration::Declaration(declaration) => self.file_declaration(declaration),
                ExternalDeclaration::StaticAssert(check) => self.static_assert(check),
                ExternalDeclaration::Asm(asm) => {
                    self.error(asm.position, "assembly outside functions is not supported")
                }
            };
        }
        if let Some(scope) = self.scopes.pop() {
            self.file_scopes.push(scope);
        }
    }

    fn declare_function(&mut self, definition: &FunctionDefinition) -> Lowered<()> {
        let base = self.specified(&definition.specifiers)?;
        let ty = self.declared(base, &definition.declarator)?;
        if let (Some(name), Kind::Function(ty)) = (&definition.declarator.name, ty.kind) {
            self.declare(name.clone(), Entity::Function(Rc::new(*ty)));
        }
        Ok(())
    }

    /// The type of a function that the program defines.
    pub fn defined_type(&mut self, name: &str) -> Option<FunctionType> {
        let place = *self.definitions.get(name)?;
        // The scope of the unit that is being lowered is on the stack.
        let current = self.scopes.first().filter(|_| place.0 == self.unit);
        match current.or(self.file_scopes.get(place.0)).and_then(|scope| scope.names.get(name)) {
            Some(Entity::Function(ty)) => Some((**ty).clone()),
            _ => None,
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
            self.declare(name, Entity::Typedef(ty));
            return Ok(());
        }
        if let Kind::Function(function) = &ty.kind {
            if !matches!(self.lookup(&name), Some(Entity::Function(_))) {
                self.declare(name, Entity::Function(Rc::new((**function).clone())));
            }
            return Ok(());
        }
        if let Some(initializer) = &declarator.initializer {
            ty = self.complete(ty, initializer)?;
        }
        let is_extern = specifiers.storage == Some(StorageClass::Extern);
        let is_static = specifiers.storage == Some(StorageClass::Static);
        let known = match self.scopes.first().and_then(|scope| scope.names.get(&name)) {
            Some(Entity::Global(global, _)) => Some(*global),
            _ if is_static => None,
            _ => self.module.global_by_name(&name),
        };
        let id = match known {
            Some(id) => id,
            None => {
                let location = self.location(position, "");
                // A static object is its file's own.
                let own = is_static && self.units.len() > 1;
                let mut unique =
                    if own { format!("{name}#{}", self.unit + 1) } else { name.to_string() };
                while self.module.global_by_name(&unique).is_some() {
                    unique.push_str("#static");
                }
                // Headers declare objects of types that nobody uses.
                let initial = if is_extern { Initializer::Nondet } else { Initializer::Zero };
                match self.add_global(&unique, &ty, initial, location) {
                    Ok(id) => id,
                    Err(_) if is_extern => return Ok(()),
                    Err(what) => return self.error(position, format!("{what} is not supported")),
                }
            }
        };
        self.module.globals[id.index()].thread_local |= specifiers.thread_local;
        self.declare(name.clone(), Entity::Global(id, ty.clone()));
        if let Some(initializer) = &declarator.initializer {
            let value = self.global_initializer(&ty, initializer)?;
            if !self.initialised.insert(id) {
                return self.error(position, format!("'{name}' is initialised more than once"));
            }
            self.module.globals[id.index()].initializer = value;
        } else if !is_extern && self.module.globals[id.index()].initializer == Initializer::Nondet {
            self.module.globals[id.index()].initializer = Initializer::Zero;
        }
        Ok(())
    }

    pub fn current_function(&self, name: &str) -> FunctionId {
        self.functions.get(name).copied().unwrap_or(FunctionId(0))
    }

    /// Lowers the body of a function.
    pub fn lower_function(&mut self, id: FunctionId, place: super::unit::Definition) {
        let Some((unit, item)) = self.definition(place) else { return };
        let Some(definition) = definition_at(&unit, item) else { return };
        self.unit = place.0;
        if let Some(scope) = self.file_scopes.get_mut(place.0) {
            self.scopes.push(std::mem::take(scope));
        }
        let _ = lower_body(self, id, definition);
        self.scopes.truncate(1);
        if let (Some(scope), Some(kept)) = (self.scopes.pop(), self.file_scopes.get_mut(place.0)) {
            *kept = scope;
        }
    }
}

fn lower_body(
    unit: &mut Lowerer<'_>,
    id: FunctionId,
    definition: &FunctionDefinition,
) -> Lowered<()> {
    let Some(name) = definition.declarator.name.clone() else { return Ok(()) };
    let base = unit.specified(&definition.specifiers)?;
    let ty = unit.declared(base, &definition.declarator)?;
    let Kind::Function(ty) = ty.kind else { return Err(Reported) };
    let location = unit.location(definition.position, &name);
    let mut function = unit.module.functions[id.index()].clone();
    function.location = location;
    unit.scopes.push(Scope::default());
    let mut body = Body {
        unit,
        function,
        block: None,
        location,
        result: ty.result.clone(),
        depth: 0,
        base_depth: 0,
        statement_open: false,
        labels: std::collections::HashMap::default(),
        placed: std::collections::HashSet::new(),
        wanted: Vec::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        switches: Vec::new(),
    };
    let entry = body.new_block();
    body.switch_to(entry);
    parameters(&mut body, definition, &ty)?;
    if name.starts_with("__VERIFIER_atomic_") {
        body.effect(Op::AtomicBegin);
        body.base_depth = 1;
        body.depth = 1;
    }
    let result = body.block(&definition.body);
    body.at(definition.body.end);
    if result.is_ok() && body.block.is_some() {
        let zero =
            (&*name == "main").then(|| body.function.result.clone()).flatten().and_then(|ty| {
                match ty {
                    Type::Int(bits) => Some(Operand::int(bits, 0)),
                    _ => None,
                }
            });
        body.finish(zero, definition.body.end)?;
    }
    for (label, position) in std::mem::take(&mut body.wanted) {
        if !body.placed.contains(&label) {
            return body.error(position, format!("the label '{label}' does not exist"));
        }
    }
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
) -> Lowered<()> {
    let Some(Derivation::Function(parameters)) = definition.declarator.derived.first() else {
        return Ok(());
    };
    let mut names = Vec::new();
    match parameters {
        Parameters::Prototype { parameters, .. } => {
            for (parameter, ty) in parameters.iter().zip(&ty.parameters) {
                names.push((parameter.declarator.name.clone(), ty.clone(), parameter.position));
            }
        }
        Parameters::Identifiers(identifiers) => {
            for (identifier, ty) in identifiers.iter().zip(&ty.parameters) {
                let mut ty = ty.clone();
                for declaration in &definition.old_style {
                    for declarator in &declaration.declarators {
                        if declarator.declarator.name.as_ref() == Some(&identifier.name) {
                            let base = body.unit.specified(&declaration.specifiers)?;
                            ty = body.unit.declared(base, &declarator.declarator)?.decayed();
                        }
                    }
                }
                names.push((Some(identifier.name.clone()), ty, identifier.position));
            }
        }
        Parameters::Unspecified => {}
    }
    body.function.parameters.clear();
    for (name, ty, position) in names {
        let memory = match ty.in_memory() {
            Ok(memory) if memory.is_scalar() => memory,
            Ok(_) => return body.error(position, "structures as parameters are not supported"),
            Err(what) => {
                return body.error(position, format!("{what} is not supported as a parameter"));
            }
        };
        let value = body.function.add_value(memory.clone(), None);
        body.function.parameters.push(memory);
        body.function.blocks[0].parameters.push(value);
        if let Some(name) = name {
            let place = body.declare_local(&name, ty.clone(), position)?;
            body.at(position);
            body.store(&place, super::body::Value::Scalar(Operand::Value(value), ty), position)?;
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
            let (Some(name), Some(initializer)) =
                (&declarator.declarator.name, &declarator.initializer)
            else {
                return self.error(position, "'__auto_type' needs an initialiser");
            };
            let crate::c::ast::InitializerKind::Expression(expression) = &initializer.kind else {
                return self.error(position, "'__auto_type' needs an expression");
            };
            self.open_statement();
            let value = self.value(expression)?;
            let ty = match &value {
                super::body::Value::Scalar(_, ty) => ty.clone(),
                super::body::Value::Record(place) => place.ty.clone(),
                super::body::Value::Void => return self.error(position, "a value is needed here"),
            };
            let place = self.declare_local(name, ty, position)?;
            self.store(&place, value, position)?;
            self.close_statement();
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
        let mut ty = self.unit.declared(base, &declarator.declarator)?;
        let Some(name) = declarator.declarator.name.clone() else { return Ok(()) };
        match specifiers.storage {
            Some(StorageClass::Typedef) => {
                self.unit.declare(name, Entity::Typedef(ty));
                return Ok(());
            }
            Some(StorageClass::Extern) => {
                let entity = match ty.kind {
                    Kind::Function(function) => Entity::Function(Rc::new(*function)),
                    _ => match self.unit.module.global_by_name(&name) {
                        Some(global) => Entity::Global(global, ty),
                        None => return self.error(position, format!("'{name}' is not defined")),
                    },
                };
                self.unit.declare(name, entity);
                return Ok(());
            }
            _ => {}
        }
        if let Kind::Function(function) = ty.kind {
            self.unit.declare(name, Entity::Function(Rc::new(*function)));
            return Ok(());
        }
        if let Some(initializer) = &declarator.initializer {
            ty = self.unit.complete(ty, initializer)?;
        }
        if specifiers.storage == Some(StorageClass::Static) {
            let initial = match &declarator.initializer {
                Some(initializer) => self.unit.global_initializer(&ty, initializer)?,
                None => Initializer::Zero,
            };
            let unique =
                format!("{}::{name}#{}", self.function.name, self.unit.module.globals.len());
            let location = self.location;
            return match self.unit.add_global(&unique, &ty, initial, location) {
                Ok(global) => {
                    self.unit.module.globals[global.index()].thread_local = specifiers.thread_local;
                    self.unit.declare(name, Entity::Global(global, ty));
                    Ok(())
                }
                Err(what) => self.error(position, format!("{what} is not supported")),
            };
        }
        let place: Place = self.declare_local(&name, ty.clone(), position)?;
        match &declarator.initializer {
            Some(initializer) => {
                self.open_statement();
                let result = self.initialize(&place, initializer);
                self.close_statement();
                result
            }
            None => {
                // Each time the declaration is passed, the contents are arbitrary.
                if let Ok(memory) = ty.in_memory() {
                    self.effect(Op::HavocMemory { address: place.address, ty: memory });
                }
                Ok(())
            }
        }
    }
}
