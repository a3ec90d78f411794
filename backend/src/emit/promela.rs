//! Spin: a process for each thread's slot, one atomic sequence for each step.
//!
//! Program counters and locals are global arrays over slots, as broadcasts reach other threads'
//! locals; a process whose program counter is 0 waits to be started. New values are chosen into
//! temporaries and constraints tested before anything is written, so a choice that a constraint
//! forbids leaves no trace but the temporaries, which are cleared.

use std::fmt::Write;

use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, Initial, LocationId, VariableRef,
};

use super::EmitError;
use super::formula::{Operators, can_be};
use super::names::legend;

static PROMELA: Operators = Operators { and: "&&", or: "||", constants: ["false", "true"] };

/// The program for `threads` threads besides the initial one.
///
/// # Errors
/// If there is no bound on threads.
pub fn emit(program: &FlatProgram, threads: Option<u32>) -> Result<String, EmitError> {
    let slots = threads.ok_or(EmitError::Unbounded)? as usize + 1;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(program, slots, &mut text);
    Ok(text)
}

fn write(program: &FlatProgram, slots: usize, text: &mut String) -> std::fmt::Result {
    for line in legend(program, "").lines() {
        writeln!(text, "/*{} */", line.replace("*/", "* /"))?;
    }
    for v in 0..program.shared.len() {
        writeln!(text, "bit s{v};")?;
    }
    for v in 0..program.locals.len() {
        writeln!(text, "bit l{v}[{slots}];")?;
    }
    writeln!(text, "short pc[{slots}];\nbyte holder = {slots};")?;
    writeln!(text, "proctype thread(byte me) {{")?;
    for v in 0..program.shared.len() {
        writeln!(text, "  bit ns{v};")?;
    }
    for v in 0..program.locals.len() {
        writeln!(text, "  bit nl{v}[{slots}];")?;
    }
    writeln!(text, "  byte j = 0;\n  bit ok = 0;\nend:\n  do")?;
    for (at, location) in program.iter() {
        let guard = format!("pc[me] == {} && (holder == {slots} || holder == me)", at.index() + 1);
        writeln!(text, "  :: atomic {{ {guard} ->")?;
        statement(program, slots, &location.statement, text)?;
        writeln!(text, "  }}")?;
    }
    writeln!(text, "  od\n}}\ninit {{ atomic {{")?;
    let mut initial = |name: String, initial: Initial| match initial {
        Initial::Zero => writeln!(text, "  {name} = 0;"),
        Initial::One => writeln!(text, "  {name} = 1;"),
        Initial::Nondet => writeln!(text, "  if :: {name} = 0 :: {name} = 1 fi;"),
    };
    for (v, variable) in program.shared.iter().enumerate() {
        initial(format!("s{v}"), variable.initial)?;
    }
    for (v, variable) in program.locals.iter().enumerate() {
        initial(format!("l{v}[0]"), variable.initial)?;
    }
    for slot in 0..slots {
        writeln!(text, "  run thread({slot});")?;
    }
    writeln!(text, "  pc[0] = {}\n}} }}", program.entry.index() + 1)
}

fn value(e: &FlatExpr, one: bool, written: &Assignment) -> String {
    can_be(e, one, &|variable| name(variable, written)).text(&PROMELA)
}

/// A variable of the process for slot `me`, or of the passive thread `j`; next values are temporaries.
fn name(variable: VariableRef, written: &Assignment) -> String {
    match variable {
        VariableRef::Shared(v) => format!("s{}", v.index()),
        VariableRef::Local(v) => format!("l{}[me]", v.index()),
        VariableRef::Passive(v) => format!("l{}[j]", v.index()),
        VariableRef::NextShared(v) => {
            let new = written.shared.iter().any(|(target, _)| *target == v);
            format!("{}s{}", if new { "n" } else { "" }, v.index())
        }
        VariableRef::NextLocal(v) => {
            let new = written.local.iter().any(|(target, _)| *target == v);
            format!("{}l{}[me]", if new { "n" } else { "" }, v.index())
        }
        VariableRef::NextPassive(v) => {
            let new = written.broadcast.iter().any(|(target, _)| *target == v);
            format!("{}l{}[j]", if new { "n" } else { "" }, v.index())
        }
    }
}

fn statement(
    program: &FlatProgram,
    slots: usize,
    statement: &FlatStatement,
    text: &mut String,
) -> std::fmt::Result {
    let to = |next: &LocationId| format!("pc[me] = {}", next.index() + 1);
    let none = Assignment::default();
    match statement {
        FlatStatement::Skip { next } => writeln!(text, "     {}", to(next)),
        FlatStatement::Goto { targets } => {
            write!(text, "     if")?;
            targets.iter().try_for_each(|next| write!(text, " :: {}", to(next)))?;
            writeln!(text, " fi")
        }
        FlatStatement::Assert { condition, next } => {
            // The assertion fails if its condition can be false.
            writeln!(text, "     assert(!({})); {}", value(condition, false, &none), to(next))
        }
        FlatStatement::Assume { condition, next } => {
            let condition = value(condition, true, &none);
            writeln!(text, "     if :: {condition} -> {} :: else fi", to(next))
        }
        FlatStatement::AtomicBegin { next } => writeln!(text, "     holder = me; {}", to(next)),
        FlatStatement::AtomicEnd { next } => writeln!(text, "     holder = {slots}; {}", to(next)),
        FlatStatement::EndThread => {
            write!(text, "     pc[me] = 0; holder = {slots}")?;
            (0..program.locals.len()).try_for_each(|v| write!(text, "; l{v}[me] = 0"))?;
            writeln!(text)
        }
        FlatStatement::Lock { variable, next } => {
            let lock = format!("s{}", variable.index());
            writeln!(text, "     if :: !{lock} -> {lock} = 1; {} :: else fi", to(next))
        }
        FlatStatement::Unlock { variable, next } => {
            writeln!(text, "     s{} = 0; {}", variable.index(), to(next))
        }
        FlatStatement::StartThread { entry, next } => {
            writeln!(
                text,
                "     j = 1; do :: j < {slots} && pc[j] != 0 -> j++ :: else -> break od;"
            )?;
            writeln!(text, "     if :: j < {slots} -> pc[j] = {}", entry.index() + 1)?;
            for v in 0..program.locals.len() {
                writeln!(text, "        ; l{v}[j] = l{v}[me]")?;
            }
            writeln!(text, "     :: else fi; j = 0; {}", to(next))
        }
        FlatStatement::Assign { assignment, next } => assign(slots, assignment, &to(next), text),
    }
}

fn assign(slots: usize, assignment: &Assignment, to: &str, text: &mut String) -> std::fmt::Result {
    let choose = |name: &str, e: &FlatExpr, text: &mut String| {
        let (zero, one) = (value(e, false, assignment), value(e, true, assignment));
        writeln!(text, "     if :: {zero} -> {name} = 0 :: {one} -> {name} = 1 fi;")
    };
    let involves = assignment.involves_passive();
    for (target, e) in &assignment.shared {
        choose(&format!("ns{}", target.index()), e, text)?;
    }
    for (target, e) in &assignment.local {
        choose(&format!("nl{}[me]", target.index()), e, text)?;
    }
    let constraint = assignment.constraint.as_ref().map(|e| value(e, true, assignment));
    writeln!(text, "     ok = ({});", constraint.unwrap_or_else(|| "true".into()))?;
    let each = |body: &str, text: &mut String| {
        writeln!(text, "     j = 0; do :: j < {slots} ->")?;
        writeln!(text, "       if :: j != me && pc[j] != 0 ->\n{body}       :: else fi; j++")?;
        writeln!(text, "     :: else -> break od; j = 0;")
    };
    if involves {
        let mut body = String::new();
        for (target, e) in &assignment.broadcast {
            choose(&format!("nl{}[j]", target.index()), e, &mut body)?;
        }
        if let Some(e) = &assignment.passive_constraint {
            writeln!(body, "     ok = ok && ({});", value(e, true, assignment))?;
        }
        writeln!(body, "     skip")?;
        each(&body, text)?;
    }
    writeln!(text, "     if :: ok ->")?;
    for (target, _) in &assignment.shared {
        writeln!(text, "     s{0} = ns{0};", target.index())?;
    }
    for (target, _) in &assignment.local {
        writeln!(text, "     l{0}[me] = nl{0}[me];", target.index())?;
    }
    if !assignment.broadcast.is_empty() {
        let mut body = String::new();
        for (target, _) in &assignment.broadcast {
            writeln!(body, "     l{0}[j] = nl{0}[j];", target.index())?;
        }
        writeln!(body, "     skip")?;
        each(&body, text)?;
    }
    writeln!(text, "     {to} :: else fi; ok = 0")?;
    for (target, _) in &assignment.shared {
        writeln!(text, "     ; ns{} = 0", target.index())?;
    }
    for (target, _) in &assignment.local {
        writeln!(text, "     ; nl{}[me] = 0", target.index())?;
    }
    if !assignment.broadcast.is_empty() {
        write!(text, "     ; j = 0; do :: j < {slots} -> ")?;
        for (target, _) in &assignment.broadcast {
            write!(text, "nl{}[j] = 0; ", target.index())?;
        }
        writeln!(text, "j++ :: else -> break od; j = 0")?;
    }
    Ok(())
}
