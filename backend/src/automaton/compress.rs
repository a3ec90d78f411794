//! Composing edges over nodes where no other thread can act.

use sapa_limits::{Exceeded, Limits};

use super::leaf::Symbols;
use super::{Automaton, Edge, EdgeId, EdgeTarget, NodeId};

/// Most edges that may replace the edges of one node, beyond their number.
const GROWTH: usize = 4;
/// Most guards of a composed edge; larger edges are left apart.
const MAX_GUARDS: usize = 64;

/// Removes nodes at which no other thread can act by composing each edge that
/// enters with each that leaves, where that does not make many more edges.
/// Edges with an effect stay alone, because the Boolean program has a
/// statement of its own for it.
///
/// # Errors
/// If a limit ends the work; the automaton is of no use then.
pub fn compress(
    symbols: &mut Symbols,
    automaton: &mut Automaton,
    limits: &Limits,
) -> Result<(), Exceeded> {
    for root in 0..automaton.roots.len() {
        compress_root(symbols, automaton, root, limits)?;
    }
    Ok(())
}

fn compress_root(
    symbols: &mut Symbols,
    automaton: &mut Automaton,
    root: usize,
    limits: &Limits,
) -> Result<(), Exceeded> {
    let count = automaton.roots[root].nodes.len();
    let mut incoming: Vec<Vec<EdgeId>> = vec![Vec::new(); count];
    for node in &automaton.roots[root].nodes {
        for &edge in &node.edges {
            if let EdgeTarget::Node(to) = automaton.edges[edge.0 as usize].to {
                incoming[to.0 as usize].push(edge);
            }
        }
    }
    for index in 1..count {
        limits.check()?;
        let node = NodeId(u32::try_from(index).unwrap_or(u32::MAX));
        if automaton.roots[root].nodes[index].preemptible
            || !can_remove(automaton, root, node, &incoming[index])
        {
            continue;
        }
        let entering = std::mem::take(&mut incoming[index]);
        let leaving = std::mem::take(&mut automaton.roots[root].nodes[index].edges);
        for &first in &entering {
            let from = automaton.edge(first).from;
            automaton.roots[root].nodes[from.0 as usize].edges.retain(|&edge| edge != first);
            for &second in &leaving {
                let Some(edge) = compose(symbols, automaton, first, second) else { continue };
                let id = EdgeId(u32::try_from(automaton.edges.len()).unwrap_or(u32::MAX));
                if let EdgeTarget::Node(to) = edge.to {
                    incoming[to.0 as usize].push(id);
                }
                automaton.roots[root].nodes[from.0 as usize].edges.push(id);
                automaton.edges.push(edge);
            }
        }
        for list in &mut incoming {
            list.retain(|edge| !leaving.contains(edge));
        }
    }
    Ok(())
}

fn can_remove(automaton: &Automaton, root: usize, node: NodeId, entering: &[EdgeId]) -> bool {
    let leaving = &automaton.roots[root].nodes[node.0 as usize].edges;
    let plain = |edge: &EdgeId| automaton.edge(*edge).effect.is_none();
    let size = |edges: &[EdgeId]| {
        edges.iter().map(|&e| automaton.edge(e).step.guards.len()).max().unwrap_or(0)
    };
    !entering.is_empty()
        && entering.iter().all(plain)
        && leaving.iter().all(plain)
        && leaving.iter().all(|&edge| automaton.edge(edge).to != EdgeTarget::Node(node))
        && entering.len() * leaving.len() <= entering.len() + leaving.len() + GROWTH
        && size(entering) + size(leaving) <= MAX_GUARDS
}

/// `first` and then `second`; `None` if that cannot happen.
fn compose(
    symbols: &mut Symbols,
    automaton: &mut Automaton,
    first: EdgeId,
    second: EdgeId,
) -> Option<Edge> {
    let Automaton { edges, input_bits, .. } = automaton;
    let (first, second) = (&edges[first.0 as usize], &edges[second.0 as usize]);
    let length = u32::try_from(first.path.len()).unwrap_or(u32::MAX);
    let next = second.step.with_inputs_apart(symbols, &first.step, input_bits);
    let step = first.step.then(symbols, &next, length);
    if step.is_impossible(symbols) {
        return None;
    }
    let path = first.path.iter().chain(&second.path).copied().collect();
    Some(Edge { root: first.root, from: first.from, to: second.to, step, effect: None, path })
}
