//! Simultaneous substitution of functions for variables; renaming is its cheap case.

use std::collections::BTreeMap;

use crate::bdd::Bdd;
use crate::computed::Key;
use crate::edge::Edge;
use crate::manager::{BddManager, Var};
use crate::node::{Exhausted, Store};

/// Replaces each of some variables by a function, all at once. Made once by
/// [`BddManager::substitution`] or [`BddManager::renaming`], used often with
/// [`Bdd::substitute`], so that results are remembered between uses.
#[derive(Debug)]
pub struct Substitution {
    number: u32,
    /// By rising variable; all others stay. Not indexed by variable, as there may be very many
    /// variables and substitutions.
    by_var: Box<[(u32, Edge)]>,
    /// Handles that keep the replacements alive.
    roots: Vec<Bdd>,
}

impl Substitution {
    pub(crate) fn new(manager: &BddManager, pairs: Vec<(Var, Bdd)>) -> Substitution {
        let number = manager.with_store(|store| store.new_substitution());
        let mut by_var = BTreeMap::new();
        let mut roots = Vec::with_capacity(pairs.len());
        for (var, function) in pairs {
            manager.check_same(&function);
            by_var.insert(var.index() as u32, function.edge());
            roots.push(function);
        }
        Substitution { number, by_var: by_var.into_iter().collect(), roots }
    }

    fn replacement(&self, var: u32) -> Option<Edge> {
        let at = self.by_var.binary_search_by_key(&var, |(replaced, _)| *replaced).ok()?;
        Some(self.by_var[at].1)
    }

    /// How many variables are replaced.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    pub(crate) fn belongs_to(&self, manager: &BddManager) -> bool {
        self.roots.iter().all(|root| root.manager() == *manager)
    }
}

impl Store {
    fn new_substitution(&mut self) -> u32 {
        if self.next_substitution == u32::MAX {
            // Numbers start over, so remembered results of old ones must go.
            self.computed.clear();
            self.next_substitution = 0;
        }
        self.next_substitution += 1;
        self.next_substitution - 1
    }

    pub(crate) fn compose(
        &mut self,
        f: Edge,
        substitution: &Substitution,
    ) -> Result<Edge, Exhausted> {
        if f.is_constant() {
            return Ok(f);
        }
        let (complement, f) = (f.is_complement(), f.regular());
        let key = Key::compose(substitution.number, f);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result.complement_if(complement));
        }
        let node = self.node(f);
        let low = self.compose(node.low, substitution)?;
        let high = self.compose(node.high, substitution)?;
        let replacement = match substitution.replacement(node.var) {
            Some(edge) => edge,
            None => self.literal(node.var)?,
        };
        let result = self.branch(replacement, low, high)?;
        self.computed.put(key, result);
        Ok(result.complement_if(complement))
    }

    /// `ite(condition, high, low)`; a single node where the condition is a variable above both
    /// branches. An order-preserving renaming takes this way at every node.
    fn branch(&mut self, condition: Edge, low: Edge, high: Edge) -> Result<Edge, Exhausted> {
        let level = self.level(condition);
        let is_variable = self.cofactors(condition, level) == (Edge::FALSE, Edge::TRUE);
        if is_variable && level < self.level(low) && level < self.level(high) {
            return self.make(level, low, high);
        }
        self.ite(condition, high, low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_substitution_is_as_large_as_what_it_replaces() {
        let manager = BddManager::new();
        let vars: Vec<Var> = (0..1000).map(|_| manager.new_var()).collect();
        let renaming = manager.renaming([(vars[999], vars[3]), (vars[5], vars[4])]).unwrap();
        assert_eq!(renaming.by_var.len(), 2);
        let f = |a: usize, b: usize| {
            manager.var(vars[a]).unwrap().and(&manager.var(vars[b]).unwrap()).unwrap()
        };
        assert_eq!(f(5, 999).substitute(&renaming).unwrap(), f(4, 3));
        assert_eq!(f(6, 998).substitute(&renaming).unwrap(), f(6, 998));
    }
}
