//! The guides (`pages/guides`) as pages and as Markdown. They are read at start and when settings of the gateway change.

mod errors;
mod links;
mod settings;

use std::borrow::Cow;

use anyhow::Context as _;
use contracts::public::ApiSettings;
use pages::docs::Guide;

pub use links::Links;

/// The placeholder in texts for the address of the site, without a slash at its end.
const SITE: &str = "{{site}}";
/// The placeholder in texts for the address of the API, with its version.
const API: &str = "{{api_url}}";
/// The placeholder in a text for the section about error codes.
const ERRORS: &str = "{{errors}}\n";
/// The programs that texts include, by their placeholders: receivers of webhooks, which the tests of `webhook-svc/tool` run.
const RECEIVERS: [(&str, &str); 3] = [
    ("{{receiver.py}}\n", include_str!("../../../../../webhook-svc/tool/examples/receiver.py")),
    ("{{receiver.mjs}}\n", include_str!("../../../../../webhook-svc/tool/examples/receiver.mjs")),
    ("{{receiver.go}}\n", include_str!("../../../../../webhook-svc/tool/examples/receiver.go")),
];

/// The names and texts of a group.
type Sources = &'static [(&'static str, &'static str)];

/// The guides below their groups, in the order of the navigation. The name is that of the file.
macro_rules! guides {
    ($($group:literal: $($name:literal)*;)*) => {
        const SOURCES: &[(&str, Sources)] = &[$(($group, &[$((
            $name,
            include_str!(concat!("../../../pages/guides/", $name, ".md")),
        )),*])),*];

        /// The paths of the documentation's pages, for the sitemap.
        pub const PATHS: &[&str] = &["/docs", $($(concat!("/docs/", $name)),*),*];
    };
}

guides! {
    "Start": "first-call" "keys" "clients" "go-live";
    "Use": "reading" "writing" "economy" "webhooks";
    "Show": "feeds" "pictures";
    "Look up": "errors" "limits" "versioning" "support" "changelog";
}

/// A page of the documentation.
#[derive(Debug)]
pub struct DocsPage {
    /// The part of its path after `/docs/`.
    pub name: Cow<'static, str>,
    /// The title of its group in the navigation.
    pub group: Cow<'static, str>,
    pub guide: Guide,
    /// Its HTML for a page with all guides: every id begins with the name.
    pub html_among_others: String,
    /// The page as Markdown.
    pub markdown: String,
    /// The page has an ellipsis in the place of settings that are not known.
    pub lacks_settings: bool,
}

impl DocsPage {
    /// `None` if the text does not begin with a heading.
    pub fn read(
        name: impl Into<Cow<'static, str>>,
        group: impl Into<Cow<'static, str>>,
        text: &str,
    ) -> Option<Self> {
        let name = name.into();
        let prefix = format!("{}-", id(&name));
        Some(Self {
            guide: Guide::read(text, "")?,
            html_among_others: Guide::read(text, &prefix)?.html,
            markdown: without_attributes(text),
            lacks_settings: false,
            name,
            group: group.into(),
        })
    }

    pub fn path(&self) -> String {
        format!("/docs/{}", self.name)
    }

    /// Its id on a page with all guides.
    pub fn id(&self) -> String {
        id(&self.name)
    }
}

/// An id of HTML from a name.
fn id(name: &str) -> String {
    name.replace(['/', '.'], "-")
}

/// The documentation.
#[derive(Debug)]
pub struct Guides {
    /// In the order of the navigation.
    pub pages: Vec<DocsPage>,
}

/// The addresses that the guides name.
#[derive(Debug, Clone, Default)]
pub struct GuideAddresses {
    /// The address of the site, without a slash at its end.
    pub site: String,
    /// The address of the API, with its version.
    pub api_url: String,
    /// Other ones of this operator.
    pub links: Links,
}

impl Guides {
    /// `settings` are those of the gateway, if they are known.
    ///
    /// # Errors
    /// A text has no heading.
    pub fn read(
        addresses: &GuideAddresses,
        settings: Option<&ApiSettings>,
    ) -> anyhow::Result<Self> {
        let mut pages = Vec::new();
        for &(group, sources) in SOURCES {
            for &(name, source) in sources {
                let source = addresses.links.fill(source);
                let text = settings::fill(&source, settings);
                let lacks_settings = settings.is_none() && text != source;
                let mut text = text
                    .replace(SITE, &addresses.site)
                    .replace(API, &addresses.api_url)
                    .replace(ERRORS, &errors::markdown());
                for (placeholder, program) in RECEIVERS {
                    text = text.replace(placeholder, program);
                }
                let page = DocsPage::read(name, group, &text)
                    .with_context(|| format!("{name}.md begins with no heading"))?;
                pages.push(DocsPage { lacks_settings, ..page });
            }
        }
        Ok(Self { pages })
    }

    pub fn find(&self, name: &str) -> Option<&DocsPage> {
        self.pages.iter().find(|page| page.name == name)
    }
}

/// The pages before and after another one.
#[derive(Debug, Default)]
pub struct AdjacentPages<'p> {
    pub previous: Option<&'p DocsPage>,
    pub next: Option<&'p DocsPage>,
}

impl<'p> AdjacentPages<'p> {
    /// Those of the page with this name.
    pub fn new(name: &str, pages: impl IntoIterator<Item = &'p DocsPage>) -> Self {
        let mut adjacent = Self::default();
        let mut pages = pages.into_iter();
        for page in pages.by_ref().take_while(|page| page.name != name) {
            adjacent.previous = Some(page);
        }
        adjacent.next = pages.next();
        adjacent
    }
}

/// Reduces the first line of each code block to its language. The rest of that line is for the test that runs the block.
fn without_attributes(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix("```") {
        Some(info) if info.contains(' ') => {
            let language = info.split(' ').next().unwrap_or_default();
            Cow::Owned(format!("```{language}"))
        }
        _ => Cow::Borrowed(line),
    });
    let mut plain = String::with_capacity(text.len());
    for line in lines {
        plain.push_str(&line);
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn addresses() -> GuideAddresses {
        GuideAddresses {
            site: "https://mchezo.example".to_owned(),
            api_url: "https://mchezo.example/v1".to_owned(),
            links: Links::default(),
        }
    }

    fn guides() -> Guides {
        Guides::read(&addresses(), None).unwrap()
    }

    #[test]
    fn every_file_is_a_page_with_a_summary() {
        let guides = guides();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("pages/guides");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let pages = guides.pages.iter();
        let names: BTreeSet<String> = pages.map(|page| format!("{}.md", page.name)).collect();
        assert_eq!(files, names);
        for page in &guides.pages {
            let (name, guide) = (&page.name, &page.guide);
            assert!(PATHS.contains(&page.path().as_str()), "{name}");
            assert!((20..=200).contains(&guide.summary.len()), "{name}");
            assert!(guide.contents().count() > 1, "{name}");
            for text in [&guide.html, &page.markdown, &page.html_among_others] {
                assert!(!text.contains("{{"), "{name}: {text}");
            }
            assert!(!page.markdown.contains("``` run"), "{name}");
        }
    }

    #[test]
    fn every_link_leads_to_a_page_and_a_heading() {
        let guides = guides();
        for page in &guides.pages {
            for link in page.guide.html.split("href=\"/docs").skip(1) {
                let link = link.split('"').next().unwrap();
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let Some(name) = path.strip_prefix('/').filter(|name| *name != "all") else {
                    continue;
                };
                let name = name.trim_end_matches(".md");
                // The gateway's document provides the pages of the reference.
                if name.starts_with("reference") {
                    continue;
                }
                let target =
                    guides.find(name).unwrap_or_else(|| panic!("{}: /docs{link}", page.name));
                let has_heading = target.guide.sections.iter().any(|it| it.anchor == anchor);
                assert!(anchor.is_empty() || has_heading, "{}: {link}", page.name);
            }
        }
    }

    #[test]
    fn attributes_of_code_blocks_are_removed_from_markdown() {
        let text = "a\n```sh run=live\ncurl\n```\n```json\n{}\n```\n";
        let plain = "a\n```sh\ncurl\n```\n```json\n{}\n```\n";
        assert_eq!(without_attributes(text), plain);
    }

    #[test]
    fn a_page_knows_the_previous_and_the_next_one() {
        let guides = guides();
        let adjacent = |name| AdjacentPages::new(name, &guides.pages);
        assert_eq!(adjacent("keys").previous.unwrap().name, "first-call");
        assert_eq!(adjacent("keys").next.unwrap().name, "clients");
        assert_eq!(adjacent("go-live").next.unwrap().name, "reading");
        assert!(adjacent("first-call").previous.is_none());
        assert!(adjacent("changelog").next.is_none());
    }
}
