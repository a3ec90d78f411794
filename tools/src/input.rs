//! Reading inputs and writing products.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sapa_ir::goto::{Module, ReadError};
use sapa_limits::{Limits, Phase, cleanup};

use crate::failure::{Failure, Message};
use crate::output;
use crate::statements::Statements;

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
/// If it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = if is_standard(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    bytes.map_err(|error| {
        let reason = if path.is_dir() { "is a directory".to_owned() } else { error.to_string() };
        Failure::bad_input([
            Message::error(format!("cannot be read: {reason}")).in_file(&name(path))
        ])
    })
}

/// The same, as a phase of a run.
///
/// # Errors
/// As those of [`read`].
pub fn read_within(path: &Path, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let _phase = limits.enter(Phase::Reading);
    read(path)
}

/// Reads and verifies a module in text or binary form.
///
/// # Errors
/// If it cannot be read or is no module.
pub fn read_module(path: &Path, limits: &Limits) -> Result<Module, Failure> {
    let bytes = read_within(path, limits)?;
    let _phase = limits.enter(Phase::Parsing);
    module(&bytes, path)
}

/// A module from bytes in text or binary form, verified.
///
/// # Errors
/// What is wrong with them.
pub fn module(bytes: &[u8], path: &Path) -> Result<Module, Failure> {
    let file = name(path);
    sapa_ir::goto::read(bytes, &file).map_err(|error| {
        let mut sources = Statements::of(&file, bytes);
        Failure::bad_input(match error {
            ReadError::Form => {
                vec![Message::error(error.to_string()).at(&file, 1, 1, &mut sources)]
            }
            ReadError::Text(errors) => Message::of_text(&errors, &mut sources),
            ReadError::Binary(error) => vec![Message::error(error.to_string()).in_file(&file)],
            ReadError::Unsound { module, errors, positions } => {
                Message::of_file(&file, &module, &errors, &positions, &mut sources)
            }
        })
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

/// Whether a file can be written, as far as that shows before there is anything to write: what a run makes at its end
/// is asked for when it begins.
///
/// # Errors
/// Why not, in words.
pub fn may_be_written(path: &Path) -> Result<(), String> {
    if is_standard(path) {
        return Err("the standard output is the verdict's; name a file".to_owned());
    }
    if path.is_dir() {
        return Err("it is a directory; name a file".to_owned());
    }
    // A device is written to where it is.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match real.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(format!("there is no directory '{}'; make it first", folder.display()));
    }
    tempfile::tempfile_in(folder).map(drop).map_err(|error| error.to_string())
}

/// Writes a product to the standard output (`None` or `-`), or to a file, which
/// appears whole or not at all.
///
/// # Errors
/// If it cannot be written. A closed pipe is no error.
pub fn write(path: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    let written = match path {
        Some(path) if !is_standard(path) => write_file(path, bytes),
        _ => output::print(bytes),
    };
    written.map_err(|error| {
        let name = path.map_or_else(|| "<stdout>".to_owned(), |path| path.display().to_string());
        Failure::bad_input([Message::error(format!("cannot write {name}: {error}"))])
    })
}

/// Writes a file under another name first, so that it is never half there. What a symbolic link
/// names is written, not the link; devices, pipes and descriptors (`/dev/stdout`) are written to,
/// not replaced.
///
/// # Errors
/// What the system says.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::metadata(path).ok();
    let is_file = before.as_ref().is_none_or(fs::Metadata::is_file);
    let descriptors = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    let is_descriptor = descriptors.iter().any(|descriptor| path.starts_with(descriptor));
    let is_dangling = before.is_none() && fs::symlink_metadata(path).is_ok();
    if !is_file || is_descriptor || is_dangling {
        let mut options = fs::OpenOptions::new();
        return options.append(true).create(is_dangling).open(path)?.write_all(bytes);
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // As any new file: the umask says who may not read it.
    let usual = fs::Permissions::from_mode(0o666);
    let make = || tempfile::Builder::new().permissions(usual).tempfile_in(folder);
    let (mut file, _cleanup) = cleanup::undone_by(make, |file| {
        let path = file.path().to_owned();
        move || {
            // It has got its name by now, perhaps.
            let _ = fs::remove_file(path);
        }
    })?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;
    use std::thread;

    use super::*;

    #[test]
    fn pipes_are_written_to_and_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe)
        });
        write_file(&pipe, b"text").expect("written");
        assert!(fs::metadata(&pipe).expect("it exists").file_type().is_fifo());
        assert_eq!(reader.join().expect("it ends").expect("read"), b"text");
    }

    #[test]
    fn links_stay_and_what_they_name_is_replaced_with_its_permissions() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("set");
        symlink("file", &link).expect("linked");
        write_file(&link, b"after").expect("written");
        assert!(fs::symlink_metadata(&link).expect("it exists").is_symlink());
        assert_eq!(fs::read(&file).expect("read"), b"after");
        let mode =
            |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o666, "the umask is for new files");
        let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
        symlink("missing", folder.path().join("dangling")).expect("linked");
        write_file(&folder.path().join("dangling"), b"made").expect("written");
        assert_eq!(fs::read(folder.path().join("missing")).expect("read"), b"made");
        write_file(&ours, b"new").expect("written");
        fs::write(&usual, "new").expect("written");
        assert_eq!(mode(&ours), mode(&usual), "as any new file");
    }
}
