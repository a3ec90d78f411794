//! What is said of small modules: how many accesses are guarded, and how many locks are given back within a step.

use std::fmt::Write;

use sapa_ir::goto::{FunctionId, Module, Op, parse, verify};
use sapa_limits::Limits;

use super::Movers;
use crate::analysis::Analyses;

const LOCK: &str = "atomic_begin %90: i32 = load $m %91: i1 = eq %90, 0i32 assume %91 store i32, $m, 1i32 atomic_end";
const UNLOCK: &str = "store i32, $m, 0i32";
const TRY: &str = "atomic_begin %90: i32 = load $m %91: i1 = eq %90, 0i32 %92: i32 = select %91, 1i32, %90 \
                   store i32, $m, %92 atomic_end";

/// Functions with the values of each numbered in the order in which they appear.
fn numbered(functions: &str) -> String {
    let mut all = String::new();
    for function in functions.split_inclusive('}') {
        let mut names: Vec<&str> = Vec::new();
        let mut pieces = function.split('%');
        all.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (name, rest) =
                piece.split_at(piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len()));
            let number = names.iter().position(|known| *known == name).unwrap_or(names.len());
            if number == names.len() {
                names.push(name);
            }
            let _ = write!(all, "%{number}{rest}");
        }
    }
    all
}

/// What is found in a module of these thread functions.
fn found(functions: &str) -> (Module, Movers) {
    let functions = numbered(functions);
    let text = format!(
        "gir 1 global $m: i32 = 0 global $x: i32 = 0 global $e: i32 = zero {functions} entry @main"
    );
    let module = parse(&text, "t.gir").unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(verify(&module), Ok(()), "{text}");
    let movers = Analyses::new(&Limits::default()).get::<Movers>(&module).unwrap().as_ref().clone();
    (module, movers)
}

/// Of the loads and stores of a function outside of its sections: which are guarded, and which give a lock back, in order.
fn told(functions: &str, name: &str) -> (Vec<bool>, Vec<bool>) {
    let (module, movers) = found(functions);
    let id = (0..module.functions.len())
        .map(FunctionId::new)
        .find(|id| module.function(*id).name == name);
    let id = id.expect("the function");
    let (mut guarded, mut given_back, mut depth) = (Vec::new(), Vec::new(), 0);
    for (block, data) in module.function(id).blocks() {
        for (index, instruction) in data.instructions.iter().enumerate() {
            match instruction.op {
                Op::AtomicBegin(_) => depth += 1,
                Op::AtomicEnd => depth -= 1,
                Op::Load { .. } | Op::Store { .. } if depth == 0 => {
                    guarded.push(movers.is_guarded((id, block, index)));
                    given_back.push(movers.gives_back((id, block, index)));
                }
                _ => {}
            }
        }
    }
    (guarded, given_back)
}

/// A function that writes under the lock, and one that starts any number of it and of another one.
fn with(other: &str) -> String {
    format!(
        "define @worker() {{ bb0: {LOCK} store i32, $x, 1i32 {UNLOCK} return }} define @other() {{ bb0: {other} return }}
         define @main() {{ bb0: jump bb1 bb1: %0: i64 = spawn @worker() %1: i64 = spawn @other() jump bb1 }}"
    )
}

#[test]
fn what_all_access_under_a_lock_is_guarded() {
    let reads = with(&format!("{LOCK} %0: i32 = load $x {UNLOCK}"));
    for function in ["worker", "other"] {
        assert_eq!(told(&reads, function), (vec![true, false], vec![false, true]), "{function}");
    }
}

#[test]
fn what_one_reads_without_the_lock_is_not() {
    assert_eq!(told(&with("%0: i32 = load $x"), "worker"), (vec![false, false], vec![false, true]));
}

#[test]
fn who_looks_at_a_lock_and_does_not_wait_sees_that_it_is_held() {
    for other in [
        TRY,
        "%0: i32 = load $m",
        &format!("{LOCK} {UNLOCK} %1: i1 = eq %90, 0i32 assert %1, \"free\""),
    ] {
        let (guarded, given_back) = told(&with(other), "worker");
        assert_eq!(guarded, [true, false], "{other}");
        assert_eq!(given_back, [false, false], "{other}");
    }
}

/// Two threads count their ends; the initial one waits for a number of them.
fn counted(start: &str, least: &str, ends: &str) -> String {
    format!(
        "define @worker() {{ bb0: {LOCK} store i32, $x, 1i32 {UNLOCK} atomic_begin %0: i32 = load $e %1: i32 = add %0, 1i32
         store i32, $e, {ends} atomic_end return }} define @main() {{ bb0: store i32, $x, 2i32 {start}
         atomic_begin {least} assume %9 atomic_end %4: i32 = load $x return }}"
    )
}

const TWICE: &str = "%2: i64 = spawn @worker() %3: i64 = spawn @worker()";

#[test]
fn the_initial_thread_is_alone_before_the_first_start_and_after_the_last_end() {
    let waits = |least: u32| format!("%8: i32 = load $e %9: i1 = ule {least}i32, %8");
    assert_eq!(told(&counted(TWICE, &waits(2), "%1"), "main").0, [true, true]);
    // One may still be there; nobody has waited; more than one end of a thread is counted.
    assert_eq!(told(&counted(TWICE, &waits(1), "%1"), "main").0, [true, false]);
    assert_eq!(
        told(&counted(TWICE, "%8: i32 = load $e %9: i1 = ule %8, 2i32", "%1"), "main").0,
        [true, false]
    );
    assert_eq!(told(&counted(TWICE, &waits(2), "2i32"), "main").0, [true, false]);
    // A part of the counter alone.
    let part = "%8: i8 = load $e %9: i1 = ule 2i8, %8";
    assert_eq!(told(&counted(TWICE, part, "%1"), "main").0, [true, false]);
}

#[test]
fn who_has_ended_may_have_started_others() {
    let child = format!("define @child() {{ bb0: {LOCK} store i32, $x, 1i32 {UNLOCK} return }}");
    let parent = "define @parent() { bb0: %0: i64 = spawn @child() store i32, $e, 1i32 return }";
    let main = "define @main() { bb0: %0: i64 = spawn @parent() atomic_begin %1: i32 = load $e %2: i1 = eq %1, 1i32
                assume %2 atomic_end %3: i32 = load $x return }";
    assert_eq!(told(&format!("{child} {parent} {main}"), "main").0, [false]);
    let middle = "define @middle() { bb0: %0: i64 = spawn @child() return }";
    let grandparent = parent.replace("@child", "@middle");
    assert_eq!(told(&format!("{child} {middle} {grandparent} {main}"), "main").0, [false]);
    let quiet = "define @parent() { bb0: store i32, $x, 1i32 store i32, $e, 1i32 return }";
    assert_eq!(told(&format!("{quiet} {main}"), "main").0, [true]);
}
