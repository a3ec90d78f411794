//! The syntax tree of Boolean broadcast programs and constructors for building it by program.
//!
//! `parse(print(p))` equals `p` up to [`Position`]s and [`OriginId`]s;
//! tests compare them without those.

/// A place in a source text; `0:0` means "made by program".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in bytes, counted from 1.
    pub column: u32,
}

/// What a statement was made from: an index into a table that whoever made the program keeps
/// beside it. It is no part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OriginId(pub u32);

/// A Boolean broadcast program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Declarations outside procedures: shared variables, and those marked `thread_local`.
    pub globals: Vec<Variable>,
    /// What holds in every state; others are cut off.
    pub invariants: Vec<Invariant>,
    /// The procedures; execution starts in `main`.
    pub procedures: Vec<Procedure>,
}

/// What holds of every thread or, if it mentions `[x]`, of every two threads in either order. A state in
/// which it does not is none that a run comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Over globals: shared ones, a thread's own, and those of another thread. It has no choice.
    pub condition: Expression,
    /// Where it stands.
    pub position: Position,
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// A global of which each thread has its own copy.
    pub thread_local: bool,
    /// Its initial value; `None` is nondeterministic (or zero under `--init zero`).
    pub initial: Option<Expression>,
    /// Where it is declared.
    pub position: Position,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// How many values it returns (`void` 0, `bool` 1, `bool<n>` n).
    pub returns: u32,
    /// Parameter names.
    pub parameters: Vec<String>,
    /// Its statements, declarations of locals included.
    pub body: Vec<Statement>,
    /// Where it begins.
    pub position: Position,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its labels, outermost first.
    pub labels: Vec<String>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub position: Position,
    /// What it was made from, if a program made it.
    pub origin: Option<OriginId>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Does nothing.
    Skip,
    /// Jumps to any of the labels.
    Goto(Vec<String>),
    /// Blocks unless the condition can be true.
    Assume(Expression),
    /// Is an error if the condition can be false, and goes on either way.
    Assert(Expression),
    /// `assert(!e)`.
    AbortIf(Expression),
    /// A simultaneous assignment.
    Assign {
        /// The left-hand sides.
        targets: Vec<Target>,
        /// As many right-hand sides, all read in the state before.
        values: Vec<Expression>,
        /// Filters the pairs of states before and after.
        constraint: Option<Expression>,
    },
    /// `targets := callee(arguments)`, or a bare call when there are no targets.
    Call {
        /// Where the results go; empty drops them all.
        targets: Vec<Target>,
        /// The procedure's name.
        callee: String,
        /// The values of its parameters.
        arguments: Vec<Expression>,
    },
    /// Leaves the procedure with these values.
    Return(Vec<Expression>),
    /// `if c then … elsif … else … fi`.
    If {
        /// Conditions with their bodies, in order; at least one.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// The body of `else`.
        otherwise: Option<Vec<Statement>>,
    },
    /// `while c do … od`.
    While {
        /// The condition, evaluated afresh in each round.
        condition: Expression,
        /// The body.
        body: Vec<Statement>,
    },
    /// Starts a thread that runs the statement (a `goto` continues at its label) and then ends.
    StartThread {
        /// Whether it waits while there are as many threads as there may be at once; else it does
        /// nothing then.
        waits: bool,
        /// What the new thread runs.
        thread: Box<Statement>,
    },
    /// Ends the thread.
    EndThread,
    /// From here until `atomic_end` no other thread runs.
    AtomicBegin,
    /// Ends the atomic section.
    AtomicEnd,
    /// Waits until the variable is false and sets it, in one step.
    Lock(String),
    /// Sets the variable to false.
    Unlock(String),
    /// Assumes the condition here and after each later assignment of the enclosing block.
    Enforce(Expression),
    /// A hint that the variables are dead; does nothing.
    Dead(Vec<Expression>),
    /// Declares (and havocs or initialises) local variables.
    Declare(Vec<Variable>),
    /// Accepted for other tools' files; does nothing.
    Sync(String),
}

/// Whose copy of a thread-local variable is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The thread that executes the statement (or nobody's: a shared variable).
    Active,
    /// Each other thread in turn: `[v]`, or `v$`.
    Passive,
}

/// A left-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `v`, or a broadcast `[v]`.
    Variable {
        /// The variable's name.
        name: String,
        /// Whose copy is written.
        owner: Owner,
    },
    /// `_`: the value is dropped.
    Ignore,
}

/// An expression; each evaluation of a nondeterministic part is an independent choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `0`, `F`, `1`, `T`.
    Constant(bool),
    /// A variable.
    Variable {
        /// Its name.
        name: String,
        /// Whose copy is read.
        owner: Owner,
        /// Its value after the step (`'v`, `v'`), only in constraints.
        next: bool,
    },
    /// `*`.
    Nondet,
    /// `choose(p, n)` and `schoose[p, n]`: 1 if p, else 0 if n, else free.
    Choose(Box<Expression>, Box<Expression>),
    /// `!e`.
    Not(Box<Expression>),
    /// Conjunction of at least two operands.
    And(Vec<Expression>),
    /// Disjunction of at least two operands.
    Or(Vec<Expression>),
    /// Parity of at least two operands.
    Xor(Vec<Expression>),
    /// `a = b`.
    Equal(Box<Expression>, Box<Expression>),
    /// `a != b`.
    NotEqual(Box<Expression>, Box<Expression>),
    /// `a => b`.
    Implies(Box<Expression>, Box<Expression>),
    /// `c ? a : b`.
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// The active thread's (or shared) variable `name`, before the step.
    pub fn variable(name: impl Into<String>) -> Self {
        Expression::Variable { name: name.into(), owner: Owner::Active, next: false }
    }
    /// `[name]`: the passive thread's copy, before the step.
    pub fn passive(name: impl Into<String>) -> Self {
        Expression::Variable { name: name.into(), owner: Owner::Passive, next: false }
    }
    /// `'name`: the value after the step.
    pub fn next(name: impl Into<String>) -> Self {
        Expression::Variable { name: name.into(), owner: Owner::Active, next: true }
    }
    /// `'[name]`: the passive thread's copy after the step.
    pub fn next_passive(name: impl Into<String>) -> Self {
        Expression::Variable { name: name.into(), owner: Owner::Passive, next: true }
    }
    /// `!operand`.
    #[allow(clippy::should_implement_trait)]
    pub fn not(operand: Expression) -> Self {
        Expression::Not(Box::new(operand))
    }
    /// The conjunction; `1` for no operand, the operand itself for one.
    pub fn and(operands: impl IntoIterator<Item = Expression>) -> Self {
        Self::nary(operands, Expression::And, Expression::Constant(true))
    }
    /// The disjunction; `0` for no operand, the operand itself for one.
    pub fn or(operands: impl IntoIterator<Item = Expression>) -> Self {
        Self::nary(operands, Expression::Or, Expression::Constant(false))
    }
    /// The parity; `0` for no operand, the operand itself for one.
    pub fn xor(operands: impl IntoIterator<Item = Expression>) -> Self {
        Self::nary(operands, Expression::Xor, Expression::Constant(false))
    }
    /// `choose(positive, negative)` (SAPA section 2.2).
    pub fn choose(positive: Expression, negative: Expression) -> Self {
        Expression::Choose(Box::new(positive), Box::new(negative))
    }
    /// `left = right`.
    pub fn equal(left: Expression, right: Expression) -> Self {
        Expression::Equal(Box::new(left), Box::new(right))
    }
    /// `left != right`.
    pub fn not_equal(left: Expression, right: Expression) -> Self {
        Expression::NotEqual(Box::new(left), Box::new(right))
    }
    /// `premise => conclusion`.
    pub fn implies(premise: Expression, conclusion: Expression) -> Self {
        Expression::Implies(Box::new(premise), Box::new(conclusion))
    }
    /// `condition ? then : otherwise`.
    pub fn conditional(condition: Expression, then: Expression, otherwise: Expression) -> Self {
        Expression::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    fn nary(
        operands: impl IntoIterator<Item = Expression>,
        make: fn(Vec<Expression>) -> Expression,
        neutral: Expression,
    ) -> Self {
        let mut operands: Vec<_> = operands.into_iter().collect();
        match operands.len() {
            0 => neutral,
            1 => operands.pop().unwrap_or(neutral),
            _ => make(operands),
        }
    }
}

impl Target {
    /// `name`.
    pub fn variable(name: impl Into<String>) -> Self {
        Target::Variable { name: name.into(), owner: Owner::Active }
    }
    /// `[name]`: every other thread's copy.
    pub fn broadcast(name: impl Into<String>) -> Self {
        Target::Variable { name: name.into(), owner: Owner::Passive }
    }
}

impl From<StatementKind> for Statement {
    fn from(kind: StatementKind) -> Self {
        Statement { labels: Vec::new(), kind, position: Position::default(), origin: None }
    }
}

impl Statement {
    /// An unlabelled statement made by program.
    pub fn new(kind: StatementKind) -> Self {
        kind.into()
    }
    /// The statement with one more label, outside the ones it has.
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.labels.insert(0, label.into());
        self
    }
    /// The statement, made from `origin`.
    pub fn made_from(mut self, origin: OriginId) -> Self {
        self.origin = Some(origin);
        self
    }
    /// `goto labels`.
    pub fn goto<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Self {
        StatementKind::Goto(labels.into_iter().map(Into::into).collect()).into()
    }
    /// `assume(condition)`.
    pub fn assume(condition: Expression) -> Self {
        StatementKind::Assume(condition).into()
    }
    /// `assert(condition)`.
    pub fn assert(condition: Expression) -> Self {
        StatementKind::Assert(condition).into()
    }
    /// A simultaneous assignment; the empty one is `skip`, or `assume` of the constraint over
    /// plain names.
    pub fn assign(
        assignments: impl IntoIterator<Item = (Target, Expression)>,
        constraint: Option<Expression>,
    ) -> Self {
        let (targets, values): (Vec<_>, Vec<_>) = assignments.into_iter().unzip();
        if targets.is_empty() {
            return match constraint {
                None => StatementKind::Skip.into(),
                Some(constraint) => StatementKind::Assign {
                    targets: vec![Target::Ignore],
                    values: vec![Expression::Constant(false)],
                    constraint: Some(constraint),
                }
                .into(),
            };
        }
        StatementKind::Assign { targets, values, constraint }.into()
    }
    /// `callee()`.
    pub fn call(callee: impl Into<String>) -> Self {
        StatementKind::Call { targets: Vec::new(), callee: callee.into(), arguments: Vec::new() }
            .into()
    }
    /// `start_thread statement`.
    pub fn start_thread(statement: Statement) -> Self {
        StatementKind::StartThread { waits: false, thread: Box::new(statement) }.into()
    }
    /// `start_thread_or_wait statement`.
    pub fn start_thread_or_wait(statement: Statement) -> Self {
        StatementKind::StartThread { waits: true, thread: Box::new(statement) }.into()
    }
}

impl Variable {
    /// A variable without initial value.
    pub fn new(name: impl Into<String>) -> Self {
        Variable {
            name: name.into(),
            thread_local: false,
            initial: None,
            position: Position::default(),
        }
    }
    /// The same variable, one copy per thread.
    pub fn thread_local(mut self) -> Self {
        self.thread_local = true;
        self
    }
    /// The same variable with an initial value.
    pub fn initialised(mut self, value: Expression) -> Self {
        self.initial = Some(value);
        self
    }
}

impl Procedure {
    /// A procedure without parameters and results.
    pub fn new(name: impl Into<String>, body: Vec<Statement>) -> Self {
        Procedure {
            name: name.into(),
            returns: 0,
            parameters: Vec::new(),
            body,
            position: Position::default(),
        }
    }
}

impl Program {
    /// Sets every position to `0:0` and removes origins, so that programs can be compared.
    #[cfg(test)]
    pub(crate) fn clear_positions(&mut self) {
        for global in &mut self.globals {
            global.position = Position::default();
        }
        for invariant in &mut self.invariants {
            invariant.position = Position::default();
        }
        for procedure in &mut self.procedures {
            procedure.position = Position::default();
            clear_block(&mut procedure.body);
        }
    }

    /// Whether some statement, of whichever procedure, has this label.
    pub fn has_label(&self, label: &str) -> bool {
        self.procedures.iter().any(|procedure| has_label(&procedure.body, label))
    }
}

fn has_label(block: &[Statement], label: &str) -> bool {
    block.iter().any(|statement| {
        let inside = match &statement.kind {
            StatementKind::If { branches, otherwise } => {
                let mut bodies = branches.iter().map(|(_, body)| body).chain(otherwise);
                bodies.any(|body| has_label(body, label))
            }
            StatementKind::While { body, .. } => has_label(body, label),
            StatementKind::StartThread { thread, .. } => {
                has_label(std::slice::from_ref(&**thread), label)
            }
            _ => false,
        };
        inside || statement.labels.iter().any(|own| own == label)
    })
}

#[cfg(test)]
fn clear_block(block: &mut [Statement]) {
    for statement in block {
        statement.position = Position::default();
        statement.origin = None;
        match &mut statement.kind {
            StatementKind::If { branches, otherwise } => {
                branches.iter_mut().for_each(|(_, body)| clear_block(body));
                if let Some(body) = otherwise {
                    clear_block(body);
                }
            }
            StatementKind::While { body, .. } => clear_block(body),
            StatementKind::StartThread { thread, .. } => {
                clear_block(std::slice::from_mut(&mut **thread));
            }
            StatementKind::Declare(variables) => {
                variables.iter_mut().for_each(|v| v.position = Position::default());
            }
            _ => {}
        }
    }
}
