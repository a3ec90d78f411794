//! Programs and what `sapa check` must answer.
//!
//! ```text
//! // precise: FAILED --threads 2         exactly this answer, with these options
//! // sound: SUCCESSFUL                   this is the truth; INCONCLUSIVE will do
//! // known gap: SUCCESSFUL --threads 4   this is the truth; today the answer is INCONCLUSIVE
//! // precise: SUCCESSFUL/SUCCESSFUL/FAILED   under sequential consistency, TSO and PSO
//! // NOTE assuming valid pointers        what the answer assumes, with the other options too
//! ```
//! Such lines begin in the first column. `%d` in an option is the folder of the file. A gap that is closed
//! makes its test fail, so that the line is changed to `precise:`. Of three verdicts the first is tested, for what
//! `sapa check` knows is sequential consistency.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Setting;

/// What is asked of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It is this one.
    Precise,
    /// It is this one, or none.
    Sound,
    /// There is none today, although this one is right.
    KnownGap,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What is asked.
    pub level: Level,
    /// The right verdict, as `sapa check` prints it: under sequential consistency.
    pub verdict: String,
    /// The arguments of `sapa check`.
    pub arguments: Vec<String>,
}

/// The words before the colon.
const LEVELS: [(&str, Level); 3] =
    [("precise:", Level::Precise), ("sound:", Level::Sound), ("known gap:", Level::KnownGap)];

/// The verdicts, in the report's words and in those of the first line of an answer.
const VERDICTS: [&str; 3] = ["SUCCESSFUL", "FAILED", "INCONCLUSIVE"];

/// How long a run may take, in seconds: then it is INCONCLUSIVE.
const TIMEOUT: &str = "300";

/// The verdict lines of a text.
///
/// # Errors
/// Names a line whose verdict is none, or that has neither one nor three.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let mut all = Vec::new();
    for line in text.lines() {
        let rest = line.trim_start_matches(['/', ';', '#']).trim_start();
        let found =
            LEVELS.iter().find_map(|(word, level)| Some((*level, rest.strip_prefix(word)?)));
        let Some((level, rest)) = found.filter(|_| !line.starts_with(' ')) else { continue };
        let mut words = rest.split_whitespace().map(str::to_owned);
        let word = words.next().unwrap_or_default();
        let verdicts: Vec<&str> = word.split('/').collect();
        if !matches!(verdicts[..], [_] | [_, _, _]) {
            return Err(format!("'{line}': expected one verdict, or three with '/' between them"));
        }
        if let Some(verdict) = verdicts.iter().find(|verdict| !VERDICTS.contains(verdict)) {
            return Err(format!(
                "'{line}': '{verdict}' is no verdict; expected one of {VERDICTS:?}"
            ));
        }
        let verdict = verdicts[0].to_owned();
        all.push(Expectation { level, verdict, arguments: words.collect() });
    }
    Ok(all)
}

/// The assumptions that answers must name.
pub fn notes(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix("// NOTE ")).map(str::to_owned).collect()
}

impl Expectation {
    /// Runs `sapa check` in the folder of the repository; `folder` is `%d`.
    ///
    /// # Errors
    /// What the answer is instead.
    pub fn test(&self, notes: &[String], folder: &Path, setting: &Setting) -> Result<(), String> {
        let folder = folder.display().to_string();
        let output = Command::new(setting.programs.join("sapa"))
            .args(["check", "--json", "--timeout", TIMEOUT])
            .args(self.arguments.iter().map(|argument| argument.replace("%d", &folder)))
            .current_dir(&setting.root)
            .output()
            .map_err(|error| format!("cannot run sapa: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let report: Value = serde_json::from_str(&printed)
            .map_err(|error| format!("the report is no JSON: {error}:\n{printed}"))?;
        let found = report["verdict"].as_str().unwrap_or_default().to_uppercase();
        let is_open = found == "INCONCLUSIVE";
        let holds = match self.level {
            Level::Precise => found == self.verdict,
            Level::Sound => found == self.verdict || is_open,
            Level::KnownGap => is_open,
        };
        if !holds {
            let advice = match self.level {
                Level::KnownGap if found == self.verdict => "; the gap is closed: say `precise`",
                _ => "",
            };
            let (level, verdict) = (self.level, &self.verdict);
            return Err(format!("{found}, expected {verdict} ({level:?}){advice}:\n{printed}"));
        }
        let assumptions = report["assumptions"].as_array().into_iter().flatten();
        let assumptions: Vec<&str> = assumptions.filter_map(Value::as_str).collect();
        match notes.iter().find(|note| !assumptions.contains(&note.as_str())) {
            Some(note) => Err(format!("'{note}' is not among the assumptions {assumptions:?}")),
            None => Ok(()),
        }
    }
}
