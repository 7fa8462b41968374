//! The texts of all pages and mails: a folder a language, with a file a subject, in the syntax of Project Fluent. Those of the dashboard are in
//! English only.

use std::collections::HashMap;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

use crate::language::Language;

/// All texts in one language.
pub struct Texts {
    language: Language,
    bundle: FluentBundle<FluentResource>,
    /// The texts without arguments, which are most.
    fixed: HashMap<String, String>,
}

/// Files of a language.
macro_rules! sources {
    ($language:literal: $($subject:literal)+) => {
        [$(include_str!(concat!("../texts/", $language, "/", $subject, ".ftl"))),+].join("\n")
    };
}

static ENGLISH: LazyLock<Texts> = LazyLock::new(|| Texts::read(Language::English));

static FRENCH: LazyLock<Texts> = LazyLock::new(|| Texts::read(Language::French));

/// The texts of the public site, of signing up and in, and of mails, as one source.
pub(crate) fn source(language: Language) -> String {
    match language {
        Language::English => sources!("en": "site" "people" "mails"),
        Language::French => sources!("fr": "site" "people" "mails"),
    }
}

/// The texts of the dashboard.
pub(crate) fn dashboard_source() -> String {
    sources!("en": "account" "keys" "webhooks" "listings" "economy")
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Texts").field(&self.language).finish()
    }
}

impl Texts {
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::French => &FRENCH,
        }
    }

    /// Ignores errors in the files: a test finds them.
    fn read(language: Language) -> Self {
        let mut source = source(language);
        if language == Language::English {
            source = [source, dashboard_source()].join("\n");
        }
        let keys: Vec<String> = keys_of(&source).map(ToOwned::to_owned).collect();
        let (resource, _problems) = match FluentResource::try_new(source) {
            Ok(resource) => (resource, Vec::new()),
            Err(partly) => partly,
        };
        let id = language.code().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![id]);
        // Isolation marks would be copied along with names.
        bundle.set_use_isolating(false);
        drop(bundle.add_resource(resource));
        let mut texts = Self { language, bundle, fixed: HashMap::new() };
        for key in keys {
            let mut problems = Vec::new();
            let text = texts.format(&key, None, &mut problems);
            if let Some(text) = text.filter(|_| problems.is_empty()) {
                texts.fixed.insert(key, text);
            }
        }
        texts
    }

    pub fn language(&self) -> Language {
        self.language
    }

    fn format(
        &self,
        key: &str,
        args: Option<&FluentArgs<'_>>,
        problems: &mut Vec<fluent_bundle::FluentError>,
    ) -> Option<String> {
        let pattern = self.bundle.get_message(key)?.value()?;
        let text = self.bundle.format_pattern(pattern, args, problems);
        Some(text.into_owned())
    }

    /// A text without arguments, if there is one with this key.
    pub fn find(&self, key: &str) -> Option<&str> {
        self.fixed.get(key).map(String::as_str)
    }

    /// The key of a text without arguments as it is stored, if there is such a text.
    pub fn known_key(&self, key: &str) -> Option<&str> {
        let (known, _) = self.fixed.get_key_value(key)?;
        Some(known)
    }

    /// A text with a `value`, if there is one with this key.
    pub fn find_of(&self, key: &str, value: &str) -> Option<String> {
        let mut args = FluentArgs::new();
        args.set("value", value);
        self.format(key, Some(&args), &mut Vec::new())
    }

    /// A text without arguments.
    pub fn say<'a>(&'a self, key: &'a str) -> &'a str {
        self.find(key).unwrap_or(key)
    }

    /// The text of a value, such as `stage-released`; a value that has none is shown as `otherwise`.
    pub fn value<'a>(&'a self, group: &str, value: &str, otherwise: &'a str) -> &'a str {
        self.find(&format!("{group}-{value}")).unwrap_or(otherwise)
    }

    /// A text with arguments.
    pub fn say_with(&self, key: &str, args: &FluentArgs<'_>) -> String {
        let text = self.format(key, Some(args), &mut Vec::new());
        text.unwrap_or_else(|| key.to_owned())
    }

    /// A text with a `value`.
    pub fn say_of(&self, key: &str, value: &str) -> String {
        let mut args = FluentArgs::new();
        args.set("value", value);
        self.say_with(key, &args)
    }

    /// What a text says before and after its `value`. Templates put the value into an element between them, since it may be written in the
    /// other direction.
    pub fn split_at_value(&self, key: &str) -> (String, String) {
        // A character that no text has.
        let text = self.say_of(key, "\u{fffc}");
        let (before, after) = text.split_once('\u{fffc}').unwrap_or((text.as_str(), ""));
        (before.to_owned(), after.to_owned())
    }

    /// A text with two values.
    pub fn say_of_two(&self, key: &str, from: &str, to: &str) -> String {
        let mut args = FluentArgs::new();
        args.set("from", from);
        args.set("to", to);
        self.say_with(key, &args)
    }

    /// A text about a number of things. `count` decides the form of the words; `number` is the number as text.
    pub fn count(&self, key: &str, count: u64) -> String {
        let mut args = FluentArgs::new();
        args.set("count", count);
        args.set("number", self.number(count));
        self.say_with(key, &args)
    }
}

/// The keys of a source, in its order.
pub(crate) fn keys_of(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let (key, _) = line.split_once(" =")?;
        let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (!key.is_empty() && key.chars().all(is_key)).then_some(key)
    })
}
