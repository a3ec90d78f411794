//! Predicates from templates: what weakest preconditions along single traces find value by value
//! is often an invariant of a simple form. Constants and variables that the program compares are
//! carried over to the variables that get copies of each other's values: bounds `x < c`, values
//! `x == c`, and differences `x < y`, `x == y`.

use std::collections::{BTreeMap, BTreeSet};

use crate::abstraction::vocabulary::function_of;
use crate::automaton::Automaton;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::solver::{Node, TermId};

/// More are not looked at.
const MAX_TEMPLATES: usize = 64;

/// How two sides are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    Equal,
    Below,
    SignedBelow,
}

/// Variables that get copies of each other's values.
#[derive(Debug, Default)]
pub(super) struct Classes {
    parent: BTreeMap<TermId, TermId>,
}

impl Classes {
    /// What stands for the class of a variable.
    pub(super) fn find(&self, mut variable: TermId) -> TermId {
        while let Some(&parent) = self.parent.get(&variable) {
            variable = parent;
        }
        variable
    }

    fn join(&mut self, a: TermId, b: TermId) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }
}

/// What the program copies and compares.
pub(super) struct Used {
    pub(super) classes: Classes,
    /// Those with a name in the source; only these are worth a predicate.
    pub(super) named: BTreeSet<TermId>,
    comparisons: BTreeSet<(Relation, TermId, TermId)>,
}

impl Used {
    /// Whether the program compares the two.
    pub(super) fn compares(&self, a: TermId, b: TermId) -> bool {
        self.comparisons.iter().any(|&(_, x, y)| (x, y) == (a, b) || (y, x) == (a, b))
    }
}

/// What the program copies and compares.
pub(super) fn used(symbols: &mut Symbols, automaton: &Automaton) -> Used {
    let mut classes = Classes::default();
    let mut variables: BTreeSet<TermId> = BTreeSet::new();
    let mut comparisons: BTreeSet<(Relation, TermId, TermId)> = BTreeSet::new();
    for edge in &automaton.edges {
        for (&leaf, &term) in &edge.step.updates {
            let bits = symbols.bits(term);
            let variable = symbols.variable(leaf, Instance::Active, bits);
            for source in copies(symbols, term) {
                classes.join(variable, source);
            }
            variables.insert(variable);
            collect(symbols, term, &mut comparisons);
        }
        for guard in &edge.step.guards {
            collect(symbols, guard.term, &mut comparisons);
        }
    }
    for (leaf, bits, value) in automaton.roots.iter().flat_map(|root| root.variables.equalities()) {
        let variable = symbols.variable(leaf, Instance::Active, bits);
        if is_variable(symbols, value) {
            classes.join(variable, value);
        }
        variables.insert(variable);
    }
    let named = |variable: &TermId| match symbols.leaf(*variable) {
        Some((Leaf::Cell(cell), _)) => !automaton.memory.object_of(cell).constant,
        Some((Leaf::Variable(..), _)) => true,
        _ => false,
    };
    variables.retain(named);
    Used { classes, named: variables, comparisons }
}

/// Instances of the templates that speak of a variable of `relevant` or one of its class, as terms
/// over the active thread's state, in a fixed order.
pub(super) fn templates(
    symbols: &mut Symbols,
    automaton: &Automaton,
    relevant: &[TermId],
) -> Vec<TermId> {
    let Used { classes, named, comparisons } = used(symbols, automaton);
    let relevant: BTreeSet<TermId> = relevant.iter().map(|&v| classes.find(v)).collect();
    let mut members: BTreeMap<TermId, Vec<TermId>> = BTreeMap::new();
    for &variable in &named {
        members.entry(classes.find(variable)).or_default().push(variable);
    }
    let mut found = Vec::new();
    let none = Vec::new();
    for (relation, a, b) in comparisons {
        let side = |term: TermId| is_variable(symbols, term).then(|| classes.find(term));
        let (left, right) = (side(a), side(b));
        if ![left, right].iter().flatten().any(|class| relevant.contains(class)) {
            continue;
        }
        let options = |term: TermId, class: Option<TermId>| match class {
            Some(class) => members.get(&class).unwrap_or(&none).clone(),
            None => vec![term],
        };
        for x in options(a, left) {
            for y in options(b, right) {
                if found.len() >= MAX_TEMPLATES {
                    return found;
                }
                if x != y && one_thread(symbols, automaton, x, y) {
                    let term = match relation {
                        Relation::Equal => symbols.store.eq(x, y),
                        Relation::Below => symbols.store.ult(x, y),
                        Relation::SignedBelow => symbols.store.slt(x, y),
                    };
                    if !found.contains(&term) {
                        found.push(term);
                    }
                }
            }
        }
    }
    found
}

fn is_variable(symbols: &Symbols, term: TermId) -> bool {
    symbols.leaf(term).is_some_and(|(leaf, _)| !matches!(leaf, Leaf::Input(_)))
}

/// The variables whose value a term may be. Terms share their parts: each is looked at once.
fn copies(symbols: &Symbols, term: TermId) -> Vec<TermId> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![term];
    let mut found = Vec::new();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match symbols.store.node(term) {
            // In the order in which they stand: what is learnt first is tried first.
            Node::Ite(_, a, b) => pending.extend([b, a]),
            _ if is_variable(symbols, term) => found.push(term),
            _ => {}
        }
    }
    found
}

/// The comparisons in a term between variables, or of a variable with a constant.
fn collect(symbols: &Symbols, term: TermId, found: &mut BTreeSet<(Relation, TermId, TermId)>) {
    for atom in symbols.store.atoms(term) {
        let (relation, a, b) = match symbols.store.node(atom) {
            Node::Eq(a, b) => (Relation::Equal, a, b),
            Node::Ult(a, b) => (Relation::Below, a, b),
            Node::Slt(a, b) => (Relation::SignedBelow, a, b),
            _ => continue,
        };
        let simple = |t: TermId| is_variable(symbols, t) || symbols.store.as_constant(t).is_some();
        if simple(a) && simple(b) {
            found.insert((relation, a, b));
        }
    }
}

/// Whether some thread sees both variables: they are not locals of two functions.
fn one_thread(symbols: &Symbols, automaton: &Automaton, a: TermId, b: TermId) -> bool {
    let function =
        |term: TermId| symbols.leaf(term).and_then(|(leaf, _)| function_of(automaton, leaf));
    match (function(a), function(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// The term that an equality compares with a constant, and the constant.
pub(super) fn value_of(symbols: &Symbols, equality: TermId) -> Option<(TermId, u128)> {
    let Node::Eq(a, b) = symbols.store.node(equality) else { return None };
    let value = |x, y| symbols.store.as_constant(y).map(|value| (x, value));
    value(a, b).or_else(|| value(b, a))
}

/// The values that each term is compared with.
fn values_of(symbols: &Symbols, terms: &[TermId]) -> BTreeMap<TermId, BTreeSet<u128>> {
    let mut values: BTreeMap<TermId, BTreeSet<u128>> = BTreeMap::new();
    for (term, value) in terms.iter().filter_map(|&term| value_of(symbols, term)) {
        values.entry(term).or_default().insert(value);
    }
    values
}

/// Bounds `x < c` where `x` is compared with several values `c`: they stop a counter from being
/// enumerated.
pub(super) fn bounds(symbols: &mut Symbols, known: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for (term, values) in values_of(symbols, known) {
        if values.len() < 2 {
            continue;
        }
        let width = symbols.store.width(term);
        for value in values {
            let value = symbols.store.constant(width, value);
            found.push(symbols.store.slt(term, value));
        }
    }
    found
}

/// Fewer values in a row are no sequence.
const SEQUENCE: usize = 3;

/// Values that variables are compared with one after the other, `x == 0`, `x == 1`, `x == 2`, go
/// on: as many again as `known` has in a row, where one of the row is `new`.
pub(super) fn sequences(symbols: &mut Symbols, known: &[TermId], new: &[TermId]) -> Vec<TermId> {
    let values = values_of(symbols, known);
    let mut found = Vec::new();
    for variable in values_of(symbols, new).into_keys() {
        let Some(values) = values.get(&variable) else { continue };
        let Some(&last) = values.last() else { continue };
        let row = (0..).take_while(|back| last >= *back && values.contains(&(last - back))).count();
        if row < SEQUENCE {
            continue;
        }
        let width = symbols.store.width(variable);
        for more in 1..=row as u128 {
            let value = symbols.store.constant(width, last.wrapping_add(more));
            found.push(symbols.store.eq(variable, value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::memory::CellId;

    /// Walked as a tree this takes longer than the tests may.
    #[test]
    fn shared_parts_of_a_term_are_looked_at_once() {
        let mut symbols = Symbols::default();
        let cell = |symbols: &mut Symbols, id, bits| {
            symbols.variable(Leaf::Cell(CellId(id)), Instance::Active, bits)
        };
        let start = cell(&mut symbols, 0, 8);
        let mut term = start;
        for level in 0..64 {
            let [c, d] = [1, 2].map(|n| cell(&mut symbols, 3 * level + n, 1));
            let constant = symbols.store.constant(8, u128::from(level) + 1);
            let a = symbols.store.add(constant, start);
            let left = symbols.store.ite(c, term, a);
            let right = symbols.store.ite(c, a, term);
            term = symbols.store.ite(d, left, right);
        }
        assert_eq!(copies(&symbols, term), [start]);
    }
}
