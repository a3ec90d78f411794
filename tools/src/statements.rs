//! Sources to quote: their lines and statements, by place.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::macros;

/// The name of the standard input in places.
pub const STANDARD_INPUT: &str = "<stdin>";

/// Larger files are not read to be quoted.
pub(crate) const LARGEST: u64 = 1 << 26;

/// Reads lines and statements from files; a file is read once.
#[derive(Debug, Default)]
pub struct Statements {
    files: HashMap<String, Source>,
}

/// A statement of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// Its text in one line, without comments; empty if the source cannot be read.
    pub text: String,
    /// Where it begins and ends in the source, in bytes.
    from: usize,
    to: usize,
    /// Line and column where it begins, from 1.
    begins: (u32, u32),
    /// Whether it is a whole line, as it is not known which of its statements is meant.
    is_line: bool,
    /// Whether that is so because what macros stand for has moved the columns.
    is_moved: bool,
}

impl Statement {
    /// Where it begins and ends in the source, in bytes.
    #[must_use]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.from..self.to
    }

    /// The line where it begins, and the column, if it is known which statement of the line it is; both from 1. `None` if the
    /// source cannot be read.
    #[must_use]
    pub fn beginning(&self) -> Option<(u32, Option<u32>)> {
        let (line, column) = self.begins;
        (!self.text.is_empty()).then_some((line, (!self.is_line).then_some(column)))
    }

    /// Whether it is something that is executed, and no head of a function or of a declaration with braces.
    #[must_use]
    pub fn is_executed(&self) -> bool {
        self.is_line || self.text.ends_with(';') || is_head(self.text.as_bytes())
    }

    /// A column of this statement on a line. Preprocessors may place what a macro stands for a
    /// little before the statement that it is in.
    #[must_use]
    pub fn column(&self, line: u32, column: u32) -> u32 {
        let (first, begin) = self.begins;
        match line == first && column != 0 {
            true if self.is_moved => begin,
            true => column.max(begin),
            false => column,
        }
    }
}

/// A source and its statements.
#[derive(Debug, Default)]
struct Source {
    text: Vec<u8>,
    /// Where lines begin.
    lines: Vec<usize>,
    /// Statements, heads of functions and of control statements: first byte and the one after the
    /// last, in order.
    statements: OnceCell<Vec<(usize, usize)>>,
    /// The macros that it defines, and those of files beside it that it includes.
    macros: OnceCell<BTreeSet<String>>,
    /// The folder that it lies in.
    folder: PathBuf,
}

impl Statements {
    /// Reads from files, and from what was read of the standard input: it cannot be read again.
    #[must_use]
    pub fn new(standard_input: Option<&[u8]>) -> Self {
        standard_input.map_or_else(Self::default, |text| Self::of(STANDARD_INPUT, text))
    }

    /// Has read a file already.
    #[must_use]
    pub fn of(file: &str, text: &[u8]) -> Self {
        Self { files: HashMap::from([(file.to_owned(), Source::new(file, text.to_vec()))]) }
    }

    /// A line of a file as it stands there, without its end; `None` if there is none.
    pub fn raw_line(&mut self, file: &str, line: u32) -> Option<&[u8]> {
        self.source(file).line(line)
    }

    /// The statement at a line and column (bytes, from 1; 0 if not known) of a file. If it is not
    /// clear which of a line's is meant, as macros of the user's move columns, the whole line. Empty if the file cannot be read.
    pub fn at(&mut self, file: &str, line: u32, column: u32) -> Statement {
        self.source(file).at(line, column)
    }

    /// Line and column of the parenthesis that ends the call of one of these functions, in the statement at a line and column of
    /// a file; of several calls the first that does not stand before the column. Without functions, it is
    /// the parenthesis that ends what begins there.
    pub fn call_end(
        &mut self,
        file: &str,
        (line, column): (u32, u32),
        functions: &[&str],
    ) -> Option<(u32, u32)> {
        let range = self.at(file, line, column).range();
        let source = self.source(file);
        let at = source.offset(line, column)?;
        let text = source.text.get(..range.end)?;
        let mut calls = Vec::new();
        let mut here = range.start;
        while here < text.len() {
            let name = word(text.get(here..)?);
            if functions.iter().any(|function| function.as_bytes() == name) {
                calls.push(here);
            }
            here = skip(text, here).max(here + name.len().max(1));
        }
        let mut here = match calls.as_slice() {
            [] if functions.is_empty() => at,
            [one] => *one,
            several => *several.iter().find(|call| **call >= at)?,
        };
        let mut depth = 0_u32;
        while let Some(byte) = text.get(here) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return Some(source.place(here)),
                b')' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            here = skip(text, here).max(here + 1);
        }
        None
    }

    /// The text of a file; empty if it cannot be read.
    pub fn text(&mut self, file: &str) -> &[u8] {
        &self.source(file).text
    }

    /// The macros that a file defines, and those of files beside it that it includes.
    pub fn macros(&mut self, file: &str) -> &BTreeSet<String> {
        self.source(file).macros()
    }

    /// Whether a statement of a file is the condition behind the block of a `do`, which is no statement by itself. (Also that of a loop
    /// without a body behind a block is taken for one.)
    pub fn is_end_of_do(&mut self, file: &str, statement: &Statement) -> bool {
        let Statement { text, from, to, .. } = statement;
        let behind = self.text(file).get(*to..).unwrap_or_default().trim_ascii_start();
        word(text.as_bytes()) == b"while"
            && behind.first() == Some(&b';')
            && self.byte_before(file, *from) == Some(b'}')
    }

    /// The last byte before a place of a file that is of no comment, blank, or line of the
    /// preprocessor.
    pub fn byte_before(&mut self, file: &str, place: usize) -> Option<u8> {
        let text = self.text(file).get(..place)?;
        let (mut at, mut last, mut line_start) = (0, None, true);
        while let Some(&byte) = text.get(at) {
            let next = skip(text, at);
            if next > at {
                last = if byte == b'/' { last } else { Some(byte) };
                at = next;
            } else if byte == b'#' && line_start {
                at = directive_end(text, at);
            } else {
                line_start = byte == b'\n' || line_start && byte.is_ascii_whitespace();
                last = if byte.is_ascii_whitespace() { last } else { Some(byte) };
                at += 1;
            }
        }
        last
    }

    /// A line of a file without comments; empty if there is none.
    pub fn line(&mut self, file: &str, line: u32) -> String {
        plain(self.raw_line(file, line).unwrap_or_default())
    }

    /// The statement of a Boolean program at a line and column of a file: its line, if that has no
    /// other statement and it `is_part` of none.
    pub fn boolean(&mut self, file: &str, line: u32, column: u32, is_part: bool) -> String {
        let whole = self.line(file, line);
        if !is_part && !whole.trim_end_matches(';').contains(';') {
            return whole;
        }
        let text = self.raw_line(file, line);
        let column = usize::try_from(column).unwrap_or(0).saturating_sub(1);
        let rest = text.and_then(|text| text.get(column..)).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b';').map_or(rest.len(), |at| at + 1);
        plain(rest.get(..end).unwrap_or_default())
    }

    /// The bytes of a line, counted from its beginning, that belong to the statement at a column of it (from 1);
    /// `None` if there is no such line.
    pub fn part_of_line(
        &mut self,
        file: &str,
        line: u32,
        column: u32,
    ) -> Option<std::ops::Range<usize>> {
        let Statement { from, to, .. } = self.at(file, line, column);
        let source = self.source(file);
        let length = source.line(line)?.len();
        let start = *source.lines.get(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let part = |at: usize| at.saturating_sub(start).min(length);
        Some(part(from)..part(to))
    }

    fn source(&mut self, file: &str) -> &Source {
        self.files.entry(file.to_owned()).or_insert_with(|| {
            // A source that cannot be read again only costs the statement's text. Nothing is read of
            // what a program only says is a file: a device may have no end.
            let data = std::fs::metadata(file).ok();
            let is_small = data.is_some_and(|data| data.is_file() && data.len() <= LARGEST);
            let text = if is_small { std::fs::read(file).ok() } else { None };
            Source::new(file, text.unwrap_or_default())
        })
    }
}

impl Source {
    fn new(file: &str, text: Vec<u8>) -> Self {
        let mut lines = vec![0];
        lines.extend(
            text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1),
        );
        let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_owned();
        Self { text, lines, statements: OnceCell::new(), macros: OnceCell::new(), folder }
    }

    fn line(&self, line: u32) -> Option<&[u8]> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
        self.text.get(start..end).filter(|_| start < self.text.len())
    }

    fn at(&self, line: u32, column: u32) -> Statement {
        let Some(index) = usize::try_from(line).ok().and_then(|line| line.checked_sub(1)) else {
            return Statement::default();
        };
        let Some(&start) = self.lines.get(index) else { return Statement::default() };
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let statements = self.statements.get_or_init(|| scan(&self.text));
        let on_line: Vec<_> =
            statements.iter().filter(|(from, to)| *from < end && start < *to).collect();
        let place = start + usize::try_from(column).unwrap_or(0).saturating_sub(1);
        // What begins at the first macro, or before it, is where it was.
        let first_macro = self.first_macro(self.text.get(start..end).unwrap_or_default());
        let is_moved = on_line.len() > 1 && first_macro.is_some_and(|at| place > start + at);
        let found = match on_line.as_slice() {
            [one] => Some(**one),
            _ if is_moved || column == 0 || place >= end => None,
            // Preprocessors may place what a macro stands for a little before it.
            several => several.iter().find(|(_, to)| place < *to).map(|found| **found),
        };
        let (from, to) = found.unwrap_or((start, end));
        let text = plain(self.text.get(from..to).unwrap_or_default());
        let blanks = self.text.get(from..to).unwrap_or_default().iter();
        let blanks = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
        let begins = self.place(from + blanks);
        Statement { text, from, to, begins, is_line: found.is_none(), is_moved }
    }

    /// Where a line and column are in the text.
    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        Some(self.lines.get(index)? + usize::try_from(column).ok()?.checked_sub(1)?)
    }

    /// The line and column of a byte of the text, from 1.
    fn place(&self, at: usize) -> (u32, u32) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let line = self.lines.partition_point(|line| *line <= at);
        let start = line.checked_sub(1).and_then(|index| self.lines.get(index)).copied();
        (number(line.max(1)), number(at.saturating_sub(start.unwrap_or(0)) + 1))
    }

    /// The macros that it defines, and those of files beside it that it includes.
    fn macros(&self) -> &BTreeSet<String> {
        self.macros.get_or_init(|| macros::of(&self.text, &self.folder))
    }

    /// Where a line first names a macro of the user's: columns behind it are those of what it stands for.
    fn first_macro(&self, line: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < line.len() {
            let next = skip(line, at);
            let name = word(line.get(at..)?);
            if next == at && self.macros().contains(std::str::from_utf8(name).ok()?) {
                return Some(at);
            }
            at = next.max(at + name.len().max(1));
        }
        None
    }
}

/// The line, from 1, on which a function's definition begins in a C source, if that is seen without preprocessing.
#[must_use]
pub fn definition(text: &[u8], function: &str) -> Option<u32> {
    let is_of = |&(from, to): &(usize, usize)| {
        let head = text.get(from..to).unwrap_or_default();
        let mut words = (0..head.len()).filter(|&at| {
            let before = at.checked_sub(1).and_then(|before| head.get(before));
            let is_start = before.is_none_or(|byte| word(&[*byte]).is_empty());
            is_start && word(head.get(at..).unwrap_or_default()) == function.as_bytes()
        });
        let is_called = |at: usize| {
            let behind = head.get(at + function.len()..).unwrap_or_default();
            behind.trim_ascii_start().starts_with(b"(")
        };
        text.get(to) == Some(&b'{') && !is_head(head) && words.any(is_called)
    };
    let (from, _) = scan(text).into_iter().find(is_of)?;
    let before = text.get(..from).unwrap_or_default();
    u32::try_from(before.iter().filter(|byte| **byte == b'\n').count() + 1).ok()
}

/// Text without comments, and with single spaces.
fn plain(text: &[u8]) -> String {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let next = skip(text, at);
        if next > at {
            let is_comment = text[at] == b'/';
            if is_comment {
                out.push(b' ');
            } else {
                out.extend_from_slice(&text[at..next]);
            }
            at = next;
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    let out = String::from_utf8_lossy(&out);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The end of the comment or literal that begins here; the same place if none does.
fn skip(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = match rest {
        [b'/', b'/', ..] => rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', inner @ ..] => {
            inner.windows(2).position(|w| w == b"*/").map_or(rest.len(), |at| at + 4)
        }
        [quote @ (b'"' | b'\''), inner @ ..] => {
            let mut escaped = false;
            let end = inner.iter().position(|&byte| {
                let ends = byte == b'\n' || (byte == *quote && !escaped);
                escaped = byte == b'\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        }
        _ => 0,
    };
    at + length
}

/// Finds the statements of a C source.
fn scan(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    // Where the statement that is read begins.
    let mut start: Option<usize> = None;
    let mut depth = 0usize;
    // Depth of braces that are parts of expressions.
    let mut braces = 0usize;
    let mut line_start = true;
    let mut end = |start: &mut Option<usize>, at: usize| {
        if let Some(from) = start.take() {
            found.push((from, at));
        }
    };
    while let Some(&byte) = text.get(at) {
        let next = skip(text, at);
        if next > at {
            if byte != b'/' && start.is_none() {
                start = Some(at);
            }
            at = next;
            continue;
        }
        match byte {
            b'\n' => line_start = true,
            _ if byte.is_ascii_whitespace() => {}
            b'#' if line_start => {
                at = directive_end(text, at);
                continue;
            }
            b'(' | b'[' => {
                start.get_or_insert(at);
                depth += 1;
            }
            b')' | b']' => {
                depth = depth.saturating_sub(1);
                let head = start.is_some_and(|from| is_head(&text[from..at]));
                if depth == 0 && braces == 0 && byte == b')' && head {
                    end(&mut start, at + 1);
                }
            }
            b'{' if depth > 0 || braces > 0 => braces += 1,
            b'}' if braces > 0 => braces -= 1,
            b'{' if start.is_some_and(|from| is_initialiser(&text[from..at])) => braces += 1,
            b'{' | b'}' if depth == 0 => end(&mut start, at),
            b';' if depth == 0 && braces == 0 => {
                if start.is_some() {
                    end(&mut start, at + 1);
                }
            }
            _ => {
                let word = word(&text[at..]);
                if start.is_none() && matches!(word, b"else" | b"do") {
                    at += word.len();
                    line_start = false;
                    continue;
                }
                start.get_or_insert(at);
                at += word.len().max(1) - 1;
            }
        }
        line_start &= byte.is_ascii_whitespace();
        at += 1;
    }
    end(&mut start, text.len());
    found
}

/// The identifier or number that text begins with.
fn word(text: &[u8]) -> &[u8] {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
    &text[..length]
}

/// Whether text is the start of the head of a control statement, perhaps after a label.
fn is_head(text: &[u8]) -> bool {
    matches!(word(text), b"if" | b"while" | b"for" | b"switch")
}

/// Whether braces after this text are a part of an expression: in an assignment, an initialiser or
/// what is returned. No head of a function or a block has an `=` outside of parentheses.
fn is_initialiser(text: &[u8]) -> bool {
    let mut depth = 0usize;
    let assigns = text.iter().any(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *byte == b'=' && depth == 0
    });
    assigns || word(text) == b"return"
}

/// The end of a preprocessor's line, with those that continue it.
fn directive_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let text = source.as_bytes();
        scan(text).iter().map(|&(from, to)| plain(&text[from..to])).collect()
    }

    #[test]
    fn statements_are_cut_where_they_end() {
        let source = "#define X \\\n 1\nint a[] = {1, 2}; /* ; */ p = (struct s){3};\nint f(int x)\n{\n  if (x) a[0] = g(\";\",\n 2); else { x++; }\n  do x--; while (x);\n  for (;;) { }\n}\n";
        let expected = [
            "int a[] = {1, 2};",
            "p = (struct s){3};",
            "int f(int x)",
            "if (x)",
            "a[0] = g(\";\", 2);",
            "x++;",
            "x--;",
            "while (x)",
            "for (;;)",
        ];
        assert_eq!(texts(source), expected);
    }

    #[test]
    fn calls_end_at_their_parentheses() {
        let text = b"start(a, \")\",\n  f(1)); x = g(f(2) + f(3)); y = M(4);\n";
        let mut statements = Statements::of("a.c", text);
        let mut end = |at, functions: &[&str]| statements.call_end("a.c", at, functions);
        assert_eq!(end((1, 1), &["start"]), Some((2, 7)));
        assert_eq!(end((1, 1), &["f"]), Some((2, 6)));
        assert_eq!(end((2, 16), &["f"]), Some((2, 19)));
        assert_eq!(end((2, 17), &["f"]), Some((2, 26)));
        assert_eq!(end((2, 24), &["f"]), None);
        assert_eq!(end((2, 30), &["h"]), None);
        assert_eq!(end((2, 34), &[]), Some((2, 37)));
    }

    #[test]
    fn statements_begin_where_it_is_known() {
        let text =
            b"#define M(x) x\nint f(void) {\n  do { M(a); b; } while (c); d;\n  while (e) ;\n}\n";
        let mut statements = Statements::of("a.c", text);
        let mut at = |line, column| {
            let found = statements.at("a.c", line, column);
            let is_end = statements.is_end_of_do("a.c", &found);
            (found.beginning(), found.is_executed(), is_end)
        };
        assert_eq!(at(2, 5), (Some((2, Some(1))), false, false));
        assert_eq!(at(3, 20), (Some((3, None)), true, false));
        assert_eq!(at(4, 10), (Some((4, Some(3))), true, false));
        let mut statements = Statements::of("a.c", b"do { a; } while (c); d;\nx;\n");
        let found = statements.at("a.c", 1, 18);
        assert_eq!(found.beginning(), Some((1, Some(11))));
        assert!(statements.is_end_of_do("a.c", &found));
        let found = statements.at("a.c", 1, 22);
        assert!(!statements.is_end_of_do("a.c", &found));
    }

    #[test]
    fn a_definition_is_no_call_and_no_declaration() {
        let source = b"int main(void);\n// int main(void) {}\nint domain(void) { if (main()) { main(); } }\nstatic\nint main (int c) {\n}\n";
        assert_eq!(definition(source, "main"), Some(4));
        assert_eq!(definition(source, "domain"), Some(3));
        assert_eq!(definition(b"int main(void);\nint x = 1;", "main"), None);
        assert_eq!(definition(b"", "main"), None);
    }

    #[test]
    fn a_place_has_the_statement_that_is_there() {
        let source = Source::new("", b"n->v = 3; n->next = 0;\n// c\nx =\n  y;\n".to_vec());
        assert_eq!(source.at(1, 1).text, "n->v = 3;");
        assert_eq!(source.at(1, 12).text, "n->next = 0;");
        assert_eq!(source.at(1, 0).text, "n->v = 3; n->next = 0;");
        assert_eq!(source.at(4, 3).text, "x = y;");
        assert_eq!(source.at(1, 11).column(1, 11), 11);
        assert_eq!(source.at(1, 10).column(1, 10), 11);
        assert_eq!(source.at(4, 3).column(4, 3), 3);
        assert_eq!(source.at(9, 1).text, "");
    }
}
