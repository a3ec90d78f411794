//! The resident memory of the process, as Linux counts it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// Reads the resident memory of the process again and again.
#[derive(Debug)]
pub struct Resident {
    /// `/proc/self/statm`, kept open: one call of the system a look.
    file: File,
    page: usize,
}

impl Resident {
    /// `None` where the system has no `/proc`.
    #[must_use]
    pub fn open() -> Option<Self> {
        Self::of("self")
    }

    /// That of a process, by its number.
    fn of(process: &str) -> Option<Self> {
        let file = File::open(format!("/proc/{process}/statm")).ok()?;
        Some(Self { file, page: page_size() })
    }

    /// Bytes of memory that the process has in use now; `None` if the system does not say.
    #[must_use]
    pub fn bytes(&self) -> Option<usize> {
        let mut buffer = [0; 128];
        let length = self.file.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..length)?).ok()?;
        let pages: usize = text.split_whitespace().nth(1)?.parse().ok()?;
        pages.checked_mul(self.page)
    }
}

/// Bytes of memory that the process has in use now; `None` if the system does not say.
#[must_use]
pub fn resident() -> Option<usize> {
    Resident::open()?.bytes()
}

/// Bytes of memory that a process and all that it has started have in use now, as far as the system says;
/// what they share counts for each.
#[must_use]
pub fn resident_tree(process: u32) -> usize {
    let (mut left, mut bytes) = (vec![process.to_string()], 0_usize);
    while let Some(process) = left.pop() {
        let own = Resident::of(&process).and_then(|resident| resident.bytes());
        bytes = bytes.saturating_add(own.unwrap_or(0));
        let started = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        left.extend(started.unwrap_or_default().split_whitespace().map(str::to_owned));
    }
    bytes
}

/// Bytes of a page: the kernel tells each process in its auxiliary vector (`getauxval(3)`), pairs of
/// a key and a value.
fn page_size() -> usize {
    /// `AT_PAGESZ`.
    const KEY: usize = 6;
    const WORD: usize = size_of::<usize>();
    let vector = fs::read("/proc/self/auxv").unwrap_or_default();
    let word = |bytes: &[u8]| bytes.try_into().map(usize::from_ne_bytes).ok();
    vector
        .chunks_exact(2 * WORD)
        .find(|pair| word(&pair[..WORD]) == Some(KEY))
        .and_then(|pair| word(&pair[WORD..]))
        .filter(|size| size.is_power_of_two())
        .unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_written_to_is_resident() {
        let resident = Resident::open().expect("Linux");
        let before = resident.bytes().expect("it says");
        let block = vec![1_u8; 64 << 20];
        let after = resident.bytes().expect("it says");
        assert!(block.iter().all(|&b| b == 1));
        assert!(after >= before + (60 << 20), "{before} {after}");
    }
}
