//! What phases store and look at grows with the program and not with its square. Figures are
//! counts and memory, never times.

use std::process::Command;

use sapa_backend::abstraction::{Abstractor, Options};
use sapa_backend::automaton::{Interruptions, Symbols, build};
use sapa_benchmarks::growth::{self, FAMILIES, Family};
use sapa_driver::Program;
use sapa_limits::Limits;

/// How many times the smaller size the larger one is.
const TIMES: usize = 4;

/// More than this many times as much at the larger size is not linear; with the square it would be
/// 16 times as much.
const MOST: u64 = 6;

/// Counts of one program.
#[derive(Debug)]
struct Counts {
    /// Instructions after the passes.
    instructions: u64,
    /// Terms of the automaton.
    terms: u64,
    /// Sub-terms that were looked at to replace variables in them.
    replaced: u64,
    /// Edges of the automaton, those that were composed among them.
    edges: u64,
}

fn counts(family: &Family, size: usize) -> Counts {
    let folder = tempfile::tempdir().expect("a folder");
    let file = growth::generate(family.name, size, folder.path()).expect("a program");
    let options = growth::options();
    let program = Program::compile(&[file], &options).expect("it compiles");
    let module = program.lowered(&options, &mut []).expect("the passes run");
    let mut symbols = Symbols::default();
    let automaton =
        build::build(&mut symbols, &module, Interruptions::Everywhere, &Limits::default())
            .expect("an automaton");
    let mut abstractor = Abstractor::new(symbols, &module, &automaton, Options::default());
    abstractor.program(&abstractor.given()).expect("an abstraction");
    let symbols = abstractor.symbols;
    let blocks = module.functions.iter().flat_map(|function| &function.blocks);
    Counts {
        instructions: blocks.map(|block| block.instructions.len() as u64 + 1).sum(),
        terms: symbols.store.len() as u64,
        replaced: symbols.store.replaced(),
        edges: automaton.edges.len() as u64,
    }
}

#[test]
fn counts_grow_with_the_program() {
    for family in FAMILIES.iter().filter(|family| family.whole) {
        let size = family.base / 8;
        let (small, large) = (counts(family, size), counts(family, size * TIMES));
        let figures = |c: &Counts| [c.instructions, c.terms, c.replaced, c.edges];
        for (small_figure, large_figure) in figures(&small).into_iter().zip(figures(&large)) {
            assert!(
                large_figure <= MOST * small_figure.max(100),
                "{}: {small:?} at {size}, {large:?} at {TIMES} times as much",
                family.name
            );
        }
    }
}

/// The most memory of each phase, in KiB.
fn memory(family: &Family, size: usize) -> Vec<(String, u64)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = growth::generate(family.name, size, folder.path()).expect("a program");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sapa-benchmarks"));
    let output = command.arg("measure").arg(&file).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let phases = text.lines().map(|line| growth::parse_line(line).expect("a line"));
    phases.map(|phase| (phase.name, phase.memory)).collect()
}

#[test]
fn memory_grows_with_the_program() {
    // Where something was stored per place and variable, per way out, or per block and object.
    for name in ["assertions", "functions", "calls", "constant-loops", "branches"] {
        let family = FAMILIES.iter().find(|family| family.name == name).expect("a family");
        let least = memory(family, 2);
        let (small, large) = (memory(family, family.base), memory(family, family.base * TIMES));
        for ((phase, least), ((_, small), (_, large))) in
            least.into_iter().zip(small.into_iter().zip(large))
        {
            let (small, large) = (small.saturating_sub(least), large.saturating_sub(least));
            // Some megabytes may be anything.
            assert!(
                large <= MOST * small.max(4096),
                "{name}, {phase}: {small} KiB at {}, {large} KiB at {TIMES} times as much",
                family.base
            );
        }
    }
}
