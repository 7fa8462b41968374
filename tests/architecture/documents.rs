//! What pages and comments name exists.

use std::collections::BTreeSet;
use std::fs;

use crate::{files, root};

/// Targets of Markdown links in `text` that are paths.
fn links(text: &str) -> Vec<&str> {
    text.match_indices("](")
        .filter_map(|(at, _)| text[at + 2..].split(')').next())
        .filter(|target| {
            // Texts of the public site link to its pages, also as `{{site}}/…`.
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            !is_elsewhere && !target.starts_with(['#', '/', '{'])
        })
        .collect()
}

#[test]
fn every_path_that_a_page_links_to_exists() {
    for page in files(&root(), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let path = link.split('#').next().unwrap();
            let target = page.parent().unwrap().join(path);
            assert!(
                target.exists(),
                "{} links to {link}, which is not there",
                page.display()
            );
        }
    }
}

/// The files and folders that a page names in code spans, by paths from the top.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    // Builds and fleets write the folders that git ignores: which files they have depends on what ran.
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap();
    let spans = text.split('`').skip(1).step_by(2);
    spans.filter(move |span| {
        let top = span.split('/').next().unwrap();
        let is_ignored = ignored
            .lines()
            .any(|line| line.strip_prefix('/') == Some(top));
        let is_top = !top.is_empty() && !is_ignored && root().join(top).is_dir();
        let is_path = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        span.contains('/') && is_top && span.chars().all(is_path)
    })
}

#[test]
fn every_file_that_a_page_names_exists() {
    for page in files(&root(), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        for path in named_paths(&text) {
            let folders = [&root(), &root().join("proto"), page.parent().unwrap()];
            let is_there = folders.iter().any(|folder| folder.join(path).exists());
            assert!(
                is_there,
                "{} names {path}, which is not there",
                page.display()
            );
        }
    }
}

/// The pages of the contract, which share one numbering.
const CONTRACT_PAGES: [&str; 2] = ["proto/CONTRACT.md", "proto/DECISIONS.md"];

/// The numbers of a page: of headings (`### 2.5 Countries`), and of rules that begin with one (`**5.7 One's own.**`).
fn section_numbers(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    text.lines()
        .filter(|line| line.starts_with('#') || line.starts_with("**"))
        .map(|line| section_number(line.trim_start_matches(['#', '*', ' '])))
        .filter(|number| !number.is_empty())
        .collect()
}

/// The number that `text` begins with, without a full stop after it.
fn section_number(text: &str) -> String {
    let number: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    number.trim_end_matches('.').to_owned()
}

#[test]
fn every_section_that_a_comment_or_a_page_names_is_in_the_contract() {
    let numbers: BTreeSet<String> = CONTRACT_PAGES
        .into_iter()
        .flat_map(section_numbers)
        .collect();
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
