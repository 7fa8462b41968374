//! Code blocks of guides, with a language and a button to copy them.

use askama::Template;

use super::highlight::highlight;

/// A code block.
#[derive(Debug, Template)]
#[template(path = "docs/code.html")]
pub(super) struct CodeBlock {
    id: String,
    /// What stands above it.
    label: &'static str,
    /// What an example prints is read, not copied.
    is_answer: bool,
    /// HTML that was made from the code.
    code: String,
}

impl CodeBlock {
    /// `info` begins with the language; the rest is for the test that runs the block. `answer` says that the block before prints this one.
    pub(super) fn new(id: String, info: &str, text: &str) -> Self {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let is_answer = words.any(|word| word == "answer");
        let label = match language {
            "json" if is_answer => "Response",
            _ if is_answer => "Output",
            "sh" => "Shell",
            "json" => "JSON",
            "python" => "Python",
            "js" => "Node",
            "ts" => "TypeScript",
            "go" => "Go",
            "http" => "HTTP",
            _ => "Text",
        };
        Self { id, label, is_answer, code: highlight(language, text) }
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
    fn a_response_has_no_copy_button() {
        for (info, label) in [("json answer", "Response"), ("text answer", "Output")] {
            let block = CodeBlock::new("code-1".to_owned(), info, "{}");
            let html = block.html();
            let is_labelled = html.contains(&format!("<span class=\"quiet\">{label}</span>"));
            assert!(is_labelled && !html.contains("<button"), "{html}");
        }
        let block = CodeBlock::new("code-1".to_owned(), "js run", "1");
        assert!(block.html().contains("Node"));
    }
}
