//! Tables 1 and 2 of the SAPA paper, re-made: the paper's figures beside ours.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use sapa_backend::abstraction::Mode;
use sapa_backend::check::{EngineKind, ThreadBound};
use sapa_ir::goto::Atomicity;

use crate::plot::{self, Curve};
use crate::programs::{Program, Row, Settings, measure, programs};

/// What the paper says of a benchmark.
struct Paper {
    /// Name of our programs without `_safe` or `_unsafe`.
    name: &'static str,
    /// Number of predicates of the symmetry-aware method (Table 1).
    predicates: usize,
    /// Threads, and seconds of abstraction and of model checking of the symmetry-aware method
    /// (Table 1); less than a second is 0, one that was not reported is `None`.
    aware: &'static [(u32, u32, Option<u32>)],
    /// The same of the symmetry-oblivious method; a time-out is `None`.
    oblivious: &'static [(u32, u32, Option<u32>)],
    /// The most threads for which the safe program was proved, the fewest for which the unsafe one
    /// was refuted (Table 2), as printed.
    sound: [&'static str; 2],
    /// Mixed predicates in local variables, safe and unsafe.
    local: [&'static str; 2],
    /// Mixed predicates in shared variables, safe and unsafe.
    shared: [&'static str; 2],
    /// Threads for our safe and unsafe programs: the paper's largest and smallest.
    threads: [u32; 2],
}

const PAPER: &[Paper] = &[
    Paper {
        name: "increment_lock",
        predicates: 4,
        aware: &[
            (6, 1, Some(0)),
            (8, 1, Some(1)),
            (9, 1, Some(1)),
            (10, 1, Some(2)),
            (12, 1, Some(7)),
            (14, 1, Some(24)),
            (16, 1, Some(100)),
            (18, 1, Some(559)),
            (20, 1, Some(2882)),
        ],
        oblivious: &[(6, 13, Some(5)), (8, 29, Some(152)), (9, 40, Some(789)), (10, 56, None)],
        sound: ["safe >10", "unsafe 2"],
        local: ["safe >10", "error 2"],
        shared: ["safe 10", "error 2"],
        threads: [20, 2],
    },
    Paper {
        name: "increment_cas",
        predicates: 8,
        aware: &[(4, 6, Some(1)), (5, 6, Some(13)), (6, 6, Some(116)), (7, 6, Some(997))],
        oblivious: &[(4, 201, Some(12)), (5, 94, Some(358)), (6, 190, None)],
        sound: ["safe 7", "unsafe 2"],
        local: ["safe 8", "safe 5"],
        shared: ["error 2", "error 2"],
        threads: [7, 2],
    },
    Paper {
        name: "incdec_lock",
        predicates: 11,
        aware: &[(4, 11, Some(2)), (5, 11, Some(50)), (6, 11, Some(1422))],
        oblivious: &[(4, 71, Some(6)), (5, 132, Some(656)), (6, 231, None)],
        sound: ["safe 6", "unsafe 3"],
        local: ["safe >10", "safe >10"],
        shared: ["safe >10", "unsafe 3"],
        threads: [6, 3],
    },
    Paper {
        name: "incdec_cas",
        predicates: 20,
        aware: &[(3, 78, Some(3)), (4, 78, Some(252))],
        oblivious: &[(3, 372, Some(6)), (4, 872, Some(4043))],
        sound: ["safe 4", "unsafe 3"],
        local: ["safe 6", "safe 8"],
        shared: ["error 2", "error 3"],
        threads: [4, 3],
    },
    Paper {
        name: "tas_lock",
        predicates: 8,
        aware: &[(4, 1, Some(4)), (5, 1, Some(72)), (6, 1, Some(725))],
        oblivious: &[(4, 9, Some(114)), (5, 14, None)],
        sound: ["safe 7", "unsafe 2"],
        local: ["safe 8", "error 2"],
        shared: ["error 2", "error 2"],
        threads: [7, 2],
    },
    Paper {
        name: "ticket_lock",
        predicates: 19,
        aware: &[
            (2, 251, Some(1)),
            (3, 251, Some(1)),
            (4, 251, Some(2)),
            (6, 251, Some(62)),
            (8, 251, Some(2839)),
        ],
        oblivious: &[(2, 554, Some(1)), (3, 1319, Some(3))],
        sound: ["safe 8", "unsafe 3"],
        local: ["safe >10", "unsafe 3"],
        shared: ["safe 5", "unsafe 3"],
        threads: [8, 3],
    },
    Paper {
        name: "prng_lock",
        predicates: 13,
        aware: &[
            (6, 26, Some(0)),
            (7, 26, Some(1)),
            (8, 26, Some(2)),
            (16, 26, Some(142)),
            (26, 26, Some(3023)),
        ],
        oblivious: &[(6, 69, Some(21)), (7, 83, Some(191)), (8, 96, None)],
        sound: ["safe >10", "unsafe 2"],
        local: ["safe >10", "unsafe 2"],
        shared: ["safe >10", "unsafe 2"],
        threads: [26, 2],
    },
    Paper {
        name: "prng_cas",
        predicates: 17,
        aware: &[(3, 48, Some(1)), (4, 48, Some(38)), (5, 48, Some(1832))],
        oblivious: &[(3, 29, Some(0)), (4, 40, Some(12)), (5, 57, Some(1049))],
        sound: ["safe 5", "unsafe 3"],
        local: ["safe 7", "unsafe 3"],
        shared: ["safe 6", "unsafe 3"],
        threads: [5, 3],
    },
    Paper {
        name: "findmax_lock",
        predicates: 1,
        aware: &[
            (6, 0, Some(0)),
            (7, 0, Some(1)),
            (8, 0, Some(1)),
            (16, 0, Some(125)),
            (25, 0, Some(3005)),
        ],
        oblivious: &[(6, 5, Some(30)), (7, 9, Some(244)), (8, 14, None)],
        sound: ["safe >10", "unsafe 2"],
        local: ["safe >10", "safe >10"],
        shared: ["safe 2", "error 2"],
        threads: [25, 2],
    },
    Paper {
        name: "findmax_cas",
        predicates: 6,
        aware: &[(3, 1, Some(2)), (4, 1, Some(368))],
        oblivious: &[(3, 4, Some(7)), (4, 8, Some(407))],
        sound: ["safe 4", "unsafe 2"],
        local: ["safe 5", "safe 4"],
        shared: ["safe 2", "safe 1"],
        threads: [4, 2],
    },
    Paper {
        name: "findmaxopt_lock",
        predicates: 2,
        aware: &[(4, 0, Some(3)), (5, 0, Some(33)), (6, 0, Some(269)), (7, 0, Some(1773))],
        oblivious: &[(4, 3, Some(40)), (5, 6, Some(1356)), (6, 11, None)],
        sound: ["safe 7", "unsafe 2"],
        local: ["safe 7", "safe 6"],
        shared: ["error 2", "error 2"],
        threads: [7, 2],
    },
    Paper {
        name: "findmaxopt_cas",
        predicates: 7,
        aware: &[(3, 3, Some(2)), (4, 3, Some(61)), (5, 3, Some(1240))],
        oblivious: &[(3, 9, Some(11)), (4, 15, Some(1097)), (5, 22, None)],
        sound: ["safe 5", "unsafe 1"],
        local: ["safe 5", "unsafe 1"],
        shared: ["error 2", "unsafe 1"],
        threads: [5, 1],
    },
    Paper {
        name: "stack_lock",
        predicates: 5,
        aware: &[(3, 0, Some(8)), (4, 0, Some(374))],
        oblivious: &[(3, 0, Some(14)), (4, 0, Some(945))],
        sound: ["safe 4", "unsafe 4"],
        local: ["safe 4", "unsafe 4"],
        shared: ["safe 4", "unsafe 4"],
        threads: [4, 4],
    },
    Paper {
        name: "stack_cas",
        predicates: 6,
        aware: &[(3, 0, Some(14)), (4, 0, Some(813))],
        oblivious: &[(3, 2, Some(29)), (4, 8, Some(3408))],
        sound: ["safe 4", "unsafe 2"],
        local: ["safe 4", "safe 6"],
        shared: ["safe 4", "error 2"],
        threads: [4, 2],
    },
];

/// Thread counts beyond the paper's.
const BEYOND: [u32; 3] = [32, 64, 128];

/// The engines that check expanded programs: the paper's kind, and our fastest without symmetry.
const OBLIVIOUS: [EngineKind; 2] = [EngineKind::Plain, EngineKind::Explicit];

/// How the tables are made.
#[derive(Clone, Copy, Debug)]
pub struct TableSettings {
    /// What a step is; the paper's are whole statements.
    pub atomicity: Atomicity,
    /// For one run.
    pub timeout: Duration,
}

fn program(all: &[Program], name: &str, safe: bool) -> io::Result<Program> {
    let full = format!("{name}_{}", if safe { "safe" } else { "unsafe" });
    all.iter()
        .find(|program| program.name == full)
        .cloned()
        .ok_or_else(|| io::Error::other(format!("there is no program {full}")))
}

fn run(
    program: &Program,
    threads: ThreadBound,
    mode: Mode,
    engine: EngineKind,
    settings: TableSettings,
) -> Row {
    let settings = Settings {
        threads: Some(threads),
        engine: Some(engine),
        atomicity: settings.atomicity,
        timeout: settings.timeout,
        mode,
    };
    measure(program, &settings)
}

fn seconds(figure: u32) -> String {
    if figure == 0 { "<1".to_owned() } else { figure.to_string() }
}

/// What the paper measured for this many threads.
fn printed(figures: &[(u32, u32, Option<u32>)], threads: u32) -> String {
    let found = figures.iter().find(|(n, ..)| *n == threads);
    found.map_or("–".to_owned(), |(_, abstraction, checking)| {
        let checking = checking.map_or("T.O.".to_owned(), seconds);
        format!("{} + {checking}", seconds(*abstraction))
    })
}

/// A method on one program of Table 1: measured for more and more threads until it gives up.
struct Series {
    /// The threads and seconds of its proofs.
    curve: Curve,
    gave_up: bool,
}

impl Series {
    fn new(name: String) -> Self {
        Self { curve: Curve { name, points: Vec::new() }, gave_up: false }
    }

    /// Measures, unless fewer threads were already too many.
    fn add(&mut self, threads: u32, measure: impl FnOnce() -> Row) -> Option<Row> {
        if self.gave_up {
            return None;
        }
        let row = measure();
        if row.verdict == "SUCCESSFUL" {
            self.curve.points.push((f64::from(threads), row.time.as_secs_f64()));
        } else {
            self.gave_up = true;
        }
        Some(row)
    }

    /// Seconds for this many threads.
    fn at(&self, threads: f64) -> Option<f64> {
        self.curve.points.iter().find(|(n, _)| *n == threads).map(|(_, seconds)| *seconds)
    }
}

/// Table 1: safe programs, symmetry-aware and symmetry-oblivious; Markdown, and a plot into
/// `folder`. `progress` is told each row.
///
/// # Errors
/// If a program is missing or a file cannot be written.
pub fn table1(
    programs_folder: &Path,
    folder: &Path,
    settings: TableSettings,
    progress: &mut dyn FnMut(&str),
) -> io::Result<String> {
    std::fs::create_dir_all(folder)?;
    let all = programs(programs_folder)?;
    let mut text = String::from(
        "| program | n | paper: predicates | paper: abstraction + checking (s) | paper, oblivious (s) | predicates | abstraction (s) | checking (s) | all (s) | verdict | oblivious, plain (s) | oblivious, explicit (s) |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n",
    );
    progress(text.trim_end());
    let mut curves = Vec::new();
    let mut ratios = String::from(
        "| program | engine | most threads, oblivious | oblivious (s) | aware (s) | ratio |\n\
         | --- | --- | ---: | ---: | ---: | ---: |\n",
    );
    for paper in PAPER {
        let safe = program(&all, paper.name, true)?;
        let mut aware = Series::new(paper.name.to_owned());
        let mut oblivious = OBLIVIOUS
            .map(|engine| Series::new(format!("{}, oblivious, {}", paper.name, engine.name())));
        let rows = |n: u32| paper.aware.iter().any(|(of, ..)| *of == n) || BEYOND.contains(&n);
        for n in 2..=BEYOND.into_iter().max().unwrap_or(2) {
            if !rows(n) && oblivious.iter().all(|series| series.gave_up) {
                continue;
            }
            let bound = ThreadBound::Bounded(n);
            let row =
                aware.add(n, || run(&safe, bound, Mode::SymmetryAware, EngineKind::Auto, settings));
            let expanded = Mode::SymmetryOblivious { threads: n };
            let mut cells = String::new();
            for (series, engine) in oblivious.iter_mut().zip(OBLIVIOUS) {
                let row = series.add(n, || run(&safe, bound, expanded, engine, settings));
                let cell = row.map_or("–".to_owned(), |row| match row.verdict.as_str() {
                    "SUCCESSFUL" => format!(
                        "{:.2} + {:.2}",
                        row.abstraction.as_secs_f64(),
                        row.checking.as_secs_f64()
                    ),
                    verdict => verdict.to_owned(),
                });
                let _ = write!(cells, " {cell} |");
            }
            let ours = row.map_or("– | – | – | – | –".to_owned(), |row| {
                format!(
                    "{} | {:.2} | {:.2} | {:.2} | {}",
                    row.predicates,
                    row.abstraction.as_secs_f64(),
                    row.checking.as_secs_f64(),
                    row.time.as_secs_f64(),
                    row.verdict
                )
            });
            let line = format!(
                "| {} | {n} | {} | {} | {} | {ours} |{cells}",
                paper.name,
                paper.predicates,
                printed(paper.aware, n),
                printed(paper.oblivious, n),
            );
            progress(&line);
            let _ = writeln!(text, "{line}");
            if aware.gave_up && oblivious.iter().all(|series| series.gave_up) {
                break;
            }
        }
        for (series, engine) in oblivious.iter().zip(OBLIVIOUS) {
            let _ = writeln!(ratios, "{}", ratio(paper.name, engine.name(), series, &aware));
        }
        curves.push(aware.curve);
        curves.extend(oblivious.map(|series| series.curve));
    }
    let limit = settings.timeout.as_secs_f64();
    plot::curves(&folder.join("table1.svg"), "Time over threads", limit, &curves)?;
    progress(&format!("\n{}", ratios.trim_end()));
    let _ = write!(text, "\n{ratios}");
    std::fs::write(folder.join("table1.md"), &text)?;
    Ok(text)
}

/// What the symmetry-oblivious method takes, at the most threads that it manages, for each second
/// of the symmetry-aware one.
fn ratio(name: &str, engine: &str, oblivious: &Series, aware: &Series) -> String {
    let Some(&(threads, theirs)) = oblivious.curve.points.last() else {
        return format!("| {name} | {engine} | none | – | – | – |");
    };
    match aware.at(threads) {
        Some(ours) => format!(
            "| {name} | {engine} | {threads} | {theirs:.2} | {ours:.2} | {:.1} |",
            theirs / ours
        ),
        None => format!("| {name} | {engine} | {threads} | {theirs:.2} | – | – |"),
    }
}

/// Table 2: what the sound method and the two unsound ones say of the safe and of the unsafe
/// programs; Markdown into `folder`.
///
/// # Errors
/// If a program is missing or a file cannot be written.
pub fn table2(
    programs_folder: &Path,
    folder: &Path,
    settings: TableSettings,
    progress: &mut dyn FnMut(&str),
) -> io::Result<String> {
    std::fs::create_dir_all(folder)?;
    let all = programs(programs_folder)?;
    let mut text = String::from(
        "| program | n | symmetry-aware | paper | mixed as local | paper | mixed as shared | paper |\n\
         | --- | ---: | --- | --- | --- | --- | --- | --- |\n",
    );
    progress(text.trim_end());
    for (at, safe) in [true, false].into_iter().enumerate() {
        for paper in PAPER {
            let checked = program(&all, paper.name, safe)?;
            let n = paper.threads[at];
            let mut line = format!("| {} | {n} |", checked.name);
            let columns = [
                (Mode::SymmetryAware, paper.sound),
                (Mode::MixedAsLocal, paper.local),
                (Mode::MixedAsShared, paper.shared),
            ];
            for (mode, printed) in columns {
                let bound = ThreadBound::Bounded(n);
                let row = run(&checked, bound, mode, EngineKind::Auto, settings);
                let wrong = row.contradicts();
                let mark = if wrong { "**" } else { "" };
                let time = row.time.as_secs_f64();
                let _ =
                    write!(line, " {mark}{}{mark} ({time:.1} s) | {} |", row.verdict, printed[at]);
            }
            progress(&line);
            let _ = writeln!(text, "{line}");
        }
    }
    std::fs::write(folder.join("table2.md"), &text)?;
    Ok(text)
}
