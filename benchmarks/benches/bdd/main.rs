//! Our BDD engine beside CUDD, OxiDD and biodivine-lib-bdd: same scripts, same variable order,
//! one thread, one process a run, runs interleaved.
//! `cargo bench -p sapa-benchmarks --features peers --bench bdd`
//! prints the table; `benchmarks/README.md` says where CUDD comes from.

mod engines;
mod families;
mod script;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use script::Script;

const ENGINES: [&str; 4] = ["sapa", "cudd", "oxidd", "biodivine"];
/// Time after which an instance is not run once more.
const ENOUGH: Duration = Duration::from_secs(60);
/// Runs of each engine on each script; `SAPA_ROUNDS` overrides it.
const ROUNDS: usize = 5;

/// One run: milliseconds, peak KiB, densities.
struct Run {
    time: f64,
    memory: f64,
    densities: Vec<f64>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [mode, engine, file] if mode == "run" => run_here(engine, Path::new(file)),
        [mode, family, index] if mode == "emit" => emit(family, index.parse().unwrap_or(0)),
        _ => table(arguments.iter().find(|a| !a.starts_with('-')).map_or("", String::as_str)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The mode of the processes that are measured.
fn run_here(engine: &str, file: &Path) -> Result<()> {
    let script: Script = std::fs::read_to_string(file)?.parse()?;
    let Some((time, densities)) = engines::run(engine, &script) else {
        println!("unsupported");
        return Ok(());
    };
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|text| text.split_whitespace().next()).unwrap_or("0");
    print!("{} {peak}", time.as_secs_f64() * 1e3);
    densities.iter().for_each(|density| print!(" {density:.12e}"));
    println!();
    Ok(())
}

/// Prints one script, for a profiler.
fn emit(family: &str, index: usize) -> Result<()> {
    let family = families::FAMILIES.iter().find(|f| f.name == family).ok_or("no such family")?;
    let instances = (family.instances)()?;
    let (_, script) = instances.get(index).ok_or("no such instance")?;
    print!("{script}");
    Ok(())
}

fn table(filter: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let cudd = build_cudd(folder.path());
    if let Err(error) = &cudd {
        eprintln!("without CUDD: {error}");
    }
    let rounds = match std::env::var("SAPA_ROUNDS") {
        Ok(number) => number.parse()?,
        Err(_) => ROUNDS,
    };
    println!("median milliseconds of {rounds} runs (peak MiB); ratio to the fastest peer\n");
    println!("| family | instance | {} | time | memory/CUDD |", ENGINES.join(" | "));
    println!("| --- | --- |{} ---: | ---: |", " ---: |".repeat(ENGINES.len()));
    let mut summary = Vec::new();
    for family in families::FAMILIES {
        if !family.name.contains(filter) {
            continue;
        }
        let mut ratios = Vec::new();
        let mut memories = Vec::new();
        for (name, script) in &(family.instances)()? {
            let file = folder.path().join("script");
            std::fs::write(&file, script.to_string())?;
            let mut runs: Vec<Vec<Run>> = ENGINES.iter().map(|_| Vec::new()).collect();
            let start = Instant::now();
            for _ in 0..rounds {
                // Runs that take long vary little.
                if start.elapsed() > ENOUGH {
                    break;
                }
                for (engine, runs) in ENGINES.iter().zip(&mut runs) {
                    runs.extend(measure(engine, &file, cudd.as_deref().ok())?);
                }
            }
            compare(&runs)?;
            let of = |engine: usize, what: fn(&Run) -> f64| {
                median(runs[engine].iter().map(what).collect())
            };
            let times: Vec<Option<f64>> = (0..ENGINES.len()).map(|e| of(e, |r| r.time)).collect();
            let kib: Vec<Option<f64>> = (0..ENGINES.len()).map(|e| of(e, |r| r.memory)).collect();
            let peer = times[1..].iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let ratio = times[0].map_or(f64::NAN, |own| own / peer);
            let memory = kib[0].zip(kib[1]).map_or(f64::NAN, |(own, cudd)| own / cudd);
            ratios.push(ratio);
            memories.push(memory);
            let cells: Vec<String> = times
                .iter()
                .zip(&kib)
                .map(|(time, kib)| match (time, kib) {
                    (Some(time), Some(kib)) => format!("{time:.1} ({:.0})", kib / 1024.0),
                    _ => "–".into(),
                })
                .collect();
            println!(
                "| {} | {name} | {} | {ratio:.2} | {memory:.2} |",
                family.name,
                cells.join(" | ")
            );
        }
        summary.push((
            family.name,
            median(ratios.clone()).unwrap_or(f64::NAN),
            ratios.into_iter().fold(0.0, f64::max),
            memories.into_iter().fold(0.0, f64::max),
        ));
    }
    println!("\n| family | median time ratio | worst time ratio | worst memory/CUDD |");
    println!("| --- | ---: | ---: | ---: |");
    for (name, median, worst, memory) in summary {
        println!("| {name} | {median:.2} | {worst:.2} | {memory:.2} |");
    }
    Ok(())
}

fn measure(engine: &str, file: &Path, cudd: Option<&Path>) -> Result<Option<Run>> {
    let output = match (engine, cudd) {
        ("cudd", None) => return Ok(None),
        ("cudd", Some(program)) => Command::new(program).arg(file).output()?,
        _ => Command::new(std::env::current_exe()?).args(["run", engine]).arg(file).output()?,
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if text.starts_with("unsupported") {
        return Ok(None);
    }
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [time, memory, densities @ ..] = numbers.as_slice() else {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{engine} failed: {} {words}", output.status).into());
    };
    Ok(Some(Run { time: *time, memory: *memory, densities: densities.to_vec() }))
}

/// All engines must have computed the same functions.
fn compare(runs: &[Vec<Run>]) -> Result<()> {
    let Some(own) = runs[0].first() else { return Ok(()) };
    for (engine, other) in ENGINES.iter().zip(runs) {
        for run in other {
            let same = run.densities.len() == own.densities.len()
                && run
                    .densities
                    .iter()
                    .zip(&own.densities)
                    .all(|(a, b)| a.is_nan() || b.is_nan() || (a - b).abs() <= 1e-6 * b.abs());
            if !same {
                return Err(format!("{engine} computed something else").into());
            }
        }
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Links `peers/cudd.c` with the shared object in `SAPA_CUDD`, or with the one in the wheel of
/// the Python package dd, which has CUDD inside.
fn build_cudd(folder: &Path) -> Result<PathBuf> {
    let library = match std::env::var_os("SAPA_CUDD") {
        Some(path) => PathBuf::from(path),
        None => {
            let wheel = folder.join("dd");
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]);
            succeed(pip.arg("--target").arg(&wheel).arg("dd==0.6.0"))?;
            let files = std::fs::read_dir(wheel.join("dd"))?;
            files
                .flatten()
                .map(|entry| entry.path())
                .find(|path| {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
                    name.starts_with("cudd.") && name.ends_with(".so")
                })
                .ok_or("the wheel has no cudd module")?
        }
    };
    let program = folder.join("cudd");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cudd.c");
    let python = python_library()?;
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-o"]).arg(&program).arg(source).arg(&library).arg(&python).arg("-lm");
    for object in [&library, &python] {
        if let Some(directory) = object.parent() {
            cc.arg(format!("-Wl,-rpath,{}", directory.display()));
        }
    }
    succeed(&mut cc)?;
    Ok(program)
}

/// The module names symbols of Python's, so that must be linked as well; nothing of it runs.
fn python_library() -> Result<PathBuf> {
    let code = "import sysconfig as s; print(s.get_config_var('LIBDIR') + '/' + s.get_config_var('LDLIBRARY'))";
    let output = Command::new("python3").args(["-c", code]).output()?;
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

fn succeed(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}
