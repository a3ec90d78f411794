//! Statements and blocks.

use super::{Declaration, Expression, Identifier, StaticAssert, StringLiteral};
use crate::position::Position;

/// `{ … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The opening brace.
    pub position: Position,
    /// What stands in it, in order.
    pub items: Vec<BlockItem>,
    /// The closing brace.
    pub end: Position,
}

/// What can stand in a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`: labels that are local to the block (GNU).
    LocalLabels(Vec<Identifier>),
    /// A statement.
    Statement(Statement),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The first token; of a labelled statement, the first label.
    pub position: Position,
    /// What it is.
    pub kind: StatementKind,
}

/// The kinds of [`Statement`].
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `;`
    Empty,
    /// `e;`
    Expression(Expression),
    /// `{ … }`
    Block(Block),
    /// One or more labels in a row and their statement, which carries no label itself. It is
    /// [`StatementKind::Empty`] where a label stands before `}` or a declaration.
    Labeled {
        /// The labels, at least one.
        labels: Vec<Label>,
        /// The statement.
        statement: Box<Statement>,
    },
    /// `if (c1) s1 else if (c2) s2 … else s`
    If {
        /// Conditions and their statements in order, at least one.
        arms: Vec<(Expression, Statement)>,
        /// The last `else`.
        otherwise: Option<Box<Statement>>,
    },
    /// `switch (e) s`
    Switch {
        /// The controlling expression.
        condition: Expression,
        /// The body.
        body: Box<Statement>,
    },
    /// `while (e) s`
    While {
        /// The condition.
        condition: Expression,
        /// The body.
        body: Box<Statement>,
    },
    /// `do s while (e);`
    DoWhile {
        /// The body.
        body: Box<Statement>,
        /// The condition.
        condition: Expression,
    },
    /// `for (…; …; …) s`
    For {
        /// The first clause.
        initializer: ForInitializer,
        /// The condition; absent means true.
        condition: Option<Expression>,
        /// Evaluated after each iteration.
        step: Option<Expression>,
        /// The body.
        body: Box<Statement>,
    },
    /// `goto label;`
    Goto(Identifier),
    /// `goto *e;` (GNU)
    GotoComputed(Expression),
    /// `continue;`
    Continue,
    /// `break;`
    Break,
    /// `return e;`
    Return(Option<Expression>),
    /// `asm(…);`
    Asm(Asm),
}

/// A label before a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The first token.
    pub position: Position,
    /// What it is.
    pub kind: LabelKind,
}

/// The kinds of [`Label`].
#[derive(Clone, Debug, PartialEq)]
pub enum LabelKind {
    /// `name:`
    Named(super::Name),
    /// `case e:`
    Case(Expression),
    /// `case first ... last:` (GNU), both ends included.
    CaseRange(Expression, Expression),
    /// `default:`
    Default,
}

/// The first clause of a `for`.
#[derive(Clone, Debug, PartialEq)]
pub enum ForInitializer {
    /// A clause that is left out: `for (;;)`.
    None,
    /// An expression.
    Expression(Expression),
    /// A declaration, whose scope is the loop.
    Declaration(Declaration),
}

/// An `asm` statement or file-scope `asm`.
#[derive(Clone, Debug, PartialEq)]
pub struct Asm {
    /// The keyword.
    pub position: Position,
    /// `volatile`
    pub is_volatile: bool,
    /// `goto`
    pub is_goto: bool,
    /// The assembler template.
    pub template: StringLiteral,
    /// Whether there is a colon; without one it is a basic `asm`.
    pub is_extended: bool,
    /// The outputs.
    pub outputs: Vec<AsmOperand>,
    /// The inputs.
    pub inputs: Vec<AsmOperand>,
    /// The clobbers, `"memory"` among them.
    pub clobbers: Vec<StringLiteral>,
    /// The labels of `asm goto`.
    pub labels: Vec<Identifier>,
}

/// `[name] "constraint" (expression)`
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// The symbolic name.
    pub name: Option<Identifier>,
    /// The constraint.
    pub constraint: StringLiteral,
    /// The operand.
    pub expression: Expression,
}
