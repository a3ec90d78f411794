//! Tables 1 and 2 of the SAPA paper, re-made: the paper's figures beside ours.

mod paper;

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use sapa_backend::abstraction::Mode;
use sapa_backend::check::{Engine, ThreadBound, auto, explicit, symbolic::plain};
use sapa_ir::goto::Atomicity;

use crate::plot::{self, Curve};
use crate::programs::{Program, Row, Settings, measure, programs};
use paper::PAPER;

/// Thread counts beyond the paper's.
const BEYOND: [u32; 3] = [32, 64, 128];

/// The engines that check expanded programs: the paper's kind, and our fastest without symmetry.
const OBLIVIOUS: [&Engine; 2] = [&plain::ENGINE, &explicit::ENGINE];

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
    engine: &'static Engine,
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
    progress: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<String> {
    std::fs::create_dir_all(folder)?;
    let all = programs(programs_folder)?;
    let mut text = String::from(
        "| program | n | paper: predicates | paper: abstraction + checking (s) | paper, oblivious (s) | predicates | abstraction (s) | checking (s) | all (s) | verdict | oblivious, plain (s) | oblivious, explicit (s) |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n",
    );
    progress(text.trim_end())?;
    let mut curves = Vec::new();
    let mut ratios = String::from(
        "| program | engine | most threads, oblivious | oblivious (s) | aware (s) | ratio |\n\
         | --- | --- | ---: | ---: | ---: | ---: |\n",
    );
    for paper in PAPER {
        let safe = program(&all, paper.name, true)?;
        let mut aware = Series::new(paper.name.to_owned());
        let mut oblivious = OBLIVIOUS
            .map(|engine| Series::new(format!("{}, oblivious, {}", paper.name, engine.name)));
        let rows = |n: u32| paper.aware.iter().any(|(of, ..)| *of == n) || BEYOND.contains(&n);
        for n in 2..=BEYOND.into_iter().max().unwrap_or(2) {
            if !rows(n) && oblivious.iter().all(|series| series.gave_up) {
                continue;
            }
            let bound = ThreadBound::Bounded(n);
            let row =
                aware.add(n, || run(&safe, bound, Mode::SymmetryAware, &auto::ENGINE, settings));
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
            progress(&line)?;
            let _ = writeln!(text, "{line}");
            if aware.gave_up && oblivious.iter().all(|series| series.gave_up) {
                break;
            }
        }
        for (series, engine) in oblivious.iter().zip(OBLIVIOUS) {
            let _ = writeln!(ratios, "{}", ratio(paper.name, engine.name, series, &aware));
        }
        curves.push(aware.curve);
        curves.extend(oblivious.map(|series| series.curve));
    }
    let limit = settings.timeout.as_secs_f64();
    plot::curves(&folder.join("table1.svg"), "Time over threads", limit, &curves)?;
    progress(&format!("\n{}", ratios.trim_end()))?;
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
    progress: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<String> {
    std::fs::create_dir_all(folder)?;
    let all = programs(programs_folder)?;
    let mut text = String::from(
        "| program | n | symmetry-aware | paper | mixed as local | paper | mixed as shared | paper |\n\
         | --- | ---: | --- | --- | --- | --- | --- | --- |\n",
    );
    progress(text.trim_end())?;
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
                let row = run(&checked, bound, mode, &auto::ENGINE, settings);
                let wrong = row.contradicts();
                let mark = if wrong { "**" } else { "" };
                let time = row.time.as_secs_f64();
                let _ =
                    write!(line, " {mark}{}{mark} ({time:.1} s) | {} |", row.verdict, printed[at]);
            }
            progress(&line)?;
            let _ = writeln!(text, "{line}");
        }
    }
    std::fs::write(folder.join("table2.md"), &text)?;
    Ok(text)
}
