//! Random functions with loops, before and after peeling: what they write, step by step.

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
}

impl Writer {
    fn new(seed: u64) -> Self {
        let random = SmallRng::seed_from_u64(seed);
        Self { random, blocks: vec![String::new()], values: 0, counters: 0 }
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
        format!("&v{}", self.below(4))
    }

    /// A statement without jumps.
    fn statement(&mut self) {
        let (to, from) = (self.variable(), self.variable());
        match self.below(4) {
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
            _ => {
                let (a, b) = (self.variable(), self.variable());
                let a = self.value(&format!("i8 = load {a}"));
                let b = self.value(&format!("i8 = load {b}"));
                let sum = self.value(&format!("i8 = xor %{a}, %{b}"));
                self.line(&format!("store i8, {to}, %{sum}"));
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

/// What a run writes, and when.
fn run(module: &Module, seed: u64) -> Vec<(usize, u128)> {
    let mut choices = Choices(SmallRng::seed_from_u64(seed));
    let mut machine =
        Machine::new(module, MemoryModel::Sc, None, &mut choices).expect("the module runs");
    let mut written = Vec::new();
    for step in 0..STEPS {
        if !machine.exists(0) {
            written.push((step, 0));
            break;
        }
        if let Outcome::Continued(Some(write)) = machine.step(0, &mut choices)
            && write.pointer.is_some()
        {
            written.push((step, write.bits));
        }
    }
    written
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
