//! Differential: random small C programs, `sapa check` against all interleavings.
//!
//! `SAPA_DIFFERENTIAL_PROGRAMS=n` changes how many programs are tried.

use std::fmt::Write;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_backend::abstraction;
use sapa_backend::cegar::{self, Silent, Verdict};
use sapa_backend::check::{EngineKind, ThreadBound};
use sapa_ir::goto::interpret::{Inputs, Machine, Outcome, Request};
use sapa_ir::goto::{Module, Op};
use sapa_passes::{DEFAULT_PIPELINE, Pipeline};

/// The programs make no choices.
struct NoChoices;

impl Inputs for NoChoices {
    fn choose(&mut self, _: u32, _: Request, _: u16) -> u128 {
        0
    }
}

fn variable(random: &mut SmallRng) -> &'static str {
    ["x", "y", "z", "l"][random.random_range(0..4)]
}

fn expression(random: &mut SmallRng) -> String {
    match random.random_range(0..4) {
        0 => random.random_range(0..3).to_string(),
        1 => variable(random).to_owned(),
        2 => format!("{} + 1", variable(random)),
        _ => format!("{} - {}", variable(random), variable(random)),
    }
}

fn condition(random: &mut SmallRng) -> String {
    let op = ["==", "!=", "<", "<="][random.random_range(0..4)];
    format!("{} {op} {}", variable(random), expression(random))
}

fn statement(random: &mut SmallRng, depth: u32) -> String {
    match random.random_range(0..9) {
        0..4 => format!("{} = {};", variable(random), expression(random)),
        4 => format!("{}++;", variable(random)),
        5 => format!("assert({});", condition(random)),
        6 if depth > 0 => {
            let (c, a, b) =
                (condition(random), statement(random, depth - 1), statement(random, depth - 1));
            format!("if ({c}) {{ {a} }} else {{ {b} }}")
        }
        7 if depth > 0 => {
            let (a, b) = (statement(random, 0), statement(random, 0));
            format!("__CPROVER_atomic_begin(); {a} {b} __CPROVER_atomic_end();")
        }
        _ => format!("__CPROVER_assume({});", condition(random)),
    }
}

fn program(random: &mut SmallRng) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\nvoid __CPROVER_assume(int);\n\
         void __CPROVER_atomic_begin(void);\nvoid __CPROVER_atomic_end(void);\nint x, y = 1, z;\n",
    );
    for name in ["t", "u"] {
        let body: Vec<String> =
            (0..random.random_range(1..4)).map(|_| statement(random, 1)).collect();
        let last = format!("assert({});", condition(random));
        let _ = writeln!(
            text,
            "void *{name}(void *a) {{ int l = 0; {} {last} return 0; }}",
            body.join(" ")
        );
    }
    text.push_str("int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_create(&p, 0, u, 0); }\n");
    text
}

fn compile(source: &str) -> Module {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.c");
    std::fs::write(&path, source).expect("the file is written");
    let mut module = sapa_frontend::compile(&[path], &sapa_frontend::Options::default())
        .expect("it compiles")
        .module;
    let pipeline = Pipeline::parse(DEFAULT_PIPELINE).expect("the default pipeline");
    pipeline.run(&mut module, &mut []).expect("the passes run");
    module
}

/// Whether the next instruction of a thread may be seen by others.
fn is_visible(module: &Module, machine: &Machine<'_>, thread: u32) -> bool {
    let Some((function, block, index)) = machine.position(thread) else { return false };
    let instruction = module.function(function).block(block).instructions.get(index);
    instruction
        .is_some_and(|i| matches!(i.op, Op::Load { .. } | Op::Store { .. } | Op::AtomicBegin))
}

/// Whether some interleaving fails an assertion.
fn fails(module: &Module, machine: &Machine<'_>) -> bool {
    (1..=2).any(|thread| {
        let mut next = machine.clone();
        let mut moved = false;
        let mut depth = 0;
        while next.exists(thread) {
            // One visible step, or one atomic section, and what follows unseen.
            if moved && depth == 0 && is_visible(module, &next, thread) {
                break;
            }
            if let Some((function, block, index)) = next.position(thread) {
                match module.function(function).block(block).instructions.get(index).map(|i| &i.op)
                {
                    Some(Op::AtomicBegin) => depth += 1,
                    Some(Op::AtomicEnd) => depth -= 1,
                    _ => {}
                }
            }
            moved |= is_visible(module, &next, thread);
            match next.step(thread, &mut NoChoices) {
                Outcome::AssertionFailed { .. } => return true,
                Outcome::Continued(_) | Outcome::ThreadEnded => {}
                // Blocked: what this step did is not seen by anybody who could fail otherwise.
                _ => return depth == 0 && moved && others_fail(module, &next, thread),
            }
        }
        machine.exists(thread) && fails(module, &next)
    })
}

/// Whether the other thread can fail once one is blocked for good.
fn others_fail(module: &Module, machine: &Machine<'_>, blocked: u32) -> bool {
    let mut next = machine.clone();
    let other = 3 - blocked;
    while next.exists(other) {
        match next.step(other, &mut NoChoices) {
            Outcome::AssertionFailed { .. } => return true,
            Outcome::Continued(_) | Outcome::ThreadEnded => {}
            _ => return false,
        }
    }
    let _ = module;
    false
}

fn explore(module: &Module) -> bool {
    let mut machine = Machine::new(module, Some(2), &mut NoChoices).expect("there is an entry");
    while machine.exists(0) {
        match machine.step(0, &mut NoChoices) {
            Outcome::Continued(_) | Outcome::Started(_) | Outcome::ThreadEnded => {}
            outcome => panic!("the initial thread: {outcome:?}"),
        }
    }
    fails(module, &machine)
}

#[test]
fn verdicts_agree_with_all_interleavings() {
    let count: u64 =
        std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut safe, mut unsafe_, mut open) = (0, 0, 0);
    for seed in 0..count {
        let source = program(&mut SmallRng::seed_from_u64(seed));
        let mut module = compile(&source);
        let expected = explore(&module);
        let options = cegar::Options {
            threads: ThreadBound::Bounded(2),
            engine: EngineKind::Plain,
            abstraction: abstraction::Options::default(),
            iterations: 6,
            deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(5)),
            max_states: None,
            memory_limit: None,
        };
        match cegar::run(&mut module, options, &mut Silent).expect("it is modelled").verdict {
            Verdict::Successful(_) => {
                assert!(!expected, "seed {seed}: SUCCESSFUL, but an interleaving fails\n{source}");
                safe += 1;
            }
            Verdict::Failed(_) => {
                assert!(expected, "seed {seed}: FAILED, but no interleaving fails\n{source}");
                unsafe_ += 1;
            }
            Verdict::Inconclusive(reason) => {
                assert!(!reason.contains("internal error"), "seed {seed}: {reason}\n{source}");
                open += 1;
            }
        }
    }
    println!("{safe} successful, {unsafe_} failed, {open} inconclusive");
    assert!(safe > 0 && unsafe_ > 0, "the programs are too easy");
}
