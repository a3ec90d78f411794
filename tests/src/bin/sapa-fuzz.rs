//! Fuzzes the readers of outside data: see `sapa_tests::fuzz`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use sapa_tests::fuzz::{self, target::TARGETS};

const USAGE: &str = "usage: sapa-fuzz TARGET [--seconds N] [--inputs N] [--seed N] [--findings DIR] [--current FILE]
       sapa-fuzz TARGET --input FILE   (tries one input)
N seconds of CPU time. Findings (inputs that panic, hang or take 2 GiB) are written to DIR.
With --current, each input is written to FILE before it is tried.";

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(clean) => ExitCode::from(u8::from(!clean)),
        Err(message) => {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            eprintln!("sapa-fuzz: {message}\n{USAGE}\ntargets: {}", names.join(", "));
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn run(arguments: &[String]) -> Result<bool, String> {
    let (name, rest) = arguments.split_first().ok_or("a target is needed")?;
    let target = TARGETS
        .iter()
        .find(|target| target.name == name)
        .ok_or_else(|| format!("there is no target '{name}'"))?;
    let mut options = fuzz::Options {
        seed: 1,
        cpu_time: Duration::from_secs(60),
        inputs: u64::MAX,
        findings: PathBuf::from("fuzz-findings"),
        current: None,
    };
    for pair in rest.chunks(2) {
        let [key, value] = pair else { return Err(format!("'{}' needs a value", pair[0])) };
        let number = || value.parse::<u64>().map_err(|_| format!("'{value}' is no number"));
        match key.as_str() {
            "--seconds" => options.cpu_time = Duration::from_secs(number()?),
            "--inputs" => options.inputs = number()?,
            "--seed" => options.seed = number()?,
            "--findings" => options.findings = PathBuf::from(value),
            "--current" => options.current = Some(PathBuf::from(value)),
            "--input" => {
                let bytes = std::fs::read(value).map_err(|error| format!("{value}: {error}"))?;
                println!("accepted: {}", (target.run)(&bytes));
                return Ok(true);
            }
            _ => return Err(format!("there is no option '{key}'")),
        }
    }
    let report = fuzz::run(target, &options).map_err(|error| error.to_string())?;
    println!(
        "{name}: {} inputs, {} accepted, {:.0} s of CPU time, slowest {:.2} s, at most {} MiB, {} panics",
        report.inputs,
        report.accepted,
        report.cpu_time.as_secs_f64(),
        report.slowest.as_secs_f64(),
        report.peak_memory / 1024,
        report.panics.len()
    );
    for path in &report.panics {
        println!("panic: {}", path.display());
    }
    Ok(report.panics.is_empty())
}
