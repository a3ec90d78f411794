//! `sapa-translate`: other tools come to the verdicts of our engines.
//!
//! Spin is Debian's package `spin`; NuSMV is what `.ci/nusmv` builds. Where one is missing its
//! test is ignored, unless `SAPA_REQUIRE_PEERS` is set, as CI does.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::Arguments;
use rayon::prelude::*;
use sapa_backend::check::{
    Answer, CheckOptions, Engine, ThreadBound, check, explicit, symbolic::counter,
};
use sapa_backend::emit::{FORMATS, dialect, promela, smv, tts};
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::generate::{GenerateOptions, generate};
use sapa_ir::boolean::parser::parse;
use sapa_tests::peers::{self, trial, trial_with};

/// Programs with everything that the language has, small enough for any checker.
fn programs(count: u64) -> Vec<(u64, FlatProgram)> {
    let options = GenerateOptions { statements: 4, ..GenerateOptions::default() };
    (0..count)
        .map(|seed| {
            let flat = flatten(&generate(seed, &options), &FlattenOptions::default());
            (seed, flat.unwrap_or_else(|error| panic!("{seed}: {error}")))
        })
        .collect()
}

fn fails(program: &FlatProgram, engine: &'static Engine, threads: u32) -> bool {
    let options = CheckOptions::new(ThreadBound::Bounded(threads));
    match check(engine, program, &options, &mut |_| {}).answer {
        Answer::Safe { .. } => false,
        Answer::Failing { .. } => true,
        outcome => panic!("{outcome:?}"),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let (spin, nusmv) = (tool("SAPA_SPIN", "spin"), tool("SAPA_NUSMV", "NuSMV"));
    let is_there = |path: &Path| {
        let mut command = Command::new(path);
        command.arg("-h");
        peers::is_there(command)
    };
    let (has_spin, has_nusmv) = (is_there(&spin), is_there(&nusmv));
    let trials = vec![
        trial_with("spin", has_spin, "spin_agrees", move || spin_agrees(&spin)),
        trial_with("NuSMV", has_nusmv, "nusmv_agrees", move || nusmv_agrees(&nusmv)),
        trial("dialects_mean_the_same", dialects_mean_the_same),
        trial("thread_transition_systems_mean_the_same", thread_transition_systems_mean_the_same),
        trial(
            "every_format_is_written_for_a_small_program",
            every_format_is_written_for_a_small_program,
        ),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Where a tool is, if it is there.
fn tool(variable: &str, name: &str) -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers").join(name);
    match std::env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None if built.exists() => built,
        None => PathBuf::from(name),
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}{words}");
    text
}

fn spin_agrees(spin: &Path) {
    let agrees = |(seed, program): (u64, FlatProgram)| {
        let threads = 1 + (seed % 2) as u32;
        let expected = fails(&program, &explicit::ENGINE, threads);
        let folder = tempfile::tempdir().expect("a folder");
        let text = promela::emit(&program, Some(threads)).expect("it can be written");
        std::fs::write(folder.path().join("p.pml"), &text).expect("the file is written");
        run(Command::new(spin).args(["-a", "p.pml"]).current_dir(folder.path()));
        let flags = ["-w", "-O0", "-DSAFETY", "-DMEMLIM=1024", "-o", "pan", "pan.c"];
        run(Command::new("cc").args(flags).current_dir(folder.path()));
        let report =
            run(Command::new("./pan").args(["-m1000000", "-w22"]).current_dir(folder.path()));
        assert!(!report.contains("Search not completed") || expected, "{seed}: {report}");
        let found = !report.contains("errors: 0");
        assert_eq!(found, expected, "{seed}, {threads}: {report}\n{text}");
        found
    };
    // Most of the time goes into compiling what Spin writes.
    let found: Vec<bool> = programs(24).into_par_iter().map(agrees).collect();
    let failing = found.iter().filter(|&&fails| fails).count();
    assert!(failing > 4 && found.len() > failing + 4, "{failing} of {} fail", found.len());
}

fn nusmv_agrees(nusmv: &Path) {
    let (mut safe, mut failing) = (0, 0);
    for (seed, program) in programs(40) {
        let threads = (seed % 3) as u32;
        let expected = fails(&program, &explicit::ENGINE, threads);
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("p.smv");
        let text = smv::emit(&program, Some(threads)).expect("it can be written");
        std::fs::write(&file, &text).expect("the file is written");
        let report = run(Command::new(nusmv).args(["-dcx"]).arg(&file));
        let found = report.contains("is false");
        assert!(found || report.contains("is true"), "{seed}: {report}");
        assert_eq!(found, expected, "{seed}, {threads}: {report}\n{text}");
        *(if found { &mut failing } else { &mut safe }) += 1;
    }
    assert!(safe > 4 && failing > 4, "{safe} safe, {failing} failing");
}

/// Our own reader takes the dialects, and all verdicts stay. They are for any number of threads,
/// where a start never waits, and have no word for one that does.
fn dialects_mean_the_same() {
    let (mut boom, mut boppo) = (0, 0);
    for (seed, mut program) in programs(300) {
        for location in &mut program.locations {
            if let FlatStatement::StartThread { waits, .. } = &mut location.statement {
                *waits = false;
            }
        }
        for (emit, count) in
            [(dialect::boom as sapa_backend::emit::Emit, &mut boom), (dialect::boppo, &mut boppo)]
        {
            let Ok(text) = emit(&program, None) else { continue };
            *count += 1;
            let again = parse(&text).unwrap_or_else(|errors| panic!("{seed}: {errors}\n{text}"));
            let again = flatten(&again, &FlattenOptions::default())
                .unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            let threads = (seed % 3) as u32;
            let expected = fails(&program, &explicit::ENGINE, threads);
            assert_eq!(fails(&again, &counter::ENGINE, threads), expected, "{seed}\n{text}");
        }
    }
    assert!(boom > 60 && boppo > 15, "{boom} {boppo}");
}

/// A thread transition system, explored for a fixed number of threads by a search of its own.
mod system {
    use std::collections::{BTreeMap, BTreeSet};

    type State = (u32, Vec<u32>);

    #[derive(Debug)]
    struct Row {
        from: (u32, u32),
        to: (u32, u32),
        spawns: bool,
        passive: BTreeMap<u32, Vec<u32>>,
    }

    pub struct System {
        initial: Vec<(u32, u32)>,
        rows: Vec<Row>,
    }

    pub fn parse(text: &str) -> System {
        let number = |word: &str| word.parse::<u32>().unwrap_or_else(|_| panic!("{word}"));
        let mut initial = Vec::new();
        let mut rows = Vec::new();
        for line in text.lines() {
            if let Some(list) = line.strip_prefix("# initial: ") {
                initial = list
                    .split(' ')
                    .map(|pair| {
                        let (s, l) = pair.split_once('|').unwrap_or_else(|| panic!("{pair}"));
                        (number(s), number(l))
                    })
                    .collect();
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.len() < 5 || line.starts_with('#') {
                continue;
            }
            let mut passive: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for triple in words[5..].chunks(3) {
                assert_eq!(triple[1], "~>");
                passive.entry(number(triple[0])).or_default().push(number(triple[2]));
            }
            let spawns = words[2] == "+>";
            let (from, to) =
                ((number(words[0]), number(words[1])), (number(words[3]), number(words[4])));
            rows.push(Row { from, to, spawns, passive });
        }
        System { initial, rows }
    }

    impl System {
        /// Whether local state 0 is reached with at most `threads` threads at once, where the
        /// program starts no more than that; `None` if there are too many states.
        pub fn fails(&self, threads: usize) -> Option<bool> {
            // Rows are searched one by one.
            if self.rows.len() > 1_000 {
                return None;
            }
            let mut seen: BTreeSet<State> =
                self.initial.iter().map(|(s, l)| (*s, vec![*l])).collect();
            let mut work: Vec<State> = seen.iter().cloned().collect();
            while let Some((shared, locals)) = work.pop() {
                if locals.contains(&0) {
                    return Some(true);
                }
                if seen.len() > 3_000 {
                    return None;
                }
                for row in self.rows.iter().filter(|row| row.from.0 == shared) {
                    for at in (0..locals.len()).filter(|&at| locals[at] == row.from.1) {
                        let mut states: Vec<Vec<u32>> = vec![Vec::new()];
                        for (index, local) in locals.iter().enumerate() {
                            let own = [if row.spawns { *local } else { row.to.1 }];
                            let stays = [*local];
                            let choices: &[u32] = if index == at {
                                &own
                            } else {
                                row.passive.get(local).map_or(&stays, Vec::as_slice)
                            };
                            states = states
                                .iter()
                                .flat_map(|state| {
                                    choices.iter().map(move |choice| {
                                        let mut longer = state.clone();
                                        longer.push(*choice);
                                        longer
                                    })
                                })
                                .collect();
                        }
                        for mut locals in states {
                            if row.spawns {
                                locals.push(row.to.1);
                            }
                            // Threads that have ended make room.
                            locals.retain(|local| *local != 1);
                            if locals.len() > threads {
                                return None;
                            }
                            locals.sort_unstable();
                            if seen.insert((row.to.0, locals.clone())) {
                                work.push((row.to.0, locals));
                            }
                        }
                    }
                }
            }
            Some(false)
        }
    }
}

fn thread_transition_systems_mean_the_same() {
    let (mut safe, mut failing) = (0, 0);
    for (seed, program) in programs(220) {
        let Ok(text) = tts::emit(&program, None) else { continue };
        // Where more threads than that are started, the bound would make the difference.
        let Some(found) = system::parse(&text).fails(4) else { continue };
        assert_eq!(found, fails(&program, &explicit::ENGINE, 8), "{seed}\n{text}");
        *(if found { &mut failing } else { &mut safe }) += 1;
    }
    assert!(safe > 5 && failing > 5, "{safe} safe, {failing} failing");
}

fn every_format_is_written_for_a_small_program() {
    let text = "decl g := 0; void main() begin decl x; x := *; g := x; assert(!g) end";
    let program =
        flatten(&parse(text).expect("it is read"), &FlattenOptions::default()).expect("it is flat");
    for format in FORMATS {
        let text = (format.emit)(&program, Some(1)).expect("it can be written");
        assert!(text.lines().count() > 3, "{}: {text}", format.name);
    }
}
