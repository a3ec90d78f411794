//! A line of a source as messages show it: the line, and a caret below the column.

use unicode_width::UnicodeWidthChar;

/// Columns of a terminal that a line takes at most; what is further from the caret is left out.
const WIDEST: usize = 120;

/// What stands before a line without number. Eight columns: tabs are as wide behind it as at the
/// beginning of a line.
const MARGIN: &str = "      | ";

/// A line of a source behind its number, and a caret below the column, in bytes from 1; none where
/// the line has no such column. Each of the two lines has its end.
#[must_use]
pub fn excerpt(line: &[u8], number: u32, column: u32) -> String {
    let line = line.trim_ascii_end();
    let at = usize::try_from(column).ok().and_then(|column| column.checked_sub(1));
    let (before, after) = line.split_at(at.unwrap_or(0).min(line.len()));
    let (before, after) = (shown(before), shown(after));
    // Room for what is behind the caret: half, or what it takes if that is less.
    let room = WIDEST - after.iter().map(|&c| width(c)).sum::<usize>().min(WIDEST / 2);
    let before = last(&before, room);
    let used: usize = before.iter().map(|&c| width(c)).sum();
    let after = first(&after, WIDEST.saturating_sub(used));
    let text: String = before.iter().chain(&after).collect();
    let mut out = format!("{number:>5} | {text}\n");
    if at.is_some_and(|at| at <= line.len()) {
        let blank = |&c: &char| if c == '\t' { "\t".to_owned() } else { " ".repeat(width(c)) };
        let below: String = before.iter().map(blank).collect();
        out.push_str(&format!("{MARGIN}{below}^\n"));
    }
    out
}

/// A line that is in no file, such as an instruction in the IR's text form.
#[must_use]
pub fn unnumbered(text: &str) -> String {
    let text: String = first(&shown(text.as_bytes()), WIDEST).into_iter().collect();
    format!("{MARGIN}{text}\n")
}

/// Columns that a character takes; a tab counts as one, since it is repeated below.
fn width(c: char) -> usize {
    c.width().unwrap_or(1)
}

/// The characters of a text; in the place of those that would command the terminal or turn the
/// direction of what follows, one that says that something is there.
fn shown(text: &[u8]) -> Vec<char> {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let replaced = |c: char| (c.is_control() && c != '\t') || turns(c);
    let text = String::from_utf8_lossy(text);
    text.chars().map(|c| if replaced(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// As much of the end of a text as there is room for; an ellipsis for the rest.
fn last(text: &[char], room: usize) -> Vec<char> {
    let mut reversed: Vec<char> = text.iter().rev().copied().collect();
    reversed = first(&reversed, room);
    reversed.reverse();
    reversed
}

/// As much of the beginning of a text as there is room for; an ellipsis for the rest.
fn first(text: &[char], room: usize) -> Vec<char> {
    let mut used = 0;
    let fits = text.iter().take_while(|&&c| {
        used += width(c);
        used <= room
    });
    let count = fits.count();
    if count == text.len() {
        return text.to_vec();
    }
    let mut kept = text[..count.saturating_sub(1)].to_vec();
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_is_below_the_column() {
        assert_eq!(excerpt(b"  x = ;\r", 12, 7), "   12 |   x = ;\n      |       ^\n");
        assert_eq!(excerpt(b"\tx;", 3, 2), "    3 | \tx;\n      | \t^\n");
        // Two columns and three bytes a character; then one of no columns.
        let wide = "\"世界\" + e\u{301} ;";
        assert_eq!(
            excerpt(wide.as_bytes(), 1, 16),
            format!("    1 | {wide}\n      |            ^\n")
        );
    }

    #[test]
    fn what_has_no_column_has_no_caret() {
        assert_eq!(excerpt(b"x", 1, 0), "    1 | x\n");
        assert_eq!(excerpt(b"x", 1, 3), "    1 | x\n");
        // Behind the last character, where something is missing.
        assert_eq!(excerpt(b"x", 1, 2), "    1 | x\n      |  ^\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let line = "(".repeat(1 << 20);
        let text = excerpt(line.as_bytes(), 1, 1 << 19);
        let (first, second) = text.split_once('\n').expect("two lines");
        assert_eq!(first.chars().count(), MARGIN.len() + WIDEST);
        assert!(first.starts_with("    1 | …((") && first.ends_with("((…"), "{first}");
        assert_eq!(second.chars().count(), MARGIN.len() + WIDEST / 2 + 2);
    }

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(excerpt(b"a\x1b[31mb", 1, 0), "    1 | a\u{fffd}[31mb\n");
        assert_eq!(excerpt("a\u{202e}b".as_bytes(), 1, 0), "    1 | a\u{fffd}b\n");
        assert_eq!(excerpt(b"a\xffb", 1, 3), "    1 | a\u{fffd}b\n      |   ^\n");
    }
}
