//! Pages of text: credits, methods, terms and privacy. They are Markdown files.

use askama::Template;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::frame::Frame;

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
    pub fn read(markdown: &str) -> Option<Self> {
        let events = || Parser::new_ext(markdown, Options::ENABLE_TABLES);
        let title = text_of(events(), |tag| {
            matches!(
                tag,
                Tag::Heading {
                    level: HeadingLevel::H1,
                    ..
                }
            )
        })?;
        let summary = text_of(events(), |tag| matches!(tag, Tag::Paragraph | Tag::Item));
        let safe = events().map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            other => other,
        });
        let mut text = String::new();
        html::push_html(&mut text, safe);
        Some(Self {
            title,
            summary: summary.unwrap_or_default(),
            html: text,
        })
    }
}

/// The text of the first element of a kind.
fn text_of<'a>(
    events: impl Iterator<Item = Event<'a>>,
    is_wanted: impl Fn(&Tag<'a>) -> bool,
) -> Option<String> {
    let mut inside: Option<(TagEnd, String)> = None;
    for event in events {
        match (&mut inside, event) {
            (None, Event::Start(tag)) if is_wanted(&tag) => {
                inside = Some((tag.to_end(), String::new()));
            }
            (Some((_, text)), Event::Text(part) | Event::Code(part)) => text.push_str(&part),
            (Some((_, text)), Event::SoftBreak) => text.push(' '),
            (Some((end, _)), Event::End(tag)) if *end == tag => break,
            _ => {}
        }
    }
    inside.map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html_without_html_of_its_author() {
        let read = Article::read(
            "# Rules & *more*\n\nOne <b>bold</b>\nline.\n\n<script>x</script>\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
        );
        let read = read.unwrap();
        assert_eq!(read.title, "Rules & more");
        assert_eq!(read.summary, "One bold line.");
        assert!(read.html.contains("&lt;script&gt;"), "{}", read.html);
        assert!(!read.html.contains("<b>"), "{}", read.html);
        assert!(read.html.contains("<td>1</td>"), "{}", read.html);
        assert_eq!(Article::read("no heading"), None);
    }
}
