//! Cubes, path enumeration and satisfying assignments.

use std::fmt;

use crate::bdd::Bdd;
use crate::manager::Var;

/// A conjunction of literals, each variable at most once; the empty cube is true.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    literals: Vec<(Var, bool)>,
}

impl Cube {
    /// The cube of these literals. A variable given twice keeps its first value.
    pub fn new(literals: impl IntoIterator<Item = (Var, bool)>) -> Cube {
        let mut cube = Cube::default();
        for (var, value) in literals {
            if cube.value(var).is_none() {
                cube.literals.push((var, value));
            }
        }
        cube
    }

    /// The literals as (variable, value), in the order of the diagram they came from.
    pub fn literals(&self) -> &[(Var, bool)] {
        &self.literals
    }

    /// The value the cube fixes for `var`, if any.
    pub fn value(&self, var: Var) -> Option<bool> {
        self.literals.iter().find(|(other, _)| *other == var).map(|(_, value)| *value)
    }
}

impl fmt::Display for Cube {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.literals.is_empty() {
            return f.write_str("T");
        }
        for (position, (var, value)) in self.literals.iter().enumerate() {
            let (and, not) =
                (if position == 0 { "" } else { " & " }, if *value { "" } else { "!" });
            write!(f, "{and}{not}x{}", var.0)?;
        }
        Ok(())
    }
}

/// A function still to be walked, the length of the path to its parent, and the literal between
/// them. It has its handle, as the order may change between two steps of the iteration.
type Pending = (Bdd, usize, Option<(Var, bool)>);

/// The paths from a root to true, as disjoint cubes. Made by [`Bdd::cubes`].
#[derive(Debug)]
pub struct Cubes {
    stack: Vec<Pending>,
    path: Vec<(Var, bool)>,
}

impl Cubes {
    pub(crate) fn new(root: Bdd) -> Cubes {
        Cubes { stack: vec![(root, 0, None)], path: Vec::new() }
    }
}

impl Iterator for Cubes {
    type Item = Cube;

    fn next(&mut self) -> Option<Cube> {
        while let Some((function, depth, literal)) = self.stack.pop() {
            self.path.truncate(depth);
            self.path.extend(literal);
            if let Some((var, low, high)) = function.children() {
                let depth = self.path.len();
                self.stack.push((high, depth, Some((var, true))));
                self.stack.push((low, depth, Some((var, false))));
            } else if function.is_true() {
                return Some(Cube { literals: self.path.clone() });
            }
        }
        None
    }
}

/// The satisfying assignments to a list of variables. Made by [`Bdd::assignments`].
#[derive(Debug)]
pub struct Assignments {
    cubes: Cubes,
    vars: Vec<Var>,
    /// The cube being spread out: the next assignment and the positions the cube leaves free.
    current: Option<(Vec<bool>, Vec<usize>)>,
}

impl Assignments {
    pub(crate) fn new(cubes: Cubes, vars: Vec<Var>) -> Assignments {
        Assignments { cubes, vars, current: None }
    }
}

impl Iterator for Assignments {
    type Item = Vec<bool>;

    fn next(&mut self) -> Option<Vec<bool>> {
        let (mut values, free) = match self.current.take() {
            Some(current) => current,
            None => {
                let cube = self.cubes.next()?;
                let values: Vec<Option<bool>> =
                    self.vars.iter().map(|&var| cube.value(var)).collect();
                let free = (0..values.len()).filter(|&at| values[at].is_none()).collect();
                (values.into_iter().map(|value| value.unwrap_or(false)).collect(), free)
            }
        };
        let result = values.clone();
        // Count up in binary over the free positions; a carry out of the last ends this cube.
        for &at in &free {
            values[at] = !values[at];
            if values[at] {
                self.current = Some((values, free));
                break;
            }
        }
        Some(result)
    }
}
