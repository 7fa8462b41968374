//! The texts of mails to people, in the languages of their readers.

use std::borrow::Cow;

use fluent_bundle::FluentArgs;
use time::OffsetDateTime;

use crate::language::Language;
use crate::texts::Texts;

/// What a mail says. The texts `mail-<key>-subject` and `mail-<key>-body` have its words.
#[derive(Debug, Clone)]
pub struct MailText<'a> {
    key: &'a str,
    values: Vec<(&'static str, Value<'a>)>,
}

#[derive(Debug, Clone)]
enum Value<'a> {
    Text(Cow<'a, str>),
    Number(u64),
    Time(OffsetDateTime),
    /// The text with this key.
    Said(&'static str),
}

/// A mail in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenMail {
    pub subject: String,
    /// Ends with a line break.
    pub body: String,
}

impl<'a> MailText<'a> {
    pub fn new(key: &'a str) -> Self {
        let values = Vec::new();
        Self { key, values }
    }

    #[must_use]
    pub fn with(self, name: &'static str, value: impl Into<Cow<'a, str>>) -> Self {
        self.and(name, Value::Text(value.into()))
    }

    #[must_use]
    pub fn number(self, name: &'static str, value: u64) -> Self {
        self.and(name, Value::Number(value))
    }

    #[must_use]
    pub fn time(self, name: &'static str, value: OffsetDateTime) -> Self {
        self.and(name, Value::Time(value))
    }

    /// With another text, for which a service has no words.
    #[must_use]
    pub fn say(self, name: &'static str, key: &'static str) -> Self {
        self.and(name, Value::Said(key))
    }

    fn and(mut self, name: &'static str, value: Value<'a>) -> Self {
        self.values.push((name, value));
        self
    }

    pub fn write(&self, language: Language) -> WrittenMail {
        let texts = Texts::of(language);
        let mut args = FluentArgs::new();
        for (name, value) in &self.values {
            let value = match value {
                Value::Text(text) => text.to_string(),
                Value::Number(number) => texts.number(*number),
                Value::Time(at) => texts.minute(*at),
                Value::Said(key) => texts.say(key).to_owned(),
            };
            args.set(*name, value);
        }
        let part = |part: &str| texts.say_with(&format!("mail-{}-{part}", self.key), &args);
        WrittenMail { subject: part("subject"), body: part("body") + "\n" }
    }
}

impl WrittenMail {
    /// The same with another paragraph at its end.
    #[must_use]
    pub fn and_paragraph(mut self, text: &str) -> Self {
        self.body = format!("{}\n{text}\n", self.body);
        self
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_mail_is_in_the_language_of_its_reader() {
        let text = MailText::new("month-used")
            .with("name", "Savanna")
            .with("used", "50,000")
            .with("limit", "50,000")
            .with("plan", "Free")
            .time("resets", datetime!(2026-11-03 12:00 UTC))
            .with("usage", "https://mchezo.example/accounts/a/usage")
            .with("plans", "https://mchezo.example/accounts/a/plans");
        let english = text.write(Language::English);
        assert_eq!(english.subject, "The calls of the month are used up");
        let french = text.write(Language::French);
        assert_eq!(french.subject, "Les appels du mois sont épuisés");
        for (mail, at) in
            [(english, "3 November 2026, 12:00 UTC"), (french, "3 novembre 2026 à 12:00 UTC")]
        {
            for part in ["Savanna", at] {
                assert!(mail.body.contains(part), "{part}: {}", mail.body);
            }
            assert!(mail.body.ends_with("/accounts/a/plans\n"), "{}", mail.body);
            assert!(!mail.body.contains(['{', '\u{2068}']), "{}", mail.body);
        }
    }

    #[test]
    fn paragraphs_are_separated_by_an_empty_line() {
        let mail = MailText::new("totp-on").write(Language::English);
        assert!(mail.body.contains("now on.\n\nIf this"), "{}", mail.body);
        let mail = mail.and_paragraph("More.");
        assert!(mail.body.ends_with("at once.\n\nMore.\n"), "{}", mail.body);
    }
}
