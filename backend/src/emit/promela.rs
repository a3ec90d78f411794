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
use super::formula::{MOST_TEXT, Operators, Speller};
use super::names::legend;

static PROMELA: Operators =
    Operators { and: "&&", or: "||", xor: "!=", then: "->", constants: ["false", "true"] };

/// Spin runs up to 255 processes; the initial thread and the one that starts all are two.
const MOST_THREADS: u32 = 253;

/// The program for `threads` threads besides the initial one.
///
/// # Errors
/// If there is no bound on threads or it is too large, or the text would be too long.
pub fn emit(program: &FlatProgram, threads: Option<u32>) -> Result<String, EmitError> {
    super::without_invariants(program)?;
    let threads = threads.ok_or(EmitError::Unbounded)?;
    if threads > MOST_THREADS {
        return Err(EmitError::TooManyThreads(MOST_THREADS));
    }
    let mut text = String::new();
    let speller = Speller::new(&PROMELA);
    // Writing to a string does not fail, so it is the formulas that do.
    write(program, threads as usize + 1, &speller, &mut text)
        .map_err(|_| EmitError::TooLong(MOST_TEXT))?;
    Ok(text)
}

fn write(
    program: &FlatProgram,
    slots: usize,
    speller: &Speller,
    text: &mut String,
) -> std::fmt::Result {
    for line in legend(program, "").lines() {
        writeln!(text, "/*{} */", line.replace("*/", "* /"))?;
    }
    for v in 0..program.shared.len() {
        writeln!(text, "bit s{v};")?;
    }
    for v in 0..program.locals.len() {
        writeln!(text, "bit l{v}[{slots}];")?;
    }
    // Program counters are above 0.
    let counter = if program.locations.len() < i16::MAX as usize { "short" } else { "int" };
    writeln!(text, "{counter} pc[{slots}];\nbyte holder = {slots};")?;
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
        statement(program, slots, &location.statement, speller, text)?;
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

/// When an expression can be `one`.
///
/// # Errors
/// If the text would be too long.
fn value(
    e: &FlatExpr,
    one: bool,
    written: &Assignment,
    speller: &Speller,
) -> Result<String, std::fmt::Error> {
    let name = |variable| name(variable, written);
    speller.can_be(e, one, &name).map_err(|_| std::fmt::Error)
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
    speller: &Speller,
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
            let fails = value(condition, false, &none, speller)?;
            writeln!(text, "     assert(!({fails})); {}", to(next))
        }
        FlatStatement::Assume { condition, next } => {
            let condition = value(condition, true, &none, speller)?;
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
        FlatStatement::StartThread { entry, next, waits } => {
            writeln!(
                text,
                "     j = 1; do :: j < {slots} && pc[j] != 0 -> j++ :: else -> break od;"
            )?;
            writeln!(text, "     if :: j < {slots} -> pc[j] = {}", entry.index() + 1)?;
            for v in 0..program.locals.len() {
                writeln!(text, "        ; l{v}[j] = l{v}[me]")?;
            }
            if *waits {
                // Where it is full the thread stays, as before an assumption that does not hold.
                writeln!(text, "        ; {} :: else fi; j = 0", to(next))
            } else {
                writeln!(text, "     :: else fi; j = 0; {}", to(next))
            }
        }
        FlatStatement::Assign { assignment, next } => {
            assign(slots, assignment, &to(next), speller, text)
        }
    }
}

fn assign(
    slots: usize,
    assignment: &Assignment,
    to: &str,
    speller: &Speller,
    text: &mut String,
) -> std::fmt::Result {
    let value = |e: &FlatExpr, one: bool| value(e, one, assignment, speller);
    let choose = |name: &str, e: &FlatExpr, text: &mut String| {
        let (zero, one) = (value(e, false)?, value(e, true)?);
        writeln!(text, "     if :: {zero} -> {name} = 0 :: {one} -> {name} = 1 fi;")
    };
    let involves = assignment.involves_passive();
    for (target, e) in &assignment.shared {
        choose(&format!("ns{}", target.index()), e, text)?;
    }
    for (target, e) in &assignment.local {
        choose(&format!("nl{}[me]", target.index()), e, text)?;
    }
    let constraint = assignment.constraint.as_ref().map(|e| value(e, true)).transpose()?;
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
            writeln!(body, "     ok = ok && ({});", value(e, true)?)?;
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
