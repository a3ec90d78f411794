//! Graphviz export.

use std::fmt::Write;

use crate::edge::Edge;
use crate::manager::Var;
use crate::node::Store;

impl Store {
    /// Then-edges solid, else-edges dashed, complemented edges with a dot at their head.
    pub(crate) fn dot(&self, roots: &[(String, Edge)], name_of: &dyn Fn(Var) -> String) -> String {
        let mut text = String::from("digraph bdd {\n  node [shape=circle];\n");
        text.push_str("  n0 [shape=box,label=\"1\"];\n");
        for (number, (name, edge)) in roots.iter().enumerate() {
            let label = escape(name);
            let _ = writeln!(text, "  r{number} [shape=plaintext,label=\"{label}\"];");
            arrow(&mut text, &format!("r{number}"), *edge, "solid");
        }
        let edges: Vec<Edge> = roots.iter().map(|(_, edge)| *edge).collect();
        self.visit_nodes(&edges, |edge| {
            let node = self.node(edge);
            let (index, label) = (edge.index(), escape(&name_of(Var(node.var))));
            let _ = writeln!(text, "  n{index} [label=\"{label}\"];");
            arrow(&mut text, &format!("n{index}"), node.high, "solid");
            arrow(&mut text, &format!("n{index}"), node.low, "dashed");
        });
        text.push_str("}\n");
        text
    }
}

fn arrow(text: &mut String, from: &str, to: Edge, style: &str) {
    let head = if to.is_complement() { ",arrowhead=dot" } else { "" };
    let _ = writeln!(text, "  {from} -> n{} [style={style}{head}];", to.index());
}

fn escape(name: &str) -> String {
    name.replace('\\', "\\\\").replace('"', "\\\"")
}
