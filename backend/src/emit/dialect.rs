//! The Boolean programs of BOPPO and of BOOM: one procedure `main`, a label for each location.
//!
//! Neither has initial values, `choose(…)`, `?:`, `lock` or `thread_local`; those are written with
//! what they have. BOPPO has no broadcasts, BOOM writes a passive thread's variable `x$`. A start
//! that waits where there are as many threads as are allowed is written as any other: the programs
//! are for any number of threads, where neither waits.

use std::collections::HashSet;
use std::fmt::Write;

use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::{
    FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocationId, VariableRef,
};
use sapa_ir::boolean::parser::KEYWORDS;

use super::EmitError;

/// The longest expression that is written, in bytes.
const MOST_TEXT: usize = 1 << 24;

struct Dialect<'p> {
    program: &'p FlatProgram,
    shared: Vec<String>,
    locals: Vec<String>,
    broadcasts: bool,
}

/// In BOPPO's dialect, for any number of threads.
///
/// # Errors
/// If there is a broadcast, or a conditional whose condition is a choice.
pub fn boppo(program: &FlatProgram, _threads: Option<u32>) -> Result<String, EmitError> {
    Dialect::new(program, false).program()
}

/// In BOOM's dialect, for any number of threads.
///
/// # Errors
/// If there is a conditional whose condition is a choice.
pub fn boom(program: &FlatProgram, _threads: Option<u32>) -> Result<String, EmitError> {
    Dialect::new(program, true).program()
}

/// Identifiers for variables: theirs as far as the dialect allows, made unique.
fn identifiers(variables: &[FlatVariable], taken: &mut HashSet<String>) -> Vec<String> {
    variables
        .iter()
        .map(|variable| {
            let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
            let base: String = variable.name.replace("::", "__").chars().map(legal).collect();
            let base = if base.starts_with(|c: char| c.is_ascii_digit()) || base.is_empty() {
                format!("v{base}")
            } else {
                base
            };
            let mut name = base.clone();
            let mut number = 1;
            while !taken.insert(name.clone()) {
                number += 1;
                name = format!("{base}_{number}");
            }
            name
        })
        .collect()
}

/// Words that the dialects keep for themselves besides those of our own language.
const RESERVED: [&str; 3] = ["main", "lock", "unlock"];

impl<'p> Dialect<'p> {
    fn new(program: &'p FlatProgram, broadcasts: bool) -> Dialect<'p> {
        let reserved = KEYWORDS.iter().chain(&RESERVED);
        let mut taken: HashSet<String> = reserved.map(|word| (*word).to_owned()).collect();
        let shared = identifiers(&program.shared, &mut taken);
        let locals = identifiers(&program.locals, &mut taken);
        Dialect { program, shared, locals, broadcasts }
    }

    fn program(&self) -> Result<String, EmitError> {
        super::without_invariants(self.program)?;
        let mut text = String::new();
        let list = |names: &[String], indent: &str, text: &mut String| {
            if !names.is_empty() {
                text.push_str(&format!("{indent}decl {};\n", names.join(", ")));
            }
        };
        list(&self.shared, "", &mut text);
        text.push_str("\nvoid main() begin\n");
        list(&self.locals, "  ", &mut text);
        let names = self.shared.iter().chain(&self.locals);
        let variables = self.program.shared.iter().chain(&self.program.locals);
        for (name, variable) in names.zip(variables) {
            match variable.initial {
                Initial::Zero => text.push_str(&format!("  {name} := F;\n")),
                Initial::One => text.push_str(&format!("  {name} := T;\n")),
                Initial::Nondet => {}
            }
        }
        text.push_str(&format!("  goto L{};\n", self.program.entry.index()));
        for (at, location) in self.program.iter() {
            let position = location.position;
            let statement = self.statement(&location.statement, position)?;
            text.push_str(&format!("  L{}: {statement}\n", at.index()));
        }
        text.push_str("end\n");
        Ok(text)
    }

    fn statement(
        &self,
        statement: &FlatStatement,
        position: Position,
    ) -> Result<String, EmitError> {
        let to = |next: &LocationId| format!("goto L{};", next.index());
        let shared = |v: usize| &self.shared[v];
        Ok(match statement {
            FlatStatement::Skip { next } => to(next),
            FlatStatement::Goto { targets } => {
                let labels: Vec<String> =
                    targets.iter().map(|target| format!("L{}", target.index())).collect();
                format!("goto {};", labels.join(", "))
            }
            FlatStatement::Assume { condition, next } => {
                format!("assume({}); {}", self.expression(condition, position)?, to(next))
            }
            FlatStatement::Assert { condition, next } => {
                format!("assert({}); {}", self.expression(condition, position)?, to(next))
            }
            // Without a bound there is always room.
            FlatStatement::StartThread { entry, next, .. } => {
                format!("start_thread goto L{}; {}", entry.index(), to(next))
            }
            FlatStatement::EndThread => "end_thread;".to_owned(),
            FlatStatement::AtomicBegin { next } => format!("atomic_begin; {}", to(next)),
            FlatStatement::AtomicEnd { next } => format!("atomic_end; {}", to(next)),
            FlatStatement::Lock { variable, next } => {
                let lock = shared(variable.index());
                format!("{lock} := T constrain !{lock}; {}", to(next))
            }
            FlatStatement::Unlock { variable, next } => {
                format!("{} := F; {}", shared(variable.index()), to(next))
            }
            FlatStatement::Assign { assignment, next } => {
                if assignment.involves_passive() && !self.broadcasts {
                    return Err(EmitError::Unsupported { position, what: "a broadcast" });
                }
                let mut targets = Vec::new();
                let mut values = Vec::new();
                for (target, value) in &assignment.shared {
                    targets.push(shared(target.index()).clone());
                    values.push(self.expression(value, position)?);
                }
                for (target, value) in &assignment.local {
                    targets.push(self.locals[target.index()].clone());
                    values.push(self.expression(value, position)?);
                }
                for (target, value) in &assignment.broadcast {
                    targets.push(format!("{}$", self.locals[target.index()]));
                    values.push(self.expression(value, position)?);
                }
                let constraints =
                    assignment.constraint.iter().chain(&assignment.passive_constraint);
                let constraints: Result<Vec<String>, EmitError> = constraints
                    .map(|e| Ok(format!("({})", self.expression(e, position)?)))
                    .collect();
                let constraints = constraints?;
                if targets.is_empty() {
                    targets.push("_".to_owned());
                    values.push("F".to_owned());
                }
                let mut text = format!("{} := {}", targets.join(", "), values.join(", "));
                if !constraints.is_empty() {
                    // Writing to a string does not fail.
                    let _ = write!(text, " constrain {}", constraints.join(" & "));
                }
                format!("{text}; {}", to(next))
            }
        })
    }

    fn expression(&self, e: &FlatExpr, position: Position) -> Result<String, EmitError> {
        let text = self.spell(e, position)?;
        // There is no `?:`, so conditions are repeated.
        if text.len() > MOST_TEXT { Err(EmitError::TooLong(MOST_TEXT)) } else { Ok(text) }
    }

    fn spell(&self, e: &FlatExpr, position: Position) -> Result<String, EmitError> {
        let sub = |e: &FlatExpr| self.expression(e, position);
        let chain = |es: &[FlatExpr], operator: &str, neutral: &str| {
            let parts: Result<Vec<String>, EmitError> = es.iter().map(sub).collect();
            let parts = parts?;
            Ok(match parts.len() {
                0 => neutral.to_owned(),
                _ => format!("({})", parts.join(operator)),
            })
        };
        Ok(match e {
            FlatExpr::Constant(value) => if *value { "T" } else { "F" }.to_owned(),
            FlatExpr::Nondet => "*".to_owned(),
            FlatExpr::Variable(variable) => match variable {
                VariableRef::Shared(v) => self.shared[v.index()].clone(),
                VariableRef::NextShared(v) => format!("'{}", self.shared[v.index()]),
                VariableRef::Local(v) => self.locals[v.index()].clone(),
                VariableRef::NextLocal(v) => format!("'{}", self.locals[v.index()]),
                VariableRef::Passive(v) => format!("{}$", self.locals[v.index()]),
                VariableRef::NextPassive(v) => format!("'{}$", self.locals[v.index()]),
            },
            FlatExpr::Choose(a, b) => format!("schoose[{}, {}]", sub(a)?, sub(b)?),
            FlatExpr::Not(e) => format!("!({})", sub(e)?),
            FlatExpr::And(es) => chain(es, " & ", "T")?,
            FlatExpr::Or(es) => chain(es, " | ", "F")?,
            FlatExpr::Xor(es) => chain(es, " ^ ", "F")?,
            FlatExpr::Equal(a, b) => format!("(({}) = ({}))", sub(a)?, sub(b)?),
            FlatExpr::Implies(a, b) => format!("(({}) => ({}))", sub(a)?, sub(b)?),
            FlatExpr::Conditional(c, a, b) => {
                if c.has_choice() {
                    // Written out, the condition would be chosen twice.
                    let what = "a conditional on a nondeterministic condition";
                    return Err(EmitError::Unsupported { position, what });
                }
                let c = sub(c)?;
                format!("((({c}) & ({})) | (!({c}) & ({})))", sub(a)?, sub(b)?)
            }
        })
    }
}
