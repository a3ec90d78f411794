//! Programs and what `sapa check` must answer.
//!
//! ```text
//! // precise: FAILED --threads 2         exactly this answer, with these options
//! // sound: SUCCESSFUL                   this is the truth; INCONCLUSIVE will do
//! // known gap: SUCCESSFUL --threads 4   this is the truth; today the answer is INCONCLUSIVE
//! // precise: SUCCESSFUL/SUCCESSFUL/FAILED   these answers with `--mm sc`, `tso` and `pso`
//! // NOTE assuming valid pointers        what the answer assumes, with the other options too
//! ```
//! Such lines begin in the first column. `%d` in an option is the folder of the file. A gap that is closed
//! makes its test fail, so that the line is changed to `precise:`.

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

/// One run that a line asks for.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What is asked.
    pub level: Level,
    /// The right verdict, as `sapa check` prints it.
    pub verdict: String,
    /// The arguments of `sapa check`.
    pub arguments: Vec<String>,
}

/// The words before the colon.
const LEVELS: [(&str, Level); 3] =
    [("precise:", Level::Precise), ("sound:", Level::Sound), ("known gap:", Level::KnownGap)];

/// The verdicts, in the report's words and in those of the first line of an answer.
const VERDICTS: [&str; 3] = ["SUCCESSFUL", "FAILED", "INCONCLUSIVE"];

/// The memory models of the verdicts of a line that has one for each.
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// How long a run may take, in seconds, if the line does not say it: then it is INCONCLUSIVE.
const TIMEOUT: &str = "300";

/// The verdict lines of a text.
///
/// # Errors
/// Names a line whose verdict is none, or that has more than one and not one for each memory model.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let mut all = Vec::new();
    for line in text.lines() {
        let rest = line.trim_start_matches(['/', ';', '#']).trim_start();
        let found =
            LEVELS.iter().find_map(|(word, level)| Some((*level, rest.strip_prefix(word)?)));
        let Some((level, rest)) = found.filter(|_| !line.starts_with(' ')) else { continue };
        let mut words = rest.split_whitespace();
        let verdicts: Vec<&str> = words.next().unwrap_or_default().split('/').collect();
        let arguments: Vec<String> = words.map(str::to_owned).collect();
        if let Some(verdict) = verdicts.iter().find(|verdict| !VERDICTS.contains(verdict)) {
            return Err(format!(
                "'{line}': '{verdict}' is no verdict; expected one of {VERDICTS:?}"
            ));
        }
        if let [verdict] = verdicts[..] {
            all.push(Expectation { level, verdict: verdict.to_owned(), arguments });
            continue;
        }
        if verdicts.len() != MODELS.len() {
            return Err(format!("'{line}': expected one verdict, or one for each of {MODELS:?}"));
        }
        all.extend(MODELS.iter().zip(verdicts).map(|(model, verdict)| {
            let model = ["--mm", model].map(str::to_owned);
            let arguments = model.into_iter().chain(arguments.iter().cloned()).collect();
            Expectation { level, verdict: verdict.to_owned(), arguments }
        }));
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
        let mut command = Command::new(setting.programs.join("sapa"));
        command.current_dir(&setting.root).args(["check", "--json"]);
        if !self.arguments.iter().any(|argument| argument == "--timeout") {
            command.args(["--timeout", TIMEOUT]);
        }
        command.args(self.arguments.iter().map(|argument| argument.replace("%d", &folder)));
        let output = command.output().map_err(|error| format!("cannot run sapa: {error}"))?;
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
        if is_open {
            // Who is cut off takes nothing for granted.
            return Ok(());
        }
        let assumptions = report["assumptions"].as_array().into_iter().flatten();
        let assumptions: Vec<&str> = assumptions.filter_map(Value::as_str).collect();
        match notes.iter().find(|note| !assumptions.contains(&note.as_str())) {
            Some(note) => Err(format!("'{note}' is not among the assumptions {assumptions:?}")),
            None => Ok(()),
        }
    }
}
