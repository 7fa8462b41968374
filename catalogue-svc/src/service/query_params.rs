//! Reads the fields that calls have in common, and collects the reasons of all bad ones (§4.1).

use std::collections::BTreeSet;

use contracts::common::v1 as common;
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::cursor::Binding;
use kit::page::{Limits, Page};
use kit::timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// Reads the fields of reads. A bad field adds its reason, and returns a value that is not used: [`BadFields::check`] refuses the call.
pub(super) trait ReadFields {
    /// The dataset.
    fn mode(&mut self, mode: i32) -> Mode;

    /// The number of rows of the page, and the key of the row before it.
    fn page<M>(
        &mut self,
        page: Option<common::PageRequest>,
        binding: Binding,
    ) -> (usize, Option<M>)
    where
        M: Serialize + DeserializeOwned;

    /// A filter by one of a fixed set of values.
    fn filter(
        &mut self,
        field: &str,
        value: Option<&str>,
        find: impl FnOnce(&str) -> Result<Facet, String>,
    ) -> Option<Facet>;

    /// A filter by country, the code in upper case.
    fn country(&mut self, code: Option<&str>, snapshot: &Snapshot) -> Option<Facet>;

    /// The time since which rows must have changed (§10.14), in microseconds since 1970.
    fn updated_since(&mut self, text: Option<String>) -> Option<i64>;
}

impl ReadFields for BadFields {
    fn mode(&mut self, mode: i32) -> Mode {
        let mode = match common::Mode::try_from(mode) {
            Ok(common::Mode::Live) => Ok(Mode::Live),
            Ok(common::Mode::Test) => Ok(Mode::Test),
            Ok(common::Mode::Unspecified) | Err(_) => Err("Use MODE_LIVE or MODE_TEST."),
        };
        self.read("mode", mode).unwrap_or(Mode::Test)
    }

    fn page<M>(&mut self, page: Option<common::PageRequest>, binding: Binding) -> (usize, Option<M>)
    where
        M: Serialize + DeserializeOwned,
    {
        let common::PageRequest { limit, cursor } = page.unwrap_or_default();
        let page = Page::read(Limits::PUBLIC, binding, limit, &cursor, self);
        (page.limit, page.after)
    }

    fn filter(
        &mut self,
        field: &str,
        value: Option<&str>,
        find: impl FnOnce(&str) -> Result<Facet, String>,
    ) -> Option<Facet> {
        let found = find(value?);
        self.read(field, found)
    }

    fn country(&mut self, code: Option<&str>, snapshot: &Snapshot) -> Option<Facet> {
        self.filter("country", code, |code| {
            let codes = snapshot.countries();
            let known = codes.binary_search(&code).is_ok();
            Facet::country(code)
                .filter(|_| known)
                .ok_or_else(|| one_of(&codes))
        })
    }

    fn updated_since(&mut self, text: Option<String>) -> Option<i64> {
        let since = point_in_time::read(&non_empty(text)?);
        self.read("updated_since", since.ok_or(timestamp::EXPECTED))
    }
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

/// The mode of a call for a single listing.
pub(super) fn mode(mode: i32) -> Result<Mode, Fault> {
    let mut bad = BadFields::default();
    let mode = bad.mode(mode);
    bad.check()?;
    Ok(mode)
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
