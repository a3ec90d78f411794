//! Sets of fences that suffice, for people and for programs.

use std::fmt::Write;

use serde::Serialize;

use crate::report::{Decider, FailedAssertion, Place, Step, Style};
use crate::trace;

/// What is known of the fences of a program.
#[derive(Clone, Debug, Serialize)]
pub struct FenceSets {
    /// How many places for fences there are: behind stores that may wait.
    pub places: usize,
    /// How many times the program was checked with some fences.
    pub checks: usize,
    /// Whether these are all minimal sets, and each is minimal.
    pub complete: bool,
    /// The sets that suffice, smaller ones first.
    pub sets: Vec<FenceSet>,
}

/// A set of fences that suffices.
#[derive(Clone, Debug, Serialize)]
pub struct FenceSet {
    /// The fences, in the order of the source.
    pub fences: Vec<Fence>,
    /// What proved that it suffices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proved_by: Option<Decider>,
    /// The fences as a patch of the sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why there is no patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_patch: Option<String>,
    /// The file that the patch was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_file: Option<String>,
}

/// A fence.
#[derive(Clone, Debug, Serialize)]
pub struct Fence {
    /// The store behind which it stands.
    #[serde(flatten)]
    pub place: Place,
    /// The statement that this is in, in the words of the source.
    pub statement: String,
    /// What fails with the others alone, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<Without>,
}

/// An execution that fails with all fences of a set but one.
#[derive(Clone, Debug, Serialize)]
pub struct Without {
    /// The assertion that fails.
    pub failed_assertion: FailedAssertion,
    /// The execution.
    pub trace: Vec<Step>,
}

impl FenceSets {
    /// In lines, each with its end.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let mut out = String::new();
        let count = self.sets.len();
        for (number, set) in self.sets.iter().enumerate() {
            let _ = match (set.fences.len(), self.complete) {
                (0, _) => writeln!(out, "No fence is needed."),
                (fences, true) => {
                    let noun = if fences == 1 { "fence" } else { "fences" };
                    writeln!(out, "Minimal set {} of {count}, {fences} {noun}:", number + 1)
                }
                (fences, false) => {
                    let noun = if fences == 1 { "fence" } else { "fences" };
                    writeln!(out, "Set {} that suffices, {fences} {noun}:", number + 1)
                }
            };
            set.write(&mut out, style, |place| self.name(place));
        }
        out
    }

    /// File and line of a store, and its column where another one of the line has a place too.
    fn name(&self, place: &Place) -> String {
        let all = self.sets.iter().flat_map(|set| &set.fences).map(|fence| &fence.place);
        let same_line = |other: &&Place| (&other.file, other.line) == (&place.file, place.line);
        let is_clear = all.filter(same_line).all(|other| other.column == place.column);
        match place.column.filter(|_| !is_clear) {
            Some(column) => format!("{place}:{column}"),
            None => place.to_string(),
        }
    }
}

impl FenceSet {
    fn write(&self, out: &mut String, style: Style, name: impl Fn(&Place) -> String) {
        let places: Vec<String> = self.fences.iter().map(|fence| name(&fence.place)).collect();
        let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
        for (place, fence) in places.iter().zip(&self.fences) {
            let line = format!("  behind {place:<width$}  {}", fence.statement);
            let _ = writeln!(out, "{}", line.trim_end());
            if style.quiet {
                continue;
            }
            match &fence.without {
                Some(without) => {
                    let failed = &without.failed_assertion;
                    let (steps, place) = (without.trace.len(), &failed.place);
                    let text = &failed.text;
                    let _ = writeln!(
                        out,
                        "    without it a run of {steps} steps fails at {place}: {text}"
                    );
                    if style.verbose {
                        for line in trace::text(&without.trace).lines() {
                            let _ = writeln!(out, "    {line}");
                        }
                    }
                }
                None => {
                    let _ = writeln!(out, "    without it, no answer");
                }
            }
        }
        if let (Some(file), false) = (&self.patch_file, style.quiet) {
            let _ = writeln!(out, "  as a patch: {file}");
        }
        if let (Some(why), false) = (&self.no_patch, style.quiet) {
            let _ = writeln!(out, "  no patch: {why}");
        }
    }
}
