//! `--reproducer FILE.c`: a failing run as a program that is compiled and fails.
//!
//! The file has the text of the program as it is, and what forces the order of the run. ThreadSanitizer's instrumentation (`gcc
//! -fsanitize=thread -c`) calls a function before each access to memory that other threads may reach; the file has such functions of its own (`runtime.c`),
//! in which a thread waits for its turn, and it is linked without ThreadSanitizer. Calls of synchronisation functions (`wrappers.c`) are
//! steps too. What is forced is the order of the acts ([`Act`]) on objects that more than one thread accesses: the order of others does not matter.
//! Values of the environment are those of the run.
//!
//! Nothing is claimed by the file: whoever runs it sees whether the assertion fails. What is known not to be forced is refused, with the
//! reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use sapa_backend::cegar::{self, Verdict};
use sapa_backend::execution::act::{Act, ActKind};
use sapa_backend::execution::{Counterexample, Event, EventKind};
use sapa_driver::{Checked, Options};
use sapa_frontend::c::preprocess::PreprocessorArgument;
use sapa_ir::goto::operation::{THREAD_END, THREAD_JOIN};
use sapa_ir::goto::{Field, Global, Module, Op, Type, address};
use sapa_passes::Properties;

use crate::macros;
use crate::statements::Statements;

/// What forces the order.
const RUNTIME: &str = include_str!("runtime.c");

/// The functions whose calls are steps.
const WRAPPERS: &str = include_str!("wrappers.c");

/// The most acts that are forced: the file is a table of them.
const MOST_ACTS: usize = 200_000;

/// A program to make a reproducer of.
#[derive(Clone, Copy, Debug)]
pub struct Program<'p> {
    /// Its files, as they were named.
    pub files: &'p [PathBuf],
    /// What was read of the standard input, if the program was.
    pub standard_input: Option<&'p [u8]>,
    /// How it was checked.
    pub options: &'p Options,
}

/// The reproducer of a failure.
///
/// # Errors
/// Why there is none, in words.
pub fn reproducer(program: Program<'_>, checked: &Checked) -> Result<Vec<u8>, String> {
    let Verdict::Failed(cegar::Failure { counterexample, .. }) = &checked.report.verdict else {
        return Err("there is one of FAILED only".to_owned());
    };
    if program.options.properties != Properties::default() {
        return Err("it is of the program's own assertions; leave '--property' out".to_owned());
    }
    for (option, is_given) in [
        ("--stubs", !program.options.stubs.is_empty()),
        ("--entry", program.options.entry.as_deref().is_some_and(|entry| entry != "main")),
    ] {
        if is_given {
            return Err(format!("what gcc makes of the program has nothing of '{option}'"));
        }
    }
    let (name, bytes) = source(program)?;
    // What is asked of it are words of C.
    let text = String::from_utf8_lossy(&bytes);
    refused(&text, counterexample)?;
    if let Some(name) = taken(&checked.module, &text) {
        return Err(format!(
            "the program calls '{name}' something of its own, which the file has need of to force the run"
        ));
    }
    if checked.report.notes.iter().any(|note| note.starts_with("assuming one layout of memory")) {
        return Err("the run computes with addresses, which the machine chooses".to_owned());
    }
    let schedule = Schedule::new(&checked.module, counterexample)?;
    let (before, after) = around(program, (&name, &text), &schedule, counterexample);
    Ok([before.as_bytes(), &bytes, after.as_bytes()].concat())
}

/// The text of the program, which is one C file.
fn source(program: Program<'_>) -> Result<(String, Vec<u8>), String> {
    let [file] = program.files else {
        return Err("it is of a program in one file".to_owned());
    };
    let extension = file.extension().and_then(|extension| extension.to_str());
    let is_input = program.standard_input.is_some();
    if !is_input && !matches!(extension, Some("c" | "i")) {
        return Err("it is of C sources".to_owned());
    }
    let mut statements = Statements::new(program.standard_input);
    let name = crate::input::name(file);
    // A mark of the byte order is one at the beginning of a file alone.
    let text = statements.text(&name);
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    match text.is_empty() {
        true => Err(format!("{name} cannot be read again")),
        false => Ok((name.clone(), text.to_vec())),
    }
}

/// Words of a program that has no reproducer, and why.
const REFUSED: [(&str, &str); 9] = [
    ("__CPROVER_ASYNC_", "gcc starts no threads by labels '__CPROVER_ASYNC_N:'"),
    ("pthread_cond_timedwait", TIMED),
    ("cnd_timedwait", TIMED),
    ("pthread_mutex_timedlock", TIMED),
    ("mtx_timedlock", TIMED),
    ("sem_timedwait", TIMED),
    ("pthread_rwlock_timed", TIMED),
    ("PTHREAD_BARRIER_SERIAL_THREAD", "which thread a barrier names is not forced"),
    ("__asm__ volatile", "accesses of assembler are not seen"),
];

const TIMED: &str = "when a call that waits for a time gives up is not forced";

fn refused(text: &str, counterexample: &Counterexample) -> Result<(), String> {
    if let Some((_, why)) = REFUSED.iter().find(|(word, _)| text.contains(word)) {
        return Err((*why).to_owned());
    }
    let events: Vec<&Event> = counterexample.rows.iter().flat_map(|row| &row.events).collect();
    for (index, event) in events.iter().enumerate() {
        let why = match event.kind {
            EventKind::Buffer => {
                let next = events.get(index + 1);
                let reaches = next.is_some_and(|next| {
                    next.kind == EventKind::Reach
                        && (&next.name, &next.value) == (&event.name, &event.value)
                });
                if reaches {
                    continue;
                }
                format!(
                    "the store '{}' waits in the thread's buffer, and nothing makes the machine's wait",
                    event.text().replace(" (waits)", "")
                )
            }
            EventKind::FailSpuriously => {
                "a compare-exchange fails spuriously, and nothing makes the machine's fail"
                    .to_owned()
            }
            EventKind::Choose if !is_stub(text, &event.name) => {
                format!("what {}() does comes from outside, and is not forced", event.name)
            }
            EventKind::Choose if event.value.is_some() && number(event).is_none() => {
                format!("what {}() returns is no number", event.name)
            }
            _ if event.uninitialised => {
                format!(
                    "'{}' is read, which was never given a value: that is not forced",
                    event.name
                )
            }
            _ => continue,
        };
        return Err(why);
    }
    Ok(())
}

/// A symbol of the system that [`RUNTIME`] uses and the program defines.
fn taken(module: &Module, text: &str) -> Option<&'static str> {
    let mut symbols = RUNTIME.split("__asm__(\"").skip(1).filter_map(|rest| rest.split('"').next());
    symbols.find(|symbol| {
        let is_it = |global: &Global| global.name == *symbol;
        defines(text, symbol) || module.globals.iter().any(is_it)
    })
}

/// Whether a function that chooses a value can be written: it does nothing else.
fn is_stub(text: &str, name: &str) -> bool {
    let is_plain = ["rand", "random"].contains(&name) || name.contains("nondet");
    is_plain || declares(text, name)
}

/// Whether a text declares a function of this name, or defines it: a word or a star stands before it, and a parenthesis after it.
fn declares(text: &str, name: &str) -> bool {
    occurrences(text, name).any(|at| {
        let (before, after) = text.split_at(at);
        let before = before.trim_end();
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let word = before.get(start.map_or(0, |at| at + 1)..).unwrap_or("");
        let is_type = !matches!(word, "" | "return" | "else" | "do" | "case" | "sizeof");
        (is_type || before.ends_with('*'))
            && after.get(name.len()..).is_some_and(|after| after.trim_start().starts_with('('))
    })
}

/// The value that the environment chooses.
fn number(event: &Event) -> Option<i128> {
    let value = event.value.as_deref()?;
    value.split(' ').next()?.parse().ok()
}

/// Operations of synchronisation objects.
const SYNCHRONISATION: [&str; 34] = [
    "mutex_lock",
    "mutex_try_lock",
    "mutex_unlock",
    "spin_unlock",
    "read_write_unlock",
    "condition_wait",
    "read_lock",
    "write_lock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "semaphore_wait",
    "sem_wait",
    "sem_trywait",
    "semaphore_post",
    "sem_post",
    "__sapa_sem_post",
    "__sapa_sem_init",
    "take",
    "pthread_barrier_wait",
    "pthread_once",
    "call_once",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "mtx_init",
    "mtx_lock",
    "mtx_trylock",
    "mtx_unlock",
    "pthread_rwlock_init",
    "pthread_spin_init",
    "pthread_spin_trylock",
    "pthread_barrier_init",
    "sem_init",
];

/// A step of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    thread: u32,
    /// `R` reads, `W` writes, `S` synchronises, `P` starts a thread, `J` joins one, `E` ends.
    kind: char,
    /// The object, by its number in the module; 0 if it is about none.
    object: u64,
    offset: u64,
    size: u64,
    line: u32,
    column: u32,
    /// Whether it is one of several of a call that initialises.
    initialises: bool,
    section: Option<usize>,
}

/// What is forced.
struct Schedule {
    steps: Vec<Step>,
    /// The objects of the steps, and what the source calls them, if it does in the whole file.
    objects: Vec<(u64, Option<String>)>,
    threads: u32,
    /// Threads that go on by themselves when they have no further step.
    goes_on: BTreeSet<u32>,
    /// What the environment chooses: by whom, the function, and the value.
    choices: Vec<(u32, String, i128)>,
}

impl Schedule {
    fn new(module: &Module, counterexample: &Counterexample) -> Result<Self, String> {
        let starts: BTreeSet<_> = module
            .functions
            .iter()
            .flat_map(|function| function.instructions())
            .filter(|instruction| matches!(instruction.op, Op::Spawn { .. }))
            .map(|instruction| (instruction.location.line, instruction.location.column))
            .collect();
        let joins: BTreeSet<_> = module
            .functions
            .iter()
            .flat_map(|function| function.instructions())
            .filter(|instruction| matches!(instruction.op, Op::Join { .. }))
            .map(|instruction| (instruction.location.line, instruction.location.column))
            .collect();
        let mut steps: Vec<Step> = Vec::new();
        for act in &counterexample.acts {
            let at = (act.location.line, act.location.column);
            let begins = match act.kind {
                ActKind::Begins if starts.contains(&at) => Some('P'),
                ActKind::Begins if joins.contains(&at) => Some('J'),
                _ => None,
            };
            let step = match begins {
                Some(kind) => Some(Step::without_object(act, kind)),
                None => access(module, act),
            };
            steps.extend(step);
        }
        let mut users: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for step in &steps {
            users.entry(step.object).or_default().insert(step.thread);
        }
        if let Some(operation) = unseen(module, &counterexample.acts, &users) {
            return Err(format!(
                "what {operation}() does to memory that threads share is not seen, and not forced"
            ));
        }
        steps.retain(|step| {
            step.object == 0 || users.get(&step.object).is_some_and(|users| users.len() > 1)
        });
        // One call accesses its object more than once.
        steps.dedup_by(|next, step| {
            let is_call = matches!(next.kind, 'S' | 'J');
            let is_section = next.section.is_some() && next.section == step.section;
            is_call
                && (next.kind, next.thread, next.object) == (step.kind, step.thread, step.object)
                && (is_section || next.kind == 'J' || next.initialises && step.initialises)
        });
        if steps.len() > MOST_ACTS {
            return Err(format!("the run has more than {MOST_ACTS} steps to force"));
        }
        if let Some(step) = torn_copy(module, &steps) {
            return Err(format!(
                "another thread comes between the members of what line {} copies, which gcc copies at once",
                step.line
            ));
        }
        if let Some(step) = torn_bit_field(module, &steps) {
            return Err(format!(
                "another thread comes between reading and writing what holds a bit-field in line {}, which gcc shows as one access",
                step.line
            ));
        }
        let numbers: BTreeSet<u64> = steps.iter().map(|step| step.object).collect();
        let objects = numbers.into_iter().map(|number| (number, name(module, number))).collect();
        let rows = &counterexample.rows;
        let events = || rows.iter().flat_map(|row| row.events.iter().map(move |e| (row.thread, e)));
        let joined = events().filter(|(_, event)| event.kind == EventKind::Join);
        let joined =
            joined.filter_map(|(_, event)| event.name.strip_prefix("thread ")?.parse().ok());
        let fails = counterexample.acts.iter().rev().find(|act| act.kind == ActKind::Fails);
        let last = rows.last().map(|row| row.thread);
        let goes_on = joined.chain(fails.map(|act| act.thread)).chain(last).collect();
        let chosen = events().filter(|(_, event)| event.kind == EventKind::Choose);
        let choices =
            chosen.map(|(thread, event)| (thread, event.name.clone(), number(event).unwrap_or(0)));
        let most = rows.iter().map(|row| row.thread).max().unwrap_or(0);
        let started = steps.iter().filter(|step| step.kind == 'P').count();
        let threads = most.max(u32::try_from(started).unwrap_or(u32::MAX)).saturating_add(1);
        Ok(Self { steps, objects, threads, goes_on, choices: choices.collect() })
    }
}

/// A function of the library that accesses what more than one thread accesses, other than those that are steps themselves.
fn unseen<'m>(
    module: &'m Module,
    acts: &[Act],
    users: &BTreeMap<u64, BTreeSet<u32>>,
) -> Option<&'m str> {
    acts.iter().find_map(|act| {
        let (ActKind::Reads(bytes) | ActKind::Writes(bytes)) = act.kind else { return None };
        let operation = module.operation(act.location)?;
        let is_step = ["pthread_", "thrd_", "mtx_", "cnd_", "sem_", "thread_"]
            .iter()
            .any(|prefix| operation.starts_with(prefix));
        if is_step || access(module, act).is_some() {
            return None;
        }
        let pointer = u64::try_from(bytes.pointer).ok()?;
        let (object, _) = address::decode(module.target.pointer_bits, pointer);
        let others = users.get(&object)?.iter().any(|user| *user != act.thread);
        others.then_some(operation)
    })
}

/// A part of the copying of a structure between which and the rest others access the structure, also where the run ends before the rest.
/// A place that loads, or stores, more than once in one block is taken for one that copies.
fn torn_copy<'s>(module: &Module, steps: &'s [Step]) -> Option<&'s Step> {
    // How many accesses of a kind a place has.
    let mut parts: BTreeMap<(char, u32, u32), usize> = BTreeMap::new();
    for block in module.functions.iter().flat_map(|function| &function.blocks) {
        let mut known: BTreeMap<(char, u32, u32), usize> = BTreeMap::new();
        for instruction in &block.instructions {
            let (line, column) = (instruction.location.line, instruction.location.column);
            match instruction.op {
                Op::Load { .. } => *known.entry(('R', line, column)).or_default() += 1,
                Op::Store { .. } => *known.entry(('W', line, column)).or_default() += 1,
                // What it copies at once is not known here.
                Op::CopyMemory { .. } => {
                    known.insert(('R', line, column), 1);
                    known.insert(('W', line, column), 1);
                    parts.entry(('R', line, column)).or_insert(1);
                    parts.entry(('W', line, column)).or_insert(1);
                }
                _ => {}
            }
        }
        for (access, number) in known.into_iter().filter(|(_, number)| *number > 1) {
            let most = parts.entry(access).or_default();
            *most = number.max(*most);
        }
    }
    // The last step of each thread: where it is, and which part of its copying.
    let mut last: BTreeMap<u32, (usize, &Step, usize)> = BTreeMap::new();
    for (place, step) in steps.iter().enumerate() {
        let before = last.get(&step.thread).copied();
        let is_part = |before: &Step| {
            (before.object, before.kind, before.line, before.column)
                == (step.object, step.kind, step.line, step.column)
                && before.offset != step.offset
                && parts.contains_key(&(step.kind, step.line, step.column))
        };
        let before = before.filter(|(_, before, _)| is_part(before));
        if before.is_some_and(|(from, ..)| place > from + 1) && step.section.is_none() {
            return Some(step);
        }
        last.insert(step.thread, (place, step, before.map_or(1, |(.., part)| part + 1)));
    }
    let is_torn = |&&(from, step, part): &&(usize, &Step, usize)| {
        let all = parts.get(&(step.kind, step.line, step.column)).copied().unwrap_or(1);
        let mut after = steps.get(from + 1..).unwrap_or_default().iter();
        step.section.is_none() && part < all && after.any(|other| other.object == step.object)
    };
    last.values().find(is_torn).map(|(_, step, _)| *step)
}

/// A write of what holds bit-fields that others have accessed since it was read for that.
fn torn_bit_field<'s>(module: &Module, steps: &'s [Step]) -> Option<&'s Step> {
    let has_any = module.structs.iter().flat_map(|s| &s.fields).any(|f| !f.bit_fields.is_empty());
    let may_be = |object: u64| {
        let index = usize::try_from(object).ok().and_then(|object| object.checked_sub(1));
        let has = |global: &Global| has_bit_fields(module, &global.ty);
        // Of what is on the heap it is not known.
        has_any && index.and_then(|index| module.globals.get(index)).is_none_or(has)
    };
    let mut last: BTreeMap<u32, (usize, &Step)> = BTreeMap::new();
    for (place, step) in steps.iter().enumerate() {
        let Some((from, before)) = last.insert(step.thread, (place, step)) else { continue };
        let is_same = (before.kind, before.object, before.offset, before.line)
            == ('R', step.object, step.offset, step.line);
        let mut between = steps.get(from + 1..place).unwrap_or_default().iter();
        let is_torn = step.kind == 'W' && is_same && step.section.is_none();
        if is_torn && may_be(step.object) && between.any(|other| other.object == step.object) {
            return Some(step);
        }
    }
    None
}

/// Whether a type has members that are bit-fields.
fn has_bit_fields(module: &Module, ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => has_bit_fields(module, element),
        Type::Struct(id) => module.structs.get(id.index()).is_some_and(|structure| {
            let is_one = |f: &Field| !f.bit_fields.is_empty() || has_bit_fields(module, &f.ty);
            structure.fields.iter().any(is_one)
        }),
        Type::Int(_) | Type::Pointer => false,
    }
}

impl Step {
    fn without_object(act: &Act, kind: char) -> Self {
        let Act { thread, section, .. } = *act;
        let (line, column) = (act.location.line, act.location.column);
        Self {
            thread,
            kind,
            object: 0,
            offset: 0,
            size: 0,
            line,
            column,
            initialises: false,
            section,
        }
    }
}

/// An access as a step; nothing if nobody sees it.
fn access(module: &Module, act: &Act) -> Option<Step> {
    let (kind, bytes) = match act.kind {
        ActKind::Reads(bytes) => ('R', bytes),
        ActKind::Writes(bytes) | ActKind::Reaches(_, bytes) => ('W', bytes),
        _ => return None,
    };
    let pointer = u64::try_from(bytes.pointer).ok()?;
    let (object, offset) = address::decode(module.target.pointer_bits, pointer);
    let global = usize::try_from(object).ok()?.checked_sub(1);
    let global = global.and_then(|index| module.globals.get(index));
    let is_end = global.is_some_and(|global| module.operation(global.location) == Some(THREAD_END));
    let operation = module.operation(act.location);
    let kind = match operation {
        _ if is_end => {
            if kind == 'W' {
                'E'
            } else {
                'J'
            }
        }
        Some(THREAD_END) => 'E',
        Some(THREAD_JOIN) => 'J',
        Some(operation) if SYNCHRONISATION.contains(&operation) => 'S',
        Some(operation) if operation.starts_with("__atomic") || operation.starts_with("__sync") => {
            kind
        }
        // What functions of the library do to memory is not seen.
        Some(_) => return None,
        None => kind,
    };
    let initialises = operation.is_some_and(|operation| operation.ends_with("init"));
    let (thread, section) = (act.thread, act.section);
    let (line, column) = (act.location.line, act.location.column);
    let size = bytes.size;
    Some(Step { thread, kind, object, offset, size, line, column, initialises, section })
}

/// The name of an object in the whole file.
fn name(module: &Module, object: u64) -> Option<String> {
    let global = module.globals.get(usize::try_from(object).ok()?.checked_sub(1)?)?;
    let is_word = !global.name.is_empty()
        && global.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_end = module.operation(global.location) == Some(THREAD_END);
    (is_word && !is_end).then(|| global.name.clone())
}

/// Whether a word occurs in a text as one.
fn has_word(text: &str, word: &str) -> bool {
    occurrences(text, word).next().is_some()
}

fn occurrences<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Whether a text defines a function of this name: a brace follows its parameters.
fn defines(text: &str, word: &str) -> bool {
    occurrences(text, word).any(|at| {
        let rest = text.get(at + word.len()..).unwrap_or("").trim_start();
        let mut depth = 0usize;
        let end = rest.char_indices().find(|(_, c)| {
            depth = match c {
                '(' => depth + 1,
                ')' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0
        });
        rest.starts_with('(')
            && end.is_some_and(|(end, _)| {
                rest.get(end + 1..).unwrap_or("").trim_start().starts_with('{')
            })
    })
}

/// Functions of verifiers, and what they do here.
const STUBS: [(&str, &str, &str); 11] = [
    ("__CPROVER_assert", "int holds, const char *claim", "if (!holds) sapa_fails(claim);"),
    ("__VERIFIER_assert", "int holds", "if (!holds) sapa_fails(\"__VERIFIER_assert\");"),
    ("__CPROVER_assume", "int holds", "if (!holds) sapa_rest();"),
    ("__VERIFIER_assume", "int holds", "if (!holds) sapa_rest();"),
    ("reach_error", "void", "sapa_fails(\"reach_error\");"),
    ("__VERIFIER_error", "void", "sapa_fails(\"__VERIFIER_error\");"),
    ("__CPROVER_atomic_begin", "void", ""),
    ("__CPROVER_atomic_end", "void", ""),
    ("__VERIFIER_atomic_begin", "void", ""),
    ("__VERIFIER_atomic_end", "void", ""),
    ("__CPROVER_fence", "void", ""),
];

/// The words of a text that begin so.
fn words_of<'t>(text: &'t str, prefix: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(prefix).filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        rest.get(..rest.find(|c| !is_part(c)).unwrap_or(rest.len()))
    })
}

/// A text as a string of C.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            // Three digits end an escape; two question marks would begin another.
            b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out + "\""
}

/// A text within a comment of C.
fn commented(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(|c: char| c.is_control(), " ")
}

/// What stands before the text of the program, and behind it.
fn around(
    program: Program<'_>,
    (name, text): (&str, &str),
    schedule: &Schedule,
    counterexample: &Counterexample,
) -> (String, String) {
    let mut arguments: Vec<String> = Vec::new();
    let mut definitions = String::new();
    let shell = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    for argument in &program.options.preprocessor.arguments {
        match argument {
            PreprocessorArgument::Define(definition) => {
                let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
                let line = format!("#define {name} {value}").replace('\n', " ");
                let _ = writeln!(definitions, "{line}");
            }
            PreprocessorArgument::Undefine(name) => arguments.push(shell(&format!("-U{name}"))),
            PreprocessorArgument::Include(folder) => {
                arguments.push(shell(&format!("-I{}", folder.display())));
            }
            PreprocessorArgument::Words(words) => {
                arguments.extend(words.iter().map(|word| shell(&word.to_string_lossy())));
            }
        }
    }
    let folder = std::path::Path::new(name).parent().map(|folder| folder.display().to_string());
    let folder =
        folder.filter(|_| text.contains("#include \"")).map(|folder| match folder.is_empty() {
            true => ".".to_owned(),
            false => folder,
        });
    arguments.extend(folder.map(|folder| format!("-iquote '{folder}'")));
    let arguments: String = arguments.iter().map(|argument| format!(" {argument}")).collect();
    let mut out = format!(
        "/* The failing run that sapa {} found of {}: {}\n *\n * gcc -pthread -fsanitize=thread{} -c FILE.c -o FILE.o && gcc -pthread FILE.o -o FILE && ./FILE\n *\n \
         * fails as the run does: with a message, and an exit code that is not 0 (3 if the run could not be forced). It is linked\n * without \
         -fsanitize=thread: what is called before each access is in this file. */\n#ifndef __SANITIZE_THREAD__\n#error \"compile with -fsanitize=thread -c, and link \
         without it\"\n#endif\n",
        env!("CARGO_PKG_VERSION"),
        commented(name),
        commented(&counterexample.property),
        commented(&arguments),
    );
    out.push_str(&definitions);
    let wrappers: Vec<(&str, &str)> = WRAPPERS
        .split("//! ")
        .filter_map(|section| section.split_once('\n'))
        .filter(|(name, _)| has_word(text, name) && !defines(text, name))
        .collect();
    for (name, _) in &wrappers {
        let _ = writeln!(out, "#define {name} sapa_{name}");
    }
    let stubs: Vec<_> =
        STUBS.iter().filter(|(name, ..)| has_word(text, name) && !defines(text, name)).collect();
    for (name, parameters, _) in stubs.iter().filter(|(name, ..)| !declares(text, name)) {
        let _ = writeln!(out, "void {name}({parameters});");
    }
    let _ = writeln!(out, "#line 1 {}", quoted(name));
    let before = std::mem::replace(&mut out, "\n\n#line 1 \"sapa\"\n".to_owned());
    // What follows has words of its own.
    let known = Statements::new(program.standard_input).macros(name).clone();
    for name in macros::defined(&definitions).chain(known.iter().map(String::as_str)) {
        let _ = writeln!(out, "#undef {name}");
    }
    for (name, _) in &wrappers {
        let _ = writeln!(out, "#undef {name}");
    }
    tables(&mut out, schedule, text);
    out.push_str(RUNTIME);
    for (_, body) in &wrappers {
        out.push_str(body);
    }
    for (name, parameters, body) in &stubs {
        let _ = writeln!(
            out,
            "void sapa_stub_{name}({parameters}) __asm__(\"{name}\");\nSAPA_OWN void sapa_stub_{name}({parameters}) {{ {body} }}"
        );
    }
    let chosen = schedule.choices.iter().map(|(_, name, _)| name.as_str());
    let nondet: BTreeSet<&str> = chosen.chain(words_of(text, "__VERIFIER_nondet_")).collect();
    let is_name = |name: &&str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    for name in nondet.into_iter().filter(is_name) {
        if has_word(text, name) && !defines(text, name) {
            let _ = writeln!(
                out,
                "long long sapa_stub_{name}(void) __asm__(\"{name}\");\nSAPA_OWN long long sapa_stub_{name}(void) {{ return sapa_choose(\"{name}\"); }}"
            );
        }
    }
    (before, out)
}

/// The run as tables.
fn tables(out: &mut String, schedule: &Schedule, text: &str) {
    let Schedule { steps, objects, threads, goes_on, choices } = schedule;
    let index: BTreeMap<u64, usize> = objects.iter().map(|(number, _)| *number).zip(0..).collect();
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    let mut followers = vec![None; steps.len()];
    for (place, step) in steps.iter().enumerate().rev() {
        if let Some(follower) = followers.get_mut(place) {
            *follower = next.insert(step.thread, place);
        }
    }
    let number =
        |place: Option<usize>| place.map_or_else(|| "-1".to_owned(), |place| place.to_string());
    let _ = write!(
        out,
        "enum {{ SAPA_ACTS = {}, SAPA_THREADS = {threads}, SAPA_OBJECTS = {}, SAPA_CHOICES = {} }};\n\
         /* What the run does, in order: who, how, to which object, to which bytes; what the thread does next; whether it is \
         another access of the same kind. */\nstruct sapa_act {{ int thread; char kind; int object; unsigned long offset, size; int next; char again; int line; }};\n\
         static const struct sapa_act sapa_acts[] = {{\n",
        steps.len(),
        objects.len().max(1),
        choices.len()
    );
    for (place, step) in steps.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| steps.get(before));
        // Accesses of one statement to the same bytes in the same way are two.
        let again = before.is_some_and(|before| {
            (before.thread, before.kind, before.object, before.offset)
                == (step.thread, step.kind, step.object, step.offset)
                || before.kind == 'W' && step.kind == 'R'
                || step.section.is_none() && before.kind != step.kind
        });
        let _ = writeln!(
            out,
            "    {{{}, '{}', {}, {}, {}, {}, {}, {}}}, /* {place}: line {} */",
            step.thread,
            step.kind,
            index.get(&step.object).copied().unwrap_or(0),
            step.offset,
            step.size,
            number(followers.get(place).copied().flatten()),
            u8::from(again),
            u64::from(step.line) * 256 + u64::from(step.column % 256),
            step.line
        );
    }
    out.push_str("    {-1, 0, 0, 0, 0, -1, 0, 0}\n};\nstatic const int sapa_first[] = {");
    for thread in 0..*threads {
        let _ = write!(out, "{}, ", number(next.get(&thread).copied()));
    }
    out.push_str("};\nstatic const char sapa_goes_on[] = {");
    for thread in 0..*threads {
        let _ = write!(out, "{}, ", u8::from(goes_on.contains(&thread)));
    }
    out.push_str("};\nstatic const struct { int thread; const char *name; long long value; } sapa_choices[] = {\n");
    for (thread, name, value) in choices {
        let _ =
            writeln!(out, "    {{{thread}, {}, (long long){}ULL}},", quoted(name), *value as u64);
    }
    out.push_str("    {-1, \"\", 0}\n};\nstatic char *sapa_base[SAPA_OBJECTS];\nstatic unsigned long sapa_size[SAPA_OBJECTS];\n");
    out.push_str("__attribute__((no_sanitize(\"thread\"))) static void sapa_objects(void)\n{\n");
    for (place, (_, name)) in objects.iter().enumerate() {
        if let Some(name) = name.as_ref().filter(|name| has_word(text, name)) {
            let _ = writeln!(
                out,
                "    sapa_base[{place}] = (char *)&{name};\n    sapa_size[{place}] = sizeof {name};"
            );
        }
    }
    out.push_str("}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_the_program_defines_are_known() {
        let text = "void reach_error(void) { }\nextern int f(int (*)(void));\nint g() ;\nint h(int a[(2)])\n{ }";
        let defined = ["reach_error", "f", "g", "h", "reach"].map(|name| defines(text, name));
        assert_eq!(defined, [true, false, false, true, false]);
    }

    #[test]
    fn functions_that_the_program_declares_are_known() {
        let text = "int input(void);\nchar *name(int);\nint main() { return read(1) + (other)(2); x = scan(3); }";
        let declared = ["input", "name", "read", "other", "scan"].map(|name| declares(text, name));
        assert_eq!(declared, [true, true, false, false, false]);
    }

    #[test]
    fn no_name_ends_a_string_or_a_comment() {
        assert_eq!(quoted("a\"b\\\n??/1"), "\"a\\\"b\\\\\\012\\?\\?/1\"");
        assert_eq!(commented("a*/b/*\nc"), "a* /b/ * c");
    }
}
