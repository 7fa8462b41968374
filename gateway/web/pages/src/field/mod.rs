//! Fields of forms: label, control, hint and error, tied together for screen readers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use askama::Template;

use crate::language::Language;
use crate::texts::Texts;

/// A field with its label.
#[derive(Debug, Template)]
#[template(path = "part/field.html")]
pub struct Field {
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    control: Control,
    /// The type of a line.
    kind: &'static str,
    autocomplete: &'static str,
    inputmode: &'static str,
    /// The values of a select or of boxes.
    choices: Vec<Choice>,
    /// The most boxes that the script ticks; 0: any number.
    most: u8,
    /// The lines of an area.
    rows: u8,
    hint: String,
    value: String,
    error: Option<String>,
    is_required: bool,
    language: Language,
    max: u32,
}

/// How a person fills a field in.
#[derive(Debug, Clone, Copy)]
enum Control {
    Line,
    /// A text of several lines.
    Area,
    /// One of several values.
    Select,
    /// Any number of several values.
    Checks,
}

/// A value to choose, and whether it is chosen.
#[derive(Debug, Clone)]
pub struct Choice {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

/// Its template escapes every value.
impl askama::filters::HtmlSafe for Field {}

impl Field {
    fn new(
        kind: &'static str,
        name: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            label: label.into(),
            control: Control::Line,
            kind,
            autocomplete: "on",
            inputmode: "",
            choices: Vec::new(),
            most: 0,
            rows: 4,
            hint: String::new(),
            value: String::new(),
            error: None,
            is_required: true,
            language: Language::default(),
            max: 200,
        }
    }

    /// A text of several lines.
    pub fn area(name: &'static str, label: &'static str) -> Self {
        Self { control: Control::Area, max: 2_000, ..Self::text(name, label) }
    }

    /// One of several values.
    pub fn select(name: &'static str, label: &'static str, choices: Vec<Choice>) -> Self {
        Self { control: Control::Select, choices, ..Self::text(name, label) }
    }

    /// Any number of several values.
    pub fn checks(name: &'static str, label: &'static str, choices: Vec<Choice>) -> Self {
        Self { control: Control::Checks, choices, ..Self::text(name, label) }
    }

    pub fn text(name: impl Into<Cow<'static, str>>, label: impl Into<Cow<'static, str>>) -> Self {
        Self::new("text", name, label)
    }

    /// The name of an account or a key, whose length the gateway limits.
    pub fn name(name: &'static str, label: &'static str) -> Self {
        Self::text(name, label).max(120)
    }

    pub fn email(name: &'static str, label: &'static str) -> Self {
        let field = Self::new("email", name, label).max(254);
        field.autocomplete("username")
    }

    /// A password that exists. Its value is never shown again.
    pub fn password(name: &'static str, label: &'static str) -> Self {
        let field = Self::new("password", name, label).max(256);
        field.autocomplete("current-password")
    }

    /// A password that a person chooses.
    pub fn new_password(name: &'static str, label: &'static str) -> Self {
        Self::password(name, label).autocomplete("new-password").hint(
            "At least 10 characters. A few unrelated words are good; a password manager is better.",
        )
    }

    /// A one-time code.
    pub fn code(name: &'static str, label: &'static str) -> Self {
        Self::text(name, label).autocomplete("one-time-code").max(40)
    }

    pub fn date(name: &'static str, label: &'static str) -> Self {
        Self::new("date", name, label).max(10)
    }

    /// A time, in UTC.
    pub fn minute(name: &'static str, label: &'static str) -> Self {
        Self::new("datetime-local", name, label).max(20)
    }

    /// What a browser may fill in. Never `off`: then Chromium forgets what was typed when a person comes back with Back, and no secret needs
    /// it, since browsers never keep the text of a password field.
    #[must_use]
    pub fn autocomplete(mut self, autocomplete: &'static str) -> Self {
        self.autocomplete = autocomplete;
        self
    }

    #[must_use]
    pub fn digits(mut self) -> Self {
        self.inputmode = "numeric";
        self
    }

    /// For an address of the web. The service explains what is wrong with one, so the browser does not check it.
    #[must_use]
    pub fn url(mut self) -> Self {
        self.inputmode = "url";
        self.max(2_048)
    }

    #[must_use]
    pub fn max(mut self, characters: u32) -> Self {
        self.max = characters;
        self
    }

    /// What was typed before, unless it is a password.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        if self.kind != "password" {
            value.clone_into(&mut self.value);
        }
        self
    }

    #[must_use]
    pub fn rows(self, rows: u8) -> Self {
        Self { rows, ..self }
    }

    /// The script ticks no more boxes than this. The label says it in words.
    #[must_use]
    pub fn most(self, most: u8) -> Self {
        Self { most, ..self }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    #[must_use]
    pub fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }

    /// The error of this field, if there is one, and the language of the page.
    #[must_use]
    pub fn error_in(self, errors: &Fields) -> Self {
        let error = errors.of(&self.name).map(str::to_owned);
        Self { error, language: errors.language, ..self }
    }

    /// The word "optional", for the label.
    fn optional_word(&self) -> &'static str {
        Texts::of(self.language).say("note-optional")
    }

    /// The ids of the error and of the hint.
    fn described_by(&self) -> String {
        let error = self.error.as_ref().map(|_| format!("{}-error", self.name));
        let hint = (!self.hint.is_empty()).then(|| format!("{}-hint", self.name));
        error.into_iter().chain(hint).collect::<Vec<_>>().join(" ")
    }
}

/// The errors of a form: by field, and one for the whole form.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Fields {
    pub by_name: BTreeMap<String, String>,
    pub general: Option<String>,
    /// The language of the page.
    pub language: Language,
}

impl Fields {
    pub fn general(text: impl Into<String>) -> Self {
        Self { general: Some(text.into()), ..Self::default() }
    }

    pub fn one(field: &str, text: impl Into<String>) -> Self {
        let mut errors = Self::default();
        errors.add(field, text);
        errors
    }

    pub fn add(&mut self, field: &str, text: impl Into<String>) {
        self.by_name.insert(field.to_owned(), text.into());
    }

    /// Sets the error of the whole form.
    pub fn set_general(&mut self, text: impl Into<String>) {
        self.general = Some(text.into());
    }

    /// The same errors on a page in this language.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// The same errors with other names of their fields.
    #[must_use]
    pub fn renamed(self, rename: impl Fn(String) -> String) -> Self {
        let errors = self.by_name.into_iter();
        Self { by_name: errors.map(|(name, text)| (rename(name), text)).collect(), ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty() && self.general.is_none()
    }

    pub fn of(&self, field: &str) -> Option<&str> {
        self.by_name.get(field).map(String::as_str)
    }

    fn count(&self) -> u64 {
        let general = u64::from(self.general.is_some());
        u64::try_from(self.by_name.len()).unwrap_or(u64::MAX) + general
    }

    /// The heading of the summary above the form.
    pub fn heading(&self) -> String {
        Texts::of(self.language).count("errors-heading", self.count())
    }

    /// The beginning of the page's title, which screen readers and tabs of browsers show first.
    pub fn in_title(&self) -> String {
        let count = self.count();
        if count == 0 {
            return String::new();
        }
        let text = Texts::of(self.language).count("errors-title", count);
        format!("{text} ")
    }
}

#[cfg(test)]
mod tests;
