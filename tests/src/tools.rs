//! The command-line programs that tests run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The programs.
pub const PROGRAMS: [&str; 7] =
    ["sapa", "sapa-cc", "sapa-opt", "sapa-abstract", "sapa-mc", "sapa-reduce", "sapa-translate"];

/// The folders of the crates that they are made of.
const CRATES: [&str; 7] = ["limits", "ir", "frontend", "passes", "backend", "driver", "tools"];

/// The folder of the programs. `cargo test --workspace` has built them, as tests of `tools` need
/// them; a build of `sapa-tools` alone chooses other features of what it depends on, and so
/// compiles much of it again. That is done only where a program is older than its sources, when
/// tests are run singly.
///
/// # Panics
/// If they do not build.
#[must_use]
pub fn programs() -> PathBuf {
    // This program is target/PROFILE/deps/NAME-HASH.
    let this = std::env::current_exe().expect("this program");
    let folder = this.ancestors().nth(2).expect("target/PROFILE/deps/this").to_owned();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !are_current(&folder, &root) {
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--quiet", "-p", "sapa-tools", "--bins"]).current_dir(&root);
        if folder.ends_with("release") {
            command.arg("--release");
        }
        let status = command.status().expect("cargo runs");
        assert!(status.success(), "the command-line programs do not build");
    }
    folder
}

/// Whether all programs are there and none is older than a source.
fn are_current(folder: &Path, root: &Path) -> bool {
    let built = |name: &&str| fs::metadata(folder.join(name)).and_then(|m| m.modified()).ok();
    let oldest = PROGRAMS.iter().map(built).min().flatten();
    let sources = CRATES.iter().map(|name| root.join(name)).chain([root.join("Cargo.toml")]);
    let newest = sources.filter_map(|path| changed(&path)).max();
    oldest.is_some() && oldest >= newest
}

/// When a file, or anything in a folder but tests, changed last.
fn changed(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    }
    let entries = fs::read_dir(path).ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| !path.ends_with("tests")).filter_map(|path| changed(&path)).max()
}
