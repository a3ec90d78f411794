//! Comments that say which of our variables a generated name means.

use sapa_ir::boolean::flat::FlatProgram;

/// A line for each variable: its generated name and ours.
pub(super) fn legend(program: &FlatProgram, comment: &str) -> String {
    let mut text = String::new();
    for (kind, variables) in [("s", &program.shared), ("l", &program.locals)] {
        for (index, variable) in variables.iter().enumerate() {
            text.push_str(&format!("{comment} {kind}{index}: {}\n", variable.name));
        }
    }
    text
}
