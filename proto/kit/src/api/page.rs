//! Pages of a list that SQL sorts: a limit, and a cursor that holds the sort key of the last row (§4.1).

use contracts::common::v1::PageRequest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Fault;
use crate::api::bad_fields::BadFields;
use crate::api::cursor::Binding;

/// The number of rows of a page.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// When the caller gives none.
    pub default: usize,
    /// What the caller may ask for.
    pub max: usize,
}

impl Limits {
    /// The limits of lists that callers of the public API read (§4.1).
    pub const PUBLIC: Self = Self { default: 20, max: 100 };
    /// The limits of lists of keys, calls and changes, which programs read whole.
    pub const LONG: Self = Self { default: 100, max: 500 };

    /// The limit of a request, where 0 stands for none.
    pub fn read(self, limit: impl TryInto<usize>, bad: &mut BadFields) -> usize {
        match limit.try_into() {
            Ok(0) => self.default,
            Ok(limit) if limit <= self.max => limit,
            _ => {
                bad.add("limit", format!("Give a whole number from 1 to {}.", self.max));
                self.default
            }
        }
    }
}

/// A requested page of a list whose rows have the sort key `K`.
#[derive(Debug)]
pub struct Page<K> {
    binding: Binding,
    /// The number of rows.
    pub limit: usize,
    /// The sort key of the last row of the previous page.
    pub after: Option<K>,
}

impl BadFields {
    /// Reads a request for a page. `binding` names the list and its filters.
    pub fn read_page<K: DeserializeOwned>(
        &mut self,
        limits: Limits,
        binding: Binding,
        limit: impl TryInto<usize>,
        cursor: &str,
    ) -> Page<K> {
        let after = binding.decode(cursor);
        if after.is_none() && !cursor.is_empty() {
            let reason =
                "It is not a whole cursor of this list with these filters: begin without one.";
            self.add("cursor", reason);
        }
        Page { binding, limit: limits.read(limit, self), after }
    }

    /// Reads a request for a page of a list of the public API.
    pub fn read_public_page<K: DeserializeOwned>(
        &mut self,
        binding: Binding,
        page: Option<PageRequest>,
    ) -> Page<K> {
        let PageRequest { limit, cursor } = page.unwrap_or_default();
        self.read_page(Limits::PUBLIC, binding, limit, &cursor)
    }
}

impl<K: Serialize> Page<K> {
    /// The number of rows to fetch: one more than the page has shows whether there is a next page.
    pub fn rows_to_fetch(&self) -> i64 {
        i64::try_from(self.limit + 1).unwrap_or(i64::MAX)
    }

    /// Cuts the fetched rows to the page. Returns the cursor of the next page, if there is one.
    ///
    /// # Errors
    /// `internal`: a key cannot be serialized.
    pub fn cut<R>(
        &self,
        rows: &mut Vec<R>,
        key: impl FnOnce(&R) -> K,
    ) -> Result<Option<String>, Fault> {
        if rows.len() <= self.limit {
            return Ok(None);
        }
        rows.truncate(self.limit);
        let cursor = rows.last().map(|last| self.binding.encode(&key(last)));
        cursor.transpose().map_err(|error| Fault::internal(&error))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(limit: i32, cursor: &str) -> Result<Page<u32>, Fault> {
        let mut bad = BadFields::default();
        let limits = Limits { default: 3, max: 5 };
        let page = bad.read_page(limits, Binding::new("numbers", []), limit, cursor);
        bad.finish(Some(page))
    }

    proptest! {
        #[test]
        fn pages_give_every_row_once(rows in 0..20_u32, limit in 0..=5) {
            let (mut found, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = page(limit, &cursor).unwrap();
                let after = page.after.map_or(0, |last| last + 1);
                let fetched = usize::try_from(page.rows_to_fetch()).unwrap();
                let mut part: Vec<u32> = (after..rows).take(fetched).collect();
                let next = page.cut(&mut part, |row| *row).unwrap();
                found.extend(part);
                match next {
                    Some(next) => cursor = next,
                    None => break,
                }
            }
            prop_assert_eq!(found, (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_bad_limit_and_a_bad_cursor_are_reported_together() {
        for limit in [-1, 6] {
            let fields = page(limit, "x").unwrap_err().fields;
            assert_eq!(fields.into_keys().collect::<Vec<_>>(), ["cursor", "limit"]);
        }
    }
}
