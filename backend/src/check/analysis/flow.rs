//! Orders of locations by the flow of control.

use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocationId};

/// All locations, each after its successors but for edges that close a loop.
pub(crate) fn successors_first(program: &FlatProgram) -> Vec<LocationId> {
    let mut order = Vec::with_capacity(program.locations.len());
    let mut seen = vec![false; program.locations.len()];
    for (root, _) in program.iter() {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        // Each location with how many of the locations it mentions were visited.
        let mut path = vec![(root, 0)];
        while let Some((location, visited)) = path.last_mut() {
            let statement = program.statement(*location);
            let started = match statement {
                FlatStatement::StartThread { entry, .. } => Some(*entry),
                _ => None,
            };
            let next = statement.successors().iter().copied().chain(started).nth(*visited);
            *visited += 1;
            match next {
                Some(next) if !std::mem::replace(&mut seen[next.index()], true) => {
                    path.push((next, 0));
                }
                Some(_) => {}
                None => {
                    order.push(*location);
                    path.pop();
                }
            }
        }
    }
    order
}
