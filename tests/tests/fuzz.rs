//! A short run of the fuzzer of every reader; `sapa-fuzz` runs it for longer.

use std::time::Duration;

use sapa_tests::fuzz::target::TARGETS;
use sapa_tests::fuzz::{MEMORY_LIMIT, Options, run};

#[test]
fn readers_survive_random_changes_of_good_inputs() {
    let findings = tempfile::tempdir().expect("a folder");
    for target in TARGETS {
        let options = Options {
            seed: 7,
            cpu_time: Duration::from_secs(120),
            inputs: 4000,
            findings: findings.path().to_owned(),
            current: None,
        };
        let report = run(target, &options).expect("the seeds can be read");
        assert!(report.panics.is_empty(), "{}: {:?}", target.name, report.panics);
        assert!(report.peak_memory < MEMORY_LIMIT, "{}: {} KiB", target.name, report.peak_memory);
        assert!(report.accepted > 0, "{}: no input is accepted", target.name);
    }
}

/// The fuzzer would see a panic.
#[test]
fn a_panic_is_found() {
    let findings = tempfile::tempdir().expect("a folder");
    let mut target = *TARGETS.iter().find(|t| t.name == "ir-text").expect("a target");
    target.run = |_| panic!("on purpose");
    let options = Options {
        seed: 1,
        cpu_time: Duration::from_secs(10),
        inputs: 3,
        findings: findings.path().to_owned(),
        current: None,
    };
    let report = run(&target, &options).expect("the seeds can be read");
    assert_eq!(report.panics.len(), 3);
    assert!(report.panics.iter().all(|path| path.is_file()));
}
