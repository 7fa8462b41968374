//! Query parameters (§4).
//!
//! A parameter is known by being read. Each known one may be given once, unknown ones are ignored, and an empty one counts as absent, unless
//! it is a flag: a flag without a value is set.

use std::collections::BTreeMap;

use contracts::common::v1::PageRequest;
use kit::api::bad_fields::BadFields;
use kit::api::timestamp;
use percent_encoding::percent_decode;
use time::OffsetDateTime;

/// A moment in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeOrNow {
    Now,
    At(OffsetDateTime),
}

/// The parameters of a query, and the bad ones.
#[derive(Debug, Default)]
pub struct Params {
    /// The values that were sent, by name, and have not been read.
    values: BTreeMap<String, Vec<String>>,
    /// The names that were read.
    known: Vec<&'static str>,
    pub bad: BadFields,
}

impl Params {
    /// Parses the query string `raw`.
    pub fn parse(raw: Option<&str>) -> Self {
        let mut query = Self::default();
        for pair in raw.unwrap_or_default().split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match decode(name) {
                Ok(name) => query.values.entry(name).or_default().push(value.into()),
                Err(reason) => query.bad.add("query", format!("A parameter name {reason}.")),
            }
        }
        query
    }

    /// Removes and returns a string; `None` if it is absent or empty.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.value(name).filter(|text| !text.is_empty())
    }

    /// Removes and returns the value of a parameter, which may be empty; `None` if it is absent.
    fn value(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let values = self.values.remove(name)?;
        let text = decode(values.first()?).map_err(|reason| format!("It {reason}."));
        let text = self.bad.read(name, text);
        if values.len() > 1 {
            self.bad.add(name, "Give this parameter once.");
        }
        text
    }

    /// Removes and returns the page that is requested (§4.1).
    pub fn page(&mut self) -> PageRequest {
        PageRequest { limit: self.limit(), cursor: self.text("cursor").unwrap_or_default() }
    }

    /// Rows per page, 1 to 100; 0 if absent. 1 if it is bad: a service that checks the other
    /// parameters then has little work.
    pub fn limit(&mut self) -> u32 {
        let Some(text) = self.text("limit") else {
            return 0;
        };
        // `parse` alone would also accept a sign.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(limit @ 1..=100) if digits => limit,
            _ => {
                self.bad.add("limit", "Give a whole number from 1 to 100.");
                1
            }
        }
    }

    /// Removes and returns a time or a day; `None` if it is absent.
    pub fn timestamp(&mut self, name: &'static str) -> Option<OffsetDateTime> {
        let text = self.text(name)?;
        self.read_timestamp(name, &text)
    }

    /// Removes and returns a time, a day or the word `now`; `None` if it is absent.
    pub fn timestamp_or_now(&mut self, name: &'static str) -> Option<TimeOrNow> {
        match self.text(name)?.as_str() {
            "now" => Some(TimeOrNow::Now),
            text => self.read_timestamp(name, text).map(TimeOrNow::At),
        }
    }

    fn read_timestamp(&mut self, name: &str, text: &str) -> Option<OffsetDateTime> {
        let timestamp = timestamp::parse(text).ok_or(timestamp::EXPECTED);
        self.bad.read(name, timestamp)
    }

    /// Removes and returns a flag: true if it is named without a value, as in a command line, and false if it is absent.
    pub fn flag(&mut self, name: &'static str) -> bool {
        match self.value(name).as_deref() {
            Some("true" | "") => true,
            Some("false") | None => false,
            Some(_) => {
                self.bad.add(name, "Give true or false, or no value for true.");
                false
            }
        }
    }

    /// The bad parameters. An unknown name that is a known one in another spelling is bad: if `dry-run` were ignored, the request would write.
    pub fn into_bad(mut self) -> BadFields {
        for name in self.values.keys() {
            let is_meant = |known: &&&str| spelling(known).eq(spelling(name));
            if let Some(meant) = self.known.iter().find(is_meant) {
                self.bad.add(name, format!("Spell this parameter as {meant}."));
            }
        }
        self.bad
    }
}

/// Decodes `application/x-www-form-urlencoded` strictly.
fn decode(text: &str) -> Result<String, &'static str> {
    let spaced = text.replace('+', " ");
    let stray = spaced.split('%').skip(1).any(|after| {
        let digits = after.as_bytes().get(..2);
        !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    if stray {
        return Err("has a % without two hexadecimal digits after it");
    }
    let bytes: Vec<u8> = percent_decode(spaced.as_bytes()).collect();
    String::from_utf8(bytes).map_err(|_bytes| "is not UTF-8")
}

/// A name without what is easily confused: case, hyphens and underscores.
fn spelling(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    fn bad(raw: &str) -> Vec<String> {
        let mut query = Params::parse(Some(raw));
        query.limit();
        for name in ["q", "genre", "platform"] {
            query.text(name);
        }
        query.into_bad().into_fields().into_keys().collect()
    }

    #[test]
    fn values_are_decoded_and_unknown_names_ignored() {
        let raw = "q=caf%C3%A9+noir&x=1&x=%zz&genre=&&limit=20&platform";
        let mut query = Params::parse(Some(raw));
        assert_eq!(query.text("q").as_deref(), Some("café noir"));
        assert_eq!(query.text("genre"), None);
        assert_eq!(query.text("platform"), None);
        assert_eq!(query.limit(), 20);
        assert!(query.into_bad().is_empty());
    }

    #[test]
    fn a_flag_is_set_without_a_value() {
        let flag = |raw: &str| {
            let mut query = Params::parse(Some(raw));
            let set = query.flag("dry_run");
            query.into_bad().is_empty().then_some(set)
        };
        for raw in ["dry_run", "dry_run=", "q=a&dry_run&x", "dry_run=true"] {
            assert_eq!(flag(raw), Some(true), "{raw}");
        }
        for raw in ["", "dry_run=false"] {
            assert_eq!(flag(raw), Some(false), "{raw}");
        }
        for raw in
            ["dry_run=TRUE", "dry_run=1", "dry_run=+", "dry_run=%ff", "dry_run&dry_run=false"]
        {
            assert_eq!(flag(raw), None, "{raw}");
        }
    }

    #[test]
    fn every_bad_parameter_is_reported() {
        assert_eq!(bad("q=a&q=a&genre=%ff&limit=0"), ["genre", "limit", "q"]);
        assert_eq!(bad("q=%"), ["q"]);
        assert_eq!(bad("q=%2"), ["q"]);
        assert_eq!(bad("q=%+1"), ["q"]);
        assert_eq!(bad("%ff=1"), ["query"]);
    }

    #[test]
    fn a_known_name_in_another_spelling_is_rejected() {
        let bad = |raw: &str| {
            let mut query = Params::parse(Some(raw));
            query.text("dry_run");
            query.into_bad().into_fields().into_keys().collect::<Vec<_>>()
        };
        for name in ["dryrun", "dry-run", "dryRun", "DRY_RUN"] {
            assert_eq!(bad(&format!("{name}=true")), [name], "{name}");
        }
        assert!(bad("dry_run=true&dry_runs=1&dry=1&x=y").is_empty());
    }

    #[test]
    fn a_time_is_an_rfc_3339_timestamp_or_a_date() {
        let read = |text: &str| {
            let mut query = Params::parse(Some(&format!("at={text}")));
            let at = query.timestamp("at");
            (at, query.bad.into_fields().remove("at"))
        };
        assert_eq!(read("").0, None);
        for good in ["2026-03-01", "2026-03-01T02:00:00%2B02:00"] {
            let expected = (Some(datetime!(2026-03-01 00:00 UTC)), None);
            assert_eq!(read(good), expected, "{good}");
        }
        for bad in [
            "2026-03-01T02:00:00+02:00",
            "0000-01-01T00:00:00%2B00:01",
            "9999-12-31T23:59:59-00:01",
            "now",
        ] {
            let (at, reason) = read(bad);
            assert_eq!(at, None, "{bad}");
            assert!(reason.unwrap().contains("write + as %2B"), "{bad}");
        }
    }

    #[test]
    fn a_limit_is_1_to_100() {
        for good in ["limit=1", "limit=100", "limit=020", "", "limit=", "limit", "limits=x"] {
            assert_eq!(bad(good), [""; 0], "{good}");
        }
        for text in ["0", "101", "-1", "%2B5", "1.0", "ten", " 5", "99999999999"] {
            assert_eq!(bad(&format!("limit={text}")), ["limit"], "{text}");
        }
    }

    proptest! {
        #[test]
        fn encoded_values_round_trip(value: String) {
            let encoded = percent_encoding::utf8_percent_encode(&value, percent_encoding::NON_ALPHANUMERIC);
            let mut query = Params::parse(Some(&format!("q={encoded}")));
            prop_assert_eq!(query.text("q").unwrap_or_default(), value);
        }

        #[test]
        fn any_query_can_be_parsed(raw: String) {
            let mut query = Params::parse(Some(&raw));
            query.text("q");
            query.page();
            query.timestamp_or_now("since");
            let is_sentence = |reason: &String| reason.starts_with(char::is_uppercase) && reason.ends_with('.');
            prop_assert!(query.into_bad().into_fields().values().all(is_sentence));
        }
    }
}
