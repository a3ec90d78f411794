//! Where things stand in a text.

use crate::goto::entity::Entity;

/// Where the entities of a module stand in the text that it was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    pub(super) lines: Lines,
    /// Entities with their offsets in the text, in bytes.
    pub(super) places: Vec<(Entity, usize)>,
}

impl Positions {
    /// Line and column of an entity, both from 1, the column in bytes; `None` for what the text does
    /// not say.
    #[must_use]
    pub fn find(&self, entity: Entity) -> Option<(usize, usize)> {
        let (_, offset) = self.places.iter().find(|(known, _)| *known == entity)?;
        Some(self.lines.locate(*offset))
    }
}

/// Where the lines of a text begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self([0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect())
    }

    /// Line and column of an offset.
    pub(super) fn locate(&self, offset: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= offset);
        let start = self.0.get(line.saturating_sub(1)).copied().unwrap_or(0);
        (line, offset.saturating_sub(start) + 1)
    }
}
