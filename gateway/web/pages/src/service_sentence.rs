//! Sentences of services in the language of a page.
//!
//! Services say in English why they refuse a form, or why a delivery failed. Under each key `reason-…`, the English text is the sentence of
//! a service, whose values are arguments, and the texts in other languages are its translations.

use std::sync::LazyLock;

use fluent_bundle::FluentArgs;

use crate::language::Language;
use crate::texts::{Texts, keys_of, source};

/// The arguments of the sentences.
const ARGUMENTS: [&str; 7] = ["value", "from", "to", "number", "most", "width", "height"];
/// Those that are numbers, whose digits other languages group. The others may be years, or names.
const QUANTITIES: [&str; 4] = ["number", "most", "width", "height"];

/// The key of the sentence about a game whose page is not public yet.
const PAGE_PENDING: &str = "reason-page-pending";

/// Sentences for which pages have other words, in every language.
const REWORDED: &[(&str, &str)] = &[
    ("reason-required", "field-empty"),
    ("reason-name-required", "field-empty"),
    ("reason-title-required", "field-empty"),
    ("reason-city-required", "field-empty"),
    ("reason-outcome-unknown", "fault-outcome-unknown"),
    ("reason-creator", "field-creator-error"),
    ("reason-credit-handle", "field-credits-handle"),
    ("reason-events", "webhook-events-none"),
    (PAGE_PENDING, "listing-page-pending"),
];

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(patterns);

/// The text of a sentence of a service, and its arguments, each with the text after it.
#[derive(Debug)]
struct Pattern {
    key: String,
    first: String,
    rest: Vec<(&'static str, String)>,
}

/// What a page in this language shows instead of the sentences of a service. `None`: one of them is not known, and they stay as they are.
pub fn translate(sentences: &str, language: Language) -> Option<String> {
    if let Some((known, values)) = find(sentences) {
        return Some(known.say(values, language));
    }
    // A known sentence may have a full stop inside.
    sentences.match_indices(". ").find_map(|(at, _)| {
        let (first, rest) = (sentences.get(..=at)?, sentences.get(at + 2..)?);
        let (known, values) = find(first)?;
        let rest = translate(rest, language)?;
        Some(format!("{} {rest}", known.say(values, language)))
    })
}

/// Whether the sentence says that a game waits for the review of its page, with which nothing is wrong.
pub fn waits_for_page(sentence: &str) -> bool {
    find(sentence).is_some_and(|(known, _)| known.key == PAGE_PENDING)
}

/// A known sentence, and the values of its arguments.
fn find(sentence: &str) -> Option<(&'static Pattern, Vec<(&'static str, &str)>)> {
    let mut known = PATTERNS.iter();
    known.find_map(|known| Some((known, known.values(sentence)?)))
}

impl Pattern {
    fn new(key: &str, texts: &Texts) -> Self {
        // Characters that no text has stand for the arguments.
        let marks = ('\u{e000}'..).zip(ARGUMENTS);
        let marks: Vec<(char, &'static str)> = marks.collect();
        let mut args = FluentArgs::new();
        for (mark, name) in &marks {
            args.set(*name, mark.to_string());
        }
        let text = texts.say_with(key, &args);
        let mut sentence = Self {
            key: key.to_owned(),
            first: String::new(),
            rest: Vec::new(),
        };
        for c in text.chars() {
            if let Some((_, name)) = marks.iter().find(|(mark, _)| *mark == c) {
                sentence.rest.push((*name, String::new()));
            } else if let Some((_, after)) = sentence.rest.last_mut() {
                after.push(c);
            } else {
                sentence.first.push(c);
            }
        }
        sentence
    }

    /// What a page in this language shows, with these values.
    fn say(&self, values: Vec<(&'static str, &str)>, language: Language) -> String {
        let texts = Texts::of(language);
        let mut args = FluentArgs::new();
        for (name, value) in values {
            let is_grouped = language != Language::English && QUANTITIES.contains(&name);
            let shown = is_grouped.then(|| texts.decimal(value));
            args.set(name, shown.unwrap_or_else(|| value.to_owned()));
        }
        let mut reworded = REWORDED.iter();
        let other = reworded.find(|(key, _)| *key == self.key);
        let key = other.map_or(self.key.as_str(), |(_, shown)| *shown);
        texts.say_with(key, &args)
    }

    /// How much of the sentence is no argument.
    fn fixed_length(&self) -> usize {
        let after = self.rest.iter().map(|(_, after)| after.len());
        self.first.len() + after.sum::<usize>()
    }

    /// The values of the arguments, if `text` is this sentence. None is a sentence itself, and quantities are numbers.
    fn values<'a>(&self, text: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
        let mut text = text.strip_prefix(self.first.as_str())?;
        let Some((last, middle)) = self.rest.split_last() else {
            return text.is_empty().then(Vec::new);
        };
        let mut values = Vec::with_capacity(self.rest.len());
        for (name, after) in middle {
            let (value, rest) = text.split_once(after.as_str())?;
            values.push((*name, value));
            text = rest;
        }
        let (name, after) = last;
        values.push((*name, text.strip_suffix(after.as_str())?));
        let is_number = |value: &str| value.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        let fits = |(name, value): &(&str, &str)| {
            !value.contains(". ") && (is_number(value) || !QUANTITIES.contains(name))
        };
        values.iter().all(fits).then_some(values)
    }
}

/// All known sentences, the most specific first.
fn patterns() -> Vec<Pattern> {
    let texts = Texts::of(Language::English);
    let source = source(Language::English);
    let keys = keys_of(&source).filter(|key| key.starts_with("reason-"));
    let mut patterns: Vec<Pattern> = keys.map(|key| Pattern::new(key, texts)).collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.fixed_length()));
    patterns
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Files of services whose sentences the forms of pages show.
    const FILES: &[&str] = &[
        "proto/kit/src/text.rs",
        "gateway/src/domain/fields.rs",
        "gateway/src/domain/key/mod.rs",
        "gateway/src/domain/key_request.rs",
        "gateway/src/domain/owner_limits.rs",
        "economy-svc/src/service/currencies.rs",
        "listings-svc/src/domain/address.rs",
        "listings-svc/src/domain/array_fields.rs",
        "listings-svc/src/domain/city.rs",
        "listings-svc/src/domain/country.rs",
        "listings-svc/src/domain/page.rs",
        "listings-svc/src/domain/visitor_note.rs",
        "listings-svc/src/domain/field_reader/values.rs",
        "listings-svc/src/domain/fields/event.rs",
        "listings-svc/src/domain/fields/game.rs",
        "listings-svc/src/pictures/decode.rs",
        "listings-svc/src/pictures/mod.rs",
        "listings-svc/src/service/pages.rs",
        "listings-svc/src/service/own_listings.rs",
        "listings-svc/src/write/limits.rs",
        "listings-svc/src/write/pictures.rs",
        "listings-svc/src/write/submission/create.rs",
        "listings-svc/src/write/submission/pictures.rs",
        "listings-svc/src/write/submission/withdraw.rs",
        "listings-svc/src/write/tickets/mod.rs",
        "webhook-svc/src/domain/address/mod.rs",
        "webhook-svc/src/domain/event.rs",
        "webhook-svc/src/service/deliveries.rs",
        "webhook-svc/src/service/endpoints.rs",
        "webhook-svc/src/service/receivers.rs",
    ];

    /// Parts of sentences of these files that no form of a page can cause, and parts that are put into sentences.
    const OTHERS: &[&str] = &[
        // Bodies with other types, fields or names than those of a form, and selects, about which a page has its own words.
        "This must be",
        "The file has {pixels}",
        "This game has no such screenshot",
        "The year must be",
        "Write it as a timestamp",
        "It must not be before",
        "The slug never",
        "The service derives",
        "The service sets",
        "Pictures are added",
        "Staff choose the",
        "A game is in its",
        "The address of the page",
        "The handle never",
        "Use `",
        "It identifies the row",
        "Give a code:",
        "Give a {name}: it id",
        "Give a {name}: {}",
        "Give a country_code",
        "Give page, game",
        "Give one of {}",
        "Give an address, or null",
        "No city of",
        "is not a country",
        "There is no such genre",
        "No creator that games",
        "Give the handle of the game's",
        // Calls of staff, and of a page that names an account by its id.
        "Give the id or",
        "Give the IP address",
        "Use one of: test",
        "Use one of: account",
        "This request was rejected. The owner",
        "This key already works",
        "No such studio",
        "The account's plan",
        "Savanna Studio",
        "Your network has",
        // Calls of the API, pages that are not found, and what happens after a form was accepted.
        "with this id",
        "The listing was taken down.",
        "try is made",
        "They were only counted",
        "put back into the queue",
        "Kinds of",
        "It is one of",
        "Write what is wrong",
        "Write an e-mail address such",
        "This is not an address: {error}",
        // Descriptions, not reasons.
        "A game, a studio",
        "A published listing",
        "A player tipped",
        "A listing moved",
        "You press",
        "Withdrawn by its account",
        // With the name of a state, or composed of several; these are tested where they are made.
        "Only a pending listing",
        "Only a public listing",
        "The address {answer}",
        "{allows}",
        "{HOST_HELP}",
        "{URL_HELP}",
        "Remove the {what}",
        "`url` and `website`",
        "{limit} {whose}",
        "{way_out}",
        "No plan has more",
        "Revoke one, or change",
        "Give {self}",
        " For local trials",
        " Also permitted here",
    ];

    /// The sentences in the code of a file, with a value in each place of one.
    fn literals(path: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let code = fs::read_to_string(root.join(path)).unwrap();
        let code = code.split("#[cfg(test)]").next().unwrap();
        let lines = code.lines().map(str::trim_start);
        let lines = lines.filter(|line| !line.starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n").replace("\\\n", "");
        let quoted = code.split('"').skip(1).step_by(2);
        let sentences = quoted.filter(|text| text.ends_with('.') && text.contains(' '));
        let sentences = sentences.filter(|text| {
            let mut others = OTHERS.iter();
            !others.any(|other| text.contains(other))
        });
        sentences.map(ToOwned::to_owned).collect()
    }

    /// A literal of Rust with `7` in every place of a value.
    fn filled(literal: &str) -> String {
        let mut text = String::new();
        let mut is_value = false;
        for c in literal.chars() {
            match c {
                '{' => is_value = true,
                '}' => {
                    is_value = false;
                    text.push('7');
                }
                c if !is_value => text.push(c),
                _ => {}
            }
        }
        text
    }

    #[test]
    fn every_sentence_that_a_form_can_cause_is_translated() {
        let mut missing = Vec::new();
        for path in FILES {
            for literal in literals(path) {
                // One of several similar texts, such as "Give a title: it is required."
                let names = ["title", "name", "city"];
                let texts = if literal.contains("{name}") {
                    names.map(|name| literal.replace("{name}", name)).to_vec()
                } else {
                    vec![literal]
                };
                let unknown = texts.into_iter().map(|text| filled(&text));
                let unknown = unknown.filter(|text| translate(text, Language::French).is_none());
                missing.extend(unknown.map(|text| format!("{path}: {text}")));
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn every_sentence_is_found_and_takes_its_values_along() {
        let french = |text: &str| translate(text, Language::French).unwrap();
        assert_eq!(
            french("Shorten it: it has 12345 characters, and the maximum is 10000."),
            "Raccourcissez-le\u{a0}: il a 12\u{202f}345\u{a0}caractères, et le maximum est de 10\u{202f}000."
        );
        let host = french("`a..b` is not a valid host name.");
        assert_eq!(host, "«\u{a0}a..b\u{a0}» n’est pas un nom d’hôte valide.");
        for known in &*PATTERNS {
            let mut text = known.first.clone();
            for (_, after) in &known.rest {
                text.push_str("71");
                text.push_str(after);
            }
            let english = translate(&text, Language::English).unwrap();
            let is_reworded = REWORDED.iter().any(|(key, _)| *key == known.key);
            assert!(
                english == text || is_reworded,
                "{text} is shown as {english}"
            );
            assert_ne!(french(&text), text);
        }
    }

    #[test]
    fn several_known_sentences_are_translated_together() {
        let text = "Remove the port: only the default port 443 is allowed. Also permitted here: http://127.0.0.1:9500.";
        let french = translate(text, Language::French).unwrap();
        let expected = "Retirez le port\u{a0}: seul le port 443, celui par défaut, est admis. Sont aussi admises ici\u{a0}: http://127.0.0.1:9500.";
        assert_eq!(french, expected);
        let text = "Use one of: a, b. Odd.";
        assert_eq!(translate(text, Language::French), None);
    }

    #[test]
    fn a_sentence_that_is_not_known_stays() {
        for text in [
            "",
            "Too long.",
            "Shorten it: it has",
            "Shorten it: it has many characters, and the maximum is 10.",
            "This field is required. ",
        ] {
            assert_eq!(translate(text, Language::French), None, "{text}");
        }
    }

    #[test]
    fn a_game_may_wait_for_its_page() {
        let [waits, rejected] = [
            "is pending review: the game is shown once",
            "was rejected: the game is not shown until",
        ]
        .map(|state| format!("Its page `okoto` {state} the page is public."));
        assert!(waits_for_page(&waits) && !waits_for_page(&rejected));
        let shown = translate(&waits, Language::English);
        let text = "Your page okoto is still in review. The game appears once it is public.";
        assert_eq!(shown.as_deref(), Some(text));
    }

    #[test]
    fn an_empty_field_has_the_same_words_whichever_service_reads_it() {
        for text in ["This field is required.", "Give a title: it is required."] {
            let shown = translate(text, Language::English);
            assert_eq!(shown.as_deref(), Some("Fill in this field."), "{text}");
        }
    }
}
