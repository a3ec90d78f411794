//! Benchmarks of sapa: programs of the papers, and the commands that measure on them.
//!
//! * [`programs`] – the table over `programs/sapa/`.
//! * [`tables`] – Tables 1 and 2 of the SAPA paper.
//! * [`relaxed`] – Tables 1 and 2 of the CUPEX paper, over `programs/relaxed/`.
//! * [`abstraction`] – how the abstraction's time grows with the predicates.
//! * [`boom`] – the comparisons of the BOOM paper, drawn by [`plot`].
//! * [`boppo`] – Table 4 of the BOPPO paper.
//! * [`unbounded`] – searches for any number of threads, compared.
//! * [`boolean`] – the Boolean programs of `boolean/`, read and generated.
//! * [`limits`] – whether limits on time and memory hold on large programs.
//! * [`growth`] – how time and memory of each phase grow with the program.

pub mod abstraction;
pub mod boolean;
pub mod boom;
pub mod boppo;
pub mod growth;
pub mod limits;
pub mod plot;
pub mod programs;
pub mod relaxed;
pub mod tables;
pub mod unbounded;
