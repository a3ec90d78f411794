//! The shapes of the literature, with fences, release stores and read-modify-writes in their places.

use super::{Ends, MODELS, is_allowed, module, outcome, read};

/// Program, outcome, and the models that allow it: none, all that are weaker than sequential
/// consistency (`tso`), or PSO alone.
const SHAPES: &[(&str, &str, &str)] = &[
    // Store buffering.
    ("x=1; a=y | y=1; b=x", "a=0 b=0", "tso"),
    ("x=1; fence.seq_cst; a=y | y=1; b=x", "a=0 b=0", "tso"),
    ("x=1; fence.seq_cst; a=y | y=1; fence.seq_cst; b=x", "a=0 b=0", "none"),
    ("x=1; fence.acq_rel; a=y | y=1; fence.acq_rel; b=x", "a=0 b=0", "tso"),
    ("x=1.release; a=y | y=1.release; b=x", "a=0 b=0", "tso"),
    ("x=1.seq_cst; a=y | y=1.seq_cst; b=x", "a=0 b=0", "none"),
    ("x=1.seq_cst; a=y | y=1.release; b=x", "a=0 b=0", "tso"),
    ("c=x<-1; a=y | d=y<-1; b=x", "a=0 b=0", "none"),
    ("x=1; c=z<-1; a=y | y=1; d=z<-1; b=x", "a=0 b=0", "none"),
    ("x=1; c=z<-1; a=y | y=1; b=x", "a=0 b=0", "tso"),
    // With reads of the thread's own stores.
    ("x=1; a=x; b=y | y=1; c=y; d=x", "a=1 b=0 c=1 d=0", "tso"),
    ("x=1; a=x; b=y | y=1; c=y; d=x", "a=0 b=0 c=1 d=0", "none"),
    ("x=1; a=x; b=y | y=1; x=2", "a=1 b=0 x=1", "tso"),
    ("x=1; a=x | x=2; b=x", "a=2 b=1", "none"),
    ("a=x; x=1 | b=x; x=2", "a=2 b=1", "none"),
    // Message passing.
    ("x=1; y=1 | a=y; b=x", "a=1 b=0", "pso"),
    ("x=1; fence.release; y=1 | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; fence.acq_rel; y=1 | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; fence.seq_cst; y=1 | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; fence.acquire; y=1 | a=y; b=x", "a=1 b=0", "pso"),
    ("x=1; fence.relaxed; y=1 | a=y; b=x", "a=1 b=0", "pso"),
    ("x=1; y=1.release | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; y=1.seq_cst | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; y=1.relaxed | a=y; b=x", "a=1 b=0", "pso"),
    ("x=1.release; y=1 | a=y; b=x", "a=1 b=0", "pso"),
    ("x=1; c=y<-1 | a=y; b=x", "a=1 b=0", "none"),
    ("c=x<-1; y=1 | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; fence.release; z=1; y=1 | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; z=1.release; y=1 | a=y; b=x", "a=1 b=0", "pso"),
    ("x=1; z=1.release; y=1.release | a=y; b=x", "a=1 b=0", "none"),
    ("x=1; fence.release; y=1; z=1 | a=z; b=y", "a=1 b=0", "pso"),
    // Load buffering.
    ("a=x; y=1 | b=y; x=1", "a=1 b=1", "none"),
    // Independent reads of independent writes; write to read causality: stores reach all at once.
    ("x=1 | y=1 | a=x; b=y | c=y; d=x", "a=1 b=0 c=1 d=0", "none"),
    ("x=1 | a=x; y=1 | b=y; c=x", "a=1 b=1 c=0", "none"),
    // R.
    ("x=1; y=1 | y=2; a=x", "a=0 y=2", "tso"),
    ("x=1; y=1 | y=2; fence.seq_cst; a=x", "a=0 y=2", "pso"),
    ("x=1; fence.release; y=1 | y=2; fence.seq_cst; a=x", "a=0 y=2", "none"),
    ("x=1; y=1.release | b=y<-2; a=x", "a=0 y=2", "none"),
    ("x=1; fence.seq_cst; y=1 | y=2; a=x", "a=0 y=2", "tso"),
    // S.
    ("x=2; y=1 | a=y; x=1", "a=1 x=2", "pso"),
    ("x=2; y=1.release | a=y; x=1", "a=1 x=2", "none"),
    ("x=2; fence.release; y=1 | a=y; x=1", "a=1 x=2", "none"),
    // 2+2W.
    ("x=1; y=2 | y=1; x=2", "x=1 y=1", "pso"),
    ("x=1; fence.release; y=2 | y=1; x=2", "x=1 y=1", "pso"),
    ("x=1; fence.release; y=2 | y=1; x=2.release", "x=1 y=1", "none"),
    ("x=1; a=y<-2 | y=1; fence.release; x=2", "x=1 y=1", "none"),
    // Coherence.
    ("x=1 | a=x; b=x", "a=1 b=0", "none"),
    ("x=1; x=2 | a=z", "x=1", "none"),
    ("x=1; x=2 | a=x; b=x", "a=2 b=1", "none"),
    ("x=1; a=x | x=2", "a=0", "none"),
    ("a=x; x=1 | b=z", "a=1", "none"),
    // Nothing is lost, and all orders are there.
    ("x=1 | x=2", "x=1", "all"),
    ("x=1 | x=2", "x=2", "all"),
    ("x=1; a=y | y=1; b=x", "a=1 b=1", "all"),
    ("a=x<-1 | b=x<-2", "a=0 b=0", "none"),
];

#[test]
fn every_model_allows_what_the_literature_says() {
    for (program, expected, least) in SHAPES {
        let module = module(&read(program), Ends::In(&outcome(expected)));
        let allowed = MODELS.map(|model| is_allowed(&module, model));
        let expected_of = match *least {
            "all" => [true, true, true],
            "tso" => [false, true, true],
            "pso" => [false, false, true],
            _ => [false, false, false],
        };
        assert_eq!(allowed, expected_of, "{program} to {expected}, under SC, TSO and PSO");
    }
}
