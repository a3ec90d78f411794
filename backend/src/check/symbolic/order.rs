//! A static order of the variables from the program: variables that statements mention together
//! come close to each other (FORCE, Aloul, Markov and Sakallah 2003).

use sapa_ir::boolean::flat::{FlatExpr, FlatProgram, FlatStatement, VariableRef};

/// The indices of the shared variables and of the locals, first in the order first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct VariableOrder {
    pub(crate) shared: Vec<usize>,
    pub(crate) locals: Vec<usize>,
}

/// Rounds of moving each variable to the middle of those it is used with.
const ROUNDS: usize = 40;

impl VariableOrder {
    pub(crate) fn new(program: &FlatProgram) -> VariableOrder {
        let shared = program.shared.len();
        let count = shared + program.locals.len();
        let edges: Vec<Vec<usize>> = program
            .locations
            .iter()
            .flat_map(|location| together(&location.statement, shared))
            .filter(|edge| edge.len() > 1)
            .collect();
        let order = force(count, &edges);
        let pick = |keep: &dyn Fn(usize) -> Option<usize>| -> Vec<usize> {
            order.iter().filter_map(|v| keep(*v)).collect()
        };
        VariableOrder {
            shared: pick(&|v| (v < shared).then_some(v)),
            locals: pick(&|v| v.checked_sub(shared)),
        }
    }
}

/// The variables that depend on each other in a statement: each target with what its value reads,
/// and those of each constraint. Shared variables come first, then locals.
fn together(statement: &FlatStatement, shared: usize) -> Vec<Vec<usize>> {
    let mentioned = |target: Option<usize>, e: &FlatExpr| {
        let mut edge: Vec<usize> = target.into_iter().collect();
        e.for_each_variable(&mut |variable| {
            edge.push(match variable {
                VariableRef::Shared(v) | VariableRef::NextShared(v) => v.index(),
                VariableRef::Local(v)
                | VariableRef::NextLocal(v)
                | VariableRef::Passive(v)
                | VariableRef::NextPassive(v) => shared + v.index(),
            });
        });
        edge.sort_unstable();
        edge.dedup();
        edge
    };
    match statement {
        FlatStatement::Assume { condition, .. } | FlatStatement::Assert { condition, .. } => {
            vec![mentioned(None, condition)]
        }
        FlatStatement::Assign { assignment, .. } => {
            let to_shared = assignment.shared.iter().map(|(v, e)| mentioned(Some(v.index()), e));
            let to_locals = assignment.local.iter().chain(&assignment.broadcast);
            let to_locals = to_locals.map(|(v, e)| mentioned(Some(shared + v.index()), e));
            let constraints = assignment.constraint.iter().chain(&assignment.passive_constraint);
            let constraints = constraints.map(|e| mentioned(None, e));
            to_shared.chain(to_locals).chain(constraints).collect()
        }
        _ => Vec::new(),
    }
}

/// An order of `count` vertices that makes the edges' spans small.
fn force(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut best = (span(&order, edges), order.clone());
    for _ in 0..ROUNDS {
        let place = places(&order);
        let mut pull = vec![(0.0, 0u32); count];
        for edge in edges {
            let centre = edge.iter().map(|v| place[*v] as f64).sum::<f64>() / edge.len() as f64;
            for &v in edge {
                pull[v].0 += centre;
                pull[v].1 += 1;
            }
        }
        let at = |v: usize| {
            let (sum, number) = pull[v];
            if number == 0 { place[v] as f64 } else { sum / f64::from(number) }
        };
        order.sort_by(|a, b| at(*a).total_cmp(&at(*b)));
        let span = span(&order, edges);
        if span >= best.0 {
            break;
        }
        best = (span, order.clone());
    }
    best.1
}

fn places(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, v)| place[*v] = at);
    place
}

fn span(order: &[usize], edges: &[Vec<usize>]) -> usize {
    let place = places(order);
    let ends = |edge: &Vec<usize>| {
        let places = || edge.iter().map(|v| place[*v]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    edges.iter().map(ends).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_together() {
        // 0-4, 1-5, 2-6, 3-7: far apart at first.
        let edges: Vec<Vec<usize>> = (0..4).map(|v| vec![v, v + 4]).collect();
        let order = force(8, &edges);
        assert_eq!(span(&(0..8).collect::<Vec<_>>(), &edges), 16);
        assert!(span(&order, &edges) <= 8, "{order:?}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_chain_stays_a_chain() {
        let edges: Vec<Vec<usize>> = (0..9).map(|v| vec![v, v + 1]).collect();
        assert_eq!(span(&force(10, &edges), &edges), 9);
    }
}
