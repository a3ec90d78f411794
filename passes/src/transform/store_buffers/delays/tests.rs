//! Random programs: where no delay is found, what fails with buffers fails without them.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sapa_ir::goto::interpret::{ExploreOptions, explore};
use sapa_ir::goto::{MemoryModel, Module, parse, verify};
use sapa_limits::Limits;

use super::super::is_robust;
use crate::Pipeline;

/// Assertions that are tried of each program.
const ASSERTIONS: u64 = 8;

/// A program under construction.
struct Writer {
    random: SmallRng,
    text: String,
    values: usize,
    blocks: usize,
    /// Where what was read is kept.
    results: Vec<String>,
}

const OBJECTS: &[&str] = &["$x", "$y", "$z", "$__unbuffered_u"];

/// What threads lock. The second is written at once, before what waits.
const LOCKS: [&str; 2] = ["$m", "$__unbuffered_m"];

impl Writer {
    fn below(&mut self, count: usize) -> usize {
        self.random.random_range(0..count)
    }

    fn line(&mut self, line: &str) {
        self.text += &format!("  {line}\n");
    }

    fn value(&mut self, line: &str) -> usize {
        let value = self.values;
        self.values += 1;
        self.line(&format!("%{value}: {line}"));
        value
    }

    fn block(&mut self) {
        self.text += &format!("bb{}:\n", self.blocks);
        self.blocks += 1;
    }

    fn jump_to_next(&mut self) {
        self.line(&format!("jump bb{}", self.blocks));
        self.block();
    }

    /// The address of an `i32`.
    fn address(&mut self) -> String {
        match self.below(16) {
            0 => format!("%{}", self.value("ptr = load $p")),
            1 => {
                let index = self.below(2);
                format!("%{}", self.value(&format!("ptr = index i32, $a, {index}i64")))
            }
            2 => {
                let which = self.value("i32 = load $x");
                let which = self.value(&format!("i1 = eq %{which}, 0i32"));
                format!("%{}", self.value(&format!("ptr = select %{which}, $y, $z")))
            }
            3 => OBJECTS[3].to_owned(),
            4 => OBJECTS[2].to_owned(),
            5 if self.below(4) == 0 => LOCKS[0].to_owned(),
            number => OBJECTS[number % 2].to_owned(),
        }
    }

    fn store(&mut self) {
        let address = self.address();
        let order = ["", "", "", "", "", ".release", ".seq_cst"][self.below(7)];
        let value = 1 + self.below(2);
        if self.below(12) == 0 {
            self.line(&format!("store i8, {address}, {value}i8"));
        } else {
            self.line(&format!("store{order} i32, {address}, {value}i32"));
        }
    }

    fn load(&mut self) -> usize {
        let address = self.address();
        if self.below(12) == 0 {
            let part = self.value(&format!("i8 = load {address}"));
            self.value(&format!("i32 = zext %{part}"))
        } else {
            self.value(&format!("i32 = load {address}"))
        }
    }

    fn load_a_result(&mut self) {
        let read = self.load();
        self.result(read);
    }

    /// Keeps what was read.
    fn result(&mut self, read: usize) {
        let result = self.results.len() % 4;
        let ghost = if self.below(3) == 0 { "r" } else { "__unbuffered_r" };
        let result = format!("${ghost}{result}");
        self.line(&format!("store i32, {result}, %{read}"));
        self.results.push(result);
    }

    fn access(&mut self) {
        if self.below(2) == 0 { self.store() } else { self.load_a_result() }
    }

    fn statement(&mut self) {
        match self.below(24) {
            0 => self.line("fence.seq_cst"),
            1 => self.line("fence.release"),
            2 => {
                self.line("atomic_begin.locked");
                let object = OBJECTS[self.below(4)];
                let read = self.value(&format!("i32 = load {object}"));
                let more = self.value(&format!("i32 = xor %{read}, 1i32"));
                self.line(&format!("store i32, {object}, %{more}"));
                self.line("atomic_end");
            }
            3 => {
                self.line("atomic_begin");
                for _ in 0..2 + self.below(2) {
                    self.access();
                }
                self.line("atomic_end");
            }
            4 => {
                let read = self.load();
                let condition = self.value(&format!("i1 = eq %{read}, 0i32"));
                let (then, next) = (self.blocks, self.blocks + 1);
                self.line(&format!("branch %{condition}, bb{then}, bb{next}"));
                self.block();
                self.access();
                self.jump_to_next();
            }
            5 => {
                // It waits until it reads another value.
                self.jump_to_next();
                let read = self.load();
                let condition = self.value(&format!("i1 = eq %{read}, 0i32"));
                let (here, next) = (self.blocks - 1, self.blocks);
                self.line(&format!("branch %{condition}, bb{here}, bb{next}"));
                self.block();
            }
            6 => {
                // Any number of rounds.
                self.jump_to_next();
                let here = self.blocks - 1;
                self.access();
                self.access();
                let condition = self.value("i1 = nondet");
                let next = self.blocks;
                self.line(&format!("branch %{condition}, bb{here}, bb{next}"));
                self.block();
            }
            7 => {
                let (to, from) = if self.below(2) == 0 { ("$a", "$b") } else { ("$b", "$a") };
                self.line(&format!("copy_memory [2 x i32], {to}, {from}"));
            }
            8 => {
                let object = OBJECTS[1 + self.below(2)];
                self.line(&format!("store ptr, $p, {object}"));
            }
            9 => {
                let new = self.value("ptr = allocate.zeroed i32, 4i64");
                self.line(&format!("store i32, %{new}, 2i32"));
                self.line(&format!("store ptr, $p, %{new}"));
                if self.below(2) == 0 {
                    self.access();
                    self.line(&format!("free %{new}"));
                }
            }
            10 => {
                let read = self.load();
                let condition = self.value(&format!("i1 = eq %{read}, 0i32"));
                self.line(&format!("assume %{condition}"));
            }
            _ => self.access(),
        }
    }

    /// Does something holding a lock, or nearly so.
    fn locked(&mut self, body: impl FnOnce(&mut Self)) {
        let lock = LOCKS[usize::from(self.below(4) == 0)];
        if self.below(8) != 0 {
            self.take(lock);
        }
        body(self);
        match self.below(24) {
            0 => {}
            1 => self.give_up(LOCKS[0]),
            _ => self.give_up(lock),
        }
    }

    /// Takes a lock: where it is taken it does not go on, or looks again.
    fn take(&mut self, lock: &str) {
        let way = self.below(6);
        if way > 2 {
            self.jump_to_next();
        }
        let here = self.blocks - 1;
        self.line("atomic_begin.locked");
        let was = self.value(&format!("i32 = load.seq_cst {lock}"));
        let free = self.value(&format!("i1 = eq %{was}, 0i32"));
        if way < 3 {
            self.line(&format!("assume %{free}"));
        }
        let mut is_taken = free;
        match way {
            4 => {
                let chosen = self.value(&format!("i32 = select %{free}, 1i32, %{was}"));
                self.line(&format!("store.seq_cst i32, {lock}, %{chosen}"));
            }
            5 => {
                // It may fail although the lock is free.
                let choice = self.value("i1 = nondet");
                is_taken = self.value(&format!("i1 = and %{choice}, %{free}"));
                let chosen = self.value(&format!("i32 = select %{is_taken}, 1i32, %{was}"));
                self.line(&format!("store.seq_cst i32, {lock}, %{chosen}"));
            }
            _ => self.line(&format!("store.seq_cst i32, {lock}, 1i32")),
        }
        self.line("atomic_end");
        if way > 2 {
            // Sometimes the wrong one.
            let is_taken = if self.below(4) == 0 { free } else { is_taken };
            let number = self.value(&format!("i32 = zext %{is_taken}"));
            let failed = self.value(&format!("i1 = eq %{number}, 0i32"));
            let next = self.blocks;
            match self.below(8) {
                0 => self.line(&format!("branch %{failed}, bb{next}, bb{here}")),
                _ => self.line(&format!("branch %{failed}, bb{here}, bb{next}")),
            }
            self.block();
        }
    }

    fn give_up(&mut self, lock: &str) {
        match self.below(6) {
            0 | 1 => self.line(&format!("store.seq_cst i32, {lock}, 0i32")),
            2 | 3 => self.line(&format!("store.release i32, {lock}, 0i32")),
            4 => self.line(&format!("store i32, {lock}, 0i32")),
            _ => {
                self.line("atomic_begin.locked");
                self.line(&format!("store i32, {lock}, 0i32"));
                self.line("atomic_end");
            }
        }
    }

    /// Two accesses to two objects, with something else between, before or after, or nothing.
    fn pair_of_accesses(&mut self) {
        let first = self.below(2);
        let place = self.below(6);
        if place == 0 {
            self.statement();
        }
        for object in [first, 1 - first] {
            if self.below(2) == 0 {
                self.line(&format!("store i32, {}, 1i32", OBJECTS[object]));
            } else {
                let read = self.value(&format!("i32 = load {}", OBJECTS[object]));
                self.result(read);
            }
            if object == first && place < 4 && place > 1 {
                self.statement();
            }
        }
        if place == 1 {
            self.statement();
        }
    }

    /// What others see that does so with the objects the other way around, if the store waits.
    fn store_and_load(&mut self, object: usize) {
        self.line(&format!("store i32, {}, 1i32", OBJECTS[object]));
        let read = self.value(&format!("i32 = load {}", OBJECTS[1 - object]));
        self.result(read);
    }

    fn function(&mut self, name: &str) {
        self.text += &format!("define @{name}() {{\n");
        self.values = 0;
        self.blocks = 0;
        if name == "main" && self.below(6) == 0 {
            self.text += "slot &l: i32\n";
            self.block();
            self.line("store i32, &l, 0i32");
            self.line("store ptr, $p, &l");
        } else {
            self.block();
        }
    }

    fn program(seed: u64) -> Self {
        let random = SmallRng::seed_from_u64(seed);
        let mut new =
            Self { random, text: String::new(), values: 0, blocks: 0, results: Vec::new() };
        new.text += "gir 1\nmemory sc\nglobal $p: ptr = $x\n";
        for object in OBJECTS.iter().chain(&LOCKS) {
            new.text += &format!("global {object}: i32 = zero\n");
        }
        for result in 0..4 {
            new.text += &format!("global $r{result}: i32 = zero\n");
            new.text += &format!("global $__unbuffered_r{result}: i32 = zero\n");
        }
        new.text += "global $a: [2 x i32] = zero\nglobal $b: [2 x i32] = {1, 2}\n";
        let threads = [1, 2, 2, 2, 2, 3][new.below(6)];
        // Of two threads or more, the first may start the last.
        let is_nested = threads > 1 && new.below(4) == 0;
        // Whether threads lock: all of them, some, or none.
        let locking = new.below(3);
        for thread in (0..threads).rev() {
            new.function(&format!("t{thread}"));
            if is_nested && thread == 0 {
                new.starts_and_accesses(vec![threads - 1]);
            } else {
                let kind = new.below(6);
                let body = |new: &mut Self| match kind {
                    0 => (0..3).for_each(|_| new.statement()),
                    1 => (0..3).for_each(|_| new.access()),
                    2 => new.pair_of_accesses(),
                    _ if locking == 0 => new.store_and_load(thread % 2),
                    _ => new.pair_of_accesses(),
                };
                match locking {
                    0 => new.locked(body),
                    1 if new.below(2) == 0 => new.locked(body),
                    _ => body(&mut new),
                }
            }
            new.line("return");
            new.text += "}\n";
        }
        new.function("main");
        let mut started: Vec<usize> = (0..threads - usize::from(is_nested)).collect();
        if threads == 1 || threads == 2 && new.below(6) == 0 {
            started.extend(started.clone());
        }
        if new.below(3) == 0 {
            new.starts_and_accesses(started);
            return new;
        }
        if new.below(3) == 0 {
            new.access();
        }
        let mut handles = Vec::new();
        for thread in started {
            handles.push(new.value(&format!("i64 = spawn @t{thread}()")));
        }
        if threads < 3 {
            for _ in 0..new.below(3) {
                new.access();
            }
        }
        if new.below(5) != 0 {
            handles.iter().for_each(|handle| new.line(&format!("join %{handle}")));
        }
        new
    }

    /// Starts of threads, and joins of most of them, with accesses before, between and behind.
    fn starts_and_accesses(&mut self, mut left: Vec<usize>) {
        let mut handles = Vec::new();
        let mut accesses = 3;
        loop {
            match self.below(3) {
                0 if !left.is_empty() => {
                    let thread = left.remove(0);
                    handles.push(self.value(&format!("i64 = spawn @t{thread}()")));
                }
                1 if !handles.is_empty() => {
                    let handle = handles.remove(0);
                    if self.below(5) != 0 {
                        self.line(&format!("join %{handle}"));
                    }
                }
                _ if accesses > 0 => {
                    self.access();
                    accesses -= 1;
                }
                _ if left.is_empty() && handles.is_empty() => return,
                _ => {}
            }
        }
    }

    /// The program with an assertion about what was read and what memory holds.
    fn with_assertion(&self, seed: u64) -> String {
        let random = SmallRng::seed_from_u64(seed);
        let mut new = Self {
            random,
            text: self.text.clone(),
            values: self.values,
            blocks: self.blocks,
            results: self.results.clone(),
        };
        let mut holds = "true".to_owned();
        let mut objects: Vec<String> =
            new.results.clone().into_iter().filter(|_| new.below(5) != 0).collect();
        if new.below(2) == 0 {
            objects.push(OBJECTS[new.below(2)].to_owned());
        }
        objects.sort();
        objects.dedup();
        for object in objects.into_iter().take(3) {
            let read = new.value(&format!("i32 = load {object}"));
            let value = [0, 0, 0, 1, 1, 2][new.below(6)];
            let equal = new.value(&format!("i1 = eq %{read}, {value}i32"));
            holds = format!("%{}", new.value(&format!("i1 = and {holds}, %{equal}")));
        }
        let not = new.value(&format!("i1 = xor {holds}, true"));
        new.line(&format!("assert %{not}, \"not so\""));
        new.line("return");
        new.text + "}\nentry @main\n"
    }
}

/// Whether an assertion fails in a run under a memory model; `None` if it is not known.
fn fails(module: &Module, memory: MemoryModel) -> Option<bool> {
    let options = ExploreOptions {
        memory,
        most_started: Some(4),
        max_states: 1 << 12,
        max_steps: 1 << 16,
        ..ExploreOptions::default()
    };
    let found = explore(module, &options);
    if found.failure.is_some() {
        return Some(true);
    }
    found.incomplete.is_none().then_some(false)
}

fn with_buffers(module: &Module, pass: &str, bound: &str) -> Option<Module> {
    let mut module = module.clone();
    let pass = format!("{pass}{{{bound}}}");
    Pipeline::parse(&pass).expect("a pipeline").run(&mut module, &mut []).ok()?;
    verify(&module).unwrap_or_else(|errors| panic!("{errors:?}"));
    Some(module)
}

/// The program with code that never runs, and writes to all that would be locks.
fn without_locks(module: &Module, text: &str) -> Module {
    let stores = LOCKS.map(|lock| format!("  store i32, {lock}, 0i32\n")).concat();
    let never = format!("define @never() {{\nbb0:\n{stores}  return\n}}\nentry @main\n");
    let text = text.replace("entry @main\n", &never);
    let other = parse(&text, "random").expect("a module");
    assert!(other.functions.len() > module.functions.len());
    other
}

/// How often what.
#[derive(Debug, Default)]
struct Counts {
    compared: u32,
    fail: u32,
    fail_by_waiting: u32,
    robust: u32,
    /// Programs that are, but would not be without locks.
    robust_by_locks: u32,
    /// Of those that are, in how many the interpreter has said what fails.
    robust_with_buffers_beside: u32,
}

fn compare(seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let writer = Writer::program(seed);
        for number in 0..ASSERTIONS {
            let text = writer.with_assertion(seed * ASSERTIONS + number);
            let module = parse(&text, "random").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            verify(&module).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            let Some(sequential) = fails(&module, MemoryModel::Sc) else { continue };
            // Few of those that fail anyway.
            if sequential && number % 8 != 0 {
                continue;
            }
            for (word, model) in [("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)] {
                let robust = |module: &Module| {
                    is_robust(module, model, false, &Limits::default()).expect("an answer")
                };
                let is_robust = robust(&module);
                let by_locks = is_robust && !robust(&without_locks(&module, &text));
                counts.robust_by_locks += u32::from(by_locks);
                if is_robust && let Some(expected) = fails(&module, model) {
                    counts.robust_with_buffers_beside += 1;
                    assert_eq!(expected, sequential, "{word}, seed {seed}:\n{text}");
                }
                for bound in ["k=0", "k=2,overflow=wait"] {
                    let Some(all) = with_buffers(&module, word, bound) else { continue };
                    let Some(expected) = fails(&all, MemoryModel::Sc) else { continue };
                    counts.compared += 1;
                    counts.fail += u32::from(expected);
                    counts.fail_by_waiting += u32::from(expected && !sequential);
                    if is_robust {
                        counts.robust += 1;
                        assert_eq!(expected, sequential, "{word} {bound}, seed {seed}:\n{text}");
                    }
                }
            }
        }
    }
    counts
}

/// `SAPA_DIFFERENTIAL_SEED` and `SAPA_DIFFERENTIAL_PROGRAMS` ask for other programs, or more.
#[test]
fn nothing_is_missed() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    // Of these eight, some fail only since stores wait: a wrong "robust" would be seen.
    let first = asked("SAPA_DIFFERENTIAL_SEED").unwrap_or(20);
    let programs = asked("SAPA_DIFFERENTIAL_PROGRAMS").unwrap_or(8);
    let counts = compare(first..first.saturating_add(programs));
    println!("{counts:?}");
    assert!(counts.robust > 0 && counts.fail < counts.compared, "{counts:?}");
    if asked("SAPA_DIFFERENTIAL_PROGRAMS").is_none() {
        assert!(counts.fail_by_waiting > 0 && counts.robust_by_locks > 0, "{counts:?}");
    }
}
