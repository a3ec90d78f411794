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

/// As `ARCHITECTURE.md` has it.
#[test]
fn dependencies_point_one_way() {
    let all = vec![
        "sapa-ir",
        "sapa-passes",
        "sapa-frontend",
        "sapa-certificate",
        "sapa-backend",
        "sapa-bdd",
        "sapa-driver",
    ];
    for (folder, allowed) in [
        ("limits", vec![]),
        ("ir", vec![]),
        ("backend/bdd", vec![]),
        ("frontend", vec!["sapa-ir"]),
        ("passes", vec!["sapa-ir"]),
        // What is proved again is proved apart from the engines.
        ("certificate", vec!["sapa-ir"]),
        ("backend", vec!["sapa-ir", "sapa-passes", "sapa-bdd", "sapa-certificate"]),
        (
            "driver",
            vec!["sapa-ir", "sapa-passes", "sapa-frontend", "sapa-backend", "sapa-certificate"],
        ),
        ("tools", all.clone()),
        ("benchmarks", all),
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

/// What both drivers of the frontend share knows neither of them, nor do they know each other.
#[test]
fn the_frontend_has_no_circle() {
    for (folder, forbidden) in [
        ("lower", vec!["crate::c::", "crate::goto_binary", "super::c::", "super::goto_binary"]),
        ("goto_binary", vec!["crate::c::", "super::c::"]),
        ("c", vec!["crate::goto_binary", "super::goto_binary"]),
    ] {
        let mut found = Vec::new();
        sources(&root().join("frontend/src").join(folder), &mut found);
        assert!(found.len() > 10, "the test reads nothing in {folder}");
        for source in found {
            let text = std::fs::read_to_string(&source).expect("a source");
            for name in &forbidden {
                assert!(!text.contains(name), "{} mentions {name}", source.display());
            }
        }
    }
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

/// The papers whose sections comments name.
const PAPERS: [&str; 4] = ["SAPA", "BOOM", "BOPPO", "CUPEX"];

/// All Rust sources below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// What a comment refers to that does not exist: files, by their path from the root or from a
/// folder around the source, and sections of what is none of the papers.
fn dangling(source: &Path, comment: &str) -> Vec<String> {
    let separators = |c: char| c.is_whitespace() || "`()[],;\"'|".contains(c);
    let words: Vec<&str> = comment
        .split(separators)
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| !word.is_empty())
        .collect();
    let is_path = |word: &str| {
        let known = ["rs", "md", "toml", "c", "bp", "json"];
        let name = |c: char| c.is_alphanumeric() || "./_-".contains(c);
        word.rsplit_once('.').is_some_and(|(stem, extension)| {
            known.contains(&extension)
                && (extension == "md" || stem.contains('/'))
                && !stem.is_empty()
        }) && word.chars().all(name)
    };
    let root = root();
    let exists = |word: &str| {
        let around = source.ancestors().take_while(|folder| folder.starts_with(&root));
        let folders = around.flat_map(|folder| [folder.to_owned(), folder.join("src")]);
        folders.chain([root.join("tests"), root.join("backend/src")]).any(|f| f.join(word).exists())
    };
    let paths = words.iter().filter(|word| is_path(word) && !exists(word));
    let sections = words.windows(2).filter(|pair| {
        let name = pair[0];
        pair[1] == "section"
            && name.len() > 2
            && name.chars().all(|c| c.is_ascii_uppercase())
            && !PAPERS.contains(&name)
    });
    paths.copied().chain(sections.map(|pair| pair[0])).map(str::to_owned).collect()
}

#[test]
fn comments_refer_to_what_exists() {
    let mut found = Vec::new();
    sources(&root(), &mut found);
    assert!(found.len() > 200, "the test reads nothing");
    let mut missing = Vec::new();
    for source in found {
        let text = std::fs::read_to_string(&source).expect("a source");
        for (number, line) in text.lines().enumerate() {
            if let Some(comment) = line.trim_start().strip_prefix("//") {
                for name in dangling(&source, comment) {
                    missing.push(format!("{}:{}: {name}", source.display(), number + 1));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    // The test sees what it is for.
    let here = root().join("tests/tests/structure.rs");
    assert_eq!(dangling(&here, "/ as `docs/no-such-page.md` has it"), ["docs/no-such-page.md"]);
    assert_eq!(dangling(&here, "/ steps (PLAN section 3)"), ["PLAN"]);
    assert!(dangling(&here, "/ SAPA section 4, see docs/goto-ir.md.").is_empty());
}

/// The packages of the workspace's build, each with its features: of all of it, or of one crate's.
fn packages(of: &[&str]) -> std::collections::BTreeSet<String> {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none", "--format", "{p} {f}"])
        .args(of)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| line.trim_end_matches("(*)").trim_end().to_owned()).collect()
}

/// Who builds the tools and then runs the tests waits for each package once: nothing that only
/// tests and benchmarks need chooses features of what the tools need.
#[test]
fn nothing_is_compiled_twice_for_its_features() {
    let tools = packages(&["--package", "sapa-tools", "--edges", "normal,build"]);
    let all = packages(&["--workspace", "--edges", "normal,build,dev"]);
    assert!(tools.len() > 40 && all.len() > tools.len(), "{} {}", tools.len(), all.len());
    let different: Vec<&String> = tools.difference(&all).collect();
    assert!(different.is_empty(), "other features in the workspace's build: {different:?}");
}
