//! Specifiers and declarators to types.

use sapa_ir::goto::{StructId, StructType};

use super::types::{CType, FunctionType, Kind, layout};
use super::unit::{Entity, Lowered, Lowerer, Tag};
use crate::c::ast::{
    ArraySize, Declarator, Derivation, EnumSpecifier, Member, Parameters, Qualifiers, RecordKind,
    RecordSpecifier, Specifiers, TypeName, TypeSpecifier,
};
use crate::c::position::Position;

impl Lowerer<'_> {
    pub fn specified(&mut self, specifiers: &Specifiers) -> Lowered<CType> {
        let mut ty = self.base(&specifiers.base, specifiers.position)?;
        if let Some(attribute) =
            specifiers.attributes.iter().find(|a| a.name.contains("vector_size"))
        {
            return self.error(attribute.position, "vector types are not supported");
        }
        qualify(&mut ty, specifiers.qualifiers);
        Ok(ty)
    }

    fn base(&mut self, base: &TypeSpecifier, position: Position) -> Lowered<CType> {
        let integers = self.integers();
        let target = self.module.target;
        Ok(match base {
            TypeSpecifier::Void => Kind::Void.into(),
            TypeSpecifier::Bool => Kind::Bool.into(),
            TypeSpecifier::Char => integers.char(),
            TypeSpecifier::SignedChar => CType::int(8, true, 1),
            TypeSpecifier::UnsignedChar => CType::int(8, false, 1),
            TypeSpecifier::Short => CType::int(target.short_bits, true, 2),
            TypeSpecifier::UnsignedShort => CType::int(target.short_bits, false, 2),
            TypeSpecifier::Int => integers.int(),
            TypeSpecifier::UnsignedInt => integers.unsigned_int(),
            TypeSpecifier::Long => integers.long(),
            TypeSpecifier::UnsignedLong => CType::int(target.long_bits, false, 4),
            TypeSpecifier::LongLong => CType::int(target.long_long_bits, true, 5),
            TypeSpecifier::UnsignedLongLong => CType::int(target.long_long_bits, false, 5),
            TypeSpecifier::Int128 => CType::int(128, true, 6),
            TypeSpecifier::UnsignedInt128 => CType::int(128, false, 6),
            TypeSpecifier::Float
            | TypeSpecifier::Double
            | TypeSpecifier::LongDouble
            | TypeSpecifier::FloatN(_)
            | TypeSpecifier::FloatNx(_) => Kind::Unsupported("a floating-point type").into(),
            TypeSpecifier::Complex(_) => Kind::Unsupported("a complex type").into(),
            TypeSpecifier::VaList => Kind::Unsupported("va_list").into(),
            TypeSpecifier::AutoType => {
                return self.error(position, "'__auto_type' needs an initialiser");
            }
            TypeSpecifier::Named(name) => match self.lookup(name) {
                Some(Entity::Typedef(ty)) => ty.clone(),
                _ => return self.error(position, format!("unknown type '{name}'")),
            },
            TypeSpecifier::Record(record) => self.record(record)?,
            TypeSpecifier::Enum(specifier) => self.enumeration(specifier)?,
            TypeSpecifier::TypeofExpression(expression) => self.type_of(expression)?,
            TypeSpecifier::TypeofType(name) => self.type_name(name)?,
            TypeSpecifier::Atomic(name) => CType { atomic: true, ..self.type_name(name)? },
        })
    }

    pub fn type_name(&mut self, name: &TypeName) -> Lowered<CType> {
        let base = self.specified(&name.specifiers)?;
        self.declared(base, &name.declarator)
    }

    /// The type that a declarator makes of a base type.
    pub fn declared(&mut self, base: CType, declarator: &Declarator) -> Lowered<CType> {
        let mut ty = base;
        for derivation in declarator.derived.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => {
                    let mut pointer = ty.pointer();
                    qualify(&mut pointer, *qualifiers);
                    pointer
                }
                Derivation::Array(array) => {
                    let size = match &array.size {
                        ArraySize::Unspecified | ArraySize::Star => None,
                        ArraySize::Expression(size) => match self.constant(size) {
                            Some((value, _)) => match u64::try_from(value) {
                                Ok(value) => Some(value),
                                Err(_) => {
                                    return self
                                        .error(array.position, "the size of an array is negative");
                                }
                            },
                            None => {
                                return self.error(
                                    array.position,
                                    "arrays of variable length are not supported",
                                );
                            }
                        },
                    };
                    Kind::Array(Box::new(ty), size).into()
                }
                Derivation::Function(parameters) => self.function_type(ty, parameters)?,
            };
        }
        Ok(ty)
    }

    fn function_type(&mut self, result: CType, parameters: &Parameters) -> Lowered<CType> {
        let (parameters, open) = match parameters {
            Parameters::Unspecified => (Vec::new(), true),
            Parameters::Identifiers(names) => (vec![self.integers().int(); names.len()], true),
            Parameters::Prototype { parameters, variadic } => {
                let mut types = Vec::new();
                for parameter in parameters {
                    let base = self.specified(&parameter.specifiers)?;
                    types.push(self.declared(base, &parameter.declarator)?.decayed());
                }
                (types, *variadic)
            }
        };
        Ok(Kind::Function(Box::new(FunctionType { result, parameters, open })).into())
    }

    fn record(&mut self, record: &RecordSpecifier) -> Lowered<CType> {
        let known = match &record.tag {
            Some(tag) if record.members.is_some() => {
                self.scopes.last().and_then(|scope| scope.tags.get(&tag.name).cloned())
            }
            Some(tag) => self.lookup_tag(&tag.name).cloned(),
            None => None,
        };
        let id = match known {
            Some(Tag::Record(id)) => id,
            Some(Tag::Enum(_)) => {
                return self.error(record.position, "this tag names an enumeration");
            }
            None => {
                let id = StructId::new(self.module.structs.len());
                let base = record.tag.as_ref().map_or("anonymous", |tag| &tag.name);
                let mut name = base.to_owned();
                if self.module.struct_by_name(&name).is_some() || record.tag.is_none() {
                    name = format!("{base}#{}", id.0);
                }
                self.module.structs.push(StructType {
                    name,
                    fields: Vec::new(),
                    size: 0,
                    align: 1,
                });
                self.records.push(None);
                if let (Some(tag), Some(scope)) = (&record.tag, self.scopes.last_mut()) {
                    scope.tags.insert(tag.name.clone(), Tag::Record(id));
                }
                id
            }
        };
        if let Some(members) = &record.members {
            let mut fields = Vec::new();
            for member in members {
                let Member::Field(field) = member else { continue };
                let base = self.specified(&field.specifiers)?;
                if field.declarators.is_empty() {
                    // An anonymous member: its fields are found through it.
                    fields.push((String::new(), base.clone()));
                }
                for declarator in &field.declarators {
                    let mut ty = self.declared(base.clone(), &declarator.declarator)?;
                    if declarator.width.is_some() {
                        ty = Kind::Unsupported("a bit-field").into();
                    }
                    if ty.kind
                        == Kind::Array(
                            Box::new(match &ty.kind {
                                Kind::Array(element, _) => (**element).clone(),
                                _ => Kind::Void.into(),
                            }),
                            None,
                        )
                    {
                        // A flexible array member has no elements.
                        if let Kind::Array(_, size) = &mut ty.kind {
                            *size = Some(0);
                        }
                    }
                    let name = declarator
                        .declarator
                        .name
                        .as_ref()
                        .map_or(String::new(), |n| n.to_string());
                    fields.push((name, ty));
                }
            }
            let is_packed = record.attributes.iter().any(|a| a.name.contains("packed"));
            let name = self.module.structs[id.index()].name.clone();
            match layout(
                &self.module,
                name,
                fields.clone(),
                record.kind == RecordKind::Union,
                is_packed,
            ) {
                Ok(structure) => {
                    self.module.structs[id.index()] = structure;
                    self.records[id.index()] = Some(fields);
                }
                // Headers declare many types that a program never uses.
                Err(what) => return Ok(Kind::Unsupported(what).into()),
            }
        }
        Ok(Kind::Record(id).into())
    }

    fn enumeration(&mut self, specifier: &EnumSpecifier) -> Lowered<CType> {
        if let Some(enumerators) = &specifier.enumerators {
            let int = self.integers().int();
            let mut next = 0;
            let mut negative = false;
            let mut wide = false;
            for enumerator in enumerators {
                if let Some(value) = &enumerator.value {
                    next = match self.constant(value) {
                        Some((value, _)) => value,
                        None => {
                            return self.error(
                                enumerator.name.position,
                                "the value of an enumerator is no constant",
                            );
                        }
                    };
                }
                negative |= next < 0;
                // As GCC: int if the value fits, else a type that holds it.
                let candidates = [
                    int.clone(),
                    self.integers().unsigned_int(),
                    self.integers().long(),
                    self.integers().size(),
                ];
                let ty = candidates.into_iter().find(|ty| super::constant::wrap(next, ty) == next);
                let Some(ty) = ty else {
                    return self.error(
                        enumerator.name.position,
                        "the value of an enumerator is too large",
                    );
                };
                wide |= ty != int && ty != self.integers().unsigned_int();
                self.declare(enumerator.name.name.clone(), Entity::Constant(next, ty));
                next += 1;
            }
            let ty = match (wide, negative) {
                (true, true) => self.integers().long(),
                (true, false) => self.integers().size(),
                (false, true) => int,
                (false, false) => self.integers().unsigned_int(),
            };
            if let (Some(tag), Some(scope)) = (&specifier.tag, self.scopes.last_mut()) {
                scope.tags.insert(tag.name.clone(), Tag::Enum(ty.clone()));
            }
            return Ok(ty);
        }
        let known = specifier.tag.as_ref().and_then(|tag| self.lookup_tag(&tag.name));
        Ok(match known {
            Some(Tag::Enum(ty)) => ty.clone(),
            _ => self.integers().unsigned_int(),
        })
    }
}

fn qualify(ty: &mut CType, qualifiers: Qualifiers) {
    ty.volatile |= qualifiers.is_volatile;
    ty.atomic |= qualifiers.is_atomic;
    ty.constant |= qualifiers.is_const;
    // Qualifiers of an array are its elements'.
    if let Kind::Array(element, _) = &mut ty.kind {
        qualify(element, qualifiers);
    }
}
