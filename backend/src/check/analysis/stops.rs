//! Where chains of skips and jumps lead, so that engines can walk them at once.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocationId};

/// Longer chains of skips and jumps are walked step by step.
const MAX_CHAIN: usize = 256;

/// Where a thread that arrives at a location stops, indexed by location; never empty. With
/// `compress`, that is behind all skips and gotos, else at the location itself.
pub(crate) fn stops(program: &FlatProgram, compress: bool) -> Vec<Vec<LocationId>> {
    let count = program.locations.len();
    let mut walk = Walk { program, round: 0, seen_in: vec![0; count], long: vec![false; count] };
    let at = |location| if compress { walk.behind(location) } else { vec![location] };
    program.iter().map(|(location, _)| location).map(at).collect()
}

struct Walk<'a> {
    program: &'a FlatProgram,
    round: usize,
    /// The last round in which each location was seen.
    seen_in: Vec<usize>,
    /// From which locations the chain was found to be too long. Those before them need no walk.
    long: Vec<bool>,
}

impl Walk<'_> {
    /// Where a skip or goto leads; nothing for other statements.
    fn leads_on(&self, location: LocationId) -> &[LocationId] {
        match self.program.statement(location) {
            statement @ (FlatStatement::Skip { .. } | FlatStatement::Goto { .. }) => {
                statement.successors()
            }
            _ => &[],
        }
    }

    /// The statements other than skips and gotos that a thread comes to by those only. A thread
    /// that can go round for ever may as well stand still; if there is nothing else, it stays.
    fn behind(&mut self, from: LocationId) -> Vec<LocationId> {
        if self.leads_on(from).iter().any(|next| self.long[next.index()]) {
            self.long[from.index()] = true;
            return vec![from];
        }
        self.round += 1;
        self.seen_in[from.index()] = self.round;
        let mut seen = vec![from];
        let mut stops = Vec::new();
        let mut at = 0;
        while let Some(location) = seen.get(at).copied() {
            at += 1;
            match self.program.statement(location) {
                FlatStatement::Skip { .. } | FlatStatement::Goto { .. } => {
                    for next in self.program.statement(location).successors() {
                        if self.seen_in[next.index()] != self.round {
                            self.seen_in[next.index()] = self.round;
                            seen.push(*next);
                        }
                    }
                    if seen.len() > MAX_CHAIN {
                        self.long[from.index()] = true;
                        return vec![from];
                    }
                }
                _ => stops.push(location),
            }
        }
        if stops.is_empty() {
            stops.push(from);
        }
        stops.sort();
        stops
    }
}

/// The locations after each of the skips and jumps from one location to another; shortest.
pub(crate) fn chain(
    program: &FlatProgram,
    from: LocationId,
    goal: LocationId,
) -> Option<Vec<LocationId>> {
    let mut came: FxHashMap<LocationId, LocationId> = FxHashMap::default();
    came.insert(from, from);
    let mut queue = VecDeque::from([from]);
    while let Some(location) = queue.pop_front() {
        if location == goal {
            let mut chain = Vec::new();
            let mut at = goal;
            while at != from {
                chain.push(at);
                at = *came.get(&at)?;
            }
            chain.reverse();
            return Some(chain);
        }
        if let FlatStatement::Skip { .. } | FlatStatement::Goto { .. } = program.statement(location)
        {
            for next in program.statement(location).successors() {
                if !came.contains_key(next) {
                    came.insert(*next, location);
                    queue.push_back(*next);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    fn program_of(text: &str) -> FlatProgram {
        flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
    }

    #[test]
    fn stops_are_behind_skips_and_jumps() {
        let program = program_of("decl g; void main() begin A: skip; goto A, B; B: g := 1; end");
        let stops = stops(&program, true);
        let walked = stops[program.entry.index()].clone();
        assert!(matches!(program.statement(walked[0]), FlatStatement::Assign { .. }), "{walked:?}");
        assert_eq!(walked.len(), 1);
    }

    #[test]
    fn long_chains_are_walked_step_by_step_up_to_their_last_part() {
        let text = format!("decl g; void main() begin {} A: g := 1; end", "skip; ".repeat(1000));
        let program = program_of(&text);
        let stops = stops(&program, true);
        let mut at = program.entry;
        let mut stays = 0;
        while let FlatStatement::Skip { next } = program.statement(at) {
            stays += usize::from(stops[at.index()] == [at]);
            at = *next;
        }
        assert_eq!(stays, 1000 + 1 - MAX_CHAIN);
    }

    #[test]
    fn dense_control_flow_is_walked_through() {
        // As many jumps as are walked at once, each to all of them, and one that leads out.
        let jumps = |count: usize| {
            let labels: Vec<String> = (0..count).map(|n| format!("L{n}")).collect();
            let labels = labels.join(", ");
            let jumps: String = (0..count).map(|n| format!("L{n}: goto {labels}, M;")).collect();
            program_of(&format!("decl g; void main() begin {jumps} M: g := 1; end"))
        };
        let program = jumps(MAX_CHAIN - 6);
        let walked = stops(&program, true)[program.entry.index()].clone();
        assert_eq!(walked.len(), 1);
        assert!(matches!(program.statement(walked[0]), FlatStatement::Assign { .. }), "{walked:?}");
        // More are not: a thread stops where it is.
        let program = jumps(MAX_CHAIN);
        assert_eq!(stops(&program, true)[program.entry.index()], [program.entry]);
    }
}
