//! How many threads a program starts at most, in any run.
//!
//! A start counts one and what the started function starts, times how often it is executed: once
//! outside loops, as often as the loops around it have rounds where that is known (`trip_count`).
//! Of two branches the one that starts more counts.

use petgraph::algo::kosaraju_scc;
use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, Op, Operand};
use sapa_limits::Limits;

use super::call_graph::{CallGraph, Use};
use super::loops;
use super::trip_count::Rounds;

/// How many threads are started besides the initial one, at most, in all of a run; `None` if no
/// bound is known: by a start in a loop without a known number of rounds, or in a recursion.
///
/// A program without an entry starts none. Where the limits of the run end the search, no bound is
/// known.
#[must_use]
pub fn most_started(module: &Module, limits: &Limits) -> Option<u32> {
    u32::try_from(started(module, false, limits)?).ok()
}

/// The same, where a loop that counts its rounds up to anything has as many as its counter has numbers. That is no bound
/// for a search, but one that says whether the threads can be counted by an integer.
#[must_use]
pub fn most_ever_started(module: &Module, limits: &Limits) -> Option<u64> {
    started(module, true, limits)
}

fn started(module: &Module, to_anything: bool, limits: &Limits) -> Option<u64> {
    let Some(entry) = module.entry else { return Some(0) };
    let graph = CallGraph::new(module);
    let starting = starting(module, &graph);
    let counts = FxHashMap::default();
    Counting { module, graph, starting, counts, to_anything, limits }.function(entry, 0)
}

/// Functions nested more deeply by calls and starts are not followed.
const DEPTH: usize = 200;

/// Whether a function, or one that it calls, has a start; indexed by function.
fn starting(module: &Module, graph: &CallGraph) -> Vec<bool> {
    let ids = || (0..module.functions.len()).map(FunctionId::new);
    let mut found: Vec<bool> =
        ids().map(|id| graph.sites(id).iter().any(|site| site.kind == Use::Spawn)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for id in ids().filter(|id| graph.sites(*id).iter().any(|s| s.kind == Use::Call)) {
            let calls_one = graph.sites(id).iter().any(|site| match site.callee {
                Some(callee) => found.get(callee.index()) == Some(&true),
                None => graph.address_taken().iter().any(|f| found.get(f.index()) == Some(&true)),
            });
            if calls_one && !found[id.index()] {
                found[id.index()] = true;
                changed = true;
            }
        }
    }
    found
}

/// The count at work.
struct Counting<'m> {
    module: &'m Module,
    graph: CallGraph,
    starting: Vec<bool>,
    /// What one execution of a function starts at most; no bound while it is being counted, so that
    /// a recursion has none.
    counts: FxHashMap<FunctionId, Option<u64>>,
    /// Whether loops count that count their rounds up to anything.
    to_anything: bool,
    limits: &'m Limits,
}

impl Counting<'_> {
    fn function(&mut self, id: FunctionId, depth: usize) -> Option<u64> {
        if self.starting.get(id.index()) != Some(&true) {
            return Some(0);
        }
        if let Some(&known) = self.counts.get(&id) {
            return known;
        }
        if depth >= DEPTH {
            return None;
        }
        self.counts.insert(id, None);
        let count = self.body(self.module.function(id), depth);
        self.counts.insert(id, count);
        count
    }

    /// What the functions that an operand may be start at most, each once.
    fn any_of(&mut self, callee: Operand, depth: usize) -> Option<u64> {
        if let Operand::Function(id) = callee {
            return self.function(id, depth + 1);
        }
        let taken: Vec<FunctionId> = self.graph.address_taken().iter().copied().collect();
        taken.into_iter().try_fold(0, |most, id| Some(self.function(id, depth + 1)?.max(most)))
    }

    /// What one execution of a block starts at most.
    fn block(&mut self, function: &Function, block: BlockId, depth: usize) -> Option<u64> {
        self.limits.check().ok()?;
        let mut sum = 0u64;
        for instruction in &function.block(block).instructions {
            let more = match &instruction.op {
                Op::Spawn { function, .. } => self.any_of(*function, depth)?.checked_add(1)?,
                Op::Call { callee, .. } => self.any_of(*callee, depth)?,
                _ => continue,
            };
            sum = sum.checked_add(more)?;
        }
        Some(sum)
    }

    fn body(&mut self, function: &Function, depth: usize) -> Option<u64> {
        let cfg = Cfg::new(function);
        let mut weights: FxHashMap<BlockId, u64> = FxHashMap::default();
        for &block in cfg.reverse_postorder() {
            let weight = self.block(function, block, depth)?;
            if weight > 0 {
                weights.insert(block, weight);
            }
        }
        self.multiply(function, &cfg, &mut weights)?;
        heaviest_path(&cfg, &weights)
    }

    /// Multiplies what blocks start by how often the loops around them execute them.
    fn multiply(
        &self,
        function: &Function,
        cfg: &Cfg,
        weights: &mut FxHashMap<BlockId, u64>,
    ) -> Option<()> {
        let dominators = Dominators::new(cfg);
        for content in loops::natural(function) {
            let inside: Vec<BlockId> =
                content.blocks.iter().copied().filter(|b| weights.contains_key(b)).collect();
            if inside.is_empty() {
                continue;
            }
            self.limits.check().ok()?;
            let rounds = Rounds::new(self.module, function, &dominators, cfg, &content);
            let most = || self.to_anything.then(|| rounds.most()).flatten();
            let rounds = rounds.count().or_else(most)?;
            for block in inside {
                let weight = weights.get_mut(&block)?;
                *weight = weight.checked_mul(rounds.executions(&dominators, block)?)?;
            }
        }
        // A cycle that no header dominates is in no natural loop.
        let is_irreducible = cfg.reverse_postorder().iter().any(|&from| {
            let targets = cfg.successors(from).iter();
            targets
                .into_iter()
                .any(|&to| cfg.is_backwards(from, to) && !dominators.dominates(to, from))
        });
        (!is_irreducible || weights.is_empty()).then_some(())
    }
}

/// The most that the blocks on a way through the function weigh; all blocks of a loop count.
fn heaviest_path(cfg: &Cfg, weights: &FxHashMap<BlockId, u64>) -> Option<u64> {
    if weights.is_empty() {
        return Some(0);
    }
    let graph = cfg.graph();
    // From each block on; components come with those behind them first.
    let mut heaviest: Vec<u64> = vec![0; graph.node_count()];
    for component in kosaraju_scc(&graph) {
        let (mut own, mut behind) = (0u64, 0u64);
        for node in &component {
            own =
                own.checked_add(weights.get(&BlockId::new(node.index())).copied().unwrap_or(0))?;
            for next in graph.neighbors(*node).filter(|next| !component.contains(next)) {
                behind = behind.max(heaviest.get(next.index()).copied().unwrap_or(0));
            }
        }
        let total = own.checked_add(behind)?;
        for node in component {
            heaviest[node.index()] = total;
        }
    }
    heaviest.get(Function::ENTRY.index()).copied()
}

#[cfg(test)]
mod tests {
    use sapa_limits::Limits;

    use super::{most_ever_started, most_started};

    /// The bound of a module whose functions have these bodies.
    fn bound(functions: &[(&str, &str)]) -> Option<u32> {
        let mut text = "gir 1\nglobal $g: i32 = 0\n".to_owned();
        for (name, body) in functions {
            text.push_str(&format!("define @{name}() {{\n{body}}}\n"));
        }
        text.push_str("entry @main\n");
        let module = sapa_ir::goto::parse(&text, "test").expect("the module is well-formed");
        most_started(&module, &Limits::default())
    }

    const END: (&str, &str) = ("t", "bb0:\n  return\n");
    const TWO: &str = "bb0:\n  %0: i64 = spawn @t()\n  %1: i64 = spawn @t()\n  return\n";

    /// `main` with `for (i = 0; i < rounds; i += step) spawn t`.
    fn counted(rounds: &str, step: &str) -> String {
        format!(
            "bb0:\n  jump bb1(0i32)\nbb1(%0: i32):\n  %1: i1 = slt %0, {rounds}\n  \
             branch %1, bb2, bb3\nbb2:\n  %2: i64 = spawn @t()\n  %3: i32 = add %0, {step}\n  \
             jump bb1(%3)\nbb3:\n  return\n"
        )
    }

    #[test]
    fn starts_are_counted() {
        assert_eq!(bound(&[END, ("main", "bb0:\n  return\n")]), Some(0));
        assert_eq!(bound(&[END, ("main", TWO)]), Some(2));
    }

    #[test]
    fn of_two_branches_the_larger_counts() {
        let body = "bb0:\n  %0: i1 = nondet\n  branch %0, bb1, bb2\nbb1:\n  \
                    %1: i64 = spawn @t()\n  %2: i64 = spawn @t()\n  jump bb3\nbb2:\n  \
                    %3: i64 = spawn @t()\n  jump bb3\nbb3:\n  %4: i64 = spawn @t()\n  return\n";
        assert_eq!(bound(&[END, ("main", body)]), Some(3));
    }

    #[test]
    fn threads_start_threads() {
        let s = ("s", TWO);
        let main = "bb0:\n  %0: i64 = spawn @s()\n  %1: i64 = spawn @s()\n  call @s()\n  return\n";
        assert_eq!(bound(&[END, s, ("main", main)]), Some(8));
        // One that starts its own like has no bound.
        let main = "bb0:\n  %0: i64 = spawn @main()\n  return\n";
        assert_eq!(bound(&[("main", main)]), None);
    }

    #[test]
    fn rounds_of_loops_multiply() {
        assert_eq!(bound(&[END, ("main", &counted("20i32", "1i32"))]), Some(20));
        assert_eq!(bound(&[END, ("main", &counted("20i32", "3i32"))]), Some(7));
        let s = counted("20i32", "1i32");
        let main = counted("3i32", "1i32").replace("@t", "@s");
        assert_eq!(bound(&[END, ("s", &s), ("main", &main)]), Some(63));
    }

    #[test]
    fn a_test_at_the_end_is_passed_once_less() {
        let main = "bb0:\n  jump bb1(0i32)\nbb1(%0: i32):\n  %1: i64 = spawn @t()\n  \
                    %2: i32 = add %0, 1i32\n  %3: i1 = slt %2, 20i32\n  \
                    branch %3, bb1(%2), bb2\nbb2:\n  return\n";
        assert_eq!(bound(&[END, ("main", main)]), Some(20));
    }

    #[test]
    fn other_loops_have_no_bound() {
        let unknown = counted("20i32", "1i32").replace("jump bb1(0i32)", "jump bb1(%4)");
        let unknown = unknown.replace("bb0:\n", "bb0:\n  %4: i32 = nondet\n");
        assert_eq!(bound(&[END, ("main", &unknown)]), None);
        // It never ends: the counter stays.
        assert_eq!(bound(&[END, ("main", &counted("20i32", "0i32"))]), None);
        let in_memory = "bb0:\n  jump bb1\nbb1:\n  %0: i32 = load $g\n  \
                         %1: i1 = slt %0, 20i32\n  branch %1, bb2, bb3\nbb2:\n  \
                         %2: i64 = spawn @t()\n  %3: i32 = add %0, 1i32\n  \
                         store i32, $g, %3\n  jump bb1\nbb3:\n  return\n";
        assert_eq!(bound(&[END, ("main", in_memory)]), None);
    }

    #[test]
    fn loops_to_anything_have_as_many_rounds_as_their_counter_has_numbers() {
        let ever = |main: &str| {
            let text = format!(
                "gir 1\ndefine @t() {{\n{}}}\ndefine @main() {{\n{main}}}\nentry @main\n",
                END.1
            );
            let module = sapa_ir::goto::parse(&text, "test").expect("the module is well-formed");
            most_ever_started(&module, &Limits::default())
        };
        let to_any = counted("%4", "1i32").replace("bb0:\n", "bb0:\n  %4: i32 = nondet\n");
        assert_eq!(ever(&to_any), Some((1 << 31) - 1));
        assert_eq!(ever(&to_any.replace("(0i32)", "(5i32)")), Some((1 << 31) - 6));
        assert_eq!(ever(&to_any.replace("slt", "ult")), Some((1 << 32) - 1));
        // It may wrap, or leap over the end, or never come nearer to it.
        assert_eq!(ever(&to_any.replace("slt", "sle")), None);
        assert_eq!(ever(&to_any.replace("slt", "ne")), None);
        assert_eq!(ever(&to_any.replace("add %0, 1i32", "add %0, 2i32")), None);
        assert_eq!(ever(&to_any.replace("slt %0, %4", "slt %4, %0")), None);
        assert_eq!(ever(&counted("20i32", "1i32")), Some(20));
    }

    #[test]
    fn a_round_left_early_still_counts() {
        let main = counted("20i32", "1i32").replace("jump bb1(%3)", "branch %4, bb1(%3), bb3");
        let main = main.replace("%2: i64", "%4: i1 = nondet\n  %2: i64");
        assert_eq!(bound(&[END, ("main", &main)]), Some(20));
    }
}
