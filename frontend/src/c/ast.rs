//! The syntax tree of C.
//!
//! The tree is close to the text: names are not resolved, nothing is typed, no constant is folded.
//! Three things are normalised because every consumer would have to do it: keyword salads such as
//! `long unsigned int` become one [`TypeSpecifier`], declarators become a flat list of
//! [`Derivation`]s in the order in which one reads them aloud, and chains that programs generate in
//! the thousands (`else if`, `case 1: case 2:`, commas) are vectors, not nested boxes.
//!
//! **Invariant**: trees from the parser have bounded height (see [`Expression::height`] and the
//! nesting limit of the parser), so that recursive consumers on a stack as large as that of
//! [`on_deep_stack`](crate::stack::on_deep_stack) cannot overflow it.

mod declaration;
mod expression;
mod statement;

pub use declaration::*;
pub use expression::*;
pub use statement::*;

use crate::position::{Files, Position};

pub use crate::lower::program::Name;

/// A literal of a translation unit: its number, in the order in which they are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiteralId(pub u32);

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Identifier {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub position: Position,
}

/// A preprocessed source file, parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct TranslationUnit {
    /// The names of the files that positions refer to.
    pub files: Files,
    /// What stands at file scope, in order.
    pub items: Vec<ExternalDeclaration>,
}

/// What can stand at file scope.
#[derive(Clone, Debug, PartialEq)]
pub enum ExternalDeclaration {
    /// A function with its body.
    Function(FunctionDefinition),
    /// Any other declaration.
    Declaration(Declaration),
    /// `_Static_assert(e, "…");`
    StaticAssert(StaticAssert),
    /// `asm("…");` at file scope.
    Asm(Asm),
}

/// A function definition.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDefinition {
    /// The first token.
    pub position: Position,
    /// Return type's base, storage class and so on.
    pub specifiers: Specifiers,
    /// Name and parameters; the first derivation is always [`Derivation::Function`].
    pub declarator: Declarator,
    /// The declarations between `)` and `{` of a K&R definition. A parameter of the identifier
    /// list that is not declared here is an `int`.
    pub old_style: Vec<Declaration>,
    /// The body.
    pub body: Block,
}

/// `__attribute__((name(arguments)))`, one entry of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Where the name stands.
    pub position: Position,
    /// The name without the optional underscores around it: `packed`, not `__packed__`.
    pub name: Name,
    /// The arguments.
    pub arguments: AttributeArguments,
}

/// The arguments of an [`Attribute`].
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeArguments {
    /// No parentheses.
    None,
    /// Expressions, for the attributes that change layout or linkage: `aligned`, `vector_size`,
    /// `section`, `alias`, `cleanup`, `constructor`, `destructor`, `visibility`, `weakref`.
    Expressions(Vec<Expression>),
    /// The spelling of the tokens between the parentheses, for all others.
    Tokens(Vec<Box<str>>),
}
