//! Prints Boolean programs so that `parse(print(p)) == p` up to positions.
//!
//! That holds for every program that [`super::parser::parse`] can return. A tree built by hand
//! must use names that [`super::parser::is_name`] accepts and n-ary operators with at least two
//! operands, and must not have labels inside a `start_thread goto` that are no names.

use super::ast::{
    Expression, Owner, Procedure, Program, Statement, StatementKind, Target, Variable,
};
use std::fmt::{self, Display, Formatter, Write};

/// How tightly an expression binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Conditional,
    Comparison,
    Xor,
    Or,
    And,
    Unary,
}

fn level(expression: &Expression) -> Level {
    match expression {
        Expression::Conditional(..) => Level::Conditional,
        Expression::Equal(..) | Expression::NotEqual(..) | Expression::Implies(..) => {
            Level::Comparison
        }
        Expression::Xor(_) => Level::Xor,
        Expression::Or(_) => Level::Or,
        Expression::And(_) => Level::And,
        Expression::Constant(_)
        | Expression::Variable { .. }
        | Expression::Nondet
        | Expression::Choose(..)
        | Expression::Not(_) => Level::Unary,
    }
}

/// Prints an operand that must bind at least as tightly as `least`.
fn operand(f: &mut Formatter<'_>, expression: &Expression, least: Level) -> fmt::Result {
    if level(expression) >= least { write!(f, "{expression}") } else { write!(f, "({expression})") }
}

fn operands(
    f: &mut Formatter<'_>,
    expressions: &[Expression],
    symbol: &str,
    least: Level,
) -> fmt::Result {
    for (index, expression) in expressions.iter().enumerate() {
        if index > 0 {
            write!(f, " {symbol} ")?;
        }
        operand(f, expression, least)?;
    }
    Ok(())
}

fn comparison(
    f: &mut Formatter<'_>,
    left: &Expression,
    symbol: &str,
    right: &Expression,
) -> fmt::Result {
    operand(f, left, Level::Xor)?;
    write!(f, " {symbol} ")?;
    // Comparisons associate to the right.
    operand(f, right, Level::Comparison)
}

fn name(f: &mut Formatter<'_>, name: &str, owner: Owner) -> fmt::Result {
    match owner {
        Owner::Active => f.write_str(name),
        Owner::Passive => write!(f, "[{name}]"),
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Constant(value) => f.write_str(if *value { "1" } else { "0" }),
            Expression::Variable { name: variable, owner, next } => {
                if *next {
                    f.write_char('\'')?;
                }
                name(f, variable, *owner)
            }
            Expression::Nondet => f.write_char('*'),
            Expression::Choose(p, n) => write!(f, "choose({p}, {n})"),
            Expression::Not(e) => {
                f.write_char('!')?;
                operand(f, e, Level::Unary)
            }
            Expression::And(es) => operands(f, es, "&", Level::Unary),
            Expression::Or(es) => operands(f, es, "|", Level::And),
            Expression::Xor(es) => operands(f, es, "^", Level::Or),
            Expression::Equal(a, b) => comparison(f, a, "=", b),
            Expression::NotEqual(a, b) => comparison(f, a, "!=", b),
            Expression::Implies(a, b) => comparison(f, a, "=>", b),
            Expression::Conditional(c, a, b) => {
                operand(f, c, Level::Comparison)?;
                write!(f, " ? {a} : {b}")
            }
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Target::Variable { name: variable, owner } => name(f, variable, *owner),
            Target::Ignore => f.write_char('_'),
        }
    }
}

/// Separates items by commas.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Display for Variable {
    /// The name and initial value; `thread_local` belongs to the declaration.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.initial {
            Some(value) => write!(f, " := {value}"),
            None => Ok(()),
        }
    }
}

/// A statement or block at a depth of indentation.
struct Indented<'a, T: ?Sized>(usize, &'a T);

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

impl Display for Indented<'_, [Statement]> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for statement in self.1 {
            indent(f, self.0)?;
            writeln!(f, "{};", Indented(self.0, statement))?;
        }
        Ok(())
    }
}

impl Display for Indented<'_, Statement> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for label in &self.1.labels {
            write!(f, "{label}: ")?;
        }
        let depth = self.0;
        match &self.1.kind {
            StatementKind::Skip => f.write_str("skip"),
            StatementKind::Goto(labels) => write!(f, "goto {}", List(labels)),
            StatementKind::Assume(e) => write!(f, "assume({e})"),
            StatementKind::Assert(e) => write!(f, "assert({e})"),
            StatementKind::AbortIf(e) => write!(f, "abortif({e})"),
            StatementKind::Enforce(e) => write!(f, "enforce({e})"),
            StatementKind::Assign { targets, values, constraint } => {
                write!(f, "{} := {}", List(targets), List(values))?;
                match constraint {
                    Some(constraint) => write!(f, " constrain {constraint}"),
                    None => Ok(()),
                }
            }
            StatementKind::Call { targets, callee, arguments } => {
                if !targets.is_empty() {
                    write!(f, "{} := ", List(targets))?;
                }
                write!(f, "{callee}({})", List(arguments))
            }
            StatementKind::Return(values) if values.is_empty() => f.write_str("return"),
            StatementKind::Return(values) => write!(f, "return {}", List(values)),
            StatementKind::If { branches, otherwise } => {
                for (index, (condition, body)) in branches.iter().enumerate() {
                    if index > 0 {
                        indent(f, depth)?;
                    }
                    writeln!(f, "{} {condition} then", if index == 0 { "if" } else { "elsif" })?;
                    write!(f, "{}", Indented(depth + 1, body.as_slice()))?;
                }
                if let Some(body) = otherwise {
                    indent(f, depth)?;
                    writeln!(f, "else")?;
                    write!(f, "{}", Indented(depth + 1, body.as_slice()))?;
                }
                indent(f, depth)?;
                f.write_str("fi")
            }
            StatementKind::While { condition, body } => {
                writeln!(f, "while {condition} do")?;
                write!(f, "{}", Indented(depth + 1, body.as_slice()))?;
                indent(f, depth)?;
                f.write_str("od")
            }
            StatementKind::StartThread { waits, thread } => {
                let word = if *waits { "start_thread_or_wait" } else { "start_thread" };
                write!(f, "{word} {}", Indented(depth, &**thread))
            }
            StatementKind::EndThread => f.write_str("end_thread"),
            StatementKind::AtomicBegin => f.write_str("atomic_begin"),
            StatementKind::AtomicEnd => f.write_str("atomic_end"),
            StatementKind::Lock(variable) => write!(f, "lock {variable}"),
            StatementKind::Unlock(variable) => write!(f, "unlock {variable}"),
            StatementKind::Dead(es) => write!(f, "dead {}", List(es)),
            StatementKind::Declare(variables) => declaration(f, variables),
            StatementKind::Sync(word) => write!(f, "sync {word}"),
        }
    }
}

fn declaration(f: &mut Formatter<'_>, variables: &[Variable]) -> fmt::Result {
    let thread_local = variables.first().is_some_and(|v| v.thread_local);
    write!(f, "decl {}{}", if thread_local { "thread_local " } else { "" }, List(variables))
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Indented(0, self))
    }
}

impl Display for Procedure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.returns {
            0 => f.write_str("void")?,
            1 => f.write_str("bool")?,
            width => write!(f, "bool<{width}>")?,
        }
        writeln!(f, " {}({}) begin", self.name, List(&self.parameters))?;
        write!(f, "{}", Indented(1, self.body.as_slice()))?;
        writeln!(f, "end")
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            declaration(f, std::slice::from_ref(global))?;
            writeln!(f, ";")?;
        }
        for invariant in &self.invariants {
            writeln!(f, "invariant {};", invariant.condition)?;
        }
        let has_head = !self.globals.is_empty() || !self.invariants.is_empty();
        for (index, procedure) in self.procedures.iter().enumerate() {
            if index > 0 || has_head {
                writeln!(f)?;
            }
            write!(f, "{procedure}")?;
        }
        Ok(())
    }
}

impl Program {
    /// The text of the program with comments: `comment` has one for statements of procedures, where
    /// there is something to say of them. It stands at the end of the statement's line; the text
    /// reads back to an equal program.
    #[must_use]
    pub fn commented(&self, comment: &dyn Fn(&Statement) -> Option<String>) -> String {
        let bodiless = |procedure: &Procedure| Procedure { body: Vec::new(), ..procedure.clone() };
        let head = Program {
            globals: self.globals.clone(),
            invariants: self.invariants.clone(),
            procedures: self.procedures.iter().map(bodiless).collect(),
        };
        let mut text = String::new();
        let mut procedures = self.procedures.iter();
        for line in head.to_string().lines() {
            text.push_str(line);
            text.push('\n');
            // Declarations cannot end so.
            if !line.ends_with(" begin") {
                continue;
            }
            for statement in procedures.next().map_or(&[][..], |p| p.body.as_slice()) {
                let shown = Indented(1, std::slice::from_ref(statement)).to_string();
                text.push_str(shown.trim_end());
                if let Some(words) = comment(statement) {
                    text.push_str(&format!("  // {}", words.replace(['\n', '\r'], " ")));
                }
                text.push('\n');
            }
        }
        text
    }
}

/// The text of a program.
pub fn print(program: &Program) -> String {
    program.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boolean::parser::parse;

    #[track_caller]
    fn round_trip(text: &str) -> String {
        let mut program = parse(text).unwrap();
        let printed = print(&program);
        let mut again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
        program.clear_positions();
        again.clear_positions();
        assert_eq!(program, again, "{printed}");
        assert_eq!(print(&again), printed);
        printed
    }

    #[test]
    fn comments_change_nothing() {
        let text = "decl g; void f() begin g := 1; end void main() begin L: f(); if (g) then M: skip; fi; end";
        let program = parse(text).expect("it parses");
        let commented = program.commented(&|statement| statement.labels.first().cloned());
        assert!(commented.contains("L: f();  // L\n"), "{commented}");
        assert_eq!(print(&parse(&commented).expect("it parses")), print(&program));
    }

    fn expression(text: &str) -> String {
        let printed = round_trip(&format!("void main() begin x := 1 constrain {text} end"));
        let (_, after) = printed.split_once("constrain ").unwrap();
        after.split(';').next().unwrap().to_owned()
    }

    #[test]
    fn expressions_keep_their_shape() {
        for text in [
            "a & b | c ^ d",
            "a & (b | (c ^ d))",
            "(a & b) & c",
            "a & (b & c)",
            "(a = b) = c",
            "a = (b => c)",
            "!(a = b)",
            "!!a",
            "(a ? b : c) ? d : e",
            "a ? b ? c : d : e ? 0 : 1",
            "a ? b : c = d",
            "(a ? b : c) = d",
            "choose(a, !b) & 'x & '[y] & [z]",
            "a != b",
        ] {
            expression(text);
        }
        assert_eq!(expression("(a & b) | ((c))"), "a & b | c");
        assert_eq!(expression("b' & c$ & 'd$"), "'b & [c] & '[d]");
        assert_eq!(expression("schoose[a,b] -> ~*"), "choose(a, b) => !*");
    }

    #[test]
    fn statements_keep_their_shape() {
        round_trip(
            "decl g, h := 1; decl thread_local t := *, u; decl lock;
            bool<2> f(a, b) begin decl c := a, d; return a, b end
            bool h() begin return end
            void main() begin
              L1: L2: skip; 7: goto L1, 7; if g then skip elsif h then goto L1; else fi;
              while !g do L3: t := 0; while * do od; od; g, _ := f(0, *); h(); abortif g;
              start_thread goto L1; start_thread L1; start_thread_or_wait f(1, 0); start_thread g := 1;
              start_thread if g then skip fi; start_thread L5: start_thread skip;
              ASYNC_1: h(); end_thread; atomic_begin; atomic_end; lock(lock); unlock lock;
              enforce g => h; dead g, h; sync x; t, [u] := u, [t] ? * : 1 constrain '[u] & 'g;
              if g then skip fi
            end",
        );
    }

    #[test]
    fn invariants_keep_their_shape() {
        let text = "decl g; decl thread_local t;
            invariant !(g & t & [t]);
            invariant t = [t] | g;
            void main() begin skip end";
        let printed = round_trip(text);
        assert!(
            printed.contains("invariant !(g & t & [t]);\ninvariant t = [t] | g;\n"),
            "{printed}"
        );
        // The word is a name where no declaration begins with it.
        round_trip("decl invariant; void main() begin invariant := !invariant end");
    }
}
