//! `#pragma pack`: the largest alignment of members, where it holds.

/// What the pragmas of a text say so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    /// The limit now; `None` is that of the types.
    now: Option<u64>,
    /// What `push` kept, under which name.
    kept: Vec<(Option<String>, Option<u64>)>,
    /// From which byte of the text on which limit holds, in the order of the text.
    changes: Vec<(usize, Option<u64>)>,
}

impl Packing {
    /// The limit at a byte of the text.
    pub fn at(&self, offset: usize) -> Option<u64> {
        let after = self.changes.partition_point(|(start, _)| *start <= offset);
        self.changes.get(after.checked_sub(1)?)?.1
    }

    /// Reads what stands behind the word `pack`; the pragma ends at a byte of the text. `None` for
    /// what GCC does not take.
    pub fn read(&mut self, text: &str, end: usize) -> Option<()> {
        let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let words: Vec<&str> = inside.split(',').map(str::trim).collect();
        match words.as_slice() {
            [""] => self.now = None,
            ["push", rest @ ..] => {
                let (name, limit) = match rest {
                    [] => (None, None),
                    [one] => match limit(one) {
                        Some(limit) => (None, Some(limit)),
                        None => (Some(identifier(one)?), None),
                    },
                    [name, of] => (Some(identifier(name)?), Some(limit(of)?)),
                    _ => return None,
                };
                self.kept.push((name, self.now));
                self.now = limit.unwrap_or(self.now);
            }
            // Without a push, or one of that name, it does nothing.
            ["pop"] => self.now = self.kept.pop().map_or(self.now, |(_, before)| before),
            ["pop", name] => {
                let name = identifier(name)?;
                if let Some(at) = self.kept.iter().rposition(|(of, _)| *of == Some(name.clone())) {
                    self.now = self.kept.get(at).and_then(|(_, before)| *before);
                    self.kept.truncate(at);
                }
            }
            [one] => self.now = limit(one)?,
            _ => return None,
        }
        self.changes.push((end, self.now));
        Some(())
    }
}

/// A limit in bytes; zero means none.
fn limit(text: &str) -> Option<Option<u64>> {
    match text.parse().ok()? {
        0 => Some(None),
        limit @ (1 | 2 | 4 | 8 | 16) => Some(Some(limit)),
        _ => None,
    }
}

fn identifier(text: &str) -> Option<String> {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| text.to_owned())
}
