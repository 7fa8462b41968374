//! A guide: its HTML, and its sections for the table of contents.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd, html};

use super::code_block::CodeBlock;
use crate::markdown::{self, Anchors};

/// Consecutive third-level sections with these titles become tabs, and a reader sees one tab at a time.
const LANGUAGES: [&str; 5] = ["Shell", "Python", "Node", "TypeScript", "Go"];

/// A page of the documentation that was read from Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// Its first heading.
    pub title: String,
    /// Its first paragraph.
    pub summary: String,
    /// All of it but the title.
    pub html: String,
    /// In their order; the first has the title.
    pub sections: Vec<Section>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// 1 for the title.
    pub level: u8,
    /// The id of the heading; empty for the title.
    pub anchor: String,
    pub title: String,
}

impl Guide {
    /// Every id in the HTML begins with `prefix`, so that several guides can stand on one page. HTML in the Markdown is shown as text.
    ///
    /// `None` without a heading of the first level.
    pub fn read(text: &str, prefix: &str) -> Option<Self> {
        let mut reader = Reader::new(prefix);
        for event in markdown::events(text) {
            reader.take_event(event);
        }
        reader.end_tabs();
        let title = reader.sections.first().filter(|first| first.level == 1)?;
        let title = title.title.clone();
        let mut written = String::new();
        html::push_html(&mut written, reader.events.into_iter());
        Some(Self {
            title,
            summary: markdown::summary(text),
            // The corner of a table is no heading.
            html: written.replace("<th></th>", "<td></td>"),
            sections: reader.sections,
        })
    }

    /// The sections that the table of contents names.
    pub fn contents(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| section.level == 2)
    }
}

/// Reads a guide event by event.
struct Reader<'a> {
    prefix: &'a str,
    anchors: Anchors,
    events: Vec<Event<'a>>,
    sections: Vec<Section>,
    heading: Option<(HeadingLevel, Vec<Event<'a>>, String)>,
    code: Option<(String, String)>,
    code_blocks: usize,
    tables: usize,
    /// Groups of tabs so far.
    tab_groups: usize,
    is_in_tab: bool,
}

impl<'a> Reader<'a> {
    fn new(prefix: &'a str) -> Self {
        Self {
            prefix,
            anchors: Anchors::default(),
            events: Vec::new(),
            sections: Vec::new(),
            heading: None,
            code: None,
            code_blocks: 0,
            tables: 0,
            tab_groups: 0,
            is_in_tab: false,
        }
    }

    fn take_event(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some((level, Vec::new(), String::new()));
            }
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((info, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => self.end_code(),
            other => self.push(other),
        }
    }

    fn push(&mut self, event: Event<'a>) {
        if let (Some((_, code)), Event::Text(part)) = (&mut self.code, &event) {
            code.push_str(part);
            return;
        }
        if let Some((_, inside, title)) = &mut self.heading {
            if let Event::Text(part) | Event::Code(part) = &event {
                title.push_str(part);
            }
            inside.push(event);
            return;
        }
        match event {
            Event::Start(Tag::Table(alignments)) => {
                self.tables += 1;
                let opening = format!(
                    "<div class=\"scroll slim\" tabindex=\"0\" role=\"region\" aria-label=\"Table {}\">",
                    self.tables
                );
                self.events.push(Event::Html(opening.into()));
                self.events.push(Event::Start(Tag::Table(alignments)));
            }
            Event::End(TagEnd::Table) => {
                self.events.push(event);
                self.events.push(Event::Html("</div>\n".into()));
            }
            other => self.events.push(other),
        }
    }

    fn end_heading(&mut self) {
        let Some((level, inside, title)) = self.heading.take() else {
            return;
        };
        let is_title = level == HeadingLevel::H1;
        let anchor = if is_title {
            String::new()
        } else {
            format!("{}{}", self.prefix, self.anchors.of(&title))
        };
        let is_tab = level == HeadingLevel::H3 && LANGUAGES.contains(&title.as_str());
        if is_tab {
            self.start_tab(&anchor, &title);
        } else if level <= HeadingLevel::H3 {
            self.end_tabs();
        }
        if !is_title {
            let opening =
                format!("<{level} id=\"{anchor}\"><a class=\"anchor\" href=\"#{anchor}\">");
            self.events.push(Event::Html(opening.into()));
            self.events.extend(inside);
            self.events.push(Event::Html(format!("</a></{level}>\n").into()));
        }
        if is_tab {
            return;
        }
        self.sections.push(Section { level: level as u8, anchor, title });
    }

    /// A radio button and its label before each section make tabs that need no script.
    fn start_tab(&mut self, anchor: &str, title: &str) {
        let (before, state) = if self.is_in_tab {
            ("</section>\n", "")
        } else {
            self.tab_groups += 1;
            self.is_in_tab = true;
            ("<div class=\"tabs\">\n", " checked")
        };
        let (prefix, group) = (self.prefix, self.tab_groups);
        let opening = format!(
            "{before}<input type=\"radio\" name=\"{prefix}tabs-{group}\" id=\"{anchor}-tab\"{state}>\
             <label for=\"{anchor}-tab\">{title}</label>\n<section>\n"
        );
        self.events.push(Event::Html(opening.into()));
    }

    fn end_tabs(&mut self) {
        if self.is_in_tab {
            self.is_in_tab = false;
            let closing = Event::Html("</section>\n</div>\n".into());
            self.events.push(closing);
        }
    }

    fn end_code(&mut self) {
        let Some((info, text)) = self.code.take() else {
            return;
        };
        self.code_blocks += 1;
        let block =
            CodeBlock::new(format!("{}code-{}", self.prefix, self.code_blocks), &info, &text);
        self.events.push(Event::Html(block.html().into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Keys & more\n\nWhat `keys` are\nfor.\n\n## Kinds of *keys*\n\nTwo kinds.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n\
        ```sh run\ncurl \"$API\" <x>\n```\n\n### `invalid_key`\n\n<script>x</script>\n\n## Kinds of keys\n";

    #[test]
    fn a_guide_has_anchors_tables_and_code_and_escapes_html() {
        let guide = Guide::read(TEXT, "").unwrap();
        assert_eq!(guide.title, "Keys & more");
        assert_eq!(guide.summary, "What keys are for.");
        for part in [
            "<h2 id=\"kinds-of-keys\"><a class=\"anchor\" href=\"#kinds-of-keys\">Kinds of <em>keys</em></a></h2>",
            "<h3 id=\"invalid_key\">",
            "<h2 id=\"kinds-of-keys-2\">",
            "aria-label=\"Table 1\"",
            "<code id=\"code-1\">curl <span class=\"string\">&#34;$API&#34;</span> &#60;x&#62;",
            "data-copy=\"code-1\"",
            "&lt;script&gt;",
        ] {
            assert!(guide.html.contains(part), "{part} is not in {}", guide.html);
        }
        assert!(!guide.html.contains("<script"), "{}", guide.html);
        assert!(!guide.html.contains("<h1"), "{}", guide.html);
        let contents: Vec<_> = guide.contents().map(|it| it.title.as_str()).collect();
        assert_eq!(contents, ["Kinds of keys", "Kinds of keys"]);
        assert_eq!(Guide::read("no heading", ""), None);
    }

    #[test]
    fn an_empty_table_heading_is_a_plain_cell() {
        let guide = Guide::read("# A\n\n| | a |\n| --- | --- |\n| b | |\n", "").unwrap();
        let row = "<tr><td></td><th>a</th></tr>";
        assert!(guide.html.contains(row), "{}", guide.html);
    }

    #[test]
    fn sections_of_programming_languages_become_tabs() {
        let text = "# A\n\n## B\n\nIntro.\n\n### Python\n\n```python\n1\n```\n\n### Node\n\n2\n\n### Other\n\n### Go\n\n3\n";
        let guide = Guide::read(text, "").unwrap();
        let titles: Vec<_> = guide.sections.iter().map(|it| it.title.as_str()).collect();
        assert_eq!(titles, ["A", "B", "Other"]);
        let html = guide.html;
        let tab = |group: usize, name: &str, state: &str| {
            format!(
                "<input type=\"radio\" name=\"tabs-{group}\" id=\"{name}-tab\"{state}><label for=\"{name}-tab\">"
            )
        };
        for part in [tab(1, "python", " checked"), tab(1, "node", ""), tab(2, "go", " checked")] {
            assert!(html.contains(&part), "{part} is not in {html}");
        }
        for part in ["<section>", "</section>"] {
            assert_eq!(html.matches(part).count(), 3, "{html}");
        }
        assert_eq!(html.matches("<div class=\"tabs\">").count(), 2);
        let (_, other) = html.split_once("</section>\n</div>\n").unwrap();
        assert!(other.starts_with("<h3 id=\"other\">"), "{other}");
        assert!(html.ends_with("</section>\n</div>\n"), "{html}");
    }

    #[test]
    fn ids_have_the_prefix_of_their_guide() {
        let guide = Guide::read(TEXT, "keys-").unwrap();
        assert!(guide.html.contains("<h3 id=\"keys-invalid_key\">"));
        assert!(guide.html.contains("<code id=\"keys-code-1\">"));
    }
}
