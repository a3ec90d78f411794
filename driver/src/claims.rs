//! Which property an assertion is of.

use std::collections::HashMap;

use sapa_ir::goto::{Location, Module, Op};
use sapa_limits::Limits;
use sapa_passes::{PROPERTIES, PassError, Pipeline, Properties};

/// The property whose assertions a program has by itself.
const OWN: &str = "assertions";

/// The assertions of a program, each with the name of the property that it is of: told by which pass
/// has put it there, not by its words, which a program may use as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    of: HashMap<(Location, String), &'static str>,
    /// By words alone, for those of the library's models, which count where that is called.
    by_text: HashMap<String, &'static str>,
}

impl Claims {
    /// Puts assertions of what is asked for into a module by the passes of properties, and notes which is of what.
    ///
    /// # Errors
    /// If a pass cannot treat the module, or a limit ends it.
    pub(crate) fn assert(
        pipeline: Pipeline,
        module: &mut Module,
        limits: &Limits,
    ) -> Result<Self, PassError> {
        Properties::prepare(&pipeline, module);
        let mut claims = Self::default();
        claims.add(module, OWN);
        for step in pipeline.steps {
            let name = PROPERTIES.iter().find(|property| property.pass == Some(step.pass));
            let name = name.map_or(OWN, |property| property.name);
            Pipeline { steps: vec![step] }.run_within(module, &mut [], limits)?;
            claims.add(module, name);
        }
        Ok(claims)
    }

    /// Notes the assertions of a module that are new: they are of this property.
    fn add(&mut self, module: &Module, property: &'static str) {
        for instruction in module.functions.iter().flat_map(|function| function.instructions()) {
            if let Op::Assert { property: text, .. } = &instruction.op {
                self.of.entry((instruction.location, text.clone())).or_insert(property);
                self.by_text.entry(text.clone()).or_insert(property);
            }
        }
    }

    /// The name of the property that the assertion at a place of the program, or of a model that is called
    /// there, is of.
    #[must_use]
    pub fn property(&self, location: Location, text: &str) -> &'static str {
        let known = self.of.get(&(location, text.to_owned())).or_else(|| self.by_text.get(text));
        known.copied().unwrap_or(OWN)
    }
}

#[cfg(test)]
mod tests {
    use sapa_passes::Properties;

    use crate::{Options, Program};

    #[test]
    fn a_property_is_told_by_its_pass_and_not_by_words() {
        let source = b"int main(void) { int *p = 0;\n  __CPROVER_assert(0, \"no null pointer is used\");\n  return *p; }";
        let properties = Properties::parse("assertions,pointers").expect("they are known");
        let options = Options { properties, ..Options::default() };
        let program = Program::compile_bytes("a.c", source, &options).expect("it compiles");
        let of = |line: u32| {
            let on_line = program.assertions().into_iter().filter(|a| a.location.line == line);
            let null = on_line.filter(|a| a.text == "no null pointer is used");
            let mut of = null.map(|a| program.claims.property(a.location, &a.text));
            of.next().expect("there is one")
        };
        assert_eq!((of(2), of(3)), ("assertions", "pointers"));
    }
}
