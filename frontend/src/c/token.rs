//! The tokens of C.

use super::ast::{Encoding, Name};
use crate::position::Position;

/// A token with its place in the preprocessed text.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands in the original sources.
    pub position: Position,
    /// Its first byte in the preprocessed text.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// The kinds of tokens. Constants are decoded only when the parser meets them.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or typedef name.
    Identifier(Name),
    /// A keyword.
    Keyword(Keyword),
    /// A preprocessing number.
    Number,
    /// A character constant.
    Character(Encoding),
    /// A string literal.
    String(Encoding),
    /// A punctuator.
    Punctuator(Punctuator),
    /// The end of the text; repeated for ever.
    EndOfFile,
}

macro_rules! spelled {
    ($(#[$outer:meta])* $name:ident { $($variant:ident $spelling:literal,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $spelling, "`")] $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The standard spelling.
            pub fn spelling(self) -> &'static str {
                match self { $(Self::$variant => $spelling,)* }
            }
        }
    };
}

spelled! {
    /// The keywords of C11 and GNU C. Alternative spellings such as `__const__` are the same
    /// keyword.
    Keyword {
        Alignas "_Alignas",
        Alignof "_Alignof",
        Asm "asm",
        Atomic "_Atomic",
        Attribute "__attribute__",
        Auto "auto",
        AutoType "__auto_type",
        BitInt "_BitInt",
        Bool "_Bool",
        Break "break",
        Case "case",
        Char "char",
        ChooseExpression "__builtin_choose_expr",
        Complex "_Complex",
        Const "const",
        Continue "continue",
        Default "default",
        Do "do",
        Double "double",
        Else "else",
        Enum "enum",
        Extension "__extension__",
        Extern "extern",
        Float "float",
        For "for",
        Generic "_Generic",
        GnuAlignof "__alignof__",
        Goto "goto",
        If "if",
        Imaginary "__imag__",
        Inline "inline",
        Int "int",
        Int128 "__int128",
        LocalLabel "__label__",
        Long "long",
        Noreturn "_Noreturn",
        Offsetof "__builtin_offsetof",
        Real "__real__",
        Register "register",
        Restrict "restrict",
        Return "return",
        Short "short",
        Signed "signed",
        Sizeof "sizeof",
        Static "static",
        StaticAssert "_Static_assert",
        Struct "struct",
        Switch "switch",
        ThreadLocal "_Thread_local",
        TypesCompatible "__builtin_types_compatible_p",
        Typedef "typedef",
        Typeof "typeof",
        Union "union",
        Unsigned "unsigned",
        VaArg "__builtin_va_arg",
        Void "void",
        Volatile "volatile",
        While "while",
    }
}

impl Keyword {
    /// Spellings of GNU C and CBMC beside the standard ones.
    pub const ALTERNATIVES: &'static [(&'static str, Self)] = &[
        ("__CPROVER_thread_local", Self::ThreadLocal),
        ("__alignof", Self::GnuAlignof),
        ("__asm", Self::Asm),
        ("__asm__", Self::Asm),
        ("__attribute", Self::Attribute),
        ("__complex", Self::Complex),
        ("__complex__", Self::Complex),
        ("__const", Self::Const),
        ("__const__", Self::Const),
        ("__imag", Self::Imaginary),
        ("__inline", Self::Inline),
        ("__inline__", Self::Inline),
        ("__int128__", Self::Int128),
        ("__real", Self::Real),
        ("__restrict", Self::Restrict),
        ("__restrict__", Self::Restrict),
        ("__signed", Self::Signed),
        ("__signed__", Self::Signed),
        ("__thread", Self::ThreadLocal),
        ("__typeof", Self::Typeof),
        ("__typeof__", Self::Typeof),
        ("__volatile", Self::Volatile),
        ("__volatile__", Self::Volatile),
    ];
}

spelled! {
    /// The punctuators of C. Digraphs are the same punctuators.
    Punctuator {
        LeftBracket "[",
        RightBracket "]",
        LeftParenthesis "(",
        RightParenthesis ")",
        LeftBrace "{",
        RightBrace "}",
        Dot ".",
        Arrow "->",
        PlusPlus "++",
        MinusMinus "--",
        Ampersand "&",
        Star "*",
        Plus "+",
        Minus "-",
        Tilde "~",
        Exclamation "!",
        Slash "/",
        Percent "%",
        LessLess "<<",
        GreaterGreater ">>",
        Less "<",
        Greater ">",
        LessEqual "<=",
        GreaterEqual ">=",
        EqualEqual "==",
        ExclamationEqual "!=",
        Caret "^",
        Bar "|",
        AmpersandAmpersand "&&",
        BarBar "||",
        Question "?",
        Colon ":",
        Semicolon ";",
        Ellipsis "...",
        Equal "=",
        StarEqual "*=",
        SlashEqual "/=",
        PercentEqual "%=",
        PlusEqual "+=",
        MinusEqual "-=",
        LessLessEqual "<<=",
        GreaterGreaterEqual ">>=",
        AmpersandEqual "&=",
        CaretEqual "^=",
        BarEqual "|=",
        Comma ",",
    }
}
