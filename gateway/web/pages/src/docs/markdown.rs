//! What the Markdown of guides has beyond that of articles: anchors, and code blocks with a language and a button to copy them.

use std::collections::HashMap;

use askama::Template;
use pulldown_cmark::Options;

pub(super) const OPTIONS: Options = Options::ENABLE_TABLES;

/// The ids of headings, each once on a page.
#[derive(Debug, Default)]
pub(super) struct Anchors(HashMap<String, u32>);

impl Anchors {
    /// `Kinds of keys` → `kinds-of-keys`; a second heading like it gets `kinds-of-keys-2`.
    pub(super) fn of(&mut self, title: &str) -> String {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = title.split(|c: char| !is_word(c));
        let words: Vec<String> = words
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let anchor = words.join("-");
        let count = self.0.entry(anchor.clone()).or_default();
        *count += 1;
        match *count {
            1 => anchor,
            again => format!("{anchor}-{again}"),
        }
    }
}

/// A code block.
#[derive(Debug, Template)]
#[template(path = "docs/code.html")]
pub(super) struct CodeBlock {
    id: String,
    /// What stands above it.
    label: &'static str,
    /// An answer is read, not copied.
    is_answer: bool,
    text: String,
}

impl CodeBlock {
    /// `info` begins with the language; the rest is for the test that runs the block. `answer` says that the block before prints this one.
    pub(super) fn new(id: String, info: &str, text: String) -> Self {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let is_answer = words.any(|word| word == "answer");
        let label = match language {
            _ if is_answer => "Answer",
            "sh" => "Shell",
            "json" => "JSON",
            "python" => "Python",
            "js" => "Node",
            "go" => "Go",
            "rust" => "Rust",
            "http" => "HTTP",
            _ => "Text",
        };
        Self {
            id,
            label,
            is_answer,
            text,
        }
    }

    pub(super) fn html(&self) -> String {
        // A template without a filter of its own does not fail.
        self.render().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_words_and_each_is_there_once() {
        let mut anchors = Anchors::default();
        assert_eq!(
            anchors.of("2026-11-24: Documentation"),
            "2026-11-24-documentation"
        );
        assert_eq!(anchors.of("invalid_key"), "invalid_key");
        assert_eq!(anchors.of("invalid_key"), "invalid_key-2");
        assert_eq!(anchors.of("What's new?"), "what-s-new");
    }

    #[test]
    fn an_answer_is_not_copied() {
        let block = CodeBlock::new("code-1".to_owned(), "json answer", "{}".to_owned());
        let html = block.html();
        assert!(
            html.contains("Answer") && !html.contains("<button"),
            "{html}"
        );
        let block = CodeBlock::new("code-1".to_owned(), "js run", "1".to_owned());
        assert!(block.html().contains("Node"));
    }
}
