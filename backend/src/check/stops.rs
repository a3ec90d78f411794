//! Where chains of skips and jumps lead, so that engines can walk them at once.

use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocationId};

/// Longer chains of skips and jumps are walked step by step.
const MAX_CHAIN: usize = 256;

/// Where a thread that arrives at a location stops, indexed by location; never empty. With
/// `compress`, that is behind all skips and gotos, else at the location itself.
pub(crate) fn stops(program: &FlatProgram, compress: bool) -> Vec<Vec<LocationId>> {
    let at = |location| if compress { behind(program, location) } else { vec![location] };
    program.iter().map(|(location, _)| at(location)).collect()
}

/// The statements other than skips and gotos that a thread comes to by those only. A thread that
/// can go round for ever may as well stand still; if there is nothing else, it stays.
fn behind(program: &FlatProgram, from: LocationId) -> Vec<LocationId> {
    let mut seen = vec![from];
    let mut stops = Vec::new();
    let mut at = 0;
    while let Some(location) = seen.get(at).copied() {
        if at == MAX_CHAIN {
            return vec![from];
        }
        at += 1;
        match program.statement(location) {
            FlatStatement::Skip { .. } | FlatStatement::Goto { .. } => {
                for next in program.statement(location).successors() {
                    if !seen.contains(next) {
                        seen.push(*next);
                    }
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
