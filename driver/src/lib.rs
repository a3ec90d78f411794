//! The whole way from a program to an answer, for tools, tests and benchmarks: compile, run the
//! pipeline, add the predicates, run the loop, and ask which assertions runs come to.
//!
//! * [`Options`] – all that can be said about a run.
//! * [`Program`] – a program as it was read; its methods are the stages.
//! * [`Fences`] – all minimal sets of fences under a memory model.
//! * [`Error`] – why there is no answer.
//!
//! ```
//! use sapa_backend::cegar::{Silent, Verdict};
//! use sapa_driver::{Options, Program};
//!
//! let source = b"int x; int main(void) { x = 1; __CPROVER_assert(x == 1, \"\"); }";
//! let options = Options::default();
//! let program = Program::compile_bytes("a.c", source, &options)?;
//! let checked = program.check(&options, &mut Silent)?;
//! assert!(matches!(checked.report.verdict, Verdict::Successful(_)));
//! let coverage = program.coverage(&checked, &options).expect("there is one of what is proved");
//! assert_eq!(coverage.assertions.len(), 1);
//! # Ok::<(), sapa_driver::Error>(())
//! ```

mod all;
mod allocations;
pub mod certificate;
mod claims;
mod error;
mod fences;
mod ladder;
mod options;
mod program;
mod reduced;
mod relaxed;

pub use all::{Judged, Judgement};
pub use claims::Claims;
pub use error::{Error, Refused, Undecided};
pub use fences::{Fences, Found, Open, Refuted, Sufficient, Watcher};
pub use ladder::INLINED;
pub use options::{BufferBound, Method, Options, PredicateFile};
pub use program::{Buffers, Checked, Program, add_predicates};
