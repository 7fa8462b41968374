//! Whatever documents and comments name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{files, root};

/// Targets of Markdown links in `text` that are paths.
fn links(text: &str) -> Vec<&str> {
    text.match_indices("](")
        .filter_map(|(at, _)| text[at + 2..].split(')').next())
        .filter(|target| {
            // Texts of the public site link to its pages by paths such as `/…` or `{{site}}/…`.
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            !is_elsewhere && !target.starts_with(['#', '/', '{'])
        })
        .collect()
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let characters = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    characters.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_path_and_section_that_a_page_links_to_exists() {
    for page in files(&root(), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (path, section) = link.split_once('#').unwrap_or((link, ""));
            let target = page.parent().unwrap().join(path);
            assert!(target.exists(), "{} links to {link}", page.display());
            if target.extension().is_some_and(|it| it == "md") && !section.is_empty() {
                let target = fs::read_to_string(target).unwrap();
                let mut headings = target.lines().filter(|line| line.starts_with('#'));
                let is_there = headings.any(|heading| anchor(heading) == section);
                assert!(is_there, "{} links to {link}", page.display());
            }
        }
    }
}

/// Whether `word` is a path from the top of the source tree.
fn is_path_from_top(word: &str) -> bool {
    // Ignore what git ignores: which of these files exist depends on what ran before.
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let top = word.split('/').next().unwrap();
    let is_ignored = ignored.lines().any(|line| line.strip_prefix('/') == Some(top));
    let is_top = !top.is_empty() && !is_ignored && root().join(top).is_dir();
    let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    word.contains('/') && is_top && word.chars().all(is_path)
}

/// Whether a code span may name a test, since test names are sentences.
fn is_test_name(span: &str) -> bool {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    span.matches('_').count() > 2 && span.chars().all(is_name)
}

/// Checks files in code spans and commands, and tests that follow the file in the same line.
#[test]
fn every_file_and_test_that_a_page_names_exists() {
    for page in files(&root(), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        let spans = text.split('`').skip(1).step_by(2);
        let commands = text
            .split(|c: char| c.is_whitespace() || "'\"(),;".contains(c))
            .filter(|word| word.starts_with("deploy/"));
        for path in spans.clone().chain(commands).filter(|it| is_path_from_top(it)) {
            let folders = [&root(), &root().join("proto"), page.parent().unwrap()];
            let is_there = folders.iter().any(|folder| folder.join(path).exists());
            assert!(is_there, "{} names {path}", page.display());
        }
        for line in text.lines() {
            let mut source = None;
            for span in line.split('`').skip(1).step_by(2) {
                if Path::new(span).extension().is_some_and(|it| it == "rs") {
                    source = fs::read_to_string(root().join(span)).ok();
                } else if let Some(source) = source.as_ref().filter(|_| is_test_name(span)) {
                    let is_there = source.contains(&format!("fn {span}("));
                    assert!(is_there, "{} names the test {span}", page.display());
                }
            }
        }
    }
}

/// The pages of the contract share one numbering.
const CONTRACT_PAGES: [&str; 2] = ["proto/CONTRACT.md", "proto/DECISIONS.md"];

/// The section numbers in a page: of headings (`### 2.5 Countries`), and of rules that start with a number (`**5.7 One's own.**`).
fn section_numbers(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    text.lines()
        .filter(|line| line.starts_with('#') || line.starts_with("**"))
        .map(|line| section_number(line.trim_start_matches(['#', '*', ' '])))
        .filter(|number| !number.is_empty())
        .collect()
}

/// The number at the start of `text`, without a full stop at its end.
fn section_number(text: &str) -> String {
    let number: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    number.trim_end_matches('.').to_owned()
}

#[test]
fn every_section_that_a_comment_or_a_page_names_is_in_the_contract() {
    let numbers: BTreeSet<String> = CONTRACT_PAGES.into_iter().flat_map(section_numbers).collect();
    for ending in [".rs", ".proto", ".sql", ".md"] {
        for file in files(&root(), ending) {
            let text = fs::read_to_string(&file).unwrap();
            for (at, mark) in text.match_indices('§') {
                let number = section_number(&text[at + mark.len()..]);
                assert!(
                    number.is_empty() || numbers.contains(&number),
                    "{} names §{number}, which the contract does not have",
                    file.display()
                );
            }
        }
    }
}
