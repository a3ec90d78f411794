//! Declarations, type specifiers, declarators and initialisers.

use super::{Attribute, Expression, Identifier, Name, StringLiteral};
use crate::position::Position;

/// `specifiers declarator = initializer, …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The first token.
    pub position: Position,
    /// What the declarators share.
    pub specifiers: Specifiers,
    /// What is declared; empty for `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
}

/// One declarator of a [`Declaration`].
#[derive(Clone, Debug, PartialEq)]
pub struct InitDeclarator {
    /// Name (always present) and type derivations.
    pub declarator: Declarator,
    /// The name for the linker: `asm("name")`.
    pub asm_label: Option<StringLiteral>,
    /// The initial value.
    pub initializer: Option<Initializer>,
}

/// `_Static_assert(condition, "message")`
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAssert {
    /// The keyword.
    pub position: Position,
    /// Must be a nonzero constant.
    pub condition: Expression,
    /// The message; optional since C23.
    pub message: Option<StringLiteral>,
}

/// Everything to the left of the declarators.
#[derive(Clone, Debug, PartialEq)]
pub struct Specifiers {
    /// The first token.
    pub position: Position,
    /// `typedef`, `extern`, `static`, `auto`, `register`.
    pub storage: Option<StorageClass>,
    /// `_Thread_local`, `__thread` or `__CPROVER_thread_local`.
    pub thread_local: bool,
    /// `inline`.
    pub inline: bool,
    /// `_Noreturn`; the attribute `noreturn` stays an attribute.
    pub noreturn: bool,
    /// `const`, `volatile`, `restrict`, `_Atomic` (without parentheses).
    pub qualifiers: Qualifiers,
    /// `_Alignas(…)`, in order.
    pub alignments: Vec<Alignment>,
    /// The type. A missing one is `int`, with a warning.
    pub base: TypeSpecifier,
    /// Attributes among the specifiers.
    pub attributes: Vec<Attribute>,
}

/// A storage class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageClass {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// The type qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic` as a qualifier.
    pub is_atomic: bool,
}

impl Qualifiers {
    /// Whether no qualifier is set.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The qualifiers of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }
}

/// `_Alignas(…)`
#[derive(Clone, Debug, PartialEq)]
pub enum Alignment {
    /// `_Alignas(type)`
    Type(Box<TypeName>),
    /// `_Alignas(constant)`
    Expression(Box<Expression>),
}

/// The type that a list of specifiers names.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSpecifier {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// Plain `char`, whose signedness is the target's choice.
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`, also when it is only implied.
    Int,
    /// `unsigned`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
    /// `_BitInt(24)` (C23), which is for predicates.
    BitInt {
        /// The constant in the parentheses.
        width: Box<Expression>,
        /// Whether it is not `unsigned`.
        signed: bool,
    },
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float16`, `_Float32`, `_Float64`, `_Float128`, `__float128`: exactly this number of bits.
    FloatN(u16),
    /// `_Float32x`, `_Float64x`, `_Float128x`: more than this number of bits.
    FloatNx(u16),
    /// `_Complex` with one of the floating (or, in GNU C, integer) types.
    Complex(Box<TypeSpecifier>),
    /// `__builtin_va_list`
    VaList,
    /// `__auto_type`: the type of the initialiser.
    AutoType,
    /// A typedef name.
    Named(Name),
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    /// `enum`
    Enum(Box<EnumSpecifier>),
    /// `typeof(expression)`
    TypeofExpression(Box<Expression>),
    /// `typeof(type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
}

/// Structure or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `struct`
    Struct,
    /// `union`
    Union,
}

/// A `struct` or `union` specifier.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSpecifier {
    /// The keyword.
    pub position: Position,
    /// `struct` or `union`.
    pub kind: RecordKind,
    /// The tag.
    pub tag: Option<Identifier>,
    /// The members, if there are braces; possibly none (GNU).
    pub members: Option<Vec<Member>>,
    /// Attributes after the keyword and after the closing brace (`packed`, `aligned`, …).
    pub attributes: Vec<Attribute>,
}

/// What stands between the braces of a [`RecordSpecifier`].
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// One or more fields.
    Field(FieldDeclaration),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
}

/// `specifiers declarator : width, …;` in a structure or union.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclaration {
    /// The first token.
    pub position: Position,
    /// What the declarators share.
    pub specifiers: Specifiers,
    /// The fields; empty for an anonymous structure or union member.
    pub declarators: Vec<FieldDeclarator>,
}

/// One field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclarator {
    /// Name and derivations; the name is missing only for an unnamed bit-field.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<Expression>,
}

/// An `enum` specifier.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumSpecifier {
    /// The keyword.
    pub position: Position,
    /// The tag.
    pub tag: Option<Identifier>,
    /// The constants, if there are braces.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes after the keyword and after the closing brace.
    pub attributes: Vec<Attribute>,
}

/// One enumeration constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerator {
    /// The constant's name.
    pub name: Identifier,
    /// Its value, else one more than its predecessor's.
    pub value: Option<Expression>,
    /// Attributes such as `deprecated`.
    pub attributes: Vec<Attribute>,
}

/// A declarator: a name and what it is.
///
/// `derived` is in the order of reading aloud: `int *(*f[3])(void)` is "f is an array of 3
/// pointers to functions returning pointer to int": `[Array(3), Pointer, Function, Pointer]`. To
/// build the type, start with the base type and apply the list from its **end**.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// The name, or where it would stand in an abstract declarator.
    pub position: Position,
    /// `None` in an abstract declarator.
    pub name: Option<Name>,
    /// From the name outwards.
    pub derived: Vec<Derivation>,
    /// Attributes of the declared entity.
    pub attributes: Vec<Attribute>,
}

/// One step of a [`Declarator`].
#[derive(Clone, Debug, PartialEq)]
pub enum Derivation {
    /// `*`, with the qualifiers of the pointer itself.
    Pointer(Qualifiers),
    /// `[…]`
    Array(ArrayDerivation),
    /// `(…)`
    Function(Parameters),
}

/// `[static const size]`
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayDerivation {
    /// The opening bracket.
    pub position: Position,
    /// Qualifiers within the brackets of a parameter.
    pub qualifiers: Qualifiers,
    /// `static` within the brackets of a parameter.
    pub is_static: bool,
    /// The number of elements.
    pub size: ArraySize,
}

/// The number of elements between the brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum ArraySize {
    /// `[]`
    Unspecified,
    /// `[*]`
    Star,
    /// `[e]`, constant or not.
    Expression(Box<Expression>),
}

/// The parameters of a function declarator.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameters {
    /// `()`: nothing is said about the parameters (in a definition: there are none).
    Unspecified,
    /// `(a, b)`: the identifier list of a K&R definition.
    Identifiers(Vec<Identifier>),
    /// `(int a, char *)`, `(void)`, `(int, ...)`.
    Prototype {
        /// Empty for `(void)`.
        parameters: Vec<Parameter>,
        /// Whether it ends in `...`.
        variadic: bool,
    },
}

/// One parameter of a prototype.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The first token.
    pub position: Position,
    /// Its specifiers.
    pub specifiers: Specifiers,
    /// Its declarator, possibly abstract.
    pub declarator: Declarator,
}

/// A type as it stands in casts, `sizeof` and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// The first token.
    pub position: Position,
    /// The base type.
    pub specifiers: Specifiers,
    /// An abstract declarator.
    pub declarator: Declarator,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    /// The first token.
    pub position: Position,
    /// What it is.
    pub kind: InitializerKind,
}

/// The two kinds of [`Initializer`].
#[derive(Clone, Debug, PartialEq)]
pub enum InitializerKind {
    /// An assignment expression.
    Expression(Box<Expression>),
    /// `{ … }`
    List(Vec<InitializerItem>),
}

/// An element of a braced initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializerItem {
    /// Where it goes; empty for "the next subobject". The GNU form `a: x` is the same as `.a = x`.
    pub designators: Vec<Designator>,
    /// The value.
    pub initializer: Initializer,
}

/// One step of a designation.
#[derive(Clone, Debug, PartialEq)]
pub struct Designator {
    /// The dot or bracket.
    pub position: Position,
    /// Where it leads.
    pub kind: DesignatorKind,
}

/// The kinds of [`Designator`].
#[derive(Clone, Debug, PartialEq)]
pub enum DesignatorKind {
    /// `.name`
    Member(Name),
    /// `[index]`
    Index(Box<Expression>),
    /// `[first ... last]` (GNU), both ends included.
    Range(Box<Expression>, Box<Expression>),
}
