//! The Boolean programs that the model checkers are measured on.
//!
//! * `boolean/cegar/`: what the CEGAR loop made of the programs in `programs/sapa/`, a file an
//!   iteration;
//! * `boolean/classic/`: written by hand;
//! * `boolean/protocols/`: the same, for any number of threads, each with a broken copy;
//! * [`generated`]: random ones, made from seeds.

pub mod generated;

use std::io;
use std::path::{Path, PathBuf};

use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser;

/// A Boolean program.
#[derive(Clone, Debug)]
pub struct BooleanProgram {
    /// The file's name without extension.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What the model checkers see.
    pub flat: FlatProgram,
}

/// The programs for a fixed number of threads, by name.
///
/// # Errors
/// If a file cannot be read or is no Boolean program.
pub fn programs() -> io::Result<Vec<BooleanProgram>> {
    programs_in(&["cegar", "classic"])
}

/// The programs in some folders of `boolean/`, by name.
///
/// # Errors
/// If a file cannot be read or is no Boolean program.
pub fn programs_in(folders: &[&str]) -> io::Result<Vec<BooleanProgram>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("boolean");
    let mut programs = Vec::new();
    for kind in folders {
        let Ok(entries) = folder.join(kind).read_dir() else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "bp") {
                programs.push(read(path)?);
            }
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Reads a Boolean program.
///
/// # Errors
/// If the file cannot be read or is no Boolean program.
pub fn read(path: PathBuf) -> io::Result<BooleanProgram> {
    let text = std::fs::read_to_string(&path)?;
    let broken = |message: String| io::Error::other(format!("{}: {message}", path.display()));
    let program = parser::parse(&text).map_err(|errors| broken(errors.to_string()))?;
    let flat =
        flatten(&program, &FlattenOptions::default()).map_err(|error| broken(error.to_string()))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(BooleanProgram { name: name.unwrap_or_default(), path, flat })
}
