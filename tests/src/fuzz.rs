//! A fuzzer in one process for the readers: random changes to good inputs,
//! watched for panics, hangs and memory.
//!
//! It has no coverage feedback; what takes it deep is that mutations know the
//! form of the input ([`mutate`]): words of C and of the IR's text are
//! exchanged for others, and the binary IR gets a check sum that fits.

pub mod mutate;
pub mod target;

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::SmallRng;

use target::Target;

/// An input that takes longer than this is a hang.
pub const TIME_LIMIT: Duration = Duration::from_secs(20);
/// A process that holds more than this is a memory bug. In KiB.
pub const MEMORY_LIMIT: u64 = 2 << 20;

/// How to fuzz.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of the random changes.
    pub seed: u64,
    /// CPU time to spend in the target and the mutations.
    pub cpu_time: Duration,
    /// Most inputs to try.
    pub inputs: u64,
    /// Where an input that is a finding is written.
    pub findings: PathBuf,
    /// Where each input is written before it is tried, so that what ends the
    /// process (a stack that overflows) leaves it behind.
    pub current: Option<PathBuf>,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Inputs tried.
    pub inputs: u64,
    /// Inputs that were accepted.
    pub accepted: u64,
    /// CPU time spent.
    pub cpu_time: Duration,
    /// Longest time of one input.
    pub slowest: Duration,
    /// Most memory that the process held, in KiB.
    pub peak_memory: u64,
    /// Inputs that made the target panic, as written.
    pub panics: Vec<PathBuf>,
}

/// The input that is being tried, for the watchdog.
struct Watched {
    current: Mutex<(Vec<u8>, Instant)>,
    done: AtomicBool,
    number: AtomicU64,
}

/// Fuzzes a target. A hang or too much memory ends the process with status 1,
/// after the input was written.
///
/// # Errors
/// If the seeds cannot be read or a finding cannot be written.
pub fn run(target: &Target, options: &Options) -> io::Result<Report> {
    let seeds = target.seeds()?;
    let mut random = SmallRng::seed_from_u64(options.seed);
    let mut report = Report::default();
    let watched = Arc::new(Watched {
        current: Mutex::new((Vec::new(), Instant::now())),
        done: AtomicBool::new(false),
        number: AtomicU64::new(0),
    });
    let watchdog = watch(Arc::clone(&watched), target.name, options.findings.clone());
    let start = cpu_time();
    while report.inputs < options.inputs && report.cpu_time < options.cpu_time {
        let input = mutate::mutate(&mut random, &seeds, target.dictionary);
        if let Ok(mut current) = watched.current.lock() {
            *current = (input.clone(), Instant::now());
        }
        if let Some(path) = &options.current {
            std::fs::write(path, &input)?;
        }
        watched.number.store(report.inputs + 1, Ordering::Relaxed);
        let began = Instant::now();
        match panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&input))) {
            Ok(accepted) => report.accepted += u64::from(accepted),
            Err(_) => {
                let name = format!("{}-panic-{}-{}", target.name, options.seed, report.inputs);
                report.panics.push(write(&options.findings, &name, &input)?);
            }
        }
        report.slowest = report.slowest.max(began.elapsed());
        report.inputs += 1;
        report.cpu_time = cpu_time().saturating_sub(start);
    }
    watched.done.store(true, Ordering::Relaxed);
    let _ = watchdog.join();
    report.peak_memory = status("VmHWM:");
    Ok(report)
}

fn watch(
    watched: Arc<Watched>,
    name: &'static str,
    findings: PathBuf,
) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        while !watched.done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
            let what = match watched.current.lock() {
                Ok(current) if current.1.elapsed() > TIME_LIMIT => "hang",
                _ if status("VmRSS:") > MEMORY_LIMIT => "memory",
                _ => continue,
            };
            if watched.number.load(Ordering::Relaxed) == 0 {
                continue;
            }
            let input = watched.current.lock().map(|c| c.0.clone()).unwrap_or_default();
            match write(&findings, &format!("{name}-{what}"), &input) {
                Ok(path) => eprintln!("sapa-fuzz: {what}: {}", path.display()),
                Err(error) => eprintln!("sapa-fuzz: {what}, and it cannot be written: {error}"),
            }
            std::process::exit(1);
        }
    })
}

fn write(directory: &Path, name: &str, input: &[u8]) -> io::Result<PathBuf> {
    std::fs::create_dir_all(directory)?;
    let path = directory.join(name);
    std::fs::write(&path, input)?;
    Ok(path)
}

/// CPU time of the process so far (of all its threads); 0 where the system does not say.
fn cpu_time() -> Duration {
    // utime and stime, in ticks of 1/100 s, are fields 14 and 15; field 2 may hold blanks.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 10)
}

/// A figure in KiB of the process' status; 0 where the system does not say.
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix(key))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
