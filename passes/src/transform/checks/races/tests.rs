//! Random small programs: an assertion of the pass can fail if and only if the program comes to a state in
//! which the next steps of two threads race. That is looked for in the program as it was, without the pass.

use std::collections::HashSet;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_ir::goto::interpret::{Machine, Outcome};
use sapa_ir::goto::{
    Instruction, MemoryModel, MemoryOrder, Module, Op, Operand, Section, parse, verify,
};

use crate::Pipeline;
use crate::transform::checks::choice::Choice;

/// A program under construction.
struct Writer {
    random: SmallRng,
    text: String,
    values: usize,
    blocks: usize,
}

impl Writer {
    fn below(&mut self, count: usize) -> usize {
        self.random.random_range(0..count)
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn value(&mut self, line: &str) -> String {
        let value = self.values;
        self.values += 1;
        self.line(&format!("%{value}: {line}"));
        format!("%{value}")
    }

    /// The address of an `i32`, or of one of its bytes.
    fn address(&mut self, own: &str) -> (String, &'static str) {
        let direct = self.pick(&["$x", "$y"]).to_owned();
        match self.below(9) {
            0..4 => (direct, "i32"),
            4 => (self.value(&format!("ptr = index i32, $a, {own}")), "i32"),
            5 => {
                let constant = self.below(2);
                (self.value(&format!("ptr = index i32, $a, {constant}i64")), "i32")
            }
            6 => {
                let byte = self.below(4);
                (self.value(&format!("ptr = index i8, {direct}, {byte}i64")), "i8")
            }
            7 => (self.value("ptr = load.seq_cst $p"), "i32"),
            _ => {
                let element = self.value(&format!("ptr = index i16, $a, {own}"));
                (element, "i16")
            }
        }
    }

    fn access(&mut self, own: &str) {
        let order = self.pick(&["", "", "", ".relaxed", ".volatile"]);
        match self.below(10) {
            0 => self.line("copy_memory [2 x i32], $a, $b"),
            1 => {
                let to = self.pick(&["$x", "$y", "$h"]).to_owned();
                self.line(&format!("store.seq_cst ptr, $p, {to}"));
            }
            2..6 => {
                let (address, ty) = self.address(own);
                drop(self.value(&format!("{ty} = load{order} {address}")));
            }
            _ => {
                let number = self.below(2);
                let (address, ty) = self.address(own);
                self.line(&format!("store{order} {ty}, {address}, {number}{ty}"));
            }
        }
    }

    fn statement(&mut self, own: &str) {
        match self.below(8) {
            0 | 1 => {
                let mutex = self.pick(&["$m", "$m", "$n"]);
                self.line(&format!("mutex_lock({mutex})"));
                self.access(own);
                self.line(&format!("mutex_unlock({mutex})"));
            }
            2 => {
                self.line("atomic_begin.locked");
                self.access(own);
                self.line("atomic_end");
            }
            3 => {
                let object = self.value("ptr = allocate.zeroed i32, 4i64");
                self.line(&format!("store i32, {object}, 1i32"));
                if self.below(2) == 0 {
                    self.line(&format!("store.seq_cst ptr, $p, {object}"));
                    self.line(&format!("store i32, {object}, 0i32"));
                }
            }
            4 => {
                // What one thread writes says whether another one goes on.
                let flag = self.pick(&["$f", "$x"]).to_owned();
                let order = self.pick(&[".seq_cst", ""]);
                if self.below(2) == 0 {
                    self.line(&format!("store{order} i32, {flag}, 1i32"));
                    return;
                }
                let read = self.value(&format!("i32 = load{order} {flag}"));
                let is_set = self.value(&format!("i1 = ne {read}, 0i32"));
                let (then, after) = (self.blocks, self.blocks + 1);
                self.blocks += 2;
                self.line(&format!("branch {is_set}, bb{then}, bb{after}\nbb{then}:"));
                self.access(own);
                self.line(&format!("jump bb{after}\nbb{after}:"));
            }
            _ => self.access(own),
        }
    }

    fn function(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.values = usize::from(head.contains("%0"));
        self.blocks = 1;
        let (name, entry) = head.split_once('|').expect("a name and an entry");
        self.line(&format!("define @{name} {{\n{entry}:"));
        body(self);
        self.line("return\n}");
    }
}

fn random(seed: u64) -> Module {
    let random = SmallRng::seed_from_u64(seed);
    let mut writer = Writer { random, text: String::new(), values: 0, blocks: 0 };
    writer.line("gir 1");
    for global in ["$x: i32", "$y: i32", "$f: i32", "$h: i32", "$m: i32", "$n: i32"] {
        writer.line(&format!("global {global} = 0"));
    }
    writer.line("global $a: [2 x i32] = zero\nglobal $b: [2 x i32] = zero\nglobal $p: ptr = $x");
    for name in ["t", "u"] {
        writer.function(&format!("{name}(i64)|bb0(%0: i64)"), |w| {
            for _ in 0..1 + w.below(2) {
                w.statement("%0");
            }
        });
    }
    writer.function("main()|bb0", |w| {
        if w.below(2) == 0 {
            w.access("0i64");
        }
        let first = w.pick(&["t", "u"]).to_owned();
        let handle = w.value(&format!("i64 = spawn @{first}(0i64)"));
        let joins = w.below(3);
        if joins == 0 {
            w.line(&format!("join {handle}"));
        }
        let second = w.pick(&["t", "u"]).to_owned();
        let other = w.value(&format!("i64 = spawn @{second}(1i64)"));
        if joins == 1 {
            w.line(&format!("join {handle}"));
            if w.below(2) == 0 {
                w.line(&format!("join {other}"));
            }
        }
        if w.below(3) > 0 {
            w.statement("1i64");
        }
    });
    writer.line("entry @main");
    let module = parse(&writer.text, "random").unwrap_or_else(|e| panic!("{e}\n{}", writer.text));
    assert_eq!(verify(&module), Ok(()), "{module}");
    module
}

/// What an instruction would access: address, size, whether it writes, whether it is atomic.
type Next = (u128, u64, bool, bool);

fn accesses(machine: &Machine<'_>, module: &Module, thread: u32, is_locked: bool) -> Vec<Next> {
    let Some((function, instruction)) = next(machine, module, thread) else { return Vec::new() };
    let function = module.function(function);
    let place = |operand: Operand| machine.value(thread, operand);
    let is_atomic = |order: MemoryOrder| is_locked || order != MemoryOrder::Plain;
    let found = match &instruction.op {
        Op::Load { address, order, .. } => {
            let result = instruction.result.expect("loads have results");
            let size = function.operand_type(Operand::Value(result)).size(module);
            vec![(place(*address), size, false, is_atomic(*order))]
        }
        Op::Store { address, ty, order, .. } => {
            vec![(place(*address), ty.size(module), true, is_atomic(*order))]
        }
        Op::CopyMemory { destination, source, ty } => {
            let size = ty.size(module);
            let order = is_atomic(MemoryOrder::Plain);
            vec![(place(*source), size, false, order), (place(*destination), size, true, order)]
        }
        _ => Vec::new(),
    };
    let mut after = machine.clone();
    let outcome = after.step(thread, &mut Choice { value: 0, is_asked: false });
    if matches!(outcome, Outcome::Continued(_)) { found } else { Vec::new() }
}

fn next<'m>(
    machine: &Machine<'_>,
    module: &'m Module,
    thread: u32,
) -> Option<(sapa_ir::goto::FunctionId, &'m Instruction)> {
    let (function, block, index) = machine.position(thread)?;
    let instruction = module.function(function).block(block).instructions.get(index)?;
    Some((function, instruction))
}

/// What a thread accesses next: in a section, all that it accesses there.
fn next_accesses(machine: &Machine<'_>, module: &Module, thread: u32) -> Vec<Next> {
    let is_begin = next(machine, module, thread)
        .is_some_and(|(_, i)| i.op == Op::AtomicBegin(Section::Locked));
    if !is_begin {
        return accesses(machine, module, thread, false);
    }
    let mut machine = machine.clone();
    let mut found = Vec::new();
    loop {
        found.extend(accesses(&machine, module, thread, true));
        let outcome = machine.step(thread, &mut Choice { value: 0, is_asked: false });
        if !matches!(outcome, Outcome::Continued(_)) || !machine.is_atomic() {
            return found;
        }
    }
}

fn race(a: &Next, b: &Next) -> bool {
    let overlap = a.0 < b.0 + u128::from(b.1) && b.0 < a.0 + u128::from(a.1);
    overlap && (a.2 || b.2) && !(a.3 && b.3)
}

fn has_race(machine: &Machine<'_>, module: &Module) -> bool {
    if machine.is_atomic() {
        return false;
    }
    let next: Vec<Vec<Next>> =
        machine.threads().into_iter().map(|t| next_accesses(machine, module, t)).collect();
    next.iter().enumerate().any(|(index, of)| {
        let others = next[..index].iter().flatten();
        others.into_iter().any(|other| of.iter().any(|one| race(one, other)))
    })
}

/// States that are looked at.
const STATES: usize = 60_000;

/// Whether a state is reached in which `is_bad` holds, or an assertion fails; `None` if there are too many.
fn reaches(module: &Module, is_bad: impl Fn(&Machine<'_>) -> bool) -> Option<bool> {
    let mut inputs = Choice { value: 0, is_asked: false };
    let first = Machine::new(module, MemoryModel::Sc, None, &mut inputs).expect("a start");
    let mut seen = HashSet::from([first.clone()]);
    let mut pending = vec![first];
    while let Some(state) = pending.pop() {
        if is_bad(&state) {
            return Some(true);
        }
        for thread in state.threads() {
            for value in 0..2 {
                let mut after = state.clone();
                let mut choice = Choice { value, is_asked: false };
                match after.step(thread, &mut choice) {
                    Outcome::Continued(_) | Outcome::Started(_) | Outcome::ThreadEnded => {
                        if seen.insert(after.clone()) {
                            pending.push(after);
                        }
                    }
                    Outcome::AssertionFailed { .. } => return Some(true),
                    Outcome::Halted
                    | Outcome::Blocked(_)
                    | Outcome::Undefined(_)
                    | Outcome::InvalidAccess(_) => {}
                    Outcome::Unsupported(what) => panic!("{what}\n{module}"),
                }
                if !choice.is_asked {
                    break;
                }
            }
        }
        if seen.len() > STATES {
            return None;
        }
    }
    Some(false)
}

#[test]
fn assertions_fail_where_there_are_races() {
    let (mut races, mut safe) = (0, 0);
    for seed in 0..400 {
        let before = random(seed);
        let Some(expected) = reaches(&before, |machine| has_race(machine, &before)) else {
            continue;
        };
        let mut after = before.clone();
        let pipeline = Pipeline::parse("check-races").expect("the pipeline");
        pipeline.run(&mut after, &mut []).expect("it runs");
        assert_eq!(verify(&after), Ok(()), "{after}");
        let Some(found) = reaches(&after, |_| false) else { continue };
        assert_eq!(found, expected, "seed {seed}\n{after}");
        if expected { races += 1 } else { safe += 1 }
    }
    assert!(races > 80 && safe > 80, "{races} with races, {safe} without");
}
