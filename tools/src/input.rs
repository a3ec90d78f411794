//! Reading inputs and writing products.

use std::io::{self, Read, Write};
use std::path::Path;

use sapa_ir::goto::Module;

use crate::verdict::Exit;

/// Name of an input in messages.
#[must_use]
pub fn name(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Whether a path means the standard input or output.
#[must_use]
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of a file, or of the standard input for `-`.
///
/// # Errors
/// The exit code, after the message was printed.
pub fn read(path: &Path) -> Result<Vec<u8>, Exit> {
    let bytes = if is_standard(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    bytes.map_err(|error| {
        let reason = if path.is_dir() { "is a directory".to_owned() } else { error.to_string() };
        eprintln!("error: cannot read {}: {reason}", name(path));
        Exit::BadInput
    })
}

/// Reads and verifies a module in text or binary form.
///
/// # Errors
/// The exit code, after the message was printed.
pub fn read_module(path: &Path) -> Result<Module, Exit> {
    module(&read(path)?, path)
}

/// A module from bytes in text or binary form, verified.
///
/// # Errors
/// The exit code, after the message was printed.
pub fn module(bytes: &[u8], path: &Path) -> Result<Module, Exit> {
    sapa_ir::goto::read(bytes, &name(path)).map_err(|error| {
        eprintln!("{error}");
        Exit::BadInput
    })
}

/// Whether bytes look like a module in text or binary form: `girb`, or `gir`
/// after blanks and `;` comments.
#[must_use]
pub fn is_module(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        match rest.strip_prefix(b";") {
            Some(comment) => {
                let end = comment.iter().position(|b| *b == b'\n').unwrap_or(comment.len());
                rest = comment.get(end..).unwrap_or(&[]);
            }
            None => {
                return rest.strip_prefix(b"gir").is_some_and(|after| {
                    after.first().is_some_and(|b| *b == b'b' || b.is_ascii_whitespace())
                });
            }
        }
    }
}

/// Writes a product to the standard output (`None` or `-`), or to a file, which
/// appears whole or not at all.
///
/// # Errors
/// The exit code, after the message was printed. A closed pipe is no error.
pub fn write(path: Option<&Path>, bytes: &[u8]) -> Result<(), Exit> {
    let written = match path {
        Some(path) if !is_standard(path) => write_file(path, bytes),
        _ => {
            let mut out = io::stdout().lock();
            match out.write_all(bytes).and_then(|()| out.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other,
            }
        }
    };
    written.map_err(|error| {
        let name = path.map_or_else(|| "<stdout>".to_owned(), |path| path.display().to_string());
        eprintln!("error: cannot write {name}: {error}");
        Exit::BadInput
    })
}

/// Writes a file under another name first, so that it is never half there.
///
/// # Errors
/// What the system says.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}
