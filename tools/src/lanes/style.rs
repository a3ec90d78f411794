//! Colours of a terminal.

/// How a piece of text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// As it is.
    Plain,
    /// What is less important.
    Faint,
    /// What a step executes.
    Strong,
    /// The failure.
    Failure,
    /// What belongs to a lane.
    Lane(usize),
}

/// Colours of lanes, which are told apart by their columns too: cyan, yellow, magenta, green, blue.
const LANES: [u8; 5] = [36, 33, 35, 32, 34];

impl Ink {
    /// The text as a terminal shows it; only the text where there are no colours.
    pub(super) fn paint(self, text: &str, colours: bool) -> String {
        let code = match self {
            _ if !colours || text.trim().is_empty() => return text.to_owned(),
            Self::Plain => return text.to_owned(),
            Self::Faint => "2".to_owned(),
            Self::Strong => "1".to_owned(),
            Self::Failure => "1;31".to_owned(),
            Self::Lane(lane) => LANES.get(lane % LANES.len()).copied().unwrap_or(36).to_string(),
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
