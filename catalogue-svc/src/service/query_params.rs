//! Reads the fields that calls have in common, and collects the reasons of all bad ones (§4.1).

use std::collections::BTreeSet;
use std::sync::Arc;

use contracts::common::v1::PageRequest;
use contracts::reference_data::{self, COUNTRIES};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::timestamp;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use crate::domain::facet::Facet;
use crate::domain::rankings::BoardKind;
use crate::domain::{point_in_time, words};
use crate::index::Query;
use kit::Mode;

/// The first words of a `q` that count (§4.1).
const MAX_WORDS: usize = 10;

#[derive(Debug)]
pub(super) struct ListQuery<K> {
    pub(super) mode: Mode,
    pub(super) query: Query<K>,
    /// Binds cursors to this list and its filters.
    pub(super) binding: Binding,
}

/// Reads the filters of a list call. A bad one adds its reason. The cursor of the next page is bound to the filters in the order in which they
/// are read.
pub(super) struct ListParams<K> {
    mode: Mode,
    bound: Vec<Option<String>>,
    pub(super) bad: BadFields,
    pub(super) query: Query<K>,
}

impl<K: DeserializeOwned> ListParams<K> {
    pub(super) fn new(mode: i32) -> Self {
        let mut bad = BadFields::default();
        let mode = bad.mode(mode);
        let mut params = Self { mode, bound: Vec::new(), bad, query: Query::default() };
        params.bind(Some(mode.as_str()));
        params
    }

    /// Binds the cursor to a value that is read elsewhere.
    pub(super) fn bind(&mut self, value: Option<&str>) {
        self.bound.push(value.map(ToOwned::to_owned));
    }

    /// A filter whose values are all known.
    pub(super) fn facet(
        &mut self,
        field: &str,
        value: Option<String>,
        find: impl FnOnce(&str) -> Result<Facet, String>,
    ) {
        let value = non_empty(value);
        self.bind(value.as_deref());
        let facet = filter(&mut self.bad, field, value.as_deref(), find);
        self.query.facets.extend(facet);
    }

    /// The filter by country.
    pub(super) fn country(&mut self, code: Option<String>) {
        self.facet("country", country_code(code), find_country);
    }

    /// A filter with any value.
    pub(super) fn any(&mut self, value: Option<String>, facet: fn(Arc<str>) -> Facet) {
        let value = non_empty(value);
        self.bind(value.as_deref());
        let facet = value.map(|value| facet(value.into()));
        self.query.facets.extend(facet);
    }

    /// The words of a `q`.
    pub(super) fn words(&mut self, q: Option<&str>) {
        self.query.words = query_words(q);
        let key = words_key(self.query.words.as_ref());
        self.bind(key.as_deref());
    }

    /// The time since which rows must have changed (§10.14), in microseconds since 1970. A time in the future is refused: a caller with a
    /// fast clock would take the empty list for the news that nothing has changed.
    pub(super) fn updated_since(&mut self, text: Option<String>, now: OffsetDateTime) {
        let since = non_empty(text).and_then(|text| {
            let expected = || timestamp::EXPECTED.to_owned();
            let since = timestamp::parse(&text)
                .ok_or_else(expected)
                .and_then(|at| timestamp::not_ahead(at, now))
                .and_then(|at| point_in_time::microseconds(at).ok_or_else(expected));
            self.bad.read("updated_since", since)
        });
        self.query.updated_since = since;
        let key = since.map(|since| since.to_string());
        self.bind(key.as_deref());
    }

    /// The query for a page of `list`.
    pub(super) fn finish(
        mut self,
        list: &str,
        page: Option<PageRequest>,
    ) -> Result<ListQuery<K>, Fault> {
        let binding = Binding::new(list, self.bound.iter().map(Option::as_deref));
        let page = self.bad.read_public_page(binding, page);
        self.bad.check()?;
        Ok(ListQuery {
            mode: self.mode,
            query: Query { after: page.after, limit: page.limit, ..self.query },
            binding,
        })
    }
}

/// Reads a parameter that may be absent. A bad one adds its reason, and [`BadFields::check`] refuses the call.
fn filter<T>(
    bad: &mut BadFields,
    field: &str,
    value: Option<&str>,
    find: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    bad.read(field, find(value?))
}

/// Reads a filter by country, the code in upper case.
pub(super) fn country(bad: &mut BadFields, code: Option<&str>) -> Option<Facet> {
    filter(bad, "country", code, find_country)
}

fn find_country(code: &str) -> Result<Facet, String> {
    let country = reference_data::country(code);
    let facet = country.and_then(|country| Facet::country(country.code));
    facet.ok_or_else(|| one_of(&COUNTRIES.map(|country| country.code)))
}

/// The words of a `q`; `None` when it is absent. An empty set (`q` has no letter and no digit) matches nothing.
pub(super) fn query_words(q: Option<&str>) -> Option<BTreeSet<String>> {
    let q = q.map(str::trim).filter(|q| !q.is_empty())?;
    Some(words::from_query(q, MAX_WORDS))
}

/// The words of a `q` for the binding of a cursor: the same for every spelling that leads to these words.
pub(super) fn words_key(words: Option<&BTreeSet<String>>) -> Option<String> {
    words.map(|words| words.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
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
