//! The figures that the CUPEX paper prints: Tables 1 and 2 of Dan, Meshman, Vechev, Yahav, "Predicate Abstraction for
//! Relaxed Memory Models", SAS 2013. Its programs may differ from ours, and so do the fences.

use sapa_ir::goto::MemoryModel;
use serde::Serialize;

use super::Method;

/// A row of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// `# input preds`.
    pub predicates: u32,
    /// `# input cubes`, if the table has them.
    pub cubes: Option<u32>,
    /// The rest; `None` where it ran out of time (10 hours).
    pub times: Option<Times>,
}

/// What a row of the paper says that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// `# SMT calls`, in thousands.
    pub calls: f64,
    /// Seconds to build the Boolean program.
    pub build: f64,
    /// Seconds to check it.
    pub check: f64,
}

/// The algorithms in the paper's order, and the files of ours.
pub(super) const ALGORITHMS: [(&str, &str); 7] = [
    ("Dekker", "dekker.c"),
    ("Peterson", "peterson.c"),
    ("ABP", "alternating_bit.c"),
    ("Szymanski", "szymanski.c"),
    ("Queue", "queue.c"),
    ("Bakery", "bakery.c"),
    ("Ticket", "ticket.c"),
];

/// Algorithm, model, method, `# input preds`, `# input cubes`, and thousands of SMT calls, seconds of building and
/// of checking, none of which there are where it ran out of time.
type Printed = (&'static str, MemoryModel, Method, u32, Option<u32>, Option<(f64, f64, f64)>);

use MemoryModel::{Pso, Sc, Tso};
use Method::{Cubes as CE, Predicates as PE, Search as TRAD};

const PRINTED: &[Printed] = &[
    // Table 1.
    ("Dekker", Sc, TRAD, 7, None, Some((0.7, 0.1, 1.0))),
    ("Dekker", Pso, PE, 20, None, Some((26.0, 6.0, 5.0))),
    ("Dekker", Tso, PE, 18, None, Some((22.0, 5.0, 3.0))),
    ("Peterson", Sc, TRAD, 7, None, Some((0.6, 0.1, 1.0))),
    ("Peterson", Pso, PE, 20, None, Some((15.0, 3.0, 3.0))),
    ("Peterson", Tso, PE, 18, None, Some((13.0, 3.0, 2.0))),
    ("ABP", Sc, TRAD, 8, None, Some((2.0, 0.5, 0.6))),
    ("ABP", Pso, PE, 15, None, Some((20.0, 4.0, 1.0))),
    ("ABP", Tso, PE, 17, None, Some((23.0, 5.0, 1.0))),
    ("Szymanski", Sc, TRAD, 20, None, Some((16.0, 3.3, 2.0))),
    ("Szymanski", Pso, PE, 35, None, Some((152.0, 33.0, 4.0))),
    ("Szymanski", Tso, PE, 37, None, Some((165.0, 35.0, 5.0))),
    // Table 2.
    ("Queue", Sc, TRAD, 7, None, Some((20.0, 5.0, 1.0))),
    ("Queue", Pso, PE, 15, None, Some((5_747.0, 1_475.0, 1.0))),
    ("Queue", Pso, CE, 15, Some(99), Some((98.0, 17.0, 2.0))),
    ("Queue", Tso, PE, 16, None, Some((11_133.0, 2_778.0, 1.0))),
    ("Queue", Tso, CE, 16, Some(99), Some((163.0, 31.0, 2.0))),
    ("Bakery", Sc, TRAD, 15, None, Some((1_552.0, 355.0, 2.0))),
    ("Bakery", Pso, PE, 38, None, None),
    ("Bakery", Pso, CE, 38, Some(422), Some((9_018.0, 1_773.0, 104.0))),
    ("Bakery", Tso, PE, 36, None, None),
    ("Bakery", Tso, CE, 36, Some(422), Some((7_048.0, 1_386.0, 121.0))),
    ("Ticket", Sc, TRAD, 11, None, Some((218.0, 51.0, 2.0))),
    ("Ticket", Pso, PE, 36, None, None),
    ("Ticket", Pso, CE, 36, Some(622), Some((15_644.0, 2_163.0, 40.0))),
    ("Ticket", Tso, PE, 48, None, None),
    ("Ticket", Tso, CE, 48, Some(622), Some((6_941.0, 1_518.0, 545.0))),
];

/// What the paper says of an algorithm under a model by a method.
pub(super) fn figures(algorithm: &str, model: MemoryModel, method: Method) -> Option<Figures> {
    let is_it = |row: &&Printed| (row.0, row.1, row.2) == (algorithm, model, method);
    let &(.., predicates, cubes, times) = PRINTED.iter().find(is_it)?;
    let times = times.map(|(calls, build, check)| Times { calls, build, check });
    Some(Figures { predicates, cubes, times })
}
