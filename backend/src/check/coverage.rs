//! Which assertions of a Boolean program runs come to at all. A proof says nothing of one that no
//! run reaches. What is asked is answered by the engines: in a copy of the program, an assertion
//! that always fails stands at the place.
//!
//! An assertion that always fails marks a place that is not to be reached, as error labels do; of
//! it the branches count that decide whether it is.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::{FlatExpr, FlatProgram, FlatStatement, LocationId};

use super::{Answer, CheckOptions, Engine, check};

/// What is known of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A run comes to it.
    Reached,
    /// No run does.
    Unreachable,
    /// Neither was shown.
    Unknown,
}

/// The work that may be done in any case, in units of [`Statistics::work`](crate::check::Statistics::work).
pub const LEAST_WORK: u64 = 1 << 22;

/// The part of the work of the whole proof that may be added to [`LEAST_WORK`].
pub const PART: u64 = 16;

/// Which assertions runs come to in a program that an engine proved with these options, by the
/// positions of the assertions in the source, however many copies calls make. `work` is what the
/// proof took; finding out may take a part of that.
#[must_use]
pub fn coverage(
    engine: &'static Engine,
    program: &FlatProgram,
    options: &CheckOptions,
    work: u64,
) -> Vec<(Position, Reach)> {
    let goals = goals(program);
    let mut known: BTreeMap<Position, Reach> =
        goals.iter().map(|(position, _)| (*position, Reach::Unknown)).collect();
    let mut left = LEAST_WORK.saturating_add(work / PART);
    loop {
        let pending: BTreeSet<LocationId> = goals
            .iter()
            .filter(|(position, _)| known.get(position) == Some(&Reach::Unknown))
            .flat_map(|(_, places)| places.iter().copied())
            .collect();
        if left == 0 || pending.is_empty() {
            break;
        }
        let copy = guarded(program, &pending);
        let options = CheckOptions { max_work: Some(left), ..options.clone() };
        let outcome = check(engine, &copy, &options, &mut |_| {});
        left = left.saturating_sub(outcome.statistics.work.max(1));
        match outcome.answer {
            Answer::Safe { .. } => {
                for reach in known.values_mut().filter(|reach| **reach == Reach::Unknown) {
                    *reach = Reach::Unreachable;
                }
            }
            Answer::Failing { trace, .. } => {
                let found = goals.iter().filter(|(_, at)| at.contains(&trace.failing_location));
                known.extend(found.map(|(position, _)| (*position, Reach::Reached)));
                if !pending.contains(&trace.failing_location) {
                    break;
                }
            }
            Answer::Imprecise(_) | Answer::Unknown(_) => break,
        }
    }
    known.into_iter().collect()
}

/// What is known before anything was looked for.
#[must_use]
pub fn unknown(program: &FlatProgram) -> Vec<(Position, Reach)> {
    let found = program.locations.iter().filter_map(|location| match location.statement {
        FlatStatement::Assert { .. } => Some(location.position),
        _ => None,
    });
    found.collect::<BTreeSet<_>>().into_iter().map(|at| (at, Reach::Unknown)).collect()
}

/// The assertions, and the places that stand for each.
fn goals(program: &FlatProgram) -> Vec<(Position, BTreeSet<LocationId>)> {
    let predecessors = predecessors(program);
    let mut found = Vec::new();
    for (index, location) in (0u32..).zip(&program.locations) {
        let FlatStatement::Assert { condition, .. } = &location.statement else { continue };
        let here = LocationId(index);
        let places = match condition {
            FlatExpr::Constant(false) => deciding(program, &predecessors, here),
            _ => BTreeSet::from([here]),
        };
        found.push((location.position, places));
    }
    found
}

/// The program with an assertion that always fails at each of these places, and no other.
fn guarded(program: &FlatProgram, places: &BTreeSet<LocationId>) -> FlatProgram {
    let mut program = program.clone();
    for (index, location) in (0u32..).zip(&mut program.locations) {
        let here = LocationId(index);
        if places.contains(&here) {
            location.statement =
                FlatStatement::Assert { condition: FlatExpr::Constant(false), next: here };
        } else if let FlatStatement::Assert { condition, .. } = &mut location.statement {
            *condition = FlatExpr::Constant(true);
        }
    }
    program
}

fn predecessors(program: &FlatProgram) -> Vec<Vec<LocationId>> {
    let mut found = vec![Vec::new(); program.locations.len()];
    for (index, location) in (0u32..).zip(&program.locations) {
        for next in location.statement.successors() {
            if let Some(list) = found.get_mut(next.index()) {
                list.push(LocationId(index));
            }
        }
    }
    found
}

/// The last places with a choice on the ways to a location: branches and assumptions. The location
/// itself if there is a way without.
fn deciding(
    program: &FlatProgram,
    predecessors: &[Vec<LocationId>],
    location: LocationId,
) -> BTreeSet<LocationId> {
    let starts = program.locations.iter().filter_map(|location| match location.statement {
        FlatStatement::StartThread { entry, .. } => Some(entry),
        _ => None,
    });
    let starts: BTreeSet<LocationId> = starts.chain([program.entry]).collect();
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([location]);
    let mut pending = vec![location];
    while let Some(to) = pending.pop() {
        if starts.contains(&to) {
            found.insert(location);
        }
        for &from in predecessors.get(to.index()).into_iter().flatten() {
            let has_choice = match program.statement(from) {
                FlatStatement::Assume { .. } => true,
                FlatStatement::Goto { targets } => targets.len() > 1,
                _ => false,
            };
            if has_choice {
                found.insert(from);
            } else if seen.insert(from) {
                pending.push(from);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{ThreadBound, auto};
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    fn lines(text: &str) -> Vec<(u32, Reach)> {
        let program = parse(text).expect("it parses");
        let program = flatten(&program, &FlattenOptions::default()).expect("it flattens");
        let options = CheckOptions::new(ThreadBound::Unbounded);
        let found = coverage(&auto::ENGINE, &program, &options, 0);
        found.into_iter().map(|(position, reach)| (position.line, reach)).collect()
    }

    #[test]
    fn assertions_are_reached_or_not() {
        let text = "decl g := 1;\nvoid main() begin\nassert(g);\nassume(!g);\nassert(g);\nend";
        assert_eq!(lines(text), [(3, Reach::Reached), (5, Reach::Unreachable)]);
    }

    #[test]
    fn of_an_error_label_the_branch_counts() {
        let text = "decl g := 1;\nvoid main() begin\nif (!g) then\nSLIC_ERROR: skip;\nfi;\nend";
        assert_eq!(lines(text), [(4, Reach::Reached)]);
        let stuck = text.replace("begin\n", "begin assume(!g);\n");
        assert_eq!(lines(&stuck), [(4, Reach::Unreachable)]);
    }
}
