//! From the fields of a message to a question, with all bad ones named at once (§4.1): what calls have in common.

use std::collections::{BTreeMap, BTreeSet};

use contracts::common::v1 as common;
use kit::Fault;
use kit::cursor::Binding;
use serde::de::DeserializeOwned;

use crate::domain::facet::Facet;
use crate::domain::listing::Mode;
use crate::domain::rankings::BoardKind;
use crate::domain::{point_in_time, words};
use crate::index::{Query, Snapshot};

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
/// Words of a `q` at most (§4.1).
const MAX_WORDS: usize = 10;
/// The reason why a cursor is refused.
pub(super) const NOT_A_CURSOR: &str = "This is not a cursor of this list. Send `meta.next_cursor` of the page before, with the same filters.";

/// A list call that can be answered.
#[derive(Debug)]
pub(super) struct ListQuery<K> {
    pub(super) mode: Mode,
    pub(super) query: Query<K>,
    /// What cursors of this list belong to.
    pub(super) binding: Binding,
}

/// Reads fields, and keeps the reasons of the bad ones. What it returns for a bad field stands in until [`Fields::finish`] refuses.
#[derive(Debug, Default)]
pub(super) struct Fields {
    bad: BTreeMap<String, String>,
}

impl Fields {
    /// Keeps the value, or the reason why there is none.
    pub(super) fn check<T>(&mut self, field: &str, value: Result<T, String>) -> Option<T> {
        value
            .map_err(|reason| self.bad.insert(field.to_owned(), reason))
            .ok()
    }

    pub(super) fn mode(&mut self, mode: i32) -> Mode {
        let mode = match common::Mode::try_from(mode) {
            Ok(common::Mode::Live) => Ok(Mode::Live),
            Ok(common::Mode::Test) => Ok(Mode::Test),
            Ok(common::Mode::Unspecified) | Err(_) => Err("Use MODE_LIVE or MODE_TEST.".to_owned()),
        };
        self.check("mode", mode).unwrap_or(Mode::Test)
    }

    /// How many rows are wanted, and after what.
    pub(super) fn page<M: DeserializeOwned>(
        &mut self,
        page: Option<common::PageRequest>,
        binding: Binding,
    ) -> (usize, Option<M>) {
        let page = page.unwrap_or_default();
        let limit = self.check("limit", limit(page.limit)).unwrap_or_default();
        let after = self.check("cursor", after(&page.cursor, binding)).flatten();
        (limit, after)
    }

    /// A filter by one of a fixed set of values.
    pub(super) fn filter(
        &mut self,
        field: &str,
        value: Option<&str>,
        find: impl FnOnce(&str) -> Result<Facet, String>,
    ) -> Option<Facet> {
        let found = find(value?);
        self.check(field, found)
    }

    /// A filter by country, the code in upper case.
    pub(super) fn country(&mut self, code: Option<&str>, snapshot: &Snapshot) -> Option<Facet> {
        self.filter("country", code, |code| {
            let codes = snapshot.countries();
            let known = codes.binary_search(&code).is_ok();
            Facet::country(code)
                .filter(|_| known)
                .ok_or_else(|| one_of(&codes))
        })
    }

    /// Since when rows must have changed (§10.14), in microseconds since 1970.
    pub(super) fn updated_since(&mut self, text: Option<String>) -> Option<i64> {
        let since = point_in_time::read(&given(text)?);
        let reason = "Use a time in RFC 3339, such as 2026-03-01T08:00:00Z, or a day, such as 2026-03-01. Write + as %2B.";
        self.check("updated_since", since.ok_or_else(|| reason.to_owned()))
    }

    /// The words of a `q`; `None` when it is absent. A set without a word asks for something that nothing has.
    pub(super) fn words(&mut self, q: Option<&str>) -> Option<BTreeSet<String>> {
        let q = q.map(str::trim).filter(|q| !q.is_empty())?;
        let words = words::of_query(q, MAX_WORDS);
        let words = words.ok_or_else(|| format!("Use at most {MAX_WORDS} words."));
        self.check("q", words)
    }

    /// Refuses, if a field was bad.
    pub(super) fn finish(self) -> Result<(), Fault> {
        if self.bad.is_empty() {
            Ok(())
        } else {
            Err(Fault::invalid(self.bad))
        }
    }
}

/// What a cursor is bound to of the words of a `q`: the same for all ways to write them.
pub(super) fn bound(words: Option<&BTreeSet<String>>) -> Option<String> {
    words.map(|words| {
        words
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

/// The mode of a call for a single thing.
pub(super) fn mode(mode: i32) -> Result<Mode, Fault> {
    let mut fields = Fields::default();
    let mode = fields.mode(mode);
    fields.finish()?;
    Ok(mode)
}

/// A parameter; an empty one is an absent one (§4.1).
pub(super) fn given(value: Option<String>) -> Option<String> {
    value.filter(|value| !value.is_empty())
}

/// A country code as it is written in upper case.
pub(super) fn code(code: Option<String>) -> Option<String> {
    given(code).map(|code| code.to_ascii_uppercase())
}

/// What is voted on.
pub(super) fn board_kind(name: &str) -> Result<BoardKind, String> {
    BoardKind::parse(name).ok_or_else(|| one_of(&BoardKind::ALL.map(BoardKind::as_str)))
}

/// The reason why a value outside a fixed set is refused. The value is not repeated: it may be anything.
pub(super) fn one_of(values: &[&str]) -> String {
    format!("Use one of: {}.", values.join(", "))
}

fn limit(limit: u32) -> Result<usize, String> {
    let limit = if limit == 0 { DEFAULT_LIMIT } else { limit };
    usize::try_from(limit)
        .ok()
        .filter(|_| limit <= MAX_LIMIT)
        .ok_or_else(|| format!("Use a whole number from 1 to {MAX_LIMIT}."))
}

fn after<M: DeserializeOwned>(cursor: &str, binding: Binding) -> Result<Option<M>, String> {
    if cursor.is_empty() {
        return Ok(None);
    }
    match binding.decode(cursor) {
        Some(mark) => Ok(Some(mark)),
        None => Err(NOT_A_CURSOR.to_owned()),
    }
}
