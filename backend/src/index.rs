//! Positions in tables as numbers of 32 bits, and types for them.

/// A position in a table as the number that its typed index holds.
///
/// # Panics
/// If it does not fit: one number would stand for two entries.
pub(crate) fn small_index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or_else(|_| panic!("a table holds fewer than 2^32 entries"))
}

/// Conversions between a typed index, which holds a number, and the position that it stands for.
macro_rules! typed_index {
    ($name:ident) => {
        impl $name {
            /// What has this position in its table.
            ///
            /// # Panics
            /// If the position does not fit in 32 bits.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self($crate::index::small_index(index))
            }

            /// The position in its table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

pub(crate) use typed_index;
