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
        Some(Self { file: File::open("/proc/self/statm").ok()?, page: page_size() })
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
