//! Litmus tests: small programs of which it is known what each memory model allows.
//!
//! A program is threads with `|` between them, a thread is steps with `;` between them:
//!
//! | step | means |
//! | --- | --- |
//! | `x=1` | a store; `x=1.release`, `x=1.seq_cst` and so on have that order |
//! | `a=x` | a load into the register `a` |
//! | `a=x<-1` | an exchange |
//! | `fence.seq_cst` | a fence |
//!
//! Variables are `x`, `y`, `z`; all else are registers. All of them are 0 at first.

mod axioms;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{ExploreOptions, explore};
use crate::goto::{MemoryModel, Module, parse, verify};

/// The models, from the strongest to the weakest.
const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

const VARIABLES: [&str; 3] = ["x", "y", "z"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Store { to: String, value: u8, order: String },
    Load { register: String, from: String },
    Exchange { register: String, of: String, value: u8 },
    Fence { order: String },
}

type Threads = Vec<Vec<Step>>;

fn read(program: &str) -> Threads {
    let step = |text: &str| {
        let (to, from) = match text.split_once('=') {
            Some((to, from)) => (to.trim().to_owned(), from.trim()),
            None => {
                let order = text.trim().strip_prefix("fence").expect("a fence").to_owned();
                return Step::Fence { order };
            }
        };
        let value = |text: &str| text.parse().expect("a number");
        if VARIABLES.contains(&to.as_str()) {
            let (number, order) = from.split_at(1);
            return Step::Store { to, value: value(number), order: order.to_owned() };
        }
        match from.split_once("<-") {
            Some((of, new)) => {
                Step::Exchange { register: to, of: of.to_owned(), value: value(new) }
            }
            None => Step::Load { register: to, from: from.to_owned() },
        }
    };
    program.split('|').map(|thread| thread.split(';').map(step).collect()).collect()
}

/// What registers and variables hold in the end: `a=1 x=2`.
type Outcome = BTreeMap<String, u8>;

fn outcome(text: &str) -> Outcome {
    let one = |part: &str| {
        let (name, value) = part.split_once('=').expect("a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    text.split_whitespace().map(one).collect()
}

/// Which runs fail.
#[derive(Clone, Copy)]
enum Ends<'o> {
    In(&'o Outcome),
    InNoneOf(&'o [Outcome]),
}

/// The module of which certain runs fail. The initial thread starts the others, waits for them, and
/// looks.
fn module(threads: &Threads, fails: Ends<'_>) -> Module {
    let mut names: BTreeSet<&str> = VARIABLES.into();
    let mut code = String::new();
    for (number, thread) in threads.iter().enumerate() {
        let _ = writeln!(code, "define @t{number}() {{ bb0:");
        let mut values = 0..;
        let mut value = || values.next().unwrap_or(0);
        for step in thread {
            let _ = match step {
                Step::Store { to, value, order } => {
                    writeln!(code, "store{order} i8, ${to}, {value}i8")
                }
                Step::Load { register, from } => {
                    names.insert(register);
                    let read = value();
                    writeln!(
                        code,
                        "%{read}: i8 = load ${from} store i8, $\"{}\", %{read}",
                        own(register)
                    )
                }
                Step::Exchange { register, of, value: new } => {
                    names.insert(register);
                    let read = value();
                    let own = own(register);
                    writeln!(
                        code,
                        "atomic_begin.locked %{read}: i8 = load ${of} store i8, ${of}, {new}i8
                         atomic_end store i8, $\"{own}\", %{read}"
                    )
                }
                Step::Fence { order } => writeln!(code, "fence{order}"),
            };
        }
        code.push_str("return }\n");
    }
    code.push_str("define @main() { bb0:\n");
    for number in 0..threads.len() {
        let _ = writeln!(code, "%{number}: i64 = spawn @t{number}()");
    }
    for number in 0..threads.len() {
        let _ = writeln!(code, "join %{number}");
    }
    let mut next = threads.len()..;
    let mut value = || next.next().unwrap_or(0);
    let outcomes = match fails {
        Ends::In(outcome) => std::slice::from_ref(outcome),
        Ends::InNoneOf(outcomes) => outcomes,
    };
    let mut found = "false".to_owned();
    for outcome in outcomes {
        let mut all = "true".to_owned();
        for (name, held) in outcome {
            let (read, is, both) = (value(), value(), value());
            let name = own(name);
            let _ = writeln!(
                code,
                "%{read}: i8 = load $\"{name}\" %{is}: i1 = eq %{read}, {held}i8
                 %{both}: i1 = and %{is}, {all}"
            );
            all = format!("%{both}");
        }
        let either = value();
        let _ = writeln!(code, "%{either}: i1 = or {found}, {all}");
        found = format!("%{either}");
    }
    let holds = match fails {
        Ends::In(_) => {
            let not = value();
            let _ = writeln!(code, "%{not}: i1 = not {found}");
            format!("%{not}")
        }
        Ends::InNoneOf(_) => found,
    };
    let _ = writeln!(code, "assert {holds}, \"not so\" return }}");
    let globals: String = names.iter().fold("gir 1\n".to_owned(), |text, name| {
        format!("{text}global $\"{}\": i8 = 0\n", own(name))
    });
    let module = parse(&format!("{globals}{code}entry @main"), "t.gir").expect("it is well-formed");
    assert_eq!(verify(&module), Ok(()));
    module
}

/// The object of a name: registers have no buffers.
fn own(name: &str) -> String {
    match VARIABLES.contains(&name) {
        true => name.to_owned(),
        false => format!("__unbuffered_{name}"),
    }
}

/// Whether a run under a model ends in an outcome.
fn is_allowed(module: &Module, memory: MemoryModel) -> bool {
    let options = ExploreOptions { memory, ..ExploreOptions::default() };
    let found = explore(module, &options);
    match found.failure {
        Some(failure) => {
            assert!(failure.execute(module, None).is_some(), "{failure:?}");
            true
        }
        None => {
            assert_eq!(found.incomplete, None);
            false
        }
    }
}
