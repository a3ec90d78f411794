//! The command that is asked whether a text still does what it did.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use sapa_limits::{Limits, cleanup};

/// What stands for the file in a command.
pub const FILE: &str = "{}";

/// Where gcc and clang look for headers besides the folders of their command line.
const HEADERS: &str = "CPATH";

/// Time between two looks at a command.
const PAUSE: Duration = Duration::from_millis(2);

/// What a run of the command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its exit code; as in a shell, 128 and the number of the signal that ended it.
    pub code: i32,
    /// What it printed, to both outputs.
    pub printed: Vec<u8>,
}

/// A command over a file.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its words, with [`FILE`] for the file; without one, the file comes last.
    pub words: Vec<OsString>,
    /// The name of the file, without folder.
    pub name: OsString,
    /// The folder of the file that is shrunk, of whose headers a copy has need. Compilers look there last, by the environment.
    pub folder: Option<PathBuf>,
    /// How long a run may take.
    pub timeout: Duration,
    /// How long all may take.
    pub limits: Limits,
}

impl Asked {
    /// Runs the command on a text; nothing, where it took too long.
    ///
    /// # Errors
    /// The system cannot run it.
    pub fn run(&self, text: &[u8]) -> io::Result<Option<Answer>> {
        let new = || tempfile::Builder::new().prefix("sapa-reduce-").tempdir();
        let (folder, _cleanup) = cleanup::undone_by(new, |folder| {
            let path = folder.path().to_owned();
            move || {
                // The system's folder for temporary files is cleared anyway.
                let _ = fs::remove_dir_all(path);
            }
        })?;
        let file = folder.path().join(&self.name);
        fs::write(&file, text)?;
        let printed = folder.path().join(".printed");
        let status = self.status(&file, &File::create(&printed)?)?;
        let Some(status) = status else { return Ok(None) };
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        Ok(Some(Answer { code: code.unwrap_or(-1), printed: fs::read(&printed)? }))
    }

    fn status(&self, file: &Path, output: &File) -> io::Result<Option<ExitStatus>> {
        let words = self.words_for(file);
        let Some((program, rest)) = words.split_first() else { return Ok(None) };
        let mut command = Command::new(program);
        command.args(rest).stdin(Stdio::null());
        if let Some(folder) = &self.folder {
            let others = env::var_os(HEADERS).filter(|others| !others.is_empty());
            let others = others.iter().flat_map(env::split_paths);
            // A folder with a colon in its name cannot be said so.
            if let Ok(folders) = env::join_paths(others.chain([folder.clone()])) {
                command.env(HEADERS, folders);
            }
        }
        command.stdout(output.try_clone()?).stderr(output.try_clone()?);
        // A group of its own: what it starts ends with it.
        command.process_group(0);
        let (mut child, _cleanup) = cleanup::undone_by(
            || command.spawn(),
            |child| {
                let group = child.id();
                move || kill(group)
            },
        )?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if start.elapsed() > self.timeout || self.limits.check().is_err() {
                kill(child.id());
                child.wait()?;
                return Ok(None);
            }
            thread::sleep(PAUSE);
        }
    }

    fn words_for(&self, file: &Path) -> Vec<OsString> {
        let mut words = self.words.clone();
        let mut is_named = false;
        for word in words.iter_mut().filter(|word| word.to_string_lossy().contains(FILE)) {
            let text = word.to_string_lossy().replace(FILE, &file.to_string_lossy());
            *word = OsString::from(text);
            is_named = true;
        }
        if !is_named {
            words.push(file.as_os_str().to_owned());
        }
        words
    }
}

/// Ends a group of processes, if it still is.
fn kill(group: u32) {
    let pid = i32::try_from(group).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It may have ended by itself.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// The folder that a file lies in.
#[must_use]
pub fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = if file == Path::new("-") { Path::new("") } else { file.parent()? };
    fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()
}

/// The name that copies of a file have.
#[must_use]
pub fn name_of(file: &Path) -> OsString {
    let name = file.file_name().filter(|_| file != Path::new("-"));
    name.unwrap_or(OsStr::new("input.c")).to_owned()
}
