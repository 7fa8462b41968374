//! Reads the fields that calls have in common, and collects the reasons of all bad ones (§4.1).

use std::collections::BTreeSet;
use std::str::FromStr;

use kit::bad_fields::BadFields;
use kit::cursor::Binding;
use kit::timestamp;
use strum::VariantNames;
use time::OffsetDateTime;

use crate::domain::facet::Facet;
use crate::domain::listing::Mode;
use crate::domain::rankings::BoardKind;
use crate::domain::{point_in_time, words};
use crate::index::{Query, Snapshot};

/// The first words of a `q` that count (§4.1).
const MAX_WORDS: usize = 10;

/// A valid list call.
#[derive(Debug)]
pub(super) struct ListQuery<K> {
    pub(super) mode: Mode,
    pub(super) query: Query<K>,
    /// Binds cursors to this list and its filters.
    pub(super) binding: Binding,
}

/// Reads a parameter that may be absent. A bad one adds its reason, and [`BadFields::check`] refuses the call.
pub(super) fn filter<T>(
    bad: &mut BadFields,
    field: &str,
    value: Option<&str>,
    find: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    bad.read(field, find(value?))
}

/// Reads a value of an enum by its name.
pub(super) fn named<T: FromStr + VariantNames>(
    bad: &mut BadFields,
    field: &str,
    name: Option<&str>,
) -> Option<T> {
    let unknown = |_error: T::Err| one_of(T::VARIANTS);
    filter(bad, field, name, |name| name.parse().map_err(unknown))
}

/// Reads a filter by country, the code in upper case.
pub(super) fn country(
    bad: &mut BadFields,
    code: Option<&str>,
    snapshot: &Snapshot,
) -> Option<Facet> {
    filter(bad, "country", code, |code| {
        let codes = snapshot.countries();
        let known = codes.binary_search(&code).is_ok();
        Facet::country(code)
            .filter(|_| known)
            .ok_or_else(|| one_of(&codes))
    })
}

/// Reads the time since which rows must have changed (§10.14), in microseconds since 1970. A later time than the present would give an
/// empty list, which a caller with a fast clock would take for the news that nothing has changed.
pub(super) fn updated_since(
    bad: &mut BadFields,
    text: Option<String>,
    now: OffsetDateTime,
) -> Option<i64> {
    let expected = || timestamp::EXPECTED.to_owned();
    let since = timestamp::parse(&non_empty(text)?).ok_or_else(expected);
    let since = since.and_then(|at| timestamp::not_ahead(at, now));
    let since = since.and_then(|at| point_in_time::microseconds(at).ok_or_else(expected));
    bad.read("updated_since", since)
}

/// The words of a `q`; `None` when it is absent. An empty set (`q` has no letter and no digit) matches nothing.
pub(super) fn query_words(q: Option<&str>) -> Option<BTreeSet<String>> {
    let q = q.map(str::trim).filter(|q| !q.is_empty())?;
    Some(words::of_query(q, MAX_WORDS))
}

/// The words of a `q` for the binding of a cursor: the same for every spelling that leads to these words.
pub(super) fn words_key(words: Option<&BTreeSet<String>>) -> Option<String> {
    words.map(|words| {
        words
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// A parameter; an empty one counts as absent (§4.1).
pub(super) fn non_empty(value: Option<String>) -> Option<String> {
    value.filter(|value| !value.is_empty())
}

/// A country code in upper case.
pub(super) fn country_code(code: Option<String>) -> Option<String> {
    non_empty(code).map(|code| code.to_ascii_uppercase())
}

/// Parses the kind of a board.
pub(super) fn board_kind(name: &str) -> Result<BoardKind, String> {
    BoardKind::parse(name).ok_or_else(|| one_of(&BoardKind::ALL.map(BoardKind::as_str)))
}

/// The reason why a value outside a fixed set is refused. It does not repeat the value, which may be any text.
pub(super) fn one_of(values: &[&str]) -> String {
    format!("Use one of: {}.", values.join(", "))
}
