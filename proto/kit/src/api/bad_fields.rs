//! The bad fields of a call, which are reported together (§4.1).

use std::collections::BTreeMap;
use std::str::FromStr;

use prost_types::Timestamp;
use strum::VariantNames;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::api::timestamp;
use crate::{Code, Fault};

/// Reasons by field. The first reason of a field stays.
#[derive(Debug, Default)]
pub struct BadFields(BTreeMap<String, String>);

impl BadFields {
    /// Adds a reason.
    pub fn add(&mut self, field: impl Into<String>, reason: impl Into<String>) {
        self.0.entry(field.into()).or_insert_with(|| reason.into());
    }

    /// Returns the value of a field, or adds the reason why it has none.
    pub fn read<T>(&mut self, field: &str, value: Result<T, impl Into<String>>) -> Option<T> {
        value.map_err(|reason| self.add(field, reason)).ok()
    }

    /// Returns a value, or adds the fields that its fault names.
    pub fn take<T>(&mut self, value: Result<T, Fault>) -> Option<T> {
        value.map_err(|fault| self.extend(fault.fields)).ok()
    }

    /// Adds the bad fields that another check of the same call has found. With a bad field here,
    /// the call fails even if the other check passes.
    ///
    /// # Errors
    /// `invalid`, with every bad field of both; or the error of the other check.
    pub fn join<T>(mut self, checked: Result<T, Fault>) -> Result<T, Fault> {
        if self.0.is_empty() {
            return checked;
        }
        if let Err(fault) = checked
            && fault.code == Code::Invalid
        {
            self.extend(fault.fields);
        }
        Err(Fault::invalid(self.0))
    }

    /// Parses one of the values of a set, by its name.
    pub fn named<T: FromStr + VariantNames>(&mut self, field: &str, name: &str) -> Option<T> {
        let reason = |_unknown: T::Err| format!("Use one of: {}.", T::VARIANTS.join(", "));
        self.read(field, name.parse().map_err(reason))
    }

    /// Parses an id. After an error, the id is nil.
    pub fn id(&mut self, field: &str, text: &str) -> Uuid {
        self.read(field, text.parse().map_err(|_not_an_id| "Give a UUID.")).unwrap_or_default()
    }

    /// The time of a message; `None` if it is absent, not valid or in no year that answers can print.
    pub fn time(&mut self, field: &str, at: Option<Timestamp>) -> Option<OffsetDateTime> {
        let at = timestamp::decode(at?).filter(|at| timestamp::is_printable(*at));
        self.read(field, at.ok_or("It is not a valid timestamp."))
    }

    /// The time of a message, as [`time`](Self::time) reads it, and not after `now`, the time of the service.
    pub fn past_time(
        &mut self,
        field: &str,
        at: Option<Timestamp>,
        now: OffsetDateTime,
    ) -> Option<OffsetDateTime> {
        let at = self.time(field, at)?;
        self.read(field, timestamp::not_in_the_future(at, now))
    }

    /// Refuses a range whose end is before its beginning; the names are those of the fields.
    pub fn range(
        &mut self,
        from_name: &str,
        from: Option<OffsetDateTime>,
        to_name: &str,
        to: Option<OffsetDateTime>,
    ) {
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            self.add(to_name, format!("Use a time that is not before `{from_name}`."));
        }
    }

    /// Whether `field` has a reason.
    pub fn contains(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// Whether no field is bad.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The reasons by field.
    pub fn into_fields(self) -> BTreeMap<String, String> {
        self.0
    }

    /// Fails if a field is bad.
    ///
    /// # Errors
    /// `invalid`, with every bad field.
    pub fn check(self) -> Result<(), Fault> {
        if self.0.is_empty() { Ok(()) } else { Err(Fault::invalid(self.0)) }
    }

    /// Returns the values if no field is bad; they are `None` only if one is.
    ///
    /// # Errors
    /// `invalid`, with every bad field.
    pub fn finish<T>(self, values: Option<T>) -> Result<T, Fault> {
        values.filter(|_| self.0.is_empty()).ok_or_else(|| Fault::invalid(self.0))
    }
}

impl Extend<(String, String)> for BadFields {
    fn extend<I: IntoIterator<Item = (String, String)>>(&mut self, reasons: I) {
        for (field, reason) in reasons {
            self.add(field, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_checks_of_a_call_are_joined() {
        let bad = |field| {
            let mut bad = BadFields::default();
            bad.add(field, "Give another.");
            bad
        };
        let fields = |joined: Result<u8, Fault>| joined.unwrap_err().fields.into_keys().collect();
        let joined: Vec<String> =
            fields(bad("a").join(Err(Fault::invalid_field("b", "Give more."))));
        assert_eq!(joined, ["a", "b"]);
        let fault = bad("a").join::<u8>(Err(Fault::invalid_field("a", "Give more."))).unwrap_err();
        assert_eq!(fault.fields["a"], "Give another.");
        for other in [Ok(1), Err(Fault::not_found("No game has this slug."))] {
            assert_eq!(fields(bad("a").join(other.clone())), ["a"]);
            assert_eq!(BadFields::default().join(other.clone()), other);
        }
    }

    #[test]
    fn every_bad_field_is_reported() {
        let mut bad = BadFields::default();
        let good = bad.read("a", Ok::<_, String>(1));
        assert_eq!(bad.finish(good), Ok(1));

        let mut bad = BadFields::default();
        assert_eq!(bad.read("a", Err::<u8, _>("Give another.")), None);
        assert_eq!(bad.take::<u8>(Err(Fault::invalid_field("b", "Give more."))), None);
        assert_eq!(bad.id("c", "x"), Uuid::nil());
        assert_eq!(bad.time("d", Some(Timestamp { seconds: i64::MAX, nanos: 0 })), None);
        assert_eq!(bad.time("e", None), None);
        // The last second of the year -1.
        let before = Timestamp { seconds: -62_167_219_201, nanos: 0 };
        assert_eq!(bad.time("h", Some(before)), None);
        let later = OffsetDateTime::UNIX_EPOCH + time::Duration::SECOND;
        let [early, late] = [OffsetDateTime::UNIX_EPOCH, later].map(Some);
        bad.range("e", early, "until", late);
        bad.range("since", late, "f", early);
        assert_eq!(
            bad.past_time("g", Some(timestamp::encode(later)), OffsetDateTime::UNIX_EPOCH),
            None
        );
        bad.add("a", "A second reason.");
        let fault = bad.finish(Some(1)).unwrap_err();
        let fields: Vec<_> = fault.fields.into_iter().collect();
        let expected = [
            ("a", "Give another."),
            ("b", "Give more."),
            ("c", "Give a UUID."),
            ("d", "It is not a valid timestamp."),
            ("f", "Use a time that is not before `since`."),
            (
                "g",
                "It is in the future: the service's time is 1970-01-01T00:00:00Z. Your clock may be fast.",
            ),
            ("h", "It is not a valid timestamp."),
        ];
        assert_eq!(fields, expected.map(|(field, reason)| (field.to_owned(), reason.to_owned())));
    }
}
