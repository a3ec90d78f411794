//! Every Boolean program of the tests and benchmarks that is proved for any number of threads is
//! proved again from its certificate.
//!
//! `cargo test -p sapa-tests --test certificates -- --nocapture` prints how long both take in sum.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use sapa_backend::check::{Answer, CheckOptions, Proof, ThreadBound, auto, check};
use sapa_certificate::check::check as check_certificate;
use sapa_certificate::text::parse as parse_certificate;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse;
use sapa_limits::Limits;

/// All Boolean programs in a folder and those below it.
fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => programs(&path, found),
            Some(extension) if extension == "bp" => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn every_success_is_proved_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    programs(&root.join("tests/files"), &mut files);
    programs(&root.join("benchmarks/boolean"), &mut files);
    files.sort();
    let limits = Limits::default();
    // What a proof took to find and to check; or the file, if there is no certificate of it.
    let again = |file: PathBuf| -> Option<Result<(Duration, Duration), PathBuf>> {
        // Some are no programs, on purpose.
        let text = std::fs::read(&file).expect("it is read");
        let program = parse(&String::from_utf8_lossy(&text)).ok()?;
        let program = flatten(&program, &FlattenOptions::default()).ok()?;
        let name = file.display();
        let proof = Proof::default();
        let options = CheckOptions {
            limits: Limits::time(Duration::from_secs(2)),
            proof: Some(proof.clone()),
            ..CheckOptions::new(ThreadBound::Unbounded)
        };
        let start = Instant::now();
        let outcome = check(&auto::ENGINE, &program, &options, &mut |_| {});
        let found = start.elapsed();
        if !matches!(outcome.answer, Answer::Safe { .. }) {
            return None;
        }
        let Some(certificate) = proof.take() else {
            return (!options.limits.is_exceeded()).then_some(Err(file));
        };
        let text = certificate.to_string();
        let start = Instant::now();
        let read = parse_certificate(&text, &program, &limits).expect("it is read");
        let checked = check_certificate(&read, &program, &limits);
        assert!(checked.is_ok(), "{name}: {checked:?}");
        Some(Ok((found, start.elapsed())))
    };
    let all: Vec<Result<(Duration, Duration), PathBuf>> =
        files.into_par_iter().filter_map(again).collect();
    let without: Vec<&PathBuf> = all.iter().filter_map(|it| it.as_ref().err()).collect();
    let proofs = all.len() - without.len();
    let to_find: Duration = all.iter().flatten().map(|times| times.0).sum();
    let to_check: Duration = all.iter().flatten().map(|times| times.1).sum();
    println!("{proofs} proofs: {to_find:.1?} to find, {to_check:.1?} to check");
    assert!(proofs > 30, "{proofs}");
    assert!(without.is_empty(), "without certificate: {without:?}");
}
