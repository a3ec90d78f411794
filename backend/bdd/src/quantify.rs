//! Existential quantification and the relational product.

use crate::computed::{Key, Operation};
use crate::edge::Edge;
use crate::node::{Exhausted, Store};

impl Store {
    /// `exists cube. f`, where `cube` is a conjunction of variables.
    pub(crate) fn exists(&mut self, f: Edge, cube: Edge) -> Result<Edge, Exhausted> {
        if f.is_constant() {
            return Ok(f);
        }
        let split = self.split([f]);
        let cube = self.skip_above(cube, split.level);
        if cube == Edge::TRUE {
            return Ok(f);
        }
        let key = Key::new(Operation::Exists, f, cube);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let ([f0], [f1]) = (split.low, split.high);
        let cube_node = self.node(cube);
        let result = if cube_node.var == split.var {
            let low = self.exists(f0, cube_node.high)?;
            if low == Edge::TRUE || low == f1 {
                low
            } else {
                let high = self.exists(f1, cube_node.high)?;
                self.or(low, high)?
            }
        } else {
            let low = self.exists(f0, cube)?;
            let high = self.exists(f1, cube)?;
            self.make_var(split.var, low, high)?
        };
        self.computed.put(key, result);
        Ok(result)
    }

    /// `exists cube. f & g` without building the conjunction.
    pub(crate) fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Result<Edge, Exhausted> {
        if f == Edge::FALSE || g == Edge::FALSE || f == !g {
            return Ok(Edge::FALSE);
        }
        if f == g || g == Edge::TRUE {
            return self.exists(f, cube);
        }
        if f == Edge::TRUE {
            return self.exists(g, cube);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let split = self.split([f, g]);
        let cube = self.skip_above(cube, split.level);
        if cube == Edge::TRUE {
            return self.and(f, g);
        }
        let key = Key::and_exists(f, g, cube);
        if let Some(result) = self.computed.get(&key) {
            return Ok(result);
        }
        let ([f0, g0], [f1, g1]) = (split.low, split.high);
        let cube_node = self.node(cube);
        let result = if cube_node.var == split.var {
            let low = self.and_exists(f0, g0, cube_node.high)?;
            // What the other side adds lies within f1 and within g1.
            if low == Edge::TRUE || low == f1 || low == g1 {
                low
            } else {
                let high = self.and_exists(f1, g1, cube_node.high)?;
                self.or(low, high)?
            }
        } else {
            let low = self.and_exists(f0, g0, cube)?;
            let high = self.and_exists(f1, g1, cube)?;
            self.make_var(split.var, low, high)?
        };
        self.computed.put(key, result);
        Ok(result)
    }

    /// The part of a cube of variables that lies at `level` or below.
    #[inline]
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
