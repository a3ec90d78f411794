//! What of a run stands in files for other tools and is no part of its report: the command line, the inputs with
//! their hashes, and the time.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::input;
use crate::report::Place;
use crate::statements::Statements;

/// What of a run is no part of its report.
#[derive(Clone, Debug)]
pub struct Context {
    /// The inputs, as the command line names them, each once.
    pub files: Vec<PathBuf>,
    /// The words of the command line behind the program's name.
    pub arguments: Vec<String>,
    /// The option with which what is checked is not the inputs alone, if there is one.
    pub departs: Option<&'static str>,
    /// When the run began.
    pub began: Time,
    /// What was read of the standard input, if the program was.
    pub standard_input: Option<Vec<u8>>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new(Vec::new(), None)
    }
}

/// The endings of inputs that are no C sources.
const NO_SOURCES: [&str; 3] = ["gir", "girb", "bp"];

impl Context {
    /// That of a run over these files, which begins now.
    #[must_use]
    pub fn new(files: Vec<PathBuf>, departs: Option<&'static str>) -> Self {
        let mut known: Vec<PathBuf> = Vec::new();
        for file in files {
            if !known.contains(&file) {
                known.push(file);
            }
        }
        Self {
            files: known,
            arguments: std::env::args_os()
                .skip(1)
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            departs,
            began: Time::now(),
            standard_input: None,
        }
    }

    /// An input that is no C source in a file, if there is one.
    #[must_use]
    pub fn not_source(&self) -> Option<String> {
        let is_none = |path: &&PathBuf| {
            let ending = path.extension().and_then(|extension| extension.to_str());
            input::is_standard(path) || ending.is_some_and(|e| NO_SOURCES.contains(&e))
        };
        self.files.iter().find(is_none).map(|path| input::name(path))
    }

    /// The sources, to quote.
    #[must_use]
    pub fn sources(&self) -> Statements {
        Statements::new(self.standard_input.as_deref())
    }

    /// The SHA-256 of an input in hexadecimal, if it can be read.
    #[must_use]
    pub fn hash(&self, file: &PathBuf) -> Option<String> {
        match &self.standard_input {
            _ if !input::is_standard(file) => fs::read(file).ok().map(|bytes| sha256(&bytes)),
            Some(bytes) => Some(sha256(bytes)),
            None => None,
        }
    }
}

/// A column of a place in characters, from 1, of one in bytes.
#[must_use]
pub fn column(sources: &mut Statements, place: &Place, bytes: u32) -> u32 {
    let before = usize::try_from(bytes).unwrap_or(1).saturating_sub(1);
    let line = sources.raw_line(&place.file, place.line);
    match line.and_then(|line| line.get(..before)) {
        Some(text) => {
            let characters = String::from_utf8_lossy(text).chars().count();
            u32::try_from(characters).map_or(bytes, |characters| characters + 1)
        }
        None => bytes,
    }
}

/// The SHA-256 of bytes, in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The variable that says the time of what has to come out the same each time it is made
/// (<https://reproducible-builds.org/specs/source-date-epoch/>).
const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Seconds since the beginning of 1970.
    seconds: u64,
    /// Whether the clock says so, and not `SOURCE_DATE_EPOCH`.
    pub is_real: bool,
}

impl Time {
    /// Now; or what `SOURCE_DATE_EPOCH` says, if it is a number.
    #[must_use]
    pub fn now() -> Self {
        let given = std::env::var(EPOCH).ok().and_then(|text| text.parse().ok());
        let clock =
            || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self { seconds: given.unwrap_or_else(clock), is_real: given.is_none() }
    }

    /// In ISO 8601, as universal time: `2026-11-26T10:00:00Z`.
    #[must_use]
    pub fn text(self) -> String {
        const DAY: u64 = 24 * 60 * 60;
        // Later than any clock says, and early enough for the loop.
        let seconds = self.seconds.min(253_402_300_799);
        let (mut days, rest) = (seconds / DAY, seconds % DAY);
        let is_leap = |year: u64| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let mut year = 1970;
        loop {
            let length = if is_leap(year) { 366 } else { 365 };
            if days < length {
                break;
            }
            (days, year) = (days - length, year + 1);
        }
        let february = if is_leap(year) { 29 } else { 28 };
        let mut month = 1;
        for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if days < length {
                break;
            }
            (days, month) = (days - length, month + 1);
        }
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_704_067_199, "2023-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Time { seconds, is_real: false }.text(), text);
        }
    }

    #[test]
    fn hashes_are_those_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), wanted);
    }
}
