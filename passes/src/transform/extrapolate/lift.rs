//! Expressions over memory, as expressions over what waits (CUPEX section 5: Dan, Meshman, Vechev,
//! Yahav, SAS 2013).

use sapa_ir::goto::{Expression, Module, VariableId};
use sapa_limits::{Exceeded, Limits};

use super::buffers::{Buffer, Cell};
use crate::analysis::points_to::PointsTo;

/// The rules about which occurrences of shared variables are replaced together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Rule 5: a thread's buffer is no reason to extrapolate over what the thread never stores to.
    pub(super) stored_only: bool,
    /// Rule 6: all occurrences of a shared variable are replaced by the same.
    pub(super) one_version: bool,
    /// Rule 7: at most one shared variable is replaced.
    pub(super) one_variable: bool,
}

/// Expressions of which more versions than this exist have no others.
const MOST_VERSIONS: usize = 4096;

/// Replaces what memory has by what waits.
pub(super) struct Lifter<'m> {
    pub(super) module: &'m Module,
    pub(super) points_to: &'m PointsTo,
    pub(super) rules: Rules,
    pub(super) limits: &'m Limits,
}

/// An occurrence of a shared variable, or all of one, and the entries of the buffer that may have its
/// value.
struct Site {
    cell: Cell,
    entries: Vec<VariableId>,
}

impl Lifter<'_> {
    /// All versions of some expressions, which belong together, in which something that memory has is
    /// replaced by what waits in a buffer. Those over locals of other threads have none.
    ///
    /// # Errors
    /// If a limit ends it.
    pub(super) fn versions(
        &self,
        buffer: &Buffer,
        expressions: &[Expression],
    ) -> Result<Vec<Vec<Expression>>, Exceeded> {
        let is_foreign =
            |e: &Expression| e.has_other() || e.function().is_some_and(|id| id != buffer.function);
        if expressions.iter().any(|e| is_foreign(e) || self.is_over(buffer, e)) {
            return Ok(Vec::new());
        }
        let mut sites: Vec<Site> = Vec::new();
        for expression in expressions {
            self.visit(buffer, &mut expression.clone(), &mut |cell| {
                let is_known = sites.iter().any(|site| site.cell == cell);
                if !(self.rules.one_version && is_known)
                    && let Some(entries) = self.entries(buffer, &cell)
                {
                    sites.push(Site { cell, entries });
                }
                None
            });
        }
        let counts = sites.iter().map(|site| site.entries.len() + 1);
        let count = counts.fold(1usize, usize::saturating_mul);
        if count > MOST_VERSIONS {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        // As digits: 0 stands for memory.
        for number in 1..count {
            self.limits.check()?;
            let mut rest = number;
            let digits: Vec<usize> = (sites.iter())
                .map(|site| {
                    let base = site.entries.len() + 1;
                    let digit = rest % base;
                    rest /= base;
                    digit
                })
                .collect();
            if self.is_allowed(buffer, &sites, &digits) {
                found.push(self.version(buffer, &sites, &digits, expressions));
            }
        }
        Ok(found)
    }

    /// Whether an expression is over what waits already.
    fn is_over(&self, buffer: &Buffer, expression: &Expression) -> bool {
        let mut found = false;
        expression.for_each(&mut |e| {
            if let Expression::Variable { function, variable } = e {
                found |= *function == buffer.function && buffer.has(*variable);
            }
        });
        found
    }

    /// The entries of a buffer that may have the value of a shared variable.
    fn entries(&self, buffer: &Buffer, cell: &Cell) -> Option<Vec<VariableId>> {
        let mut found = buffer.entries(self.module, cell);
        if found.is_empty() && buffer.is_one_queue() && !self.rules.stored_only {
            // Its entries are there also for what is never stored to.
            found = buffer.of_type(&cell.ty);
        }
        (!found.is_empty()).then(|| found.into_iter().collect())
    }

    fn is_allowed(&self, buffer: &Buffer, sites: &[Site], digits: &[usize]) -> bool {
        let waiting = sites.iter().zip(digits).filter_map(|(site, digit)| {
            Some((&site.cell, site.entries.get(digit.checked_sub(1)?)?))
        });
        let waiting: Vec<(&Cell, &VariableId)> = waiting.collect();
        let one = waiting.windows(2).all(|pair| pair[0].0 == pair[1].0);
        // One entry is not of two places at once.
        let apart = waiting
            .iter()
            .all(|(a, entry)| waiting.iter().all(|(b, other)| a == b || entry != other));
        (!self.rules.one_variable || one) && (!buffer.is_one_queue() || apart)
    }

    fn version(
        &self,
        buffer: &Buffer,
        sites: &[Site],
        digits: &[usize],
        expressions: &[Expression],
    ) -> Vec<Expression> {
        let mut next = 0;
        let lifted = expressions.iter().map(|expression| {
            let mut expression = expression.clone();
            self.visit(buffer, &mut expression, &mut |cell| {
                let at = match self.rules.one_version {
                    true => sites.iter().position(|site| site.cell == cell)?,
                    false => {
                        let at = next + sites.get(next..)?.iter().position(|s| s.cell == cell)?;
                        next = at + 1;
                        at
                    }
                };
                sites.get(at)?.entries.get(digits.get(at)?.checked_sub(1)?).copied()
            });
            expression
        });
        lifted.collect()
    }

    /// Goes over all that an expression reads of memory at a fixed place, and puts a variable of the function in
    /// place of it if `replace` gives one.
    fn visit(
        &self,
        buffer: &Buffer,
        expression: &mut Expression,
        replace: &mut dyn FnMut(Cell) -> Option<VariableId>,
    ) {
        expression.for_each_mut(&mut |e| {
            if let Expression::Load { ty, address } = e
                && let Some(cell) = Cell::at(self.points_to.of_expression(self.module, address), ty)
                && let Some(variable) = replace(cell)
            {
                *e = Expression::Variable { function: buffer.function, variable };
            }
        });
    }
}
