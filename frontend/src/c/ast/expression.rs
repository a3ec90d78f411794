//! Expressions and constants.

pub use crate::lower::operator::BinaryOperator;

use super::{Block, Designator, Identifier, Initializer, LiteralId, Name, TypeName};
use crate::position::Position;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Its leftmost token (parentheses around it not counted).
    pub position: Position,
    /// What it is.
    pub kind: ExpressionKind,
    height: u32,
}

impl Expression {
    /// An expression whose height follows from the expressions directly below it.
    pub fn new(position: Position, kind: ExpressionKind) -> Self {
        Self::with_hidden_height(position, kind, 0)
    }

    /// The same, when expressions of at most the given height also stand in the types, blocks and
    /// initialisers below it.
    pub fn with_hidden_height(position: Position, kind: ExpressionKind, hidden: u32) -> Self {
        let height = kind.children_height().max(hidden).saturating_add(1);
        Self { position, kind, height }
    }

    /// The number of expressions on the longest way down, this one included. The parser refuses
    /// trees higher than its limit; left-leaning chains such as `a + b + c` count too.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// The kinds of [`Expression`].
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A name: variable, function or enumeration constant, declared or not.
    Identifier(Name),
    /// An integer constant.
    Integer(IntegerConstant),
    /// A floating constant.
    Float(FloatConstant),
    /// A character constant.
    Character(CharacterConstant),
    /// A string literal; adjacent ones are joined.
    String(StringLiteral),
    /// `_Generic(…)`
    Generic {
        /// Its type selects.
        controlling: Box<Expression>,
        /// The associations in order; `None` is `default`.
        associations: Vec<(Option<TypeName>, Expression)>,
    },
    /// `f(a, b)`
    Call {
        /// The function.
        function: Box<Expression>,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `[e]`, in predicates: `e` with the locals of another thread.
    Other(Box<Expression>),
    /// `s.m` or `p->m`
    Member {
        /// The structure, or the pointer to it.
        object: Box<Expression>,
        /// The member.
        member: Identifier,
        /// Whether it is `->`.
        arrow: bool,
    },
    /// `a[i]`
    Index {
        /// What stands before the bracket (one of the two is the pointer).
        array: Box<Expression>,
        /// What stands in the brackets.
        index: Box<Expression>,
    },
    /// `x++`, `--x` and so on.
    Increment {
        /// Which of the four.
        operator: IncrementOperator,
        /// What changes.
        operand: Box<Expression>,
    },
    /// A prefix operator.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<Expression>,
    },
    /// `(type) e`
    Cast {
        /// The type.
        type_name: Box<TypeName>,
        /// The operand.
        operand: Box<Expression>,
    },
    /// `(type) { … }`
    CompoundLiteral {
        /// Which literal it is.
        id: LiteralId,
        /// The type.
        type_name: Box<TypeName>,
        /// The braced initialiser.
        initializer: Box<Initializer>,
    },
    /// `sizeof e`
    SizeofExpression(Box<Expression>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `__alignof__ e` (GNU)
    AlignofExpression(Box<Expression>),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// A binary operator, also `&&` and `||`.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
    },
    /// `x = e`, `x += e`
    Assign {
        /// `None` for `=`; never [`BinaryOperator::is_logical`] or a comparison.
        operator: Option<BinaryOperator>,
        /// What changes.
        target: Box<Expression>,
        /// The right-hand side.
        value: Box<Expression>,
    },
    /// `c ? a : b`; `c ?: b` (GNU) evaluates `c` once and yields it where `then` is `None`.
    Conditional {
        /// The condition.
        condition: Box<Expression>,
        /// The value if it holds.
        then: Option<Box<Expression>>,
        /// The value if it does not.
        otherwise: Box<Expression>,
    },
    /// `a, b, c`: at least two.
    Comma(Vec<Expression>),
    /// `({ … })` (GNU): the value of its last expression statement.
    StatementExpression(Box<Block>),
    /// `&&label` (GNU)
    LabelAddress(Identifier),
    /// `__builtin_offsetof(type, m.n[3])`
    Offsetof {
        /// The structure or union.
        type_name: Box<TypeName>,
        /// The way to the member: members and indices, the first a member; never a range.
        designators: Vec<Designator>,
    },
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`
    ChooseExpression {
        /// A constant.
        condition: Box<Expression>,
        /// The result if it is nonzero.
        then: Box<Expression>,
        /// The result if it is zero.
        otherwise: Box<Expression>,
    },
    /// `__builtin_va_arg(list, type)`
    VaArg {
        /// The `va_list`.
        list: Box<Expression>,
        /// The argument's type.
        type_name: Box<TypeName>,
    },
}

impl ExpressionKind {
    /// The height of the highest expression directly below.
    fn children_height(&self) -> u32 {
        match self {
            Self::Identifier(_)
            | Self::Integer(_)
            | Self::Float(_)
            | Self::Character(_)
            | Self::String(_)
            | Self::CompoundLiteral { .. }
            | Self::SizeofType(_)
            | Self::AlignofType(_)
            | Self::StatementExpression(_)
            | Self::LabelAddress(_)
            | Self::Offsetof { .. }
            | Self::TypesCompatible(..) => 0,
            Self::Generic { controlling, associations } => associations
                .iter()
                .map(|(_, value)| value.height)
                .fold(controlling.height, u32::max),
            Self::Call { function, arguments } => {
                arguments.iter().map(Expression::height).fold(function.height, u32::max)
            }
            Self::Member { object: operand, .. }
            | Self::Increment { operand, .. }
            | Self::Unary { operand, .. }
            | Self::Cast { operand, .. }
            | Self::SizeofExpression(operand)
            | Self::AlignofExpression(operand)
            | Self::Other(operand)
            | Self::VaArg { list: operand, .. } => operand.height,
            Self::Index { array: left, index: right }
            | Self::Binary { left, right, .. }
            | Self::Assign { target: left, value: right, .. } => left.height.max(right.height),
            Self::Conditional { condition, then, otherwise } => condition
                .height
                .max(otherwise.height)
                .max(then.as_ref().map_or(0, |then| then.height)),
            Self::Comma(expressions) => {
                expressions.iter().map(Expression::height).max().unwrap_or(0)
            }
            Self::ChooseExpression { condition, then, otherwise } => {
                condition.height.max(then.height).max(otherwise.height)
            }
        }
    }
}

/// An integer constant.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegerConstant {
    /// Its value.
    pub value: u128,
    /// Whether it is written in decimal: only then are unsigned types no candidates (C11
    /// 6.4.4.1). A plain `0` counts as decimal, which makes no difference.
    pub is_decimal: bool,
    /// Suffix `u`.
    pub is_unsigned: bool,
    /// Suffix `l` or `ll`.
    pub length: IntegerLength,
    /// Suffix `i` or `j` (GNU): an imaginary constant.
    pub is_imaginary: bool,
}

/// The length suffix of an [`IntegerConstant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntegerLength {
    /// None.
    Int,
    /// `l`
    Long,
    /// `ll`
    LongLong,
}

/// A floating constant.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatConstant {
    /// The digits as written, decimal or hexadecimal, without the suffix.
    pub digits: Box<str>,
    /// The type that the suffix names: `float`, `double`, `long double`, `_FloatN` or `_FloatNx`.
    pub suffix: FloatSuffix,
    /// Suffix `i` or `j` (GNU): an imaginary constant.
    pub is_imaginary: bool,
}

/// The type suffix of a [`FloatConstant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// None: `double`.
    Double,
    /// `f`: `float`.
    Float,
    /// `l`: `long double`.
    LongDouble,
    /// `f16`, `f32`, `f64`, `f128` (also `q`): `_FloatN`.
    FloatN(u16),
    /// `f32x`, `f64x`: `_FloatNx`.
    FloatNx(u16),
}

/// The prefix of a character constant or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// None: units are bytes (UTF-8 for characters beyond ASCII).
    Plain,
    /// `u8`: units are bytes.
    Utf8,
    /// `L`: units are `wchar_t`, 32 bits.
    Wide,
    /// `u`: units are `char16_t`.
    Char16,
    /// `U`: units are `char32_t`.
    Char32,
}

/// A character constant.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterConstant {
    /// The prefix.
    pub encoding: Encoding,
    /// The units between the quotes, escapes resolved; at least one.
    pub units: Vec<u32>,
}

impl CharacterConstant {
    /// The value as GCC computes it: a plain constant of one character is a `char` converted to
    /// `int`, one of several is built big-endian and cut to `int`; others are their last unit.
    pub fn value(&self, char_is_signed: bool) -> i64 {
        match (self.encoding, self.units.as_slice()) {
            (Encoding::Plain, [unit]) => {
                let byte = (*unit & 0xff) as u8;
                if char_is_signed { i64::from(byte as i8) } else { i64::from(byte) }
            }
            (Encoding::Plain, units) => {
                let bits = units.iter().fold(0u32, |value, unit| (value << 8) | (unit & 0xff));
                i64::from(bits as i32)
            }
            (Encoding::Wide, units) => units.last().map_or(0, |unit| i64::from(*unit as i32)),
            (_, units) => units.last().map_or(0, |unit| i64::from(*unit)),
        }
    }
}

/// A string literal.
#[derive(Clone, Debug, PartialEq)]
pub struct StringLiteral {
    /// Which literal it is.
    pub id: LiteralId,
    /// Its first quote or prefix.
    pub position: Position,
    /// The prefix; of joined literals, the one that any of them has.
    pub encoding: Encoding,
    /// The units, escapes resolved, without the final zero.
    pub units: Vec<u32>,
}

impl StringLiteral {
    /// The text of a plain literal, for messages; invalid sequences are replaced.
    pub fn to_text(&self) -> String {
        match self.encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let bytes: Vec<u8> = self.units.iter().map(|unit| (*unit & 0xff) as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Encoding::Char16 => {
                let units: Vec<u16> =
                    self.units.iter().map(|unit| (*unit & 0xffff) as u16).collect();
                String::from_utf16_lossy(&units)
            }
            Encoding::Wide | Encoding::Char32 => self
                .units
                .iter()
                .map(|unit| char::from_u32(*unit).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        }
    }
}

/// `++` and `--` on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncrementOperator {
    /// `++x`
    PreIncrement,
    /// `--x`
    PreDecrement,
    /// `x++`
    PostIncrement,
    /// `x--`
    PostDecrement,
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `&x`
    AddressOf,
    /// `*p`
    Dereference,
    /// `+x`
    Plus,
    /// `-x`
    Minus,
    /// `~x`
    BitwiseNot,
    /// `!x`
    LogicalNot,
    /// `__real__ x`
    Real,
    /// `__imag__ x`
    Imaginary,
}
