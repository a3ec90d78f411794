//! Where a program allocates what nothing but itself frees.

use std::collections::BTreeSet;

use sapa_ir::goto::{FunctionId, Location, Module, Op};
use sapa_passes::analysis::call_graph::CallGraph;
use sapa_passes::transform::checks::is_automatic;

/// The first allocation, in the order of the module, of what does not end with its call, in a function that a run may come
/// to; `None` if no run allocates. It is asked of a module as it comes from the frontend: passes drop allocations that do not
/// matter to an assertion, and make others of locals.
pub(crate) fn first(module: &Module) -> Option<Location> {
    let found = |id: FunctionId| {
        let mut code = module.function(id).instructions();
        code.find(|i| matches!(i.op, Op::Allocate { .. }) && !is_automatic(module, i))
    };
    let all = || (0..module.functions.len()).map(FunctionId::new);
    all().find_map(found)?;
    let calls = CallGraph::new(module);
    let mut open: Vec<FunctionId> = match module.entry {
        Some(entry) => vec![entry],
        None => all().collect(),
    };
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            for site in calls.sites(id) {
                match site.callee {
                    Some(callee) => open.push(callee),
                    // It may be any whose address the program has.
                    None => open.extend(calls.address_taken()),
                }
            }
        }
    }
    reached.into_iter().find_map(found).map(|instruction| instruction.location)
}

#[cfg(test)]
mod tests {
    use crate::{Options, Program};

    #[test]
    fn what_no_run_comes_to_allocates_nothing() {
        let line = |source: &str| {
            let options = Options::default();
            let program = Program::compile_bytes("a.c", source.as_bytes(), &options);
            program.expect("it compiles").allocates.map(|location| location.line)
        };
        let head = "void *malloc(unsigned long); void *p;\n";
        assert_eq!(line(&format!("{head}int main(void) {{\n int a[2]; return a[0]; }}")), None);
        assert_eq!(line(&format!("{head}int main(void) {{\n p = malloc(4); }}")), Some(3));
        let unused = "void make(void) {\n p = malloc(4); }\n";
        assert_eq!(line(&format!("{head}{unused}int main(void) {{ }}")), None);
        let main = "int main(void) { void (*f)(void) = make; f(); }";
        assert_eq!(line(&format!("{head}{unused}{main}")), Some(3));
        let array = "int main(int n, char **v) { int a[n]; return a[0]; }";
        assert_eq!(line(array), None);
    }
}
