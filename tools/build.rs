//! Tells the programs what they are made from: the commit, if this is a Git tree of sapa's own, and the
//! versions of the libraries in `Cargo.lock`. Two builds of one tree say the same: there is no time of the
//! build, nor a path.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What programs are made from, in the workspace.
const SOURCES: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    "limits",
    "ir",
    "certificate",
    "frontend",
    "passes",
    "backend",
    "driver",
    "tools",
];

/// The libraries that `--version` names, besides CaDiCaL, which says its version itself.
const LIBRARIES: [&str; 6] = ["bincode", "cadical", "clap", "egg", "goblin", "petgraph"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    for source in SOURCES {
        watch(&root.join(source));
    }
    println!("cargo::rerun-if-env-changed=SAPA_COMMIT");
    let given = env::var("SAPA_COMMIT").ok().filter(|text| !text.is_empty());
    let commit = given.or_else(|| commit(&root)).unwrap_or_default();
    println!("cargo::rustc-env=SAPA_COMMIT={}", commit.replace('\n', " "));
    let locked = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    println!("cargo::rustc-env=SAPA_LIBRARIES={}", libraries(&locked).join(", "));
    for (name, variable) in [("SAPA_TARGET", "TARGET"), ("SAPA_PROFILE", "PROFILE")] {
        println!("cargo::rustc-env={name}={}", env::var(variable).unwrap_or_default());
    }
}

/// Runs this program again when a file changes. One that is missing would run it every time.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// What Git prints, in one line.
fn git(root: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The commit and its date, and whether the sources are others by now. Sources that were unpacked inside the
/// Git tree of something else have none.
fn commit(root: &Path) -> Option<String> {
    let top = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?);
    if fs::canonicalize(top).ok()? != fs::canonicalize(root).ok()? {
        return None;
    }
    git(root, &["ls-files", "--error-unmatch", "tools/Cargo.toml"])?;
    let reference = git(root, &["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(reference.as_deref()) {
        if let Some(path) = git(root, &["rev-parse", "--git-path", name]) {
            watch(&root.join(path));
        }
    }
    // A time zone would be the machine's.
    let commit =
        git(root, &["log", "-1", "--abbrev=12", "--date=format:%Y-%m-%d", "--format=%h %cd"])?;
    let status = [&["status", "--porcelain", "--untracked-files=no", "--"][..], &SOURCES].concat();
    let changes = git(root, &status)?;
    Some(if changes.is_empty() { commit } else { format!("{commit}, with changes") })
}

/// The libraries with their versions, as the lock file has them.
fn libraries(locked: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut name = "";
    for line in locked.lines() {
        let quoted = |key: &str| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"');
        if let Some(value) = quoted("name") {
            name = value;
        } else if let Some(version) = quoted("version")
            && LIBRARIES.contains(&name)
        {
            found.push(format!("{name} {version}"));
        }
    }
    found
}
