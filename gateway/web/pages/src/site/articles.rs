//! Pages of text: credits, methods, terms and privacy. They are Markdown files.

use askama::Template;

use crate::frame::Frame;
use crate::markdown;

#[derive(Debug, Template)]
#[template(path = "site/article.html")]
pub struct ArticlePage {
    pub frame: Frame,
    /// HTML that was made from Markdown, without any HTML of its author.
    pub body: String,
}

/// A text that was read from Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Its first heading.
    pub title: String,
    /// Its first paragraph or item, for search engines.
    pub summary: String,
    pub html: String,
}

impl Article {
    /// HTML in the Markdown is shown as text. `None` without a heading of the first level.
    pub fn read(text: &str) -> Option<Self> {
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, markdown::events(text));
        Some(Self { title: markdown::title(text)?, summary: markdown::summary(text), html })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_is_rendered_and_its_html_escaped() {
        let read = Article::read(
            "# Rules & *more*\n\nOne <b>bold</b>\nline.\n\n<script>x</script>\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
        ).unwrap();
        assert_eq!(read.title, "Rules & more");
        assert_eq!(read.summary, "One bold line.");
        assert!(read.html.contains("&lt;script&gt;"), "{}", read.html);
        assert!(!read.html.contains("<b>"), "{}", read.html);
        assert!(read.html.contains("<td>1</td>"), "{}", read.html);
        assert_eq!(Article::read("no heading"), None);
    }
}
