//! Random functions before and after passes that copy code, or name values anew: what they write.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_ir::goto::interpret::{Inputs, Machine, Outcome, Request};
use sapa_ir::goto::{FunctionId, MemoryModel, Module, arithmetic, parse, verify};

use super::peel::peel;
use super::unreachable;
use crate::Pipeline;
use crate::analysis::loops;

/// Most steps of a run that are looked at: some loops do not end.
const STEPS: usize = 2000;

/// A function under construction: blocks as text, over stack objects that become values.
struct Writer {
    random: SmallRng,
    blocks: Vec<String>,
    values: usize,
    counters: usize,
    /// Whether variables are given numbers too, which decide conditions.
    gives_numbers: bool,
}

impl Writer {
    fn new(seed: u64) -> Self {
        let random = SmallRng::seed_from_u64(seed);
        Self { random, blocks: vec![String::new()], values: 0, counters: 0, gives_numbers: false }
    }

    fn below(&mut self, count: usize) -> usize {
        self.random.random_range(0..count)
    }

    fn line(&mut self, line: &str) {
        let block = self.blocks.last_mut().expect("a block");
        block.push_str(line);
        block.push('\n');
    }

    fn value(&mut self, line: &str) -> usize {
        let value = self.values;
        self.values += 1;
        self.line(&format!("%{value}: {line}"));
        value
    }

    fn variable(&mut self) -> String {
        format!("&v{}", self.below(if self.gives_numbers { 2 } else { 4 }))
    }

    /// A statement without jumps.
    fn statement(&mut self) {
        let (to, from) = (self.variable(), self.variable());
        match self.below(4 + usize::from(self.gives_numbers)) {
            0 => {
                let chosen = self.value("i8 = nondet");
                self.line(&format!("store i8, {to}, %{chosen}"));
            }
            1 => {
                let read = self.value(&format!("i8 = load {from}"));
                let number = self.below(5);
                let sum = self.value(&format!("i8 = add %{read}, {number}i8"));
                self.line(&format!("store i8, {to}, %{sum}"));
            }
            2 => {
                let read = self.value(&format!("i8 = load {from}"));
                self.line(&format!("store i8, $out, %{read}"));
            }
            3 => {
                let (a, b) = (self.variable(), self.variable());
                let a = self.value(&format!("i8 = load {a}"));
                let b = self.value(&format!("i8 = load {b}"));
                let sum = self.value(&format!("i8 = xor %{a}, %{b}"));
                self.line(&format!("store i8, {to}, %{sum}"));
            }
            _ => {
                let number = self.below(4);
                self.line(&format!("store i8, {to}, {number}i8"));
            }
        }
    }

    fn condition(&mut self) -> usize {
        let read = self.variable();
        let read = self.value(&format!("i8 = load {read}"));
        let (number, op) = (self.below(4), ["ult", "slt", "eq", "ne"][self.below(4)]);
        self.value(&format!("i1 = {op} %{read}, {number}i8"))
    }

    /// Blocks that jump anywhere.
    fn jungle(mut self) -> String {
        let count = 3 + self.below(8);
        for block in 0..count {
            if block > 0 {
                self.blocks.push(String::new());
            }
            for _ in 0..self.below(5) {
                self.statement();
            }
            let (a, b) = (1 + self.below(count - 1), 1 + self.below(count - 1));
            match self.below(8) {
                0 => self.line("return"),
                1 | 2 => self.line(&format!("jump bb{a}")),
                _ => {
                    let condition = self.condition();
                    self.line(&format!("branch %{condition}, bb{a}, bb{b}"));
                }
            }
        }
        self.finish()
    }

    /// Nested loops over counters.
    fn counted(mut self) -> String {
        for _ in 0..2 {
            self.nest(0, None);
        }
        for _ in 0..4 {
            self.statement();
        }
        self.line("return");
        self.finish()
    }

    /// Statements, conditions and loops; `around` is where a loop around them ends.
    fn nest(&mut self, depth: usize, around: Option<usize>) {
        for _ in 0..2 + self.below(3) {
            match self.below(6) {
                0 | 1 if depth < 2 => self.counted_loop(depth),
                2 => {
                    let condition = self.condition();
                    let (then, end) = (self.blocks.len(), self.blocks.len() + 1);
                    let leaves = around.is_some() && self.below(2) == 0;
                    self.line(&format!("branch %{condition}, bb{then}, bb{end}"));
                    self.blocks.push(String::new());
                    self.statement();
                    match around.filter(|_| leaves) {
                        Some(around) => self.line(&format!("jump bb{around}")),
                        None => self.line(&format!("jump bb{end}")),
                    }
                    self.blocks.push(String::new());
                }
                _ => self.statement(),
            }
        }
    }

    fn counted_loop(&mut self, depth: usize) {
        let counter = self.counters;
        self.counters += 1;
        let (start, step) = (self.below(4), [1, 1, 2, 255, 0][self.below(5)]);
        let (limit, op) = (self.below(6), ["ult", "slt", "ne", "ule"][self.below(4)]);
        let header = self.blocks.len();
        let end = header + 1;
        self.line(&format!("store i8, &c{counter}, {start}i8"));
        self.line(&format!("jump bb{header}"));
        self.blocks.push(String::new());
        let read = self.value(&format!("i8 = load &c{counter}"));
        let more = self.value(&format!("i1 = {op} %{read}, {limit}i8"));
        let body = header + 2;
        self.line(&format!("branch %{more}, bb{body}, bb{end}"));
        // What comes after the loop is written when its body is.
        self.blocks.push(String::new());
        self.blocks.push(String::new());
        let index = self.value(&format!("i8 = load &c{counter}"));
        let index = self.value(&format!("i64 = zext %{index}"));
        let element = self.value(&format!("ptr = index i8, $a, %{index}"));
        self.line(&format!("store i8, %{element}, {depth}i8"));
        self.nest(depth + 1, Some(end));
        let read = self.value(&format!("i8 = load &c{counter}"));
        let next = self.value(&format!("i8 = add %{read}, {step}i8"));
        self.line(&format!("store i8, &c{counter}, %{next}"));
        self.line(&format!("jump bb{header}"));
        let after = self.blocks.len();
        self.blocks[end] = format!("jump bb{after}\n");
        self.blocks.push(String::new());
    }

    fn finish(self) -> String {
        let mut text = "gir 1\nglobal $out: i8 = 0\nglobal $a: [256 x i8] = zero\n".to_owned();
        text.push_str("define @main() {\n");
        (0..4).for_each(|v| text.push_str(&format!("slot &v{v}: i8\n")));
        (0..self.counters).for_each(|c| text.push_str(&format!("slot &c{c}: i8\n")));
        for (index, block) in self.blocks.iter().enumerate() {
            text.push_str(&format!("bb{index}:\n{block}"));
        }
        text + "}\nentry @main\n"
    }
}

/// The function with its variables as values.
fn module(text: &str) -> Module {
    let mut module = parse(text, "t.gir").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pipeline = Pipeline::parse("unreachable-blocks,mem2reg").expect("the pipeline");
    pipeline.run(&mut module, &mut []).expect("it runs");
    assert_eq!(verify(&module), Ok(()), "{module}");
    module
}

/// The same choices for every run of a seed.
struct Choices(SmallRng);

impl Inputs for Choices {
    fn choose(&mut self, _: u32, _: Request, bits: u16) -> u128 {
        self.0.random_range(0..4) & arithmetic::mask(bits)
    }
}

/// What a run does.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    /// What it writes, and in which step.
    written: Vec<(usize, u128)>,
    /// In which step it ends, if it does.
    end: Option<usize>,
}

fn run(module: &Module, seed: u64) -> Run {
    let mut choices = Choices(SmallRng::seed_from_u64(seed));
    let mut machine =
        Machine::new(module, MemoryModel::Sc, None, &mut choices).expect("the module runs");
    let mut written = Vec::new();
    for step in 0..STEPS {
        if !machine.exists(0) {
            return Run { written, end: Some(step) };
        }
        if let Outcome::Continued(Some(write)) = machine.step(0, &mut choices)
            && write.pointer.is_some()
        {
            written.push((step, write.bits));
        }
    }
    Run { written, end: None }
}

fn expect_equal(before: &Module, after: &Module) {
    assert_eq!(verify(after), Ok(()), "{before}\n{after}");
    for seed in 0..6 {
        assert_eq!(run(before, seed), run(after, seed), "choices {seed}\n{before}\n{after}");
    }
}

#[test]
fn peeled_loops_do_the_same() {
    let mut peeled = 0;
    for seed in 0..400 {
        let writer = Writer::new(seed);
        let before = module(&if seed % 2 == 0 { writer.jungle() } else { writer.counted() });
        let mut after = before.clone();
        for round in 0..3 {
            let function = &mut after.functions[FunctionId(0).index()];
            unreachable::remove(function);
            let found = loops::outermost(function);
            // One loop, or all of them at once.
            let chosen: Vec<(&loops::Loop, usize)> = match round {
                2 => found.iter().zip(1..).collect(),
                _ => found.iter().skip(round).take(1).map(|content| (content, 1 + round)).collect(),
            };
            if chosen.is_empty() {
                break;
            }
            peel(function, &chosen).expect("the function keeps the laws");
            peeled += chosen.len();
            expect_equal(&before, &after);
        }
    }
    assert!(peeled > 500, "only {peeled} loops were peeled");
}

#[test]
fn unrolled_loops_do_the_same() {
    let (mut loops, mut left) = (0, 0);
    for seed in 0..300 {
        let before = module(&Writer::new(seed).counted());
        let mut after = before.clone();
        let pipeline = Pipeline::parse("peel-loops").expect("the pipeline");
        pipeline.run(&mut after, &mut []).expect("it runs");
        expect_equal(&before, &after);
        loops += loops::outermost(&before.functions[0]).len();
        left += loops::outermost(&after.functions[0]).len();
    }
    assert!(left > 50 && left * 2 < loops, "{left} of {loops} loops are left");
}

/// A pass may make a run longer or shorter, but not what it writes.
fn expect_same_writes(before: &Module, after: &Module) {
    assert_eq!(verify(after), Ok(()), "{before}\n{after}");
    for seed in 0..6 {
        let [one, other] = [before, after].map(|module| run(module, seed));
        // No pass makes a run four times as long, so that a short one ends in time.
        let is_short = [one.end, other.end].iter().flatten().any(|&end| end < STEPS / 4);
        let both_end = one.end.is_some() && other.end.is_some();
        assert!(both_end || !is_short, "choices {seed} end once\n{before}\n{after}");
        let both = match (one.end, other.end) {
            (Some(_), Some(_)) => one.written.len().max(other.written.len()),
            // What was cut off may be shorter.
            _ => one.written.len().min(other.written.len()),
        };
        let [one, other] = [one, other].map(|run| {
            let values = run.written.into_iter().map(|(_, bits)| Some(bits));
            values.chain(std::iter::repeat(None)).take(both).collect::<Vec<_>>()
        });
        assert_eq!(one, other, "choices {seed}\n{before}\n{after}");
    }
}

/// The module after passes, which write the same.
fn passed(before: &Module, passes: &str) -> Module {
    let mut after = before.clone();
    let pipeline = Pipeline::parse(passes).expect("the pipeline");
    pipeline.run(&mut after, &mut []).expect("it runs");
    expect_same_writes(before, &after);
    after
}

/// A copy of the first meeting would go to the second, which all other jumps to it leave in one direction.
#[test]
fn meetings_that_lead_to_each_other_write_the_same() {
    let before = module(
        "gir 1\nglobal $out: i8 = 0\ndefine @main() {\nbb0:\n%0: i8 = nondet\n%1: i1 = ult %0, 2i8\n\
         branch %1, bb1, bb2\nbb1:\njump bb3(1i8)\nbb2:\njump bb3(%0)\nbb3(%2: i8):\n%3: i1 = eq %2, 1i8\n\
         branch %3, bb4(10i8), bb4(20i8)\nbb4(%4: i8):\n%5: i1 = eq %4, 10i8\nbranch %5, bb5, bb6\n\
         bb5:\nstore i8, $out, 1i8\nreturn\nbb6:\nstore i8, $out, 2i8\nreturn\n}\nentry @main\n",
    );
    assert_ne!(passed(&before, "jump-threading"), before);
}

#[test]
fn threaded_jumps_and_forwarded_arguments_write_the_same() {
    let (mut threaded, mut forwarded) = (0, 0);
    for seed in 0..600 {
        let writer = Writer { gives_numbers: true, ..Writer::new(seed) };
        let before = module(&if seed % 4 == 0 { writer.counted() } else { writer.jungle() });
        let jumps = passed(&before, "jump-threading");
        threaded += usize::from(jumps != before);
        for from in [jumps, passed(&before, "constant-propagation")] {
            let arguments = passed(&from, "forward-arguments");
            forwarded += usize::from(arguments != from);
            passed(&arguments, "jump-threading");
        }
    }
    assert!(threaded > 60 && forwarded > 100, "{threaded} threaded, {forwarded} forwarded");
}
