//! The pages are a book: each is in its table of contents, and no link leads nowhere.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::page::{Page, files, pages, root};

/// A heading as the end of a link, as GitHub and mdBook make it: what is not a letter, a digit, `_` or `-` is left out, and
/// spaces are `-`.
fn anchor(heading: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
        _ => None,
    };
    heading.to_lowercase().chars().filter_map(kept).collect()
}

/// The anchors of a page: its headings; one that comes again has a number.
fn anchors(page: &Page) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = page.prose().filter_map(|(_, line)| {
        let text = line.trim_start_matches('#');
        (text.len() < line.len()).then(|| text.trim())
    });
    headings
        .map(|heading| {
            let anchor = anchor(heading);
            let count = seen.entry(anchor.clone()).or_default();
            *count += 1;
            if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
        })
        .collect()
}

/// What links and images of a line lead to: `](…)`, outside of `code`, and `[name]: …`.
fn targets(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if line.starts_with('[')
        && let Some((_, target)) = line.split_once("]: ")
    {
        found.push(target);
    }
    for prose in line.split('`').step_by(2) {
        let behind = prose.split("](").skip(1);
        found.extend(behind.filter_map(|rest| rest.split(')').next()));
    }
    // The text of a link may be code, which ends before `](`.
    found.sort_unstable();
    found.dedup();
    found
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = result.pop(),
            Component::CurDir => {}
            part => result.push(part),
        }
    }
    result
}

#[test]
fn links_lead_somewhere() {
    let pages: BTreeMap<PathBuf, Page> =
        pages().into_iter().map(|page| (page.path.clone(), page)).collect();
    let (mut count, mut missing) = (0, Vec::new());
    for (path, page) in &pages {
        for (number, line) in page.prose() {
            for target in targets(line).into_iter().filter(|target| !target.contains("://")) {
                count += 1;
                let (file, wanted) = match target.split_once('#') {
                    Some((file, wanted)) => (file, Some(wanted)),
                    None => (target, None),
                };
                let to = match file {
                    "" => path.clone(),
                    _ => normal(&path.parent().expect("a folder").join(file)),
                };
                let there = match (pages.get(&to), wanted) {
                    (Some(page), Some(wanted)) => anchors(page).iter().any(|a| a == wanted),
                    (_, None) => root().join(&to).exists(),
                    (None, Some(_)) => false,
                };
                if !there {
                    missing.push(format!("{}:{number}: {target}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(count > 40, "the test reads nothing");
}

/// The table of contents has each page once, and nothing else.
#[test]
fn the_book_has_all_pages() {
    let summary = Page::read(Path::new("docs/SUMMARY.md"));
    let mut listed: Vec<PathBuf> = summary
        .prose()
        .flat_map(|(_, line)| targets(line))
        .map(|target| Path::new("docs").join(target))
        .collect();
    listed.sort();
    let mut all = files(Path::new("docs"), "md");
    all.retain(|path| *path != summary.path);
    assert_eq!(listed, all);
    let book = std::fs::read_to_string(root().join("docs/book.toml")).expect("the book");
    assert!(book.lines().any(|line| line == "src = \".\""), "pages stand beside book.toml");
}

#[test]
fn links_are_read_as_they_are_meant() {
    let line = "[`a`](b.md), `[c](d.md)` and ![e](f.svg), [g](h.md#i-j)";
    assert_eq!(targets(line), ["b.md", "f.svg", "h.md#i-j"]);
    assert_eq!(targets("[k]: ../l.rs"), ["../l.rs"]);
    assert_eq!(anchor("What `--all` shows: a run"), "what---all-shows-a-run");
    assert_eq!(normal(Path::new("docs/a/../b.md")), Path::new("docs/b.md"));
}
