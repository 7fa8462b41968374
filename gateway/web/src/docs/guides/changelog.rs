//! The entries of the changelog, for its feed.

use anyhow::Context as _;
use pages::docs::Section;

/// A change that callers may notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// `YYYY-MM-DD`.
    pub day: String,
    pub title: String,
    /// The heading on the page.
    pub anchor: String,
    pub summary: String,
}

impl Change {
    /// A heading such as `2026-11-24: Documentation`, and the text below it.
    pub(super) fn read(section: &Section) -> anyhow::Result<Self> {
        let parts = section.title.split_once(": ");
        let parts = parts.filter(|(day, _)| is_day(day));
        let (day, title) = parts.with_context(|| {
            let heading = &section.title;
            format!("`{heading}` in the changelog does not begin with a day and a colon")
        })?;
        Ok(Self {
            day: day.to_owned(),
            title: title.to_owned(),
            anchor: section.anchor.clone(),
            summary: section.text.trim().to_owned(),
        })
    }
}

fn is_day(text: &str) -> bool {
    let format = time::format_description::well_known::Iso8601::DATE;
    text.len() == 10 && time::Date::parse(text, &format).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_begins_with_its_day() {
        let section = |title: &str| Section {
            level: 2,
            anchor: "a".to_owned(),
            title: title.to_owned(),
            text: " New: docs. ".to_owned(),
            code: String::new(),
        };
        let change = Change::read(&section("2026-11-24: Documentation: more")).unwrap();
        assert_eq!(change.day, "2026-11-24");
        assert_eq!(change.title, "Documentation: more");
        assert_eq!(change.summary, "New: docs.");
        for title in ["Documentation", "2026-13-24: x", "24 November: x"] {
            assert!(Change::read(&section(title)).is_err(), "{title}");
        }
    }
}
