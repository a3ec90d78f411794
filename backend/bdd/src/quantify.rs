//! Existential quantification and the relational product.

use crate::computed::{Key, Operation};
use crate::edge::Edge;
use crate::manager::OutOfNodes;
use crate::node::Store;

impl Store {
    /// `exists cube. f`, where `cube` is a conjunction of variables.
    pub(crate) fn exists(&mut self, f: Edge, cube: Edge) -> Result<Edge, OutOfNodes> {
        let level = self.level(f);
        let cube = self.skip_above(cube, level);
        if f.is_constant() || cube == Edge::TRUE {
            return Ok(f);
        }
        let key = Key::new(Operation::Exists, f, cube, Edge::TRUE);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let (f0, f1) = self.cofactors(f, level);
        let result = if self.level(cube) == level {
            let rest = self.node(cube).high;
            let low = self.exists(f0, rest)?;
            if low == Edge::TRUE {
                low
            } else {
                let high = self.exists(f1, rest)?;
                self.or(low, high)?
            }
        } else {
            let low = self.exists(f0, cube)?;
            let high = self.exists(f1, cube)?;
            self.make(level, low, high)?
        };
        self.computed.put(key, result);
        Ok(result)
    }

    /// `exists cube. f & g` without building the conjunction.
    pub(crate) fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Result<Edge, OutOfNodes> {
        if f == Edge::FALSE || g == Edge::FALSE || f == !g {
            return Ok(Edge::FALSE);
        }
        if f == g || g == Edge::TRUE {
            return self.exists(f, cube);
        }
        if f == Edge::TRUE {
            return self.exists(g, cube);
        }
        let level = self.level(f).min(self.level(g));
        let cube = self.skip_above(cube, level);
        if cube == Edge::TRUE {
            return self.and(f, g);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let key = Key::new(Operation::AndExists, f, g, cube);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, level), self.cofactors(g, level));
        let result = if self.level(cube) == level {
            let rest = self.node(cube).high;
            let low = self.and_exists(f0, g0, rest)?;
            if low == Edge::TRUE {
                low
            } else {
                let high = self.and_exists(f1, g1, rest)?;
                self.or(low, high)?
            }
        } else {
            let low = self.and_exists(f0, g0, cube)?;
            let high = self.and_exists(f1, g1, cube)?;
            self.make(level, low, high)?
        };
        self.computed.put(key, result);
        Ok(result)
    }

    /// The part of a cube of variables that lies at `level` or below.
    fn skip_above(&self, mut cube: Edge, level: u32) -> Edge {
        while self.level(cube) < level {
            cube = self.node(cube).high;
        }
        cube
    }

    /// Whether `edge` is a conjunction of uncomplemented variables.
    pub(crate) fn is_variable_cube(&self, mut edge: Edge) -> bool {
        while edge != Edge::TRUE {
            if edge == Edge::FALSE {
                return false;
            }
            let (low, high) = self.cofactors(edge, self.level(edge));
            if low != Edge::FALSE {
                return false;
            }
            edge = high;
        }
        true
    }
}
