//! Cofactors by a cube, and Coudert and Madre's two generalised cofactors by a care set.

use crate::computed::{Key, Operation};
use crate::edge::Edge;
use crate::node::{Exhausted, Store};

impl Store {
    /// `f` with the variables of the cube `literals` fixed to the cube's values.
    pub(crate) fn cofactor(&mut self, f: Edge, literals: Edge) -> Result<Edge, Exhausted> {
        let level = self.level(f);
        let literals = self.skip_literals_above(literals, level);
        if f.is_constant() || literals.is_constant() {
            return Ok(f);
        }
        let key = Key::new(Operation::Cofactor, f.regular(), literals);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result.complement_if(f.is_complement()));
        }
        let (f0, f1) = self.cofactors(f.regular(), level);
        let result = if self.level(literals) == level {
            let (l0, l1) = self.cofactors(literals, level);
            if l0 == Edge::FALSE { self.cofactor(f1, l1)? } else { self.cofactor(f0, l0)? }
        } else {
            let low = self.cofactor(f0, literals)?;
            let high = self.cofactor(f1, literals)?;
            self.make(level, low, high)?
        };
        self.computed.put(key, result);
        Ok(result.complement_if(f.is_complement()))
    }

    fn skip_literals_above(&self, mut literals: Edge, level: u32) -> Edge {
        while self.level(literals) < level {
            let (low, high) = self.cofactors(literals, self.level(literals));
            literals = if low == Edge::FALSE { high } else { low };
        }
        literals
    }

    /// Whether `edge` is a conjunction of literals.
    pub(crate) fn is_literal_cube(&self, mut edge: Edge) -> bool {
        while !edge.is_constant() {
            let (low, high) = self.cofactors(edge, self.level(edge));
            edge = match (low, high) {
                (Edge::FALSE, rest) | (rest, Edge::FALSE) => rest,
                _ => return false,
            };
        }
        edge == Edge::TRUE
    }

    /// What both generalised cofactors of `f` are where no recursion is needed.
    fn generalised_cofactor_at_hand(f: Edge, care: Edge) -> Option<Edge> {
        if care == Edge::TRUE || f.is_constant() {
            return Some(f);
        }
        (f.regular() == care.regular()).then(|| Edge::TRUE.complement_if(f != care))
    }

    /// A function that agrees with `f` wherever `care` holds and is often smaller.
    /// `care` must not be false.
    pub(crate) fn restrict(&mut self, f: Edge, care: Edge) -> Result<Edge, Exhausted> {
        if let Some(result) = Store::generalised_cofactor_at_hand(f, care) {
            return Ok(result);
        }
        let key = Key::new(Operation::Restrict, f, care);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let (f_level, care_level) = (self.level(f), self.level(care));
        let level = f_level.min(care_level);
        let (c0, c1) = self.cofactors(care, level);
        let (f0, f1) = self.cofactors(f, level);
        let result = if care_level < f_level {
            // The care set speaks of a variable that f does not depend on: quantify it away.
            let wider = self.or(c0, c1)?;
            self.restrict(f, wider)?
        } else if c0 == Edge::FALSE {
            self.restrict(f1, c1)?
        } else if c1 == Edge::FALSE {
            self.restrict(f0, c0)?
        } else {
            let low = self.restrict(f0, c0)?;
            let high = self.restrict(f1, c1)?;
            self.make(level, low, high)?
        };
        self.computed.put(key, result);
        Ok(result)
    }

    /// The generalised cofactor: `f` at the nearest assignment that satisfies `care`, where a
    /// variable weighs more than all below it together. `constrain(f, c) & c == f & c`, and it
    /// commutes with the connectives. `care` must not be false.
    pub(crate) fn constrain(&mut self, f: Edge, care: Edge) -> Result<Edge, Exhausted> {
        if let Some(result) = Store::generalised_cofactor_at_hand(f, care) {
            return Ok(result);
        }
        let complement = f.is_complement();
        let f = f.regular();
        let key = Key::new(Operation::Constrain, f, care);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result.complement_if(complement));
        }
        let split = self.split([f, care]);
        let ([f0, c0], [f1, c1]) = (split.low, split.high);
        let result = if c0 == Edge::FALSE {
            self.constrain(f1, c1)?
        } else if c1 == Edge::FALSE {
            self.constrain(f0, c0)?
        } else {
            let low = self.constrain(f0, c0)?;
            let high = self.constrain(f1, c1)?;
            self.make_var(split.var, low, high)?
        };
        self.computed.put(key, result);
        Ok(result.complement_if(complement))
    }
}
