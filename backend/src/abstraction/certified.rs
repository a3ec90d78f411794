//! Which labels of a Boolean program stand for which places of the module, as certificates say it.

use sapa_certificate::module::text::{Parts, PlaceLabel, RootLabel};
use sapa_ir::goto::Module;

use super::origin::Origin;
use super::plan::Code;
use super::program::{Abstraction, is_written, node_label, targets};
use crate::automaton::Automaton;

impl Abstraction {
    /// The program with what it abstracts: `module` has a predicate for each place of the vocabulary.
    #[must_use]
    pub fn parts<'a>(&'a self, module: &'a Module, automaton: &Automaton) -> Parts<'a> {
        let (mut roots, mut places) = (Vec::new(), Vec::new());
        for (number, root) in automaton.roots.iter().enumerate() {
            let label = Origin::Start(number).to_string();
            roots.push(RootLabel { label, function: root.function });
            let targets = targets(automaton, number);
            for (at, node) in root.nodes.iter().enumerate() {
                if !is_written(at, node, &targets) {
                    continue;
                }
                let (block, index) = node.position;
                places.push(PlaceLabel {
                    label: node_label(Code { root: number, slot: None }, at),
                    root: number,
                    block,
                    index: index as usize,
                    free: node.preemptible,
                });
            }
        }
        Parts { module, program: &self.program, roots, places }
    }
}
