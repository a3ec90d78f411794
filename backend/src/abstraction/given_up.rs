//! What was left out because the SAT solver would have had to work too much for it. Abstractions are
//! coarser then, so that what is proved over them still holds, but a proof may be missed: the verdict
//! says so.

use std::collections::BTreeSet;

use crate::solver::TermId;

/// Questions that the solver did not answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenUp {
    /// Calls that needed too many conflicts.
    pub hard: u64,
    /// Calls that were not enough for something that was given up as a whole.
    pub calls: u64,
    /// The variables that it was about.
    pub variables: BTreeSet<TermId>,
}

impl GivenUp {
    /// Whether nothing was given up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hard == 0 && self.calls == 0
    }

    /// Adds another one.
    pub fn add(&mut self, other: GivenUp) {
        self.hard += other.hard;
        self.calls += other.calls;
        self.variables.extend(other.variables);
    }

    /// What was given up, about variables of these names; none if the source has no name for them.
    #[must_use]
    pub fn text(&self, names: &[String]) -> String {
        const MOST: usize = 8;
        let mut listed = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
        if names.len() > MOST {
            listed.push_str(", …");
        }
        if names.is_empty() {
            listed.push_str("what the source does not name");
        }
        let one_or_more = |count: u64| match count {
            1 => "1 call of the solver was".to_owned(),
            count => format!("{count} calls of the solver were"),
        };
        let mut reasons = Vec::new();
        if self.calls > 0 {
            reasons.push(format!("{} not enough", one_or_more(self.calls)));
        }
        if self.hard > 0 {
            reasons.push(format!("{} too hard", one_or_more(self.hard)));
        }
        format!("gave up predicates over {listed}: {}", reasons.join(", and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_reasons_are_said() {
        let names: Vec<String> = (0..9).map(|n| format!("v{n}")).collect();
        let few = GivenUp { calls: 30_000, ..GivenUp::default() };
        assert_eq!(
            few.text(&names[..2]),
            "gave up predicates over v0, v1: 30000 calls of the solver were not enough"
        );
        assert!(
            few.text(&[]).starts_with("gave up predicates over what the source does not name:")
        );
        let mut both = GivenUp { hard: 1, ..GivenUp::default() };
        both.add(few);
        let text = both.text(&names);
        assert!(
            text.contains("v7, …: 30000") && text.ends_with("1 call of the solver was too hard")
        );
    }
}
