//! The query of a call (§4): known parameters once each, everything else ignored. An empty one is the same as none.

use std::collections::BTreeMap;

use contracts::common::v1::PageRequest;
use kit::{Code, Fault};
use percent_encoding::percent_decode;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The known parameters of a query, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Query {
    values: BTreeMap<String, String>,
    bad: BTreeMap<String, String>,
}

impl Query {
    /// Reads `raw`, as it stands after the question mark, for the parameters `known`.
    pub fn read(raw: Option<&str>, known: &[&str]) -> Self {
        let mut query = Self::default();
        for pair in raw.unwrap_or_default().split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match decode(name) {
                Ok(name) if known.contains(&name.as_str()) => query.take_in(name, value),
                Ok(name) => query.refuse_if_misspelt(&name, known),
                Err(reason) => query.refuse("query", format!("A name in it {reason}.")),
            }
        }
        query
    }

    fn take_in(&mut self, name: String, value: &str) {
        if self.values.contains_key(&name) {
            self.refuse(&name, "It is given twice: give it once.");
            return;
        }
        match decode(value) {
            Ok(value) => {
                self.values.insert(name, value);
            }
            Err(reason) => {
                self.refuse(&name, format!("It {reason}."));
                self.values.insert(name, String::new());
            }
        }
    }

    /// Refuses an unknown name that is a known one in another spelling: passed over, `dry-run` would write.
    fn refuse_if_misspelt(&mut self, name: &str, known: &[&str]) {
        let is_meant = |known: &&&str| spelling(known).eq(spelling(name));
        if let Some(meant) = known.iter().find(is_meant) {
            self.refuse(name, format!("Write it as {meant}."));
        }
    }

    fn refuse(&mut self, name: &str, reason: impl Into<String>) {
        self.bad
            .entry(name.to_owned())
            .or_insert_with(|| reason.into());
    }

    /// Takes a text out; `None` when it is not given, or empty.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.values.remove(name).filter(|text| !text.is_empty())
    }

    /// Takes out which page is asked for (§4.1).
    pub fn page(&mut self) -> PageRequest {
        PageRequest {
            limit: self.limit(),
            cursor: self.text("cursor").unwrap_or_default(),
        }
    }

    /// Rows on a page, 1 to 100; 0 when it is not given.
    fn limit(&mut self) -> u32 {
        let Some(text) = self.text("limit") else {
            return 0;
        };
        // `parse` alone would also take a sign.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(limit @ 1..=100) if digits => limit,
            _ => {
                self.refuse("limit", "Give a whole number from 1 to 100.");
                0
            }
        }
    }

    /// Takes out a moment in ISO 8601; `None` when it is not given.
    pub fn moment(&mut self, name: &str) -> Option<OffsetDateTime> {
        let text = self.text(name)?;
        let moment = OffsetDateTime::parse(&text, &Rfc3339).ok();
        if moment.is_none() {
            self.refuse(name, "Give a moment such as 2026-03-01T08:00:00Z.");
        }
        moment
    }

    /// Takes out what is true or false; false when it is not given.
    pub fn flag(&mut self, name: &str) -> bool {
        match self.text(name).as_deref() {
            Some("true") => true,
            Some("false") | None => false,
            Some(_) => {
                self.refuse(name, "Give true or false.");
                false
            }
        }
    }

    /// What a service says to the question that was read from here. When the query is bad already, the service is asked all the same,
    /// for what it finds wrong: everything is told at once.
    pub async fn answered<A>(
        self,
        answer: impl Future<Output = Result<A, Fault>>,
    ) -> Result<A, Fault> {
        if self.bad.is_empty() {
            return answer.await;
        }
        let mut bad = self.bad;
        if let Err(fault) = answer.await
            && fault.code == Code::Invalid
        {
            for (field, reason) in fault.fields {
                bad.entry(field).or_insert(reason);
            }
        }
        Err(Fault::invalid(bad))
    }
}

/// Undoes the encoding of forms, strictly.
fn decode(text: &str) -> Result<String, &'static str> {
    let spaced = text.replace('+', " ");
    let stray = spaced.split('%').skip(1).any(|after| {
        let digits = after.as_bytes().get(..2);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    if stray {
        return Err("has a % that two hexadecimal digits do not follow");
    }
    let bytes: Vec<u8> = percent_decode(spaced.as_bytes()).collect();
    String::from_utf8(bytes).map_err(|_bytes| "is not UTF-8")
}

/// A name without what is easily mistaken in it: case, hyphens and underscores.
fn spelling(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KNOWN: &[&str] = &["q", "genre", "platform", "limit"];

    fn bad(raw: &str) -> Vec<String> {
        let mut query = Query::read(Some(raw), KNOWN);
        query.limit();
        query.bad.into_keys().collect()
    }

    #[test]
    fn values_are_decoded_and_unknown_names_passed_over() {
        let raw = "q=caf%C3%A9+noir&x=1&x=%zz&genre=&&limit=20&platform";
        let mut query = Query::read(Some(raw), KNOWN);
        assert_eq!(query.text("q").as_deref(), Some("café noir"));
        // What is empty is not given.
        assert_eq!(query.text("genre"), None);
        assert_eq!(query.text("platform"), None);
        assert!(!query.flag("genre"));
        assert_eq!(query.limit(), 20);
        assert!(query.bad.is_empty());
    }

    #[test]
    fn every_bad_parameter_is_named() {
        assert_eq!(bad("q=a&q=a&genre=%ff&limit=0"), ["genre", "limit", "q"]);
        assert_eq!(bad("q=%"), ["q"]);
        assert_eq!(bad("q=%2"), ["q"]);
        assert_eq!(bad("q=%+1"), ["q"]);
        assert_eq!(bad("%ff=1"), ["query"]);
    }

    #[test]
    fn a_known_name_in_another_spelling_is_refused() {
        let bad = |raw: &str| {
            let query = Query::read(Some(raw), &["dry_run"]);
            query.bad.into_keys().collect::<Vec<_>>()
        };
        for name in ["dryrun", "dry-run", "dryRun", "DRY_RUN"] {
            assert_eq!(bad(&format!("{name}=true")), [name], "{name}");
        }
        assert!(bad("dry_run=true&dry_runs=1&dry=1&x=y").is_empty());
    }

    #[test]
    fn a_limit_is_1_to_100() {
        for good in [
            "limit=1",
            "limit=100",
            "limit=020",
            "",
            "limit=",
            "limit",
            "limits=x",
        ] {
            assert_eq!(bad(good), [""; 0], "{good}");
        }
        for text in ["0", "101", "-1", "%2B5", "1.0", "ten", " 5", "99999999999"] {
            assert_eq!(bad(&format!("limit={text}")), ["limit"], "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_read_back(value: String) {
            let encoded = percent_encoding::utf8_percent_encode(&value, percent_encoding::NON_ALPHANUMERIC);
            let mut query = Query::read(Some(&format!("q={encoded}")), KNOWN);
            prop_assert_eq!(query.text("q").unwrap_or_default(), value);
        }

        #[test]
        fn any_query_can_be_read(raw: String) {
            let query = Query::read(Some(&raw), KNOWN);
            let is_sentence = |reason: &String| reason.starts_with(char::is_uppercase) && reason.ends_with('.');
            prop_assert!(query.bad.values().all(is_sentence));
        }
    }
}
