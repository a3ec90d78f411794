//! The two layouts of store buffers (passes `tso` and `pso`) against each other: all runs of the
//! interpreter say the same of both.

use std::path::{Path, PathBuf};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sapa_driver::{Options, Program};
use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions};
use sapa_ir::goto::interpret::{ExploreOptions, explore};
use sapa_ir::goto::{Atomicity, Module, parse, verify};
use sapa_passes::Pipeline;

/// What all runs say: the property that fails, or none; `None` if there are too many, or a layout
/// refuses the program.
type Answer = Option<Option<String>>;

const MODELS: [&str; 2] = ["tso", "pso"];

fn answer(module: &Module, pass: &str) -> Answer {
    let mut module = module.clone();
    let pipeline = Pipeline::parse(pass).expect("the pass");
    match pipeline.run(&mut module, &mut []) {
        Ok(()) => {}
        Err(error) => {
            assert!(error.to_string().contains("use layout=control"), "{pass}: {error}");
            return None;
        }
    }
    assert_eq!(verify(&module), Ok(()), "{pass}: {module}");
    let options = ExploreOptions { max_states: 60_000, ..ExploreOptions::default() };
    let found = explore(&module, &options);
    if found.incomplete.is_some() {
        return None;
    }
    // Which of several properties fails first is not said.
    Some(found.failure.map(|_| String::new()))
}

/// Compares the layouts: how many answers both gave, and the contradictions.
fn compare(what: &str, module: &Module, bounds: &[u32]) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut contradictions = Vec::new();
    for model in MODELS {
        for bound in bounds {
            for overflow in ["assert", "wait"] {
                let pass = |layout: &str| {
                    format!("{model}{{layout={layout},k={bound},overflow={overflow}}}")
                };
                let control = answer(module, &pass("control"));
                let variables = answer(module, &pass("variables"));
                if let (Some(a), Some(b)) = (&control, &variables) {
                    count += 1;
                    if a != b {
                        contradictions.push(format!(
                            "{what}: {}: control fails: {}, variables fails: {}",
                            pass("…"),
                            a.is_some(),
                            b.is_some()
                        ));
                    }
                }
            }
        }
    }
    (count, contradictions)
}

/// Compares the layouts on many programs, on all cores: how many answers both gave.
fn compare_all(programs: Vec<(String, Module)>, bounds: &[u32]) -> usize {
    let of_one = |(what, module): (String, Module)| compare(&what, &module, bounds);
    let (counts, contradictions): (Vec<usize>, Vec<Vec<String>>) =
        programs.into_par_iter().map(of_one).unzip();
    let contradictions = contradictions.concat();
    assert!(contradictions.is_empty(), "{}", contradictions.join("\n"));
    counts.iter().sum()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The programs of a list of verdicts.
fn listed(list: &str) -> Vec<(String, Module)> {
    let path = root().join("tests/files/verdicts").join(list);
    let text = std::fs::read_to_string(path).expect("the list is there");
    let lines = text.lines().filter_map(|line| line.strip_prefix("precise:"));
    let mut found = Vec::new();
    for line in lines {
        let mut arguments = Vec::new();
        let mut files = Vec::new();
        let mut atomicity = Atomicity::Access;
        for word in line.split_whitespace().skip(1) {
            match word {
                "--atomicity" => {}
                "statement" => atomicity = Atomicity::Statement,
                _ => match word.strip_prefix("-D") {
                    Some(name) => arguments.push(PreprocessorArgument::Define(name.into())),
                    None => files.push(root().join(word)),
                },
            }
        }
        let preprocessor = PreprocessorOptions { arguments, ..Default::default() };
        let options = Options { preprocessor, atomicity, ..Options::default() };
        let module = Program::compile(&files, &options)
            .and_then(|program| program.lowered(&options, &mut []))
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        found.push((line.to_owned(), module));
    }
    assert!(!found.is_empty(), "{list} is empty");
    found
}

#[test]
fn layouts_agree_on_litmus_tests_and_traps() {
    let lists = ["relaxed_litmus.verdicts", "relaxed_traps.verdicts"];
    let programs: Vec<_> = lists.into_iter().flat_map(listed).collect();
    let most = programs.len();
    let count = compare_all(programs, &[2]);
    // Four answers a program, but for what has too many runs, or what a layout refuses.
    assert!(count >= most * 3, "only {count} answers on {most} programs");
}

/// A random module of two or three threads over shared scalars.
fn program(seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let threads = if random.random_range(0..4) == 0 { 3 } else { 2 };
    let mut text = String::from("gir 1\nmemory sc\n");
    for name in ["x", "y", "z", "ok"] {
        text.push_str(&format!("global ${name}: i32 signed = zero\n"));
    }
    for thread in 0..threads {
        text.push_str(&format!("define @t{thread}() {{\nbb0:\n"));
        let (mut value, mut block) = (0, 0);
        let length = random.random_range(2..6);
        for _ in 0..length {
            let place = ["x", "y", "z"][random.random_range(0..3)];
            let number = random.random_range(1..3);
            match random.random_range(0..12) {
                0..=3 => text.push_str(&format!("store i32, ${place}, {number}i32\n")),
                4 => text.push_str(&format!("store.release i32, ${place}, {number}i32\n")),
                5 => {
                    let fence = ["seq_cst", "release", "acquire"][random.random_range(0..3)];
                    text.push_str(&format!("fence.{fence}\n"));
                }
                6 => {
                    text.push_str(&format!(
                        "atomic_begin.locked\n%{value}: i32 = load ${place}\n\
                         store i32, ${place}, {number}i32\natomic_end\n"
                    ));
                    value += 1;
                }
                7 => {
                    let (a, b) = (block + 1, block + 2);
                    text.push_str(&format!(
                        "%{value}: i32 = load ${place}\n%{}: i1 = eq %{value}, {number}i32\n\
                         branch %{}, bb{a}, bb{b}\nbb{a}:\nstore i32, $x, 1i32\njump bb{b}\nbb{b}:\n",
                        value + 1,
                        value + 1
                    ));
                    value += 2;
                    block += 2;
                }
                8 => {
                    // A pointer to one of two places.
                    text.push_str(&format!(
                        "%{value}: i1 = nondet\n%{}: ptr = select %{value}, $x, $y\n\
                         store i32, %{}, {number}i32\n",
                        value + 1,
                        value + 1
                    ));
                    value += 2;
                }
                _ => {
                    // What is read decides whether an assertion may fail.
                    text.push_str(&format!(
                        "%{value}: i32 = load ${place}\n%{}: i32 = load $ok\n\
                         %{}: i1 = ule %{value}, %{}\n%{}: i1 = eq %{value}, {number}i32\n\
                         %{}: i1 = or %{}, %{}\n",
                        value + 1,
                        value + 2,
                        value + 1,
                        value + 3,
                        value + 4,
                        value + 2,
                        value + 3
                    ));
                    if random.random_range(0..2) == 0 {
                        text.push_str(&format!("assert %{}, \"p\"\n", value + 4));
                    } else {
                        text.push_str(&format!("assume %{}\n", value + 4));
                    }
                    value += 5;
                }
            }
        }
        text.push_str("return\n}\n");
    }
    text.push_str("define @main() {\nbb0:\n");
    for thread in 0..threads {
        text.push_str(&format!("%{thread}: i64 = spawn @t{thread}()\n"));
    }
    text.push_str("return\n}\nentry @main\n");
    text
}

#[test]
fn layouts_agree_on_random_programs() {
    let programs =
        std::env::var("SAPA_DIFFERENTIAL_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let programs: u64 = programs.unwrap_or(30);
    let of_seed = |seed| {
        let text = program(seed);
        let module = parse(&text, "random.gir").unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        (format!("seed {seed}"), module)
    };
    let count = compare_all((0..programs).map(of_seed).collect(), &[1, 2, 3]);
    assert!(count as u64 >= programs * 6, "only {count} answers");
}
