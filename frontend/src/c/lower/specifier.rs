//! Specifiers and declarators to types.

use sapa_ir::goto::{SlotId, StructId};

use super::attribute::has;
use super::constant::wrap;
use crate::c::ast::{
    Alignment, ArrayDerivation, ArraySize, AttributeArguments, Declarator, Derivation,
    EnumSpecifier, Enumerator, FieldDeclaration, Member, Name, Parameters, Qualifiers, RecordKind,
    RecordSpecifier, Specifiers, TypeName, TypeSpecifier,
};
use crate::lower::layout::{Declared, Shape, alignment_of, layout};
use crate::lower::program::{Entity, Lowered, Lowerer, Tag};
use crate::lower::types::{CType, FloatFormat, FunctionType, Integers, Kind};
use crate::position::Position;

/// `void` and the integer types that are words alone.
pub(crate) fn plain_type(base: &TypeSpecifier, integers: Integers) -> Option<CType> {
    let target = integers.0;
    Some(match base {
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
        _ => return None,
    })
}

impl Lowerer<'_> {
    pub fn specified(&mut self, specifiers: &Specifiers) -> Lowered<CType> {
        let mut ty = self.base(&specifiers.base, specifiers.position)?;
        self.check_attributes(&specifiers.attributes)?;
        if has(&specifiers.attributes, &["mode", "vector_size"]) {
            // They are about what is declared, which may be a pointer to this.
            ty = Kind::Unsupported("'mode' or 'vector_size' before a declarator").into();
        }
        qualify(&mut ty, specifiers.qualifiers);
        Ok(ty)
    }

    fn base(&mut self, base: &TypeSpecifier, position: Position) -> Lowered<CType> {
        Ok(match base {
            TypeSpecifier::BitInt { .. } => {
                Kind::Unsupported("a type _BitInt outside of predicates").into()
            }
            TypeSpecifier::Float | TypeSpecifier::FloatN(32) => {
                Kind::Float(FloatFormat::Single).into()
            }
            TypeSpecifier::Double | TypeSpecifier::FloatN(64) | TypeSpecifier::FloatNx(32) => {
                Kind::Float(FloatFormat::Double).into()
            }
            TypeSpecifier::LongDouble | TypeSpecifier::FloatN(_) | TypeSpecifier::FloatNx(_) => {
                Kind::Unsupported("a floating-point type other than float and double").into()
            }
            TypeSpecifier::Complex(_) => Kind::Unsupported("a complex type").into(),
            // As large as that of the System V ABI: the first element is where the next argument lies.
            TypeSpecifier::VaList => {
                Kind::Array(Box::new(CType::from(Kind::Void).pointer()), Some(3)).into()
            }
            TypeSpecifier::AutoType => {
                return self.error(position, "'__auto_type' needs an initialiser");
            }
            TypeSpecifier::Named(name) => match self.lookup(name) {
                Some(Entity::Typedef(ty)) => ty.clone(),
                _ => return self.error(position, format!("unknown type '{name}'")),
            },
            TypeSpecifier::Record(record) => self.record_type(record)?,
            TypeSpecifier::Enum(specifier) => self.enumeration(specifier)?,
            TypeSpecifier::TypeofExpression(expression) => self.type_of(expression)?,
            TypeSpecifier::TypeofType(name) => self.type_name(name)?,
            TypeSpecifier::Atomic(name) => CType { atomic: true, ..self.type_name(name)? },
            plain => match plain_type(plain, self.integers()) {
                Some(ty) => ty,
                None => return self.error(position, "unknown type"),
            },
        })
    }

    pub fn type_name(&mut self, name: &TypeName) -> Lowered<CType> {
        let base = self.specified(&name.specifiers)?;
        let ty = self.declared(base, &name.declarator)?;
        Ok(self.aligned_type(ty, &name.specifiers, &name.declarator.attributes))
    }

    /// The type that a declarator makes of a base type.
    pub fn declared(&mut self, base: CType, declarator: &Declarator) -> Lowered<CType> {
        self.check_attributes(&declarator.attributes)?;
        let ty = self.derived(base, &declarator.derived)?;
        Ok(self.attributed(ty, &declarator.attributes))
    }

    /// The type that derivations make of a base type.
    pub fn derived(&mut self, base: CType, derivations: &[Derivation]) -> Lowered<CType> {
        let mut ty = base;
        for derivation in derivations.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => {
                    let mut pointer = ty.pointer();
                    qualify(&mut pointer, *qualifiers);
                    pointer
                }
                Derivation::Array(array) => {
                    let (size, count) = self.array_size(array)?;
                    CType { count, ..Kind::Array(Box::new(ty), size).into() }
                }
                Derivation::Function(parameters) => self.function_type(ty, parameters)?,
            };
        }
        Ok(ty)
    }

    /// The number of elements, or the slot that holds it. Where it is no constant and there is no slot, it
    /// is not known: what needs it is an error.
    fn array_size(&mut self, array: &ArrayDerivation) -> Lowered<(Option<u64>, Option<SlotId>)> {
        let ArraySize::Expression(size) = &array.size else { return Ok((None, None)) };
        match self.constant(size) {
            Some((value, _)) => match u64::try_from(value) {
                Ok(value) => Ok((Some(value), None)),
                Err(_) => self.error(array.position, "the size of an array is negative"),
            },
            None if self.scopes.len() > 1 || self.is_in_prototype => {
                Ok((None, self.counts.get(&array.position).copied()))
            }
            None => self.error(
                array.position,
                "arrays of variable length are supported as local variables and parameters only",
            ),
        }
    }

    /// The type of a parameter: an array is a pointer, whatever its size.
    pub fn parameter_type(&mut self, base: CType, declarator: &Declarator) -> Lowered<CType> {
        match declarator.derived.split_first() {
            Some((Derivation::Array(_), rest)) => {
                self.check_attributes(&declarator.attributes)?;
                Ok(self.derived(base, rest)?.pointer())
            }
            _ => Ok(self.declared(base, declarator)?.decayed()),
        }
    }

    fn function_type(&mut self, result: CType, parameters: &Parameters) -> Lowered<CType> {
        let (parameters, open) = match parameters {
            Parameters::Unspecified => (Vec::new(), true),
            Parameters::Identifiers(names) => (vec![self.integers().int(); names.len()], false),
            Parameters::Prototype { parameters, variadic } => {
                let mut types = Vec::new();
                for parameter in parameters {
                    let base = self.specified(&parameter.specifiers)?;
                    let before = std::mem::replace(&mut self.is_in_prototype, true);
                    let ty = self.parameter_type(base, &parameter.declarator);
                    self.is_in_prototype = before;
                    types.push(ty?);
                    self.check_parameter(parameter)?;
                }
                (types, *variadic)
            }
        };
        Ok(Kind::Function(Box::new(FunctionType { result, parameters, open })).into())
    }

    fn record_type(&mut self, record: &RecordSpecifier) -> Lowered<CType> {
        self.check_attributes(&record.attributes)?;
        let known = match &record.tag {
            Some(tag) if record.members.is_some() => {
                self.scopes.last().and_then(|scope| scope.tags.get(&tag.name).cloned())
            }
            Some(tag) => self.lookup_tag(&tag.name).cloned(),
            None => None,
        };
        let id = match known {
            Some(Tag::Record(id)) if record.members.is_some() && self.record(id).is_some() => {
                return self
                    .error(record.position, "a second definition of this structure or union");
            }
            Some(Tag::Record(id)) => id,
            Some(Tag::Enum(_)) => {
                return self.error(record.position, "this tag names an enumeration");
            }
            None => {
                let base = record.tag.as_ref().map_or("anonymous", |tag| &tag.name);
                let id = self.add_record(base);
                if let (Some(tag), Some(scope)) = (&record.tag, self.scopes.last_mut()) {
                    scope.tags.insert(tag.name.clone(), Tag::Record(id));
                }
                id
            }
        };
        if let Some(members) = &record.members
            && let Err(what) = self.members(id, record, members)?
        {
            // Headers declare many types that a program never uses: a use of it says why.
            self.refused_records.insert(id, what);
        }
        Ok(match self.refused_records.get(&id) {
            Some(what) => Kind::Unsupported(what).into(),
            None => Kind::Record(id).into(),
        })
    }

    /// Lays out the members of a record; the inner error says what is not supported in it.
    fn members(
        &mut self,
        id: StructId,
        record: &RecordSpecifier,
        members: &[Member],
    ) -> Lowered<Result<(), &'static str>> {
        let mut declared = Vec::new();
        for member in members {
            match member {
                Member::Field(field) => self.fields(field, &mut declared)?,
                Member::StaticAssert(check) => self.static_assert(check)?,
            }
        }
        let tag = record.tag.as_ref().map_or("", |tag| &tag.name);
        if ["mutex", "rwlock", "once"]
            .iter()
            .any(|lock| tag.strip_prefix("_opaque_pthread_") == Some(&format!("{lock}_t")))
        {
            // Their static initialisers are none of those that the models know.
            return Ok(Err("a lock as macOS's headers declare it"));
        }
        let shape = Shape {
            is_union: record.kind == RecordKind::Union,
            is_packed: has(&record.attributes, &["packed"]),
            align: match self.aligned(&[&record.attributes]) {
                Ok(align) => align,
                Err(what) => return Ok(Err(what)),
            },
            limit: record.attributes.iter().find(|a| &*a.name == "pack").and_then(|pack| {
                let AttributeArguments::Tokens(tokens) = &pack.arguments else { return None };
                tokens.first()?.parse().ok()
            }),
        };
        if self.record(id).is_some() {
            return self.error(record.position, "this structure or union is defined inside itself");
        }
        let Some(name) = self.module.structs.get(id.index()).map(|s| s.name.clone()) else {
            return Ok(Err("this record"));
        };
        match layout(&self.module, &self.records, name, declared, shape) {
            Ok((structure, laid_out)) => {
                self.module.structs[id.index()] = structure;
                self.records[id.index()] = Some(laid_out);
                Ok(Ok(()))
            }
            Err(what) => Ok(Err(what)),
        }
    }

    fn fields(&mut self, field: &FieldDeclaration, declared: &mut Vec<Declared>) -> Lowered<()> {
        let mut base = self.specified(&field.specifiers)?;
        let mut align = match self.aligned(&[&field.specifiers.attributes]) {
            Ok(align) => align,
            Err(what) => {
                base = Kind::Unsupported(what).into();
                None
            }
        };
        let is_packed = has(&field.specifiers.attributes, &["packed"]);
        for alignment in &field.specifiers.alignments {
            align = align.max(self.alignment_specifier(alignment)?);
        }
        if field.declarators.is_empty() {
            // An anonymous member: its fields are found through it.
            let (name, padding) = (String::new(), false);
            declared.push(Declared { name, ty: base, width: None, align, is_packed, padding });
            return Ok(());
        }
        for declarator in &field.declarators {
            let mut ty = self.declared(base.clone(), &declarator.declarator)?;
            if let Kind::Array(_, size @ None) = &mut ty.kind {
                // A flexible array member has no elements.
                *size = Some(0);
            }
            let width = match &declarator.width {
                None => None,
                Some(width) => {
                    let value = self.constant(width).and_then(|(v, _)| u16::try_from(v).ok());
                    match value {
                        Some(value) => Some(value),
                        None => {
                            return self
                                .error(width.position, "the width of a bit-field is no constant");
                        }
                    }
                }
            };
            let own = match self.aligned(&[&declarator.declarator.attributes]) {
                Ok(own) => own,
                Err(what) => {
                    ty = Kind::Unsupported(what).into();
                    None
                }
            };
            let name = declarator.declarator.name.as_ref();
            declared.push(Declared {
                name: name.map_or(String::new(), ToString::to_string),
                padding: name.is_none(),
                ty,
                width,
                align: align.max(own),
                is_packed: is_packed || has(&declarator.declarator.attributes, &["packed"]),
            });
        }
        Ok(())
    }

    pub fn alignment_specifier(&mut self, alignment_specifier: &Alignment) -> Lowered<Option<u64>> {
        Ok(match alignment_specifier {
            Alignment::Type(name) => {
                let ty = self.type_name(name)?;
                alignment_of(&self.module, &ty)
            }
            Alignment::Expression(value) => self
                .constant(value)
                .and_then(|(value, _)| u64::try_from(value).ok())
                .filter(|value| value.is_power_of_two()),
        })
    }

    /// The integer type of an enumeration with values in a range, as GCC chooses it; `None` if
    /// there is none.
    fn underlying(&self, least: i128, most: i128, is_packed: bool) -> Option<CType> {
        let candidates: &[u16] = if is_packed { &[8, 16, 32, 64] } else { &[32, 64] };
        let types = candidates.iter().map(|&bits| self.integers().of_width(bits, least < 0));
        let fits = |ty: &CType| [least, most].iter().all(|&value| wrap(value, ty) == value);
        types.into_iter().find(fits)
    }

    /// Declares the enumerators of an enumeration, for those after them: each is an int if its
    /// value fits, else of the type of the expression that gives it. Their names and values.
    fn enumerators(&mut self, enumerators: &[Enumerator]) -> Lowered<Vec<(Name, i128)>> {
        let int = self.integers().int();
        let mut values = Vec::new();
        let mut next = Some((0, int.clone()));
        for enumerator in enumerators {
            self.check_attributes(&enumerator.attributes)?;
            let position = enumerator.name.position;
            let (value, ty) = match (&enumerator.value, next) {
                (Some(value), _) => match self.constant(value) {
                    Some((value, ty)) => (value, self.integers().promote(&ty)),
                    None => {
                        return self.error(position, "the value of an enumerator is no constant");
                    }
                },
                (None, Some(next)) => next,
                (None, None) => {
                    return self.error(position, "the value of an enumerator is too large");
                }
            };
            let ty = if wrap(value, &int) == value { int.clone() } else { ty };
            values.push((enumerator.name.name.clone(), value));
            next = value.checked_add(1).map(|next| (next, ty.clone()));
            next = next.filter(|(next, ty)| wrap(*next, ty) == *next);
            self.declare(enumerator.name.name.clone(), Entity::Constant(value, ty));
        }
        Ok(values)
    }

    fn enumeration(&mut self, specifier: &EnumSpecifier) -> Lowered<CType> {
        self.check_attributes(&specifier.attributes)?;
        if let Some(enumerators) = &specifier.enumerators {
            let values = self.enumerators(enumerators)?;
            let range = |(least, most): (i128, i128), value| (least.min(value), most.max(value));
            let (least, most) = values.iter().map(|(_, value)| *value).fold((0, 0), range);
            let is_packed = has(&specifier.attributes, &["packed"]);
            let Some(ty) = self.underlying(least, most, is_packed) else {
                return self.error(
                    enumerators.first().map_or_else(Position::default, |e| e.name.position),
                    "no integer type holds all values of this enumeration",
                );
            };
            // What does not fit an int is of the enumeration's type from here on, as with GCC.
            let int = self.integers().int();
            for (name, value) in values.into_iter().filter(|&(_, v)| wrap(v, &int) != v) {
                self.declare(name, Entity::Constant(value, ty.clone()));
            }
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
    ty.qualify(qualifiers.is_const, qualifiers.is_volatile);
    make_atomic(ty, qualifiers.is_atomic);
}

fn make_atomic(ty: &mut CType, is_atomic: bool) {
    ty.atomic |= is_atomic;
    if let Kind::Array(element, _) = &mut ty.kind {
        make_atomic(element, is_atomic);
    }
}
