//! How the abstraction's time grows with the number of predicates: the lock-based counter with
//! `value > 0`, …, `value > k - 1`.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use sapa_backend::abstraction::{Abstractor, Options};
use sapa_backend::automaton::{Interruptions, Symbols, build};
use sapa_driver::{PredicateFile, Program};
use sapa_ir::goto::Atomicity;
use sapa_limits::Limits;

/// What SATABS takes for it with cube length 3, in seconds, as reported for a like machine.
pub const SATABS: [(usize, f64); 3] = [(4, 0.04), (8, 0.30), (12, 1.21)];

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub struct Abstraction {
    /// Of the whole abstraction, the pipeline before it left out.
    pub time: Duration,
    /// Calls of the SAT solver.
    pub calls: u64,
    /// Cubes found.
    pub cubes: u64,
}

/// Abstracts the counter over `predicates` predicates.
///
/// # Errors
/// If the program cannot be compiled.
pub fn measure(file: &Path, predicates: usize, length: usize) -> io::Result<Abstraction> {
    let text = (0..predicates).map(|i| format!("value > {i}\n")).collect();
    let options = sapa_driver::Options {
        atomicity: Atomicity::Statement,
        predicates: Some(PredicateFile { name: "predicates".to_owned(), text }),
        ..sapa_driver::Options::default()
    };
    let module = Program::compile(&[file], &options)
        .and_then(|program| program.lowered(&options, &mut []))
        .map_err(io::Error::other)?;
    let mut symbols = Symbols::default();
    let automaton =
        build::build(&mut symbols, &module, Interruptions::Everywhere, &Limits::default())
            .map_err(io::Error::other)?;
    let options = Options { max_cube_length: length, ..Options::default() };
    let mut abstractor = Abstractor::new(symbols, &module, &automaton, options);
    let start = Instant::now();
    abstractor.program(&abstractor.given());
    let time = start.elapsed();
    let strengthener = abstractor.strengthener;
    Ok(Abstraction { time, calls: strengthener.sat_calls(), cubes: strengthener.cubes })
}
