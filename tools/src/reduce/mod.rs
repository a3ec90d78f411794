//! Shrinking a text while something stays true of it (`sapa-reduce`).
//!
//! Hierarchical delta debugging (Misherghi and Su, ICSE 2006, over `ddmin` of Zeller and Hildebrandt, TSE 2002) on
//! the tree of brackets: statements of the outermost level are left out first, in halves, quarters and so on,
//! then parts of the statements that stay, their brackets, and what is in these; at last runs of tokens. All
//! of it is repeated as long as the text becomes shorter: what could not be left out at first may be needless
//! once its uses are gone.

pub mod command;
pub mod tree;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use sapa_limits::Limits;

use tree::{Group, Item, Language, Token, tokens, tree};

/// What has to stay true of the texts, and what is done with those of which it does.
pub trait Oracle: Sync {
    /// Whether it is true of a text.
    fn holds(&self, text: &str) -> bool;

    /// A shorter text of which it is true.
    fn kept(&self, text: &str);
}

/// The shortest text that is found, as long as the limits hold. `jobs` texts are asked about at a time; of those of
/// which it is true the first counts, so that the result does not depend on their number.
pub fn reduce(
    text: &str,
    language: Language,
    oracle: &dyn Oracle,
    jobs: usize,
    limits: &Limits,
) -> String {
    let mut reducer = Reducer {
        language,
        oracle,
        jobs: jobs.max(1),
        limits,
        best: text.to_owned(),
        tokens: tokens(text, language),
        asked: HashSet::new(),
    };
    reducer.without_comments();
    loop {
        let before = reducer.best.len();
        reducer.round();
        if reducer.best.len() >= before || limits.check().is_err() {
            return reducer.best;
        }
    }
}

struct Reducer<'r> {
    language: Language,
    oracle: &'r dyn Oracle,
    jobs: usize,
    limits: &'r Limits,
    best: String,
    /// Those of the best text when the round began; what is left out since then is empty.
    tokens: Vec<Token>,
    /// Of which texts it is not true, by their hashes: if two are the same, one is not tried.
    asked: HashSet<u64>,
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The text of tokens, without those that were left out.
fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    // The blanks at the beginning of a line that has no token yet.
    let mut line: Option<&str> = None;
    for Token { gap, text: token } in tokens {
        if let Some((_, indent)) = gap.rsplit_once('\n') {
            line = Some(indent);
        }
        if token.is_empty() {
            continue;
        }
        match line {
            Some(indent) if !text.is_empty() => {
                text.push('\n');
                text.push_str(indent);
            }
            // What stood between them may be gone.
            None if !text.is_empty() && (!gap.is_empty() || touches(&text, token)) => {
                text.push(' ')
            }
            _ => {}
        }
        // A directive has a line of its own.
        line = (token.len() > 1 && token.starts_with('#')).then_some("");
        text.push_str(token);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Whether a text and a token would be read as one.
fn touches(text: &str, token: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.ends_with(is_word) && token.starts_with(is_word)
}

impl Reducer<'_> {
    /// Comments are left out at once, if they do not matter.
    fn without_comments(&mut self) {
        let text = text_of(&self.tokens);
        if text.len() < self.best.len() && self.oracle.holds(&text) {
            self.oracle.kept(&text);
            self.best = text;
        }
    }

    /// Goes through the whole text once.
    fn round(&mut self) {
        self.tokens = tokens(&self.best, self.language);
        let whole = tree(&self.tokens, self.language);
        // All groups of a depth before those in them.
        let mut groups: Vec<&Group> = vec![&whole];
        while !groups.is_empty() {
            let mut inner: Vec<&Group> = Vec::new();
            for group in groups {
                let items: Vec<Range<usize>> =
                    group.items.iter().map(|item| item.range.clone()).collect();
                self.leave_out(items);
                for item in &group.items {
                    if !self.is_there(&item.range) {
                        continue;
                    }
                    self.leave_out(item.parts());
                    self.unwrap(item);
                    inner.extend(item.groups.iter().filter(|group| self.is_there(&group.range)));
                }
            }
            groups = inner;
        }
        for length in [8, 4, 2, 1] {
            let there: Vec<usize> =
                (0..self.tokens.len()).filter(|at| self.is_there(&(*at..at + 1))).collect();
            let runs = there.windows(length).map(|run| run.iter().map(|at| *at..at + 1).collect());
            let runs: Vec<Vec<Range<usize>>> = runs.collect();
            self.try_each(&runs);
        }
    }

    /// Whether anything of a range is left.
    fn is_there(&self, range: &Range<usize>) -> bool {
        self.tokens[range.clone()].iter().any(|token| !token.text.is_empty())
    }

    /// Takes the brackets of groups away, and leaves what is in them.
    fn unwrap(&mut self, item: &Item) {
        let brackets = item.groups.iter().filter(|group| group.range.len() > 1).map(|group| {
            vec![group.range.start..group.range.start + 1, group.range.end - 1..group.range.end]
        });
        let brackets: Vec<_> = brackets.collect();
        self.try_each(&brackets);
    }

    /// Leaves out as many of the ranges as it can: `ddmin`, where complements alone are tried.
    fn leave_out(&mut self, ranges: Vec<Range<usize>>) {
        let mut left: Vec<_> = ranges.into_iter().filter(|range| self.is_there(range)).collect();
        let mut size = left.len();
        while size > 0 {
            let chunks: Vec<Vec<Range<usize>>> = left.chunks(size).map(<[_]>::to_vec).collect();
            self.try_each(&chunks);
            left.retain(|range| self.is_there(range));
            size = match size {
                1 => 0,
                _ => (size / 2).min(left.len()),
            };
        }
    }

    /// Leaves out one set of ranges after the other, where it still holds without it.
    fn try_each(&mut self, sets: &[Vec<Range<usize>>]) {
        let mut at = 0;
        while at < sets.len() && self.limits.check().is_ok() {
            let mut batch: Vec<(usize, Vec<Token>, String)> = Vec::new();
            while at < sets.len() && batch.len() < self.jobs {
                let mut tokens = self.tokens.clone();
                for range in &sets[at] {
                    tokens[range.clone()].iter_mut().for_each(|token| token.text.clear());
                }
                let text = text_of(&tokens);
                if text.len() < self.best.len() && !self.asked.contains(&hash(&text)) {
                    batch.push((at, tokens, text));
                }
                at += 1;
            }
            let Some(found) = self.first(&batch) else {
                self.asked.extend(batch.iter().map(|(.., text)| hash(text)));
                continue;
            };
            let (index, tokens, text) = batch.swap_remove(found);
            self.oracle.kept(&text);
            (self.tokens, self.best) = (tokens, text);
            // Those behind it were asked about with what is gone now.
            at = index + 1;
        }
    }

    /// The first text of a batch of which it holds.
    fn first(&self, batch: &[(usize, Vec<Token>, String)]) -> Option<usize> {
        if let [(.., text)] = batch {
            return self.oracle.holds(text).then_some(0);
        }
        std::thread::scope(|scope| {
            let asked: Vec<_> =
                batch.iter().map(|(.., text)| scope.spawn(|| self.oracle.holds(text))).collect();
            // A thread that panicked has no answer.
            let answers: Vec<bool> =
                asked.into_iter().map(|thread| thread.join().unwrap_or(false)).collect();
            answers.iter().position(|holds| *holds)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Holds of texts that have all of some words, with brackets that fit together.
    struct Words(&'static [&'static str], Mutex<Vec<String>>);

    impl Oracle for Words {
        fn holds(&self, text: &str) -> bool {
            let balance =
                |open: char, close: char| text.matches(open).count() == text.matches(close).count();
            self.0.iter().all(|word| text.contains(word)) && balance('{', '}') && balance('(', ')')
        }

        fn kept(&self, text: &str) {
            self.1.lock().expect("a lock").push(text.to_owned());
        }
    }

    fn reduced(text: &str, words: &'static [&'static str], jobs: usize) -> String {
        let oracle = Words(words, Mutex::default());
        let found = reduce(text, Language::C, &oracle, jobs, &Limits::default());
        let kept = oracle.1.into_inner().expect("a lock");
        assert!(kept.windows(2).all(|pair| pair[0].len() > pair[1].len()), "{kept:?}");
        assert_eq!(kept.last(), Some(&found));
        found
    }

    const TEXT: &str = "#include <x.h>\n// a comment\nint a, b;\nvoid f(int p, int q)\n{\n    if (p) { x = q; y = 2; }\n    else while (1) z(1, 2, 3);\n}\nint main(void) { f(1, 2); }\n";

    #[test]
    fn what_does_not_matter_is_left_out() {
        assert_eq!(reduced(TEXT, &["z"], 1).trim(), "z");
        assert_eq!(reduced(TEXT, &["#include", "main"], 1), "#include <x.h>\nmain\n");
        assert_eq!(
            reduced(TEXT, &["y = 2", "{"], 1).split_whitespace().collect::<String>(),
            "{y=2}"
        );
    }

    #[test]
    fn the_number_of_jobs_does_not_matter() {
        for words in [&["z"][..], &["main", "f(1"], &["else", "q"]] {
            assert_eq!(reduced(TEXT, words, 1), reduced(TEXT, words, 3));
        }
    }

    #[test]
    fn nothing_is_tried_when_the_limits_are_over() {
        let limits = Limits::default();
        limits.stop(sapa_limits::Exceeded::Interrupted);
        let oracle = Words(&["z"], Mutex::default());
        let found = reduce(TEXT, Language::C, &oracle, 1, &limits);
        assert!(found.contains("main") && !found.contains("comment"), "{found}");
    }
}
