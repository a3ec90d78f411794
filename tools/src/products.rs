//! The files that a run makes at its end. All are named on the command line, so that what can be known to go wrong with them is a
//! usage error before the run: one that cannot be written, one that two options name, and one that the run reads, of which the
//! user would lose the text.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::input;

/// Files of a run, which are known to be different and to replace nothing that the run reads.
#[derive(Debug)]
pub struct Products {
    /// What is read.
    inputs: Vec<(PathBuf, Identity)>,
    /// What is made, with the option that names it.
    made: Vec<(&'static str, Identity)>,
}

/// What a path leads to, whichever path it is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// A file that exists, by its device and number there.
    File(u64, u64),
    /// One that does not.
    New(PathBuf),
}

impl Identity {
    /// `None` for what is no file: of devices and pipes nothing is lost.
    fn of(path: &Path) -> Option<Self> {
        if let Ok(found) = fs::metadata(path) {
            return found.is_file().then(|| Self::File(found.dev(), found.ino()));
        }
        // A link to what is not there yet leads to it.
        let path = fs::read_link(path).map_or_else(
            |_| path.to_owned(),
            |target| path.parent().unwrap_or(Path::new("")).join(target),
        );
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(Self::New(folder.join(path.file_name()?)))
    }
}

impl Products {
    /// Those of a run that reads these files; there are none yet.
    #[must_use]
    pub fn new(inputs: impl IntoIterator<Item = PathBuf>) -> Self {
        let known = inputs.into_iter().filter_map(|path| {
            let identity = Identity::of(&path).filter(|_| !input::is_standard(&path))?;
            Some((path, identity))
        });
        Self { inputs: known.collect(), made: Vec::new() }
    }

    /// Whether nothing is made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Takes files that are read besides, as is known when products are known already.
    ///
    /// # Errors
    /// If one is made.
    pub fn read<'p>(
        &mut self,
        files: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), Failure> {
        for path in files {
            let Some(identity) = Identity::of(path) else { continue };
            if let Some((option, _)) = self.made.iter().find(|(_, made)| *made == identity) {
                return Err(replaces(option, path));
            }
            self.inputs.push((path.clone(), identity));
        }
        Ok(())
    }

    /// Takes a file that an option names.
    ///
    /// # Errors
    /// If it cannot be written, is read, or is made for another option already.
    pub fn add(&mut self, option: &'static str, path: &Path) -> Result<(), Failure> {
        let name = path.display();
        input::may_be_written(path)
            .map_err(|why| Failure::usage(format!("cannot write {name} ('{option}'): {why}")))?;
        let Some(identity) = Identity::of(path) else { return Ok(()) };
        if let Some((read, _)) = self.inputs.iter().find(|(_, read)| *read == identity) {
            return Err(replaces(option, read));
        }
        if let Some((other, _)) = self.made.iter().find(|(_, made)| *made == identity) {
            let both = match *other == option {
                true => format!("'{option}' names {name} twice"),
                false => format!("'{other}' and '{option}' both name {name}"),
            };
            return Err(Failure::usage(format!("{both}; name another file")));
        }
        self.made.push((option, identity));
        Ok(())
    }
}

fn replaces(option: &str, read: &Path) -> Failure {
    Failure::usage(format!(
        "'{option}' would replace {}, which the run reads; name another file",
        read.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::verdict::Exit;

    #[test]
    fn files_are_the_same_by_whatever_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = |name: &str| folder.path().join(name);
        fs::create_dir(inside("b")).expect("made");
        fs::write(inside("a.c"), "int x;").expect("written");
        fs::hard_link(inside("a.c"), inside("same.c")).expect("linked");
        symlink("a.c", inside("link.c")).expect("linked");
        symlink("new.c", inside("dangling.c")).expect("linked");
        let mut products = Products::new([inside("a.c"), PathBuf::from("-")]);
        let mut add = |name: &str| products.add("--output", &inside(name));
        for name in ["a.c", "b/../a.c", "same.c", "link.c", "b", "none/a.c"] {
            assert_eq!(add(name).expect_err(name).exit, Exit::Usage, "{name}");
        }
        fs::write(inside("a.h"), "int y;").expect("written");
        add("a.h").expect("nobody has read it");
        let read = products.read([&inside("a.c"), &inside("b/../a.h")]);
        assert_eq!(read.expect_err("it is made").exit, Exit::Usage);
        products.read([&inside("link.c")]).expect("it is not made");
        let mut add = |name: &str| products.add("--output", &inside(name));
        add("new.c").expect("it is new");
        for name in ["new.c", "b/../new.c", "./new.c", "dangling.c"] {
            assert_eq!(add(name).expect_err(name).exit, Exit::Usage, "{name}");
        }
        add("other.c").expect("it is another");
        for _ in 0..2 {
            products.add("--report", Path::new("/dev/null")).expect("nothing is lost");
        }
    }
}
