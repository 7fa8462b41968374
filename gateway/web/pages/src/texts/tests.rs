//! Checks that no text is missing, unused or invalid.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fluent_bundle::FluentResource;

use crate::language::Language;
use super::{Texts, dashboard_source, keys_of, source};

/// The contents of the files below a folder, without `tests.rs`.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests.rs") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// The keys that templates and Rust code name in quotes.
fn named_keys(known: &BTreeSet<&str>) -> BTreeSet<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["templates", "src", "../src"].map(|folder| here.join(folder));
    let sources = folders.iter().flat_map(|folder| files(folder));
    let mut named = BTreeSet::new();
    for source in sources {
        for quoted in source.split('"') {
            if known.contains(quoted) {
                named.insert(quoted.to_owned());
            }
        }
        for call in ["say(", "say_of(", "say_of_two(", "count(", "say_with("] {
            for rest in source.split(call).skip(1) {
                let rest = rest.trim_start();
                let literal = rest
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next());
                named.extend(
                    literal
                        .filter(|key| key.contains('-'))
                        .map(ToOwned::to_owned),
                );
            }
        }
    }
    named
}

/// Groups of texts whose keys end with a value of the API.
const GROUPS: &[&str] = &[
    "stage",
    "platform",
    "creator-kind",
    "creators-kind",
    "event-kind",
    "when",
    "link",
    "month",
    "genre",
    "role",
    "country",
    "city",
    "board",
    "search-type",
    "nav-kind",
    "vote-title",
    "rate-source",
    "mail",
    "invite-role",
    "did",
    "done",
    "key-mode",
    "key-kind",
    "field",
];

#[test]
fn no_text_is_missing_unused_or_broken() {
    let english = source(Language::English);
    let dashboard = dashboard_source();
    for language in Language::ALL {
        let source = source(language);
        let (texts, is_english) = (source.clone(), language == Language::English);
        let texts = if is_english {
            texts + "\n" + &dashboard
        } else {
            texts
        };
        FluentResource::try_new(texts.clone()).unwrap();
        let both: BTreeSet<&str> = keys_of(&source).collect();
        let other: BTreeSet<&str> = keys_of(&english).collect();
        assert_eq!(both, other, "{language:?}");
        let keys: Vec<&str> = keys_of(&texts).collect();
        let known: BTreeSet<&str> = keys.iter().copied().collect();
        assert_eq!(known.len(), keys.len(), "a key twice in {language:?}");
        if !is_english {
            continue;
        }
        let named = named_keys(&known);
        let missing: Vec<_> = named
            .iter()
            .filter(|key| !known.contains(key.as_str()))
            .collect();
        assert!(missing.is_empty(), "missing: {missing:?}");
        let is_value = |key: &str| {
            let mut groups = GROUPS.iter();
            groups.any(|group| {
                key.strip_prefix(group)
                    .is_some_and(|rest| rest.starts_with('-'))
            })
        };
        let unused: Vec<_> = known
            .iter()
            .filter(|key| !named.contains(**key) && !is_value(key))
            .collect();
        assert!(unused.is_empty(), "unused: {unused:?}");
        for key in known {
            let text = Texts::of(language).count(key, 2);
            assert!(!text.is_empty(), "{key}");
        }
    }
}

#[test]
fn both_languages_take_the_same_arguments() {
    let arguments = |source: &str, key: &str| {
        let (_, rest) = source.split_once(&format!("\n{key} =")).unwrap();
        // The text of a mail contains empty lines.
        let text: Vec<&str> = rest
            .lines()
            .enumerate()
            .take_while(|(at, line)| *at == 0 || line.is_empty() || line.starts_with([' ', '}']))
            .map(|(_, line)| line)
            .collect();
        let text = text.join("\n");
        let found = text.split('$').skip(1).map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
        });
        found
            .flatten()
            .map(ToOwned::to_owned)
            .collect::<BTreeSet<String>>()
    };
    let [english, french] = [Language::English, Language::French].map(source);
    for key in keys_of(&english) {
        assert_eq!(arguments(&english, key), arguments(&french, key), "{key}");
    }
}

#[test]
fn french_punctuation_never_begins_a_line() {
    let source = source(Language::French);
    let texts = source.lines().filter(|line| !line.starts_with('#'));
    for line in texts {
        for broken in [" :", " ;", " !", " ?", " »", "« "] {
            assert!(!line.contains(broken), "no no-break space in: {line}");
        }
    }
}
