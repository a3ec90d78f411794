//! SARIF 2.1.0 (OASIS standard, 27 March 2020): a run with a result for each assertion that fails. An execution is a
//! code flow: a flow of locations for each thread, which `executionOrder` puts in one order.
//!
//! A success is an empty list of results. So that nobody takes the empty list of a run that came to nothing for one,
//! its invocation is not successful, and a notification says why.

use serde_json::{Map, Value, json};

use super::{Context, Product};
use crate::failure::{Message, Severity};
use crate::input;
use crate::report::{Part, Place, Report, Step};
use crate::statements::Statements;
use crate::verdict::Exit;
use sapa_passes::PROPERTIES;

/// Where the schema is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rule of assertions of which no property is known.
const OWN: &str = "assertions";

/// Writes a report.
///
/// # Errors
/// None that is known.
pub fn write(report: &Report, context: &Context) -> Product {
    let mut log = Log { context, sources: context.sources() };
    let value = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [log.run(report)] });
    let text = serde_json::to_string_pretty(&value).map_err(|error| error.to_string())?;
    Ok(format!("{text}\n"))
}

struct Log<'a> {
    context: &'a Context,
    sources: Statements,
}

/// What a result is about.
struct Claim<'a> {
    property: &'a str,
    text: &'a str,
    place: &'a Place,
}

impl Log<'_> {
    fn run(&mut self, report: &Report) -> Value {
        json!({
            "tool": { "driver": {
                "name": "sapa",
                "version": report.sapa,
                "semanticVersion": report.sapa,
                "rules": rules(),
            } },
            "invocations": [self.invocation(report)],
            "artifacts": self.artifacts(),
            "columnKind": "unicodeCodePoints",
            "results": self.results(report),
            "properties": {
                "verdict": report.verdict.word(),
                "circumstances": report.circumstances(),
            },
        })
    }

    fn invocation(&mut self, report: &Report) -> Value {
        let is_answered = matches!(report.verdict, Exit::Successful | Exit::Failed);
        let ended = super::context::Time::now();
        let warnings = report.warnings.iter().map(|message| self.notification(message));
        let mut notifications: Vec<Value> = warnings.collect();
        if let Some(reason) = &report.reason {
            let parts = reason.parts.iter().map(|part| self.part(part));
            let before = notifications.len();
            notifications.extend(parts);
            // Those of an answer that is open repeat what its parts say.
            if notifications.len() == before {
                notifications.extend(reason.messages.iter().map(|m| self.notification(m)));
            }
            if notifications.len() == before {
                notifications.push(json!({
                    "level": "error",
                    "message": { "text": reason.text },
                }));
            }
        }
        json!({
            "executionSuccessful": is_answered,
            "exitCode": report.exit_code,
            "arguments": self.context.arguments,
            "startTimeUtc": self.context.began.text(),
            "endTimeUtc": ended.text(),
            "toolExecutionNotifications": notifications,
        })
    }

    /// Something that stood in the way of a verdict.
    fn part(&mut self, part: &Part) -> Value {
        let mut value = json!({
            "level": "error",
            "descriptor": { "id": part.kind.word() },
            "message": { "text": part.text },
        });
        if let Some(place) = &part.place {
            value["locations"] = json!([self.location(place, None)]);
        }
        value
    }

    fn notification(&mut self, message: &Message) -> Value {
        let level = match message.severity {
            Severity::Error | Severity::Internal => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let mut value = json!({ "level": level, "message": { "text": message.text } });
        if let Some(file) = &message.file {
            let place = Place {
                file: file.clone(),
                line: message.line.unwrap_or(0),
                column: message.column,
                function: None,
            };
            value["locations"] = json!([self.location(&place, None)]);
        }
        value
    }

    fn artifacts(&self) -> Value {
        let artifact = |file: &std::path::PathBuf| {
            let mut value = json!({
                "location": { "uri": uri(&input::name(file)) },
                "roles": ["analysisTarget"],
            });
            if let Some(hash) = self.context.hash(file) {
                value["hashes"] = json!({ "sha-256": hash });
            }
            value
        };
        self.context.files.iter().map(artifact).collect()
    }

    fn results(&mut self, report: &Report) -> Vec<Value> {
        if let Some(results) = &report.results {
            let result = |result: &crate::all::AssertionVerdict| {
                let claim =
                    Claim { property: result.property, text: &result.text, place: &result.place };
                match result.verdict {
                    "fails" => self.failure(&claim, result.trace.as_deref().unwrap_or_default()),
                    "proved" => self.other("pass", &claim, "Proved"),
                    "not_reached" => self.other("notApplicable", &claim, "No run comes to it"),
                    _ => self.other("open", &claim, "Not known"),
                }
            };
            return results.iter().map(result).collect();
        }
        let Some(failed) = report.failed_assertion.as_ref() else { return Vec::new() };
        let property = failed.property.unwrap_or(OWN);
        let claim = Claim { property, text: &failed.text, place: &failed.place };
        vec![self.failure(&claim, report.trace.as_deref().unwrap_or_default())]
    }

    /// A result of a kind.
    fn result(&mut self, kind: &str, level: &str, claim: &Claim<'_>, words: &str) -> Value {
        let mut result = json!({
            "ruleId": claim.property,
            "kind": kind,
            "level": level,
            "message": { "text": format!("{words}: {}", claim.text) },
            "locations": [self.location(claim.place, None)],
        });
        let rule = PROPERTIES.iter().position(|property| property.name == claim.property);
        if let Some(rule) = rule {
            result["ruleIndex"] = json!(rule);
        }
        result
    }

    fn other(&mut self, kind: &str, claim: &Claim<'_>, words: &str) -> Value {
        self.result(kind, "none", claim, words)
    }

    /// An assertion that fails.
    fn failure(&mut self, claim: &Claim<'_>, trace: &[Step]) -> Value {
        let mut result = self.result("fail", "error", claim, "Failed assertion");
        if trace.is_empty() {
            return result;
        }
        let flow = json!({
            "message": { "text": "An execution that fails; executionOrder says who acts when." },
            "threadFlows": self.flows(trace),
        });
        result["codeFlows"] = json!([flow]);
        let before = &trace[..trace.len() - 1];
        let related: Vec<Value> = before
            .iter()
            .filter_map(|step| {
                // The other access of a race, or another thread of a deadlock.
                let event = step.events.iter().find(|e| matches!(e.kind, "stand" | "give-up"))?;
                let place = event.place.as_ref().unwrap_or(&step.place);
                let text = format!("{} {}: {}", who(step), event.text, step.statement);
                Some(self.location(place, Some(&text)))
            })
            .enumerate()
            .map(|(id, mut location)| {
                location["id"] = json!(id);
                location
            })
            .collect();
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        result
    }

    /// The flows of the threads, by their numbers.
    fn flows(&mut self, trace: &[Step]) -> Vec<Value> {
        let mut threads: Vec<u32> = trace.iter().map(|step| step.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let flow = |thread: u32| {
            let steps = trace.iter().enumerate().filter(|(_, step)| step.thread == thread);
            let name =
                trace.iter().find(|step| step.thread == thread).map_or_else(String::new, who);
            let locations: Vec<Value> = steps
                .map(|(index, step)| self.step(index, step, index + 1 == trace.len()))
                .collect();
            json!({
                "id": format!("thread {thread}"),
                "message": { "text": name },
                "locations": locations,
            })
        };
        threads.into_iter().map(flow).collect()
    }

    /// What a thread does at a statement; the number is that of the row of the trace, from 0.
    fn step(&mut self, index: usize, step: &Step, is_last: bool) -> Value {
        let events: Vec<&str> = step.events.iter().map(|event| event.text.as_str()).collect();
        let events = events.join(", ");
        let text = match (step.statement.as_str(), events.as_str()) {
            ("", events) => events.to_owned(),
            (statement, "") => statement.to_owned(),
            (statement, events) => format!("{statement}  ({events})"),
        };
        let stays = step.events.iter().any(|e| matches!(e.kind, "stand" | "give-up"));
        let importance = if is_last || stays { "essential" } else { "important" };
        let mut value = json!({
            "location": self.location(&step.place, Some(&text)),
            "executionOrder": index + 1,
            "importance": importance,
        });
        let mut kinds: Vec<&str> =
            step.events.iter().flat_map(|e| kinds(e.kind)).copied().collect();
        let mut known: Vec<&str> = Vec::new();
        kinds.retain(|kind| {
            !known.contains(kind) && {
                known.push(kind);
                true
            }
        });
        if !kinds.is_empty() {
            value["kinds"] = json!(kinds);
        }
        let mut state = Map::new();
        for event in &step.events {
            if let (Some(name), Some(text)) = (&event.name, &event.value) {
                state.insert(name.clone(), json!({ "text": text }));
            }
        }
        if !state.is_empty() {
            value["state"] = Value::Object(state);
        }
        value
    }

    /// A place, with what there is to say of it.
    fn location(&mut self, place: &Place, text: Option<&str>) -> Value {
        let mut location = Map::new();
        if !place.file.is_empty() && place.file != "?" {
            let mut artifact = json!({ "uri": uri(&place.file) });
            let index = self.context.files.iter().position(|f| input::name(f) == place.file);
            if let Some(index) = index {
                artifact["index"] = json!(index);
            }
            let mut physical = json!({ "artifactLocation": artifact });
            if place.line != 0 {
                let mut region = json!({ "startLine": place.line });
                if let Some(column) = place.column {
                    region["startColumn"] =
                        json!(super::context::column(&mut self.sources, place, column));
                }
                physical["region"] = region;
            }
            location.insert("physicalLocation".to_owned(), physical);
        }
        if let Some(function) = &place.function {
            let logical = json!([{ "name": function, "kind": "function" }]);
            location.insert("logicalLocations".to_owned(), logical);
        }
        if let Some(text) = text {
            location.insert("message".to_owned(), json!({ "text": text }));
        }
        Value::Object(location)
    }
}

/// All properties; a result's `ruleIndex` is an index into them.
fn rules() -> Vec<Value> {
    let rule = |property: &sapa_passes::Property| {
        json!({
            "id": property.name,
            "shortDescription": { "text": property.summary },
            "defaultConfiguration": { "level": "error" },
        })
    };
    PROPERTIES.iter().map(rule).collect()
}

/// A thread in words.
fn who(step: &Step) -> String {
    match &step.thread_function {
        Some(function) => format!("thread {} ({function})", step.thread),
        None => format!("thread {}", step.thread),
    }
}

/// The words for an event that the standard proposes (3.38.8, "kinds property").
fn kinds(event: &str) -> &'static [&'static str] {
    match event {
        "lock" | "lock-to-read" | "lock-to-write" | "lock-again" | "take" => &["acquire", "lock"],
        "unlock" | "post" => &["release", "lock"],
        "allocate" => &["acquire", "memory"],
        "free" => &["release", "memory"],
        "start" => &["call", "function"],
        "fail" => &["danger"],
        _ => &[],
    }
}

/// A file as a URI reference: relative as it is, absolute with a scheme; what has a meaning in URIs is escaped.
fn uri(file: &str) -> String {
    let mut uri = if file.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_uris() {
        assert_eq!(uri("a b/c.c"), "a%20b/c.c");
        assert_eq!(uri("/x/\u{e4}#.c"), "file:///x/%C3%A4%23.c");
        assert_eq!(uri("a:b.c"), "a%3Ab.c");
    }
}
