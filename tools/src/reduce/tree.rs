//! A text as tokens, and their order as a tree of brackets: what can be left out together.
//!
//! No grammar is known of C, modules and Boolean programs but their tokens, comments and brackets. So it does not
//! matter whether a text is right, which those that are reduced often are not; what is left out and makes no
//! sense, the command refuses.

use std::ops::Range;

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, or anything with its brackets and comments.
    C,
    /// Modules in text form (`.gir`): a line is a statement, and `;` begins a comment.
    Module,
    /// Boolean programs (`.bp`): words are brackets too, and `'` is no quote.
    Boolean,
}

impl Language {
    /// The language of a file, by its ending.
    #[must_use]
    pub fn of(extension: &str) -> Self {
        match extension {
            "gir" => Self::Module,
            "bp" => Self::Boolean,
            _ => Self::C,
        }
    }

    /// The closing bracket of an opening one.
    fn closing(self, open: &str) -> Option<&'static str> {
        let words = match open {
            "(" => return Some(")"),
            "[" => return Some("]"),
            "{" => return Some("}"),
            _ if self != Self::Boolean => return None,
            "begin" => "end",
            "if" => "fi",
            "while" => "od",
            _ => return None,
        };
        Some(words)
    }
}

/// A token, with the blanks before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Blanks; comments are left out.
    pub gap: String,
    /// The token itself.
    pub text: String,
}

/// The tokens of a text.
#[must_use]
pub fn tokens(text: &str, language: Language) -> Vec<Token> {
    let mut found = Vec::new();
    let mut gap = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let starts_line = gap.is_empty() && found.is_empty() || gap.contains('\n');
        let length = match first {
            _ if first.is_whitespace() => {
                gap.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or("");
                continue;
            }
            ';' if language == Language::Module => {
                rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or("");
                continue;
            }
            '/' if language != Language::Module && rest.starts_with("//") => {
                rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or("");
                continue;
            }
            '/' if language != Language::Module && rest.starts_with("/*") => {
                gap.push(' ');
                rest = rest.find("*/").and_then(|end| rest.get(end + 2..)).unwrap_or("");
                continue;
            }
            '#' if language == Language::C && starts_line => directive(rest),
            '"' => quoted(rest, '"'),
            '\'' if language == Language::C => quoted(rest, '\''),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if is_operator(first) => rest.find(|c| !is_operator(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        found.push(Token { gap: std::mem::take(&mut gap), text: token.to_owned() });
        rest = after;
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_$@%.".contains(c)
}

fn is_operator(c: char) -> bool {
    "+-*&|^!=<>?:~".contains(c)
}

/// The length of a literal.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a line of the preprocessor, with the lines that continue it.
fn directive(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            // The end of the line belongs to what comes next.
            return end - usize::from(line.ends_with('\n'));
        }
    }
    end
}

/// What stands between brackets, or the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The tokens, with the brackets.
    pub range: Range<usize>,
    /// Statements, or arguments.
    pub items: Vec<Item>,
}

/// A statement, or an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The tokens, with the sign that ends it.
    pub range: Range<usize>,
    /// The groups directly in it.
    pub groups: Vec<Group>,
}

impl Item {
    /// Its parts: its groups, and what is between them.
    #[must_use]
    pub fn parts(&self) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut at = self.range.start;
        for group in &self.groups {
            parts.push(at..group.range.start);
            parts.push(group.range.clone());
            at = group.range.end;
        }
        parts.push(at..self.range.end);
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// The tree of a text. Brackets that do not fit together end where the text, or what is around them, does.
#[must_use]
pub fn tree(tokens: &[Token], language: Language) -> Group {
    let (items, _) = Reader { tokens, language }.items(0, None, 0);
    Group { range: 0..tokens.len(), items }
}

/// Deepest brackets in brackets; what is deeper is read as if there were none.
const DEEPEST: usize = 200;

struct Reader<'t> {
    tokens: &'t [Token],
    language: Language,
}

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// The items from a token up to a closing bracket, and where that is.
    fn items(&self, from: usize, close: Option<&str>, depth: usize) -> (Vec<Item>, usize) {
        let mut items = Vec::new();
        let (mut start, mut at) = (from, from);
        let mut groups = Vec::new();
        while at < self.tokens.len() && close != Some(self.text(at)) {
            let before = groups.len();
            match self.language.closing(self.text(at)) {
                Some(closing) if depth < DEEPEST => {
                    let (inner, end) = self.items(at + 1, Some(closing), depth + 1);
                    let end = (end + 1).min(self.tokens.len());
                    groups.push(Group { range: at..end, items: inner });
                    at = end;
                }
                _ => at += 1,
            }
            let has_group = groups.len() > before;
            if self.ends(at, close, has_group) {
                items.push(Item { range: start..at, groups: std::mem::take(&mut groups) });
                start = at;
            }
        }
        if start < at {
            items.push(Item { range: start..at, groups });
        }
        (items, at)
    }

    /// Whether an item ends before a token, behind a group or another token.
    fn ends(&self, at: usize, close: Option<&str>, has_group: bool) -> bool {
        let (last, next) = (self.text(at.wrapping_sub(1)), self.text(at));
        let is_list = matches!(close, Some(")" | "]"));
        match self.language {
            Language::Module => {
                let begins_line = self.tokens.get(at).is_none_or(|token| token.gap.contains('\n'));
                begins_line || is_list && last == ","
            }
            _ if last == ";" => true,
            _ if last == "," => is_list || close == Some("}"),
            _ if last.starts_with('#') => self.language == Language::C,
            _ if has_group && last == "}" && !is_list => {
                !["else", "while", ";", ",", "=", ")"].contains(&next)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, language: Language) -> String {
        let tokens = tokens(text, language);
        tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join("·")
    }

    #[test]
    fn texts_become_tokens() {
        let c = "#define A \\\n 1\nint a = 'x'; /* no */ // no\nchar *s = \"a;\\\"b\";";
        assert_eq!(
            words(c, Language::C),
            "#define A \\\n 1·int·a·=·'x'·;·char·*·s·=·\"a;\\\"b\"·;"
        );
        assert_eq!(words("%1 = load i32, @x ; no", Language::Module), "%1·=·load·i32·,·@x");
        assert_eq!(words("a := 'b | !c;", Language::Boolean), "a·:=·'·b·|·!·c·;");
    }

    #[test]
    fn statements_and_arguments_are_items() {
        let text = "int x; void f(int a, int b) { if (a) { b; } else b; g(1, h(2)); }\nint y;";
        let all = tokens(text, Language::C);
        let tree = tree(&all, Language::C);
        let shown = |item: &Item| {
            all[item.range.clone()].iter().map(|t| t.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(tree.items.len(), 3);
        let body = &tree.items[1].groups[1];
        let statements: Vec<String> = body.items.iter().map(shown).collect();
        assert_eq!(statements, ["if ( a ) { b ; } else b ;", "g ( 1 , h ( 2 ) ) ;"]);
        let parameters: Vec<String> = tree.items[1].groups[0].items.iter().map(shown).collect();
        assert_eq!(parameters, ["int a ,", "int b"]);
        assert_eq!(body.items[0].parts().len(), 4);
    }

    #[test]
    fn brackets_that_do_not_fit_are_read_too() {
        for text in ["((", "))", "{ ( } )", "if while fi", ""] {
            for language in [Language::C, Language::Module, Language::Boolean] {
                let all = tokens(text, language);
                assert_eq!(tree(&all, language).range, 0..all.len(), "{text}");
            }
        }
    }
}
