//! Declaration specifiers: from a heap of keywords to one type.

use super::scope::Meaning;
use super::{Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{Alignment, Name, Qualifiers, Specifiers, StorageClass, TypeSpecifier};
use crate::c::token::TokenKind;
use crate::position::Position;

/// The arithmetic keywords met so far.
#[derive(Clone, Copy, Default)]
struct Words {
    is_void: bool,
    is_bool: bool,
    is_char: bool,
    is_short: bool,
    is_int: bool,
    is_int128: bool,
    is_float: bool,
    is_double: bool,
    is_signed: bool,
    is_unsigned: bool,
    is_complex: bool,
    longs: u8,
}

impl Words {
    /// Adds a keyword; `None` if it is not one of these, `Some(false)` if it stands twice.
    fn add(&mut self, keyword: Keyword) -> Option<bool> {
        let flag = match keyword {
            Keyword::Long => {
                self.longs = self.longs.saturating_add(1);
                return Some(self.longs <= 2);
            }
            Keyword::Void => &mut self.is_void,
            Keyword::Bool => &mut self.is_bool,
            Keyword::Char => &mut self.is_char,
            Keyword::Short => &mut self.is_short,
            Keyword::Int => &mut self.is_int,
            Keyword::Int128 => &mut self.is_int128,
            Keyword::Float => &mut self.is_float,
            Keyword::Double => &mut self.is_double,
            Keyword::Signed => &mut self.is_signed,
            Keyword::Unsigned => &mut self.is_unsigned,
            Keyword::Complex => &mut self.is_complex,
            _ => return None,
        };
        Some(!std::mem::replace(flag, true))
    }

    fn is_empty(self) -> bool {
        !(self.is_void
            || self.is_bool
            || self.is_char
            || self.is_short
            || self.is_int
            || self.is_int128
            || self.is_float
            || self.is_double
            || self.is_signed
            || self.is_unsigned
            || self.is_complex
            || self.longs > 0)
    }

    /// Whether there is nothing but `signed` or `unsigned`.
    fn is_only_sign(self) -> bool {
        Self { is_signed: false, is_unsigned: false, ..self }.is_empty()
            && !(self.is_signed && self.is_unsigned)
    }

    /// Whether `_Complex` stands alone, so that a name such as `_Float32` can go with it.
    fn is_only_complex(self) -> bool {
        self.is_complex && Self { is_complex: false, ..self }.is_empty()
    }

    /// The type (C11 6.7.2p2), or `None` if the words do not go together.
    fn type_specifier(self) -> Option<TypeSpecifier> {
        use TypeSpecifier as T;
        if self.is_signed && self.is_unsigned {
            return None;
        }
        let has_sign = self.is_signed || self.is_unsigned;
        let mains = [
            self.is_void,
            self.is_bool,
            self.is_char,
            self.is_int128,
            self.is_float,
            self.is_double,
        ];
        let main_count = mains.iter().filter(|is_set| **is_set).count();
        let lengths = self.longs > 0 || self.is_short;
        let base = match main_count {
            0 => match (self.is_short, self.longs, self.is_unsigned) {
                (true, 0, false) => T::Short,
                (true, 0, true) => T::UnsignedShort,
                (true, ..) => return None,
                // GNU: `_Complex` alone is `_Complex double`.
                (_, 0, _) if self.is_complex && !has_sign && !self.is_int => T::Double,
                (_, 0, false) => T::Int,
                (_, 0, true) => T::UnsignedInt,
                (_, 1, false) => T::Long,
                (_, 1, true) => T::UnsignedLong,
                (_, _, false) => T::LongLong,
                (_, _, true) => T::UnsignedLongLong,
            },
            1 if self.is_int => return None,
            1 if self.is_double && !has_sign && !self.is_short => match self.longs {
                0 => T::Double,
                1 => T::LongDouble,
                _ => return None,
            },
            1 if lengths => return None,
            1 if self.is_char && self.is_signed => T::SignedChar,
            1 if self.is_char && self.is_unsigned => T::UnsignedChar,
            1 if self.is_char => T::Char,
            1 if self.is_int128 && self.is_unsigned => T::UnsignedInt128,
            1 if self.is_int128 => T::Int128,
            1 if has_sign => return None,
            1 if self.is_float => T::Float,
            1 if self.is_bool => T::Bool,
            1 if self.is_void => T::Void,
            _ => return None,
        };
        match base {
            T::Void | T::Bool if self.is_complex => None,
            base if self.is_complex => Some(T::Complex(Box::new(base))),
            base => Some(base),
        }
    }
}

/// Where specifiers stand: whether a name that is no type can be one by mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A declaration at file scope or in a block: `x = 1;` has the implicit type `int`.
    Declaration,
    /// A parameter, member or type name, which must name a type.
    Type,
}

impl Parser<'_> {
    /// Whether the token starts a type name (or declaration, storage classes included).
    pub(super) fn at_type_name(&mut self, ahead: usize) -> bool {
        match &self.peek_at(ahead).kind {
            TokenKind::Keyword(keyword) => starts_type(*keyword),
            TokenKind::Identifier(name) => {
                let name = name.clone();
                self.scopes.is_type(&name)
            }
            TokenKind::Punctuator(Punctuator::LeftBracket) => self.at_bracketed_attributes(ahead),
            _ => false,
        }
    }

    pub(super) fn specifiers(&mut self, place: Place) -> Parse<Specifiers> {
        let position = self.position();
        let mut specifiers = Specifiers {
            position,
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            qualifiers: Qualifiers::default(),
            alignments: Vec::new(),
            base: TypeSpecifier::Int,
            attributes: Vec::new(),
        };
        let mut words = Words::default();
        let mut other: Option<TypeSpecifier> = None;
        let mut is_conflict = false;
        loop {
            let position = self.position();
            let has_type = other.is_some() || !words.is_empty();
            match self.peek().kind.clone() {
                TokenKind::Identifier(name) => {
                    let is_complex = other.is_none() && words.is_only_complex();
                    match self.scopes.meaning(&name) {
                        Meaning::Builtin(TypeSpecifier::FloatN(_) | TypeSpecifier::FloatNx(_))
                            if is_complex => {}
                        _ if has_type => break,
                        _ => {}
                    }
                    match self.scopes.meaning(&name).clone() {
                        Meaning::Builtin(builtin) => other = Some(builtin),
                        Meaning::Typedef => other = Some(TypeSpecifier::Named(name)),
                        Meaning::Other if self.is_unknown_type(place) => {
                            self.error(position, format!("unknown type name '{name}'"));
                            // Once is enough for each unknown type.
                            self.scopes.declare(&name, Meaning::Typedef);
                            other = Some(TypeSpecifier::Named(name));
                        }
                        Meaning::Other => break,
                    }
                    self.bump();
                }
                TokenKind::Keyword(keyword) => {
                    if let Some(is_new) = words.add(keyword) {
                        self.bump();
                        is_conflict |= !is_new;
                    } else if self.simple_specifier(keyword, &mut specifiers)? {
                    } else if starts_compound_type(keyword) {
                        is_conflict |= has_type
                            && !(keyword == Keyword::BitInt
                                && other.is_none()
                                && words.is_only_sign());
                        other = Some(self.compound_specifier(keyword, &mut specifiers)?);
                    } else {
                        break;
                    }
                }
                TokenKind::Punctuator(Punctuator::LeftBracket)
                    if self.at_bracketed_attributes(0) =>
                {
                    self.attributes(&mut specifiers.attributes)?;
                }
                _ => break,
            }
        }
        let base = match (other, words.is_empty()) {
            (None, true) => Some(self.implicit_int(place, position, &specifiers)?),
            (None, false) => words.type_specifier(),
            (Some(other), true) => Some(other),
            (Some(float @ (TypeSpecifier::FloatN(_) | TypeSpecifier::FloatNx(_))), false)
                if words.is_only_complex() =>
            {
                Some(TypeSpecifier::Complex(Box::new(float)))
            }
            (Some(TypeSpecifier::BitInt { width, .. }), false) if words.is_only_sign() => {
                Some(TypeSpecifier::BitInt { width, signed: !words.is_unsigned })
            }
            (Some(_), false) => None,
        };
        match base.filter(|_| !is_conflict) {
            Some(base) => Ok(Specifiers { base, ..specifiers }),
            None => self.fail(position, "these type specifiers do not go together"),
        }
    }

    fn implicit_int(
        &mut self,
        place: Place,
        position: Position,
        specifiers: &Specifiers,
    ) -> Parse<TypeSpecifier> {
        let is_bare = self.position() == position;
        if place == Place::Type && is_bare {
            return Err(self.expected("a type"));
        }
        // `__attribute__((fallthrough));` and `register x;` end up here too.
        if !self.at_punctuator(Punctuator::Semicolon) || specifiers.attributes.is_empty() {
            self.warning(position, "type is missing, taken as 'int'");
        }
        Ok(TypeSpecifier::Int)
    }

    /// Whether the identifier that comes next, not known as a type, stands where only a type can.
    fn is_unknown_type(&mut self, place: Place) -> bool {
        match &self.peek_at(1).kind {
            TokenKind::Identifier(_) => true,
            TokenKind::Keyword(keyword) => {
                let keyword = *keyword;
                place == Place::Type || matches!(keyword, Keyword::Const | Keyword::Volatile)
            }
            TokenKind::Punctuator(Punctuator::Star) => {
                place == Place::Type
                    || matches!(
                        self.peek_at(2).kind,
                        TokenKind::Identifier(_)
                            | TokenKind::Punctuator(Punctuator::Star)
                            | TokenKind::Keyword(Keyword::Const | Keyword::Restrict)
                    )
            }
            _ => place == Place::Type,
        }
    }

    /// Storage classes, qualifiers, function specifiers and attributes. Says whether it was one.
    fn simple_specifier(&mut self, keyword: Keyword, into: &mut Specifiers) -> Parse<bool> {
        let storage = match keyword {
            Keyword::Typedef => Some(StorageClass::Typedef),
            Keyword::Extern => Some(StorageClass::Extern),
            Keyword::Static => Some(StorageClass::Static),
            Keyword::Auto => Some(StorageClass::Auto),
            Keyword::Register => Some(StorageClass::Register),
            _ => None,
        };
        if let Some(storage) = storage {
            let position = self.bump().position;
            if into.storage.is_some_and(|earlier| earlier != storage) {
                self.error(position, "more than one storage class");
            }
            into.storage = Some(storage);
            return Ok(true);
        }
        match keyword {
            Keyword::ThreadLocal => into.thread_local = true,
            Keyword::Inline => into.inline = true,
            Keyword::Noreturn => into.noreturn = true,
            Keyword::Extension => {}
            Keyword::Attribute => {
                self.attributes(&mut into.attributes)?;
                return Ok(true);
            }
            Keyword::Alignas => {
                self.bump();
                into.alignments.push(self.alignment()?);
                return Ok(true);
            }
            _ => return Ok(self.qualifier(&mut into.qualifiers)),
        }
        self.bump();
        Ok(true)
    }

    /// Takes a qualifier if one comes next, `_Atomic` only without parenthesis.
    fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        match self.keyword() {
            Some(Keyword::Const) => qualifiers.is_const = true,
            Some(Keyword::Volatile) => qualifiers.is_volatile = true,
            Some(Keyword::Restrict) => qualifiers.is_restrict = true,
            Some(Keyword::Atomic) if !self.at_punctuator_ahead(1, Punctuator::LeftParenthesis) => {
                qualifiers.is_atomic = true;
            }
            _ => return false,
        }
        self.bump();
        true
    }

    /// Any number of qualifiers.
    pub(super) fn qualifiers(&mut self) -> Qualifiers {
        let mut qualifiers = Qualifiers::default();
        while self.qualifier(&mut qualifiers) {}
        qualifiers
    }

    fn alignment(&mut self) -> Parse<Alignment> {
        self.require(Punctuator::LeftParenthesis, "after '_Alignas'")?;
        let alignment = if self.at_type_name(0) {
            Alignment::Type(Box::new(self.type_name()?))
        } else {
            Alignment::Expression(Box::new(self.constant()?))
        };
        self.require(Punctuator::RightParenthesis, "after the alignment")?;
        Ok(alignment)
    }

    /// Type specifiers with parts of their own.
    fn compound_specifier(
        &mut self,
        keyword: Keyword,
        into: &mut Specifiers,
    ) -> Parse<TypeSpecifier> {
        let specifier = match keyword {
            Keyword::Struct | Keyword::Union => {
                TypeSpecifier::Record(Box::new(self.nested(Self::record_specifier)?))
            }
            Keyword::Enum => TypeSpecifier::Enum(Box::new(self.nested(Self::enum_specifier)?)),
            Keyword::Typeof => {
                self.bump();
                self.nested(Self::typeof_operand)?
            }
            Keyword::BitInt => {
                self.bump();
                self.require(Punctuator::LeftParenthesis, "after '_BitInt'")?;
                let width = Box::new(self.constant()?);
                self.require(Punctuator::RightParenthesis, "after the width")?;
                TypeSpecifier::BitInt { width, signed: true }
            }
            Keyword::Atomic => {
                self.bump();
                let type_name = self.nested(Self::type_in_parentheses)?;
                TypeSpecifier::Atomic(Box::new(type_name))
            }
            _ => {
                self.bump();
                TypeSpecifier::AutoType
            }
        };
        self.attributes(&mut into.attributes)?;
        Ok(specifier)
    }

    fn typeof_operand(&mut self) -> Parse<TypeSpecifier> {
        if self.at_type_in_parentheses() {
            return Ok(TypeSpecifier::TypeofType(Box::new(self.type_in_parentheses()?)));
        }
        self.require(Punctuator::LeftParenthesis, "after 'typeof'")?;
        let expression = self.expression()?;
        self.require(Punctuator::RightParenthesis, "after the operand of 'typeof'")?;
        Ok(TypeSpecifier::TypeofExpression(Box::new(expression)))
    }

    /// Declares a name in the scope, as a typedef if the specifiers say so.
    pub(super) fn declare(&mut self, specifiers: &Specifiers, name: &Name) {
        let is_typedef = specifiers.storage == Some(StorageClass::Typedef);
        let meaning = if is_typedef { Meaning::Typedef } else { Meaning::Other };
        self.scopes.declare(name, meaning);
    }
}

fn starts_compound_type(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Typeof
            | Keyword::Atomic
            | Keyword::AutoType
            | Keyword::BitInt
    )
}

fn starts_type(keyword: Keyword) -> bool {
    starts_compound_type(keyword)
        || Words::default().add(keyword).is_some()
        || matches!(
            keyword,
            Keyword::Alignas
                | Keyword::Attribute
                | Keyword::Auto
                | Keyword::Const
                | Keyword::Extern
                | Keyword::Inline
                | Keyword::Noreturn
                | Keyword::Register
                | Keyword::Restrict
                | Keyword::Static
                | Keyword::ThreadLocal
                | Keyword::Typedef
                | Keyword::Volatile
        )
}
