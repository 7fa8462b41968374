//! Fields of forms: label, input, hint and error, tied together for screen readers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use askama::Template;

use crate::language::Language;
use crate::texts::Texts;

/// A text field.
#[derive(Debug, Template)]
#[template(path = "part/field.html")]
pub struct Field {
    name: Cow<'static, str>,
    label: Cow<'static, str>,
    kind: &'static str,
    autocomplete: &'static str,
    inputmode: &'static str,
    hint: String,
    value: String,
    error: Option<String>,
    is_required: bool,
    language: Language,
    max: u32,
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
            kind,
            autocomplete: "on",
            inputmode: "",
            hint: String::new(),
            value: String::new(),
            error: None,
            is_required: true,
            language: Language::default(),
            max: 200,
        }
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
}

/// The methods that all inputs with a label have.
macro_rules! labelled {
    ($input:ident) => {
        impl $input {
            #[must_use]
            pub fn hint(mut self, hint: impl Into<String>) -> Self {
                self.hint = hint.into();
                self
            }

            #[must_use]
            pub fn optional(mut self) -> Self {
                self.is_required = false;
                self
            }

            /// The error of this field, if there is one, and the language of the page.
            #[must_use]
            pub fn error_in(mut self, errors: &Fields) -> Self {
                self.error = errors.of(&self.name).map(str::to_owned);
                self.language = errors.language;
                self
            }

            fn optional_word(&self) -> &'static str {
                optional_word(self.language)
            }
        }
    };
}
pub(crate) use labelled;

labelled!(Field);

/// "Optional", the note beside the label of a field that may be empty.
pub(crate) fn optional_word(language: Language) -> &'static str {
    Texts::of(language).say("note-optional")
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
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Adds the values of `autocomplete` in the files below a folder: attributes of templates, and arguments in Rust code.
    fn collect_autocompletes(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect_autocompletes(&path, found);
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            for start in [" autocomplete=\"", ".autocomplete(\"", " autocomplete: \""] {
                let values = source.split(start).skip(1).filter_map(|rest| rest.split('"').next());
                found.extend(values.map(ToOwned::to_owned));
            }
        }
    }

    #[test]
    fn every_field_keeps_what_was_typed_when_a_person_comes_back() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        for folder in ["templates", "src", "../src"] {
            collect_autocompletes(&here.join(folder), &mut found);
        }
        found.retain(|value| value != "{{ autocomplete }}");
        assert!(found.len() > 5, "{found:?}");
        for value in &found {
            let known = [
                "on",
                "username",
                "organization",
                "current-password",
                "new-password",
                "one-time-code",
            ];
            assert!(known.contains(&value.as_str()), "{value}");
        }
        for field in [
            Field::text("title", "Title"),
            Field::name("name", "Name"),
            Field::date("day", "Day"),
            Field::minute("since", "Since"),
        ] {
            let html = field.render().unwrap();
            assert!(html.contains(" autocomplete=\"on\""), "{html}");
        }
        let code = Field::code("code", "Code").render().unwrap();
        assert!(code.contains(" autocomplete=\"one-time-code\""), "{code}");
    }

    #[test]
    fn an_error_is_linked_to_its_field_by_aria() {
        let errors = Fields::one("email", "Write it as ada@studio.example.");
        let field = Field::email("email", "E-mail").value("<b>").error_in(&errors);
        let html = field.render().unwrap();
        assert!(html.contains("aria-invalid=\"true\""), "{html}");
        assert!(html.contains("aria-describedby=\"email-error\""), "{html}");
        assert!(html.contains("id=\"email-error\""), "{html}");
        assert!(!html.contains("<b>"), "{html}");
    }

    #[test]
    fn text_has_automatic_direction_and_a_date_has_none() {
        let text = Field::text("title", "Title").render().unwrap();
        assert!(text.contains(" dir=\"auto\""), "{text}");
        let date = Field::date("day", "Day").render().unwrap();
        assert!(!date.contains("dir="), "{date}");
    }

    #[test]
    fn errors_are_counted_in_the_title() {
        let mut errors = Fields::default();
        assert_eq!(errors.in_title(), "");
        errors.add("title", "Give a title.");
        assert_eq!(
            (errors.in_title().as_str(), errors.heading().as_str()),
            ("Error: ", "There is an error")
        );
        errors.general = Some("Try again.".to_owned());
        assert_eq!(
            (errors.in_title().as_str(), errors.heading().as_str()),
            ("2 errors: ", "There are 2 errors")
        );
    }

    #[test]
    fn labels_and_errors_are_in_the_language_of_the_page() {
        let mut errors = Fields::one("email", "Indiquez une adresse.");
        errors.add("name", "Trop long.");
        let errors = errors.in_language(Language::French);
        assert_eq!(errors.in_title(), "2 erreurs\u{a0}: ");
        assert_eq!(errors.heading(), "Il y a 2 erreurs");
        let own = Field::email("email", "Adresse").optional().error_in(&errors).render().unwrap();
        assert!(own.contains("(facultatif)"), "{own}");
        assert!(own.contains("id=\"email-error\">Indiquez"), "{own}");
    }

    #[test]
    fn a_password_is_never_shown_again() {
        let html = Field::new_password("password", "Password").value("hunter2").render();
        assert!(!html.unwrap().contains("hunter2"));
    }
}
