//! Markdown of articles and guides.

use std::collections::HashMap;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The events of a text with tables. HTML in it is shown as text.
pub(crate) fn events(text: &str) -> impl Iterator<Item = Event<'_>> {
    parser(text).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        other => other,
    })
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// The text of the first heading of the first level.
pub(crate) fn title(text: &str) -> Option<String> {
    let level = HeadingLevel::H1;
    first(text, |tag| matches!(tag, Tag::Heading { level: found, .. } if *found == level))
}

/// The text of the first paragraph or item, for search engines.
pub(crate) fn summary(text: &str) -> String {
    let summary = first(text, |tag| matches!(tag, Tag::Paragraph | Tag::Item));
    summary.unwrap_or_default()
}

/// The text of the first element of a kind, without HTML.
fn first(text: &str, is_wanted: impl Fn(&Tag<'_>) -> bool) -> Option<String> {
    let mut inside: Option<(TagEnd, String)> = None;
    for event in parser(text) {
        match (&mut inside, event) {
            (None, Event::Start(tag)) if is_wanted(&tag) => {
                inside = Some((tag.to_end(), String::new()));
            }
            (Some((_, text)), Event::Text(part) | Event::Code(part)) => text.push_str(&part),
            (Some((_, text)), Event::SoftBreak | Event::HardBreak) => text.push(' '),
            (Some((end, _)), Event::End(tag)) if *end == tag => break,
            _ => {}
        }
    }
    inside.map(|(_, text)| text)
}

/// The ids of headings, each once on a page.
#[derive(Debug, Default)]
pub(crate) struct Anchors(HashMap<String, u32>);

impl Anchors {
    /// `Kinds of keys` → `kinds-of-keys`; a second heading like it gets `kinds-of-keys-2`.
    pub(crate) fn of(&mut self, title: &str) -> String {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words: Vec<String> = title
            .split(|c: char| !is_word(c))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn anchors_are_slugs_and_unique() {
        let mut anchors = Anchors::default();
        assert_eq!(anchors.of("2026-11-24: Documentation"), "2026-11-24-documentation");
        assert_eq!(anchors.of("invalid_key"), "invalid_key");
        assert_eq!(anchors.of("invalid_key"), "invalid_key-2");
        assert_eq!(anchors.of("What's new?"), "what-s-new");
    }

    /// Fragments of HTML and Markdown, and other characters.
    const TEXT: &str = "(<|>|</?script>|<!--|-->|<b onclick=|`|\
        ```\n|\\[|\\]|\\(|\\)|#|\\*|\\||\n| |\\PC){0,60}";

    /// The elements that Markdown can produce, except those of table rows.
    const ELEMENTS: [&str; 22] = [
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "a",
        "em",
        "strong",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "blockquote",
        "hr",
        "br",
        "img",
        "table",
        "thead",
        "tbody",
    ];

    proptest! {
        #[test]
        fn any_text_has_elements_of_markdown_only(text in TEXT) {
            let mut html = String::new();
            pulldown_cmark::html::push_html(&mut html, events(&text));
            for tag in html.split('<').skip(1) {
                let name = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
                prop_assert!(ELEMENTS.contains(&name) || ["tr", "th", "td"].contains(&name), "{html}");
            }
            drop((title(&text), summary(&text)));
        }
    }
}
