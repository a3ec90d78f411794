//! `sapa fences` against all sets of fences: the programs of `benchmarks/programs/relaxed` with a fence or none at each
//! of their places (`-DFENCES=MASK`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sapa_backend::cegar::{Observer, Silent, Verdict};
use sapa_backend::check::ThreadBound;
use sapa_driver::{Fences, Found, Options, Program, Watcher};
use sapa_frontend::c::preprocess::PreprocessorArgument;
use sapa_ir::goto::{Atomicity, MemoryModel, SignedOverflow};
use sapa_passes::transform::store_buffers::Place;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/programs/relaxed")
}

fn options(memory: MemoryModel, mask: u32) -> Options {
    let (memory, threads) = (Some(memory), ThreadBound::Bounded(2));
    let mut options = Options { memory, threads, ..Options::default() };
    let define = PreprocessorArgument::Define(format!("FENCES={mask:#x}"));
    options.preprocessor.arguments.push(define);
    options
}

/// The number of the first place behind a line.
fn number(text: &str, line: u32) -> u32 {
    let behind = text.lines().skip(usize::try_from(line).expect("small"));
    let numbers = behind.filter_map(|line| line.trim().strip_prefix("FENCE(")?.split(')').next());
    numbers.into_iter().next().expect("a place").parse().expect("a number")
}

/// Keeps the sets of which it is told.
#[derive(Default)]
struct Told {
    silent: Silent,
    sets: Vec<BTreeSet<Place>>,
}

impl Watcher for Told {
    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.silent
    }

    fn proved(&mut self, fences: &Fences) {
        self.sets = fences.sufficient.iter().map(|set| set.fences.clone()).collect();
    }
}

/// The minimal sets that are found, as masks, and the number of checks; without sets if nothing helps.
fn found(file: &str, options: &Options) -> (BTreeSet<u32>, usize) {
    let path = folder().join(file);
    let text = fs::read_to_string(&path).expect("it is there");
    let program = Program::compile(&[&path], options).expect("it is right");
    let mut told = Told::default();
    let fences = program.fences(options, &mut told).expect("it can be treated");
    assert!(matches!(fences.found, Found::All | Found::NothingHelps), "{file}");
    let sets: Vec<_> = fences.sufficient.iter().map(|set| set.fences.clone()).collect();
    assert_eq!(told.sets, sets, "{file}: each set is told of when it is proved");
    for set in &fences.sufficient {
        for place in &set.fences {
            assert!(
                fences.without(&set.fences, *place).is_some(),
                "{file}: no run without {place:?}"
            );
        }
    }
    let mask = |set: &BTreeSet<_>| {
        let places = set.iter();
        let numbers = places.map(|place: &Place| place.line);
        numbers.fold(0, |mask, line| mask | 1 << number(&text, line))
    };
    (fences.sufficient.iter().map(|set| mask(&set.fences)).collect(), fences.checks)
}

/// The minimal masks with which nothing fails, by trying all.
fn exhaustive(file: &str, memory: MemoryModel, places: u32) -> BTreeSet<u32> {
    let path = folder().join(file);
    let suffices = |mask: &u32| {
        let options = options(memory, *mask);
        let program = Program::compile(&[&path], &options).expect("it is right");
        let checked = program.check(&options, &mut Silent).expect("it can be treated");
        match checked.report.verdict {
            Verdict::Successful(_) => true,
            Verdict::Failed(_) => false,
            Verdict::Inconclusive(reasons) => panic!("{file} with {mask:#x}: {reasons:?}"),
        }
    };
    let all: Vec<u32> = (0..1 << places).filter(suffices).collect();
    let is_minimal = |mask: &u32| !all.iter().any(|other| other != mask && other & mask == *other);
    all.iter().copied().filter(is_minimal).collect()
}

#[test]
fn the_sets_are_those_of_trying_all() {
    for (file, places) in [("peterson.c", 6), ("queue.c", 4), ("ticket.c", 4)] {
        for memory in [MemoryModel::Tso, MemoryModel::Pso] {
            let (found, checks) = found(file, &options(memory, 0));
            assert_eq!(found, exhaustive(file, memory, places), "{file} {memory:?}");
            assert!(checks < 1 << places, "{file} {memory:?}: {checks} checks");
        }
    }
}

/// Programs of `fences.list` that take seconds, with the number of their places.
const QUICK: &[(&str, u32)] = &[
    ("peterson.c", 6),
    ("dekker.c", 10),
    ("szymanski.c", 10),
    ("queue.c", 4),
    ("ticket.c", 4),
    ("figure_3.c", 2),
    ("figure_8.c", 2),
];

#[test]
fn the_sets_are_those_of_the_list_in_a_tenth_of_the_checks() {
    let list = fs::read_to_string(folder().join("fences.list")).expect("it is there");
    let (mut needed, mut all) = (0, 0);
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [model, masks, .., file] = words.as_slice() else { panic!("{line}") };
        let Some((_, places)) = QUICK.iter().find(|(quick, _)| quick == file) else { continue };
        let memory = if *model == "tso" { MemoryModel::Tso } else { MemoryModel::Pso };
        let mut options = options(memory, 0);
        if words.contains(&"statement") {
            options.atomicity = Atomicity::Statement;
        }
        if words.contains(&"absent") {
            options.signed_overflow = Some(SignedOverflow::Absent);
        }
        let masks = masks.split(',').filter(|mask| *mask != "none");
        let wanted: BTreeSet<u32> = masks
            .map(|mask| u32::from_str_radix(mask.trim_start_matches("0x"), 16).expect("a mask"))
            .collect();
        let (found, checks) = found(file, &options);
        assert_eq!(found, wanted, "{line}");
        needed += checks;
        all += 1usize << places;
    }
    assert!(all > 1000 && needed * 10 <= all, "{needed} checks instead of {all}");
}
