//! What the repository promises of itself: who depends on whom, and that every
//! pass has file tests.

use std::path::{Path, PathBuf};

use sapa_passes::PASSES;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates of the workspace that a crate depends on (not for its tests).
fn dependencies(folder: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).expect(folder);
    let section = text.split("[dependencies]").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap_or("");
    section
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| name.starts_with("sapa-"))
        .map(str::to_owned)
        .collect()
}

/// DESIGN section 2: dependencies point one way.
#[test]
fn dependencies_point_one_way() {
    for (folder, allowed) in [
        ("limits", vec![]),
        ("ir", vec![]),
        ("backend/bdd", vec![]),
        ("frontend", vec!["sapa-ir"]),
        ("passes", vec!["sapa-ir"]),
        ("backend", vec!["sapa-ir", "sapa-passes", "sapa-bdd"]),
        ("tools", vec!["sapa-ir", "sapa-passes", "sapa-frontend", "sapa-backend", "sapa-bdd"]),
        ("benchmarks", vec!["sapa-ir", "sapa-passes", "sapa-frontend", "sapa-backend", "sapa-bdd"]),
    ] {
        for dependency in dependencies(folder) {
            // All may know the limits of a run.
            let allowed = folder != "limits" && dependency == "sapa-limits"
                || allowed.contains(&dependency.as_str());
            assert!(allowed, "{folder} depends on {dependency}");
        }
    }
    assert!(dependencies("tools").len() >= 3, "the test reads nothing");
}

#[test]
fn every_pass_has_a_file_test() {
    let folder = root().join("tests/files/passes");
    let texts: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of file tests")
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok())
        .collect();
    for pass in PASSES {
        let runs = |line: &str| {
            line.contains("RUN:")
                && line.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|w| w == pass.name)
        };
        let tested = texts.iter().any(|text| text.lines().any(runs));
        assert!(tested, "pass '{}' has no file test", pass.name);
    }
}
