//! Tables 1 and 2 of the SAPA paper, re-made: the paper's figures beside ours.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use sapa_backend::abstraction::Mode;
use sapa_backend::check::ThreadBound;
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

fn run(program: &Program, threads: ThreadBound, mode: Mode, settings: TableSettings) -> Row {
    let settings = Settings {
        threads: Some(threads),
        engine: None,
        atomicity: settings.atomicity,
        timeout: settings.timeout,
        mode,
    };
    measure(program, &settings)
}

fn seconds(figure: u32) -> String {
    if figure == 0 { "<1".to_owned() } else { figure.to_string() }
}

/// Table 1: safe programs, symmetry-aware; Markdown, and a plot into `folder`. `progress` is told
/// each row.
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
        "| program | n | paper: predicates | paper: abstraction + checking (s) | paper, oblivious (s) | predicates | abstraction (s) | checking (s) | all (s) | verdict |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    progress(text.trim_end());
    let mut curves = Vec::new();
    for paper in PAPER {
        let safe = program(&all, paper.name, true)?;
        let mut curve = Curve { name: paper.name.to_owned(), points: Vec::new() };
        let counts = paper.aware.iter().map(|(n, ..)| *n).chain(BEYOND);
        for n in counts {
            let row = run(&safe, ThreadBound::Bounded(n), Mode::SymmetryAware, settings);
            let times = |figures: &[(u32, u32, Option<u32>)]| {
                let found = figures.iter().find(|(threads, ..)| *threads == n);
                found.map_or("–".to_owned(), |(_, abstraction, checking)| {
                    let checking = checking.map_or("T.O.".to_owned(), seconds);
                    format!("{} + {checking}", seconds(*abstraction))
                })
            };
            let all = row.time.as_secs_f64();
            let line = format!(
                "| {} | {n} | {} | {} | {} | {} | {:.2} | {:.2} | {all:.2} | {} |",
                paper.name,
                paper.predicates,
                times(paper.aware),
                times(paper.oblivious),
                row.predicates,
                row.abstraction.as_secs_f64(),
                row.checking.as_secs_f64(),
                row.verdict
            );
            progress(&line);
            let _ = writeln!(text, "{line}");
            if row.verdict != "SUCCESSFUL" {
                break;
            }
            curve.points.push((f64::from(n), all));
        }
        curves.push(curve);
    }
    let limit = settings.timeout.as_secs_f64();
    plot::curves(&folder.join("table1.svg"), "Symmetry-aware: time over threads", limit, &curves)?;
    std::fs::write(folder.join("table1.md"), &text)?;
    Ok(text)
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
                let row = run(&checked, ThreadBound::Bounded(n), mode, settings);
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
