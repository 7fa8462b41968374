//! Fields of forms: label, control, hint and error, tied together for screen readers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use askama::Template;

use crate::language::Language;
use crate::texts::Texts;

/// A field with its label.
///
/// No field has a `maxlength`. It counts UTF-16 units, so a name in Adlam would get half the
/// letters that the service accepts, and browsers cut pasted text without a word. The service
/// counts.
#[derive(Debug, Template)]
#[template(path = "part/field.html")]
pub struct Field {
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    control: Control,
    autocomplete: &'static str,
    hint: String,
    value: String,
    error: Option<String>,
    is_required: bool,
    language: Language,
}

/// How a person fills a field in, with the settings that only this control has.
#[derive(Debug)]
enum Control {
    /// Its `type` and its `inputmode`, which may be empty.
    Line { kind: &'static str, inputmode: &'static str },
    /// A text of several lines.
    Area { rows: u8 },
    /// One of several values.
    Select(Vec<Choice>),
    /// Any number of several values. The script ticks no more than `most` boxes; 0: any number.
    Checks { choices: Vec<Choice>, most: u8 },
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
        control: Control,
        name: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            label: label.into(),
            control,
            autocomplete: "on",
            hint: String::new(),
            value: String::new(),
            error: None,
            is_required: true,
            language: Language::default(),
        }
    }

    /// A text of several lines.
    pub fn area(name: &'static str, label: &'static str, rows: u8) -> Self {
        Self::new(Control::Area { rows }, name, label)
    }

    /// One of several values.
    pub fn select(name: &'static str, label: &'static str, choices: Vec<Choice>) -> Self {
        Self::new(Control::Select(choices), name, label)
    }

    /// Any number of several values. The script ticks no more than `most` boxes, which the label says in words; 0: any number.
    pub fn checks(name: &'static str, label: &'static str, choices: Vec<Choice>, most: u8) -> Self {
        Self::new(Control::Checks { choices, most }, name, label)
    }

    /// A line of this `type`.
    fn line(kind: &'static str, name: &'static str, label: &'static str) -> Self {
        Self::new(Control::Line { kind, inputmode: "" }, name, label)
    }

    pub fn text(name: impl Into<Cow<'static, str>>, label: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Control::Line { kind: "text", inputmode: "" }, name, label)
    }

    pub fn digits(name: &'static str, label: &'static str) -> Self {
        Self::new(Control::Line { kind: "text", inputmode: "numeric" }, name, label)
    }

    /// An address of the web. The service explains what is wrong with one, so the browser does not check it.
    pub fn url(name: impl Into<Cow<'static, str>>, label: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Control::Line { kind: "text", inputmode: "url" }, name, label)
    }

    pub fn email(name: &'static str, label: &'static str) -> Self {
        Self::line("email", name, label).autocomplete("username")
    }

    /// A password that exists. Its value is never shown again.
    pub fn password(name: &'static str, label: &'static str) -> Self {
        Self::line("password", name, label).autocomplete("current-password")
    }

    /// A password that a person chooses.
    pub fn new_password(name: &'static str, label: &'static str) -> Self {
        Self::password(name, label).autocomplete("new-password").hint(
            "At least 10 characters. A few unrelated words are good; a password manager is better.",
        )
    }

    /// A code of an authenticator app, or a recovery code, which has letters.
    pub fn code(name: &'static str, label: &'static str) -> Self {
        Self::text(name, label).autocomplete("one-time-code")
    }

    /// A code of an authenticator app.
    pub fn app_code(name: &'static str, label: &'static str) -> Self {
        Self::digits(name, label).autocomplete("one-time-code")
    }

    pub fn date(name: &'static str, label: &'static str) -> Self {
        Self::line("date", name, label)
    }

    /// A time, in UTC.
    pub fn minute(name: &'static str, label: &'static str) -> Self {
        Self::line("datetime-local", name, label)
    }

    /// What a browser may fill in. Never `off`: then Chromium forgets what was typed when a person comes back with Back, and no secret needs
    /// it, since browsers never keep the text of a password field.
    #[must_use]
    pub fn autocomplete(mut self, autocomplete: &'static str) -> Self {
        self.autocomplete = autocomplete;
        self
    }

    /// What was typed before, unless it is a password.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        if !matches!(self.control, Control::Line { kind: "password", .. }) {
            value.clone_into(&mut self.value);
        }
        self
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
