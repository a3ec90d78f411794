//! The pages: the README and all of `docs/`, and what the tests read of Markdown.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A page, by its path from the root.
pub struct Page {
    pub path: PathBuf,
    pub text: String,
}

/// A fenced block: its language (empty if there is none), the line of its first fence, and what is between the fences.
pub struct Block<'p> {
    pub language: &'p str,
    pub line: usize,
    pub text: String,
}

impl Page {
    /// The page at a path from the root.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(root().join(path));
        Self { path: path.to_owned(), text: text.unwrap_or_else(|e| panic!("{path:?}: {e}")) }
    }

    /// All fenced blocks, in order.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let mut open: Option<Block<'_>> = None;
        for (number, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), open.take()) {
                (Some(_), Some(block)) => blocks.push(block),
                (Some(language), None) => {
                    open = Some(Block { language, line: number + 1, text: String::new() });
                }
                (None, Some(mut block)) => {
                    block.text += line;
                    block.text.push('\n');
                    open = Some(block);
                }
                (None, None) => {}
            }
        }
        let path = self.path.display();
        assert!(open.is_none(), "{path}: a fenced block has no end");
        blocks
    }

    /// The texts of all blocks of a language.
    pub fn blocks_of(&self, language: &str) -> Vec<String> {
        let blocks = self.blocks().into_iter();
        blocks.filter(|block| block.language == language).map(|block| block.text).collect()
    }

    /// The lines outside of fenced blocks, each with its number.
    pub fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut inside = false;
        self.text.lines().enumerate().filter_map(move |(number, line)| {
            let fence = line.starts_with("```");
            inside ^= fence;
            (!fence && !inside).then_some((number + 1, line))
        })
    }
}

/// The files below a folder with an extension, by their paths from the root, in order.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder of the repository");
    let mut found = Vec::new();
    for entry in entries {
        let path = folder.join(entry.expect("an entry").file_name());
        if root().join(&path).is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|of| of == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All pages.
pub fn pages() -> Vec<Page> {
    let paths = files(Path::new("docs"), "md");
    assert!(paths.len() > 15, "the test reads nothing");
    std::iter::once(PathBuf::from("README.md")).chain(paths).map(|path| Page::read(&path)).collect()
}
