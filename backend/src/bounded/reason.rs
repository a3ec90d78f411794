//! Why a program is not unfolded, or has no answer.

use std::fmt;

use sapa_ir::goto::Location;

/// What the bounded engine does not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// An operation that it does not know.
    Unsupported(&'static str, Location),
    /// A function without a body is called.
    NoBody(String, Location),
    /// The program, unfolded, has too many instructions, steps or bytes.
    TooLarge(Location),
    /// It is not known where an address points.
    Address(Location),
    /// Paths in different atomic sections meet.
    Sections,
    /// A failing assignment is no run of the interpreter.
    Replay(&'static str),
    /// Something that stores cannot wait as.
    Waits(&'static str, Location),
    /// A failing run rests on a value that is not modelled.
    Unmodelled,
    /// The solver was given up.
    Solver,
}

impl GaveUp {
    /// Whether more work may help.
    #[must_use]
    pub fn is_of_effort(&self) -> bool {
        matches!(self, Self::TooLarge(_) | Self::Solver)
    }

    /// The place in the source, if it is known.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        match self {
            Self::Unsupported(_, at)
            | Self::NoBody(_, at)
            | Self::Waits(_, at)
            | Self::TooLarge(at)
            | Self::Address(at) => Some(*at),
            Self::Sections | Self::Replay(_) | Self::Unmodelled | Self::Solver => None,
        }
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what, _) => write!(f, "{what} is not unfolded"),
            Self::Waits(what, _) => write!(f, "{what} is not unfolded under this memory model"),
            Self::NoBody(name, _) => write!(f, "`{name}` is called and has no body"),
            Self::TooLarge(_) => f.write_str("the unfolded program is too large"),
            Self::Address(_) => f.write_str("it is not known where an address points"),
            Self::Sections => f.write_str("atomic sections begin on different paths"),
            Self::Replay(what) => write!(f, "a failing run cannot be executed: {what}"),
            Self::Unmodelled => f.write_str("a failing run rests on a value that is not modelled"),
            Self::Solver => f.write_str("the formula is too hard"),
        }
    }
}
