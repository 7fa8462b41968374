//! Further fields of forms: texts of several lines, choices, and groups.

use std::borrow::Cow;
use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;

use crate::field::{Field, Fields, labelled, optional_word};
use crate::language::Language;

/// A text of several lines.
#[derive(Debug, Template)]
#[template(path = "part/area.html")]
pub struct Area {
    name: Cow<'static, str>,
    label: &'static str,
    hint: String,
    value: String,
    error: Option<String>,
    rows: u8,
    max: u32,
    is_required: bool,
    language: Language,
}

impl Area {
    pub fn new(name: &'static str, label: &'static str) -> Self {
        Self {
            name: name.into(),
            label,
            hint: String::new(),
            value: String::new(),
            error: None,
            rows: 4,
            max: 2_000,
            is_required: true,
            language: Language::default(),
        }
    }

    #[must_use]
    pub fn rows(mut self, rows: u8, max: u32) -> Self {
        (self.rows, self.max) = (rows, max);
        self
    }

    /// What was typed before.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        value.clone_into(&mut self.value);
        self
    }
}

labelled!(Area);

/// A value to choose, and whether it is chosen.
#[derive(Debug, Clone)]
pub struct Choice {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

/// One of several values.
#[derive(Debug, Template)]
#[template(path = "part/select.html")]
pub struct Select {
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    hint: String,
    is_required: bool,
    error: Option<String>,
    language: Language,
    choices: Vec<Choice>,
}

impl Select {
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
        choices: Vec<Choice>,
    ) -> Self {
        Self {
            name: name.into(),
            label: label.into(),
            hint: String::new(),
            is_required: true,
            error: None,
            language: Language::default(),
            choices,
        }
    }
}

labelled!(Select);

/// Any number of several values.
#[derive(Debug, Template)]
#[template(path = "part/checks.html")]
pub struct Checks {
    name: Cow<'static, str>,
    legend: Cow<'static, str>,
    hint: String,
    is_required: bool,
    error: Option<String>,
    language: Language,
    choices: Vec<Choice>,
    /// The most boxes that may be ticked; 0: any number.
    most: u8,
}

impl Checks {
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        legend: impl Into<Cow<'static, str>>,
        choices: Vec<Choice>,
    ) -> Self {
        Self {
            name: name.into(),
            legend: legend.into(),
            hint: String::new(),
            is_required: true,
            error: None,
            language: Language::default(),
            choices,
            most: 0,
        }
    }

    /// The script ticks no more than this. The legend says it in words.
    #[must_use]
    pub fn most(mut self, most: u8) -> Self {
        self.most = most;
        self
    }
}

labelled!(Checks);

/// Fields that belong together.
#[derive(Debug, Default, Template)]
#[template(path = "part/group.html")]
pub struct Group {
    pub legend: &'static str,
    pub hint: &'static str,
    pub fields: Vec<Field>,
    /// Fields that few people need, which are folded.
    pub more: Vec<Field>,
    pub more_label: &'static str,
}

/// A part of a form.
#[derive(Debug)]
pub enum FormPart {
    Field(Field),
    Area(Area),
    Select(Select),
    Checks(Checks),
    Group(Group),
}

impl fmt::Display for FormPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(it) => it.fmt(f),
            Self::Area(it) => it.fmt(f),
            Self::Select(it) => it.fmt(f),
            Self::Checks(it) => it.fmt(f),
            Self::Group(it) => it.fmt(f),
        }
    }
}

// Their templates escape every value.
impl HtmlSafe for FormPart {}
impl HtmlSafe for Area {}
impl HtmlSafe for Select {}
impl HtmlSafe for Checks {}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> Vec<Choice> {
        let choice = |value: &str, is_chosen| Choice {
            value: value.to_owned(),
            label: "<b>bold".to_owned(),
            is_chosen,
        };
        vec![choice("a", false), choice("\"b", true)]
    }

    #[test]
    fn typed_text_cannot_end_its_element() {
        let area = Area::new("bio", "About").value("</textarea><script>");
        let html = area.render().unwrap();
        assert!(!html.contains("<script>"), "{html}");
        assert_eq!(html.matches("</textarea>").count(), 1);
    }

    #[test]
    fn optional_checkboxes_are_marked_as_optional() {
        let checks = || Checks::new("kind", "Kind", choices());
        let html = checks().optional().hint("Any.").render().unwrap();
        assert!(
            html.contains("Kind <span class=\"optional\">(optional)</span></legend>"),
            "{html}"
        );
        assert!(html.contains("aria-describedby=\"kind-hint\""), "{html}");
        let html = checks().render().unwrap();
        assert!(html.contains("<legend>Kind</legend>"), "{html}");
    }

    #[test]
    fn choices_are_escaped_and_linked_to_their_error() {
        let errors = Fields::one("kind", "Choose one.");
        for html in [
            Select::new("kind", "Kind", choices()).error_in(&errors).render(),
            Checks::new("kind", "Kind", choices()).error_in(&errors).render(),
        ] {
            let html = html.unwrap();
            assert!(!html.contains("<b>") && html.contains("Choose one."), "{html}");
            assert!(html.contains("aria-describedby=\"kind-error\""), "{html}");
        }
    }
}
