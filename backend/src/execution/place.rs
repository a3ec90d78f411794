//! Places of the source that messages name.

use std::fmt;

use sapa_ir::goto::{Location, Module};

/// A place of the source that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// In the module.
    pub location: Location,
    /// As messages write it: `file:line:column`.
    text: String,
}

impl Place {
    /// The place of a module's code, if it is known.
    #[must_use]
    pub fn new(module: &Module, location: Location) -> Option<Self> {
        let text = (location.line != 0).then(|| module.describe(location))?;
        Some(Self { location, text })
    }
}

/// ` at FILE:LINE:COLUMN`, or nothing where that is not known.
pub(crate) fn at(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" at {place}"))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
