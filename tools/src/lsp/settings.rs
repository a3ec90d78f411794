//! What an editor says of checks: the `initializationOptions` of the protocol.

use serde::Deserialize;
use serde_json::Value;

/// The options, with what is meant where the editor says nothing.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// `--timeout` of each check: it replaces that of `sapa.toml`, as the command line does. Without either,
    /// [`TIMEOUT`].
    pub timeout: Option<f64>,
    /// `--memory-limit` of each check, in the same way. Without either, [`MEMORY`].
    pub memory_limit: Option<u64>,
    /// Further words for `sapa check`.
    pub arguments: Vec<String>,
    /// Whether a file is checked when it is opened.
    pub check_on_open: bool,
    /// Whether a file is checked when it is saved.
    pub check_on_save: bool,
    /// How many checks run at once.
    pub checks_at_once: usize,
}

/// Seconds that a check may take.
pub const TIMEOUT: f64 = 60.0;

/// Megabytes that a check may have.
pub const MEMORY: u64 = 4000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: None,
            memory_limit: None,
            arguments: Vec::new(),
            check_on_open: true,
            check_on_save: true,
            checks_at_once: 2,
        }
    }
}

impl Settings {
    /// What the options of an editor say, and what is wrong with them: then none of them counts.
    #[must_use]
    pub fn read(options: &Value) -> (Self, Option<String>) {
        if options.is_null() {
            return (Self::default(), None);
        }
        if !options.is_object() {
            return (Self::default(), Some(wrong("they are no JSON object")));
        }
        match Self::deserialize(options) {
            Ok(settings) if settings.timeout.is_some_and(|s| !(s.is_finite() && s > 0.0)) => {
                (Self::default(), Some(wrong("'timeout' is a number of seconds above 0")))
            }
            Ok(settings) if settings.checks_at_once == 0 || settings.memory_limit == Some(0) => {
                let why = "'checksAtOnce' and 'memoryLimit' are numbers above 0";
                (Self::default(), Some(wrong(why)))
            }
            Ok(settings) => (settings, None),
            Err(error) => (Self::default(), Some(wrong(&error.to_string()))),
        }
    }
}

fn wrong(why: &str) -> String {
    format!("the initializationOptions are not used: {why}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wrong_options_are_said() {
        let (settings, why) = Settings::read(&json!({ "timeout": 2.5, "checkOnOpen": false }));
        assert!(why.is_none() && settings.timeout == Some(2.5));
        assert!(!settings.check_on_open && settings.check_on_save);
        for options in [
            json!({ "timeOut": 2 }),
            json!({ "timeout": 0 }),
            json!({ "memoryLimit": 0 }),
            json!({ "checksAtOnce": 0 }),
            json!({ "arguments": "--all" }),
            json!([1]),
        ] {
            let (settings, why) = Settings::read(&options);
            assert!(why.is_some() && settings.check_on_open, "{options}");
        }
    }
}
