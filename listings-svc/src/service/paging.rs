//! Pages of staff's lists: a limit and a cursor.

use kit::Fault;
use kit::cursor::Binding;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::listing_name::Problems;
use crate::store::queue;

/// Rows of a page unless it is said otherwise.
const DEFAULT_LIMIT: usize = 20;
/// Rows of a page at most.
const MAX_LIMIT: usize = queue::MAX_ROWS - 1;

/// Which page of a list is wanted. `K` is the sort key of a row.
#[derive(Debug)]
pub(super) struct Paging<K> {
    binding: Binding,
    limit: usize,
    /// The last row of the page before.
    pub(super) after: Option<K>,
}

impl<K: Serialize + DeserializeOwned> Paging<K> {
    /// Reads limit and cursor of a list.
    pub(super) fn read(
        binding: Binding,
        limit: impl TryInto<usize>,
        cursor: &str,
        problems: &mut Problems,
    ) -> Self {
        let limit = match limit.try_into() {
            Ok(0) => DEFAULT_LIMIT,
            Ok(limit) if limit <= MAX_LIMIT => limit,
            _ => {
                problems.insert(
                    "limit".to_owned(),
                    format!("Ask for 1 to {MAX_LIMIT} rows."),
                );
                DEFAULT_LIMIT
            }
        };
        let after = (!cursor.is_empty())
            .then(|| binding.decode(cursor))
            .flatten();
        if after.is_none() && !cursor.is_empty() {
            let reason = "It belongs to another list or other filters: begin without one.";
            problems.insert("cursor".to_owned(), reason.to_owned());
        }
        Self {
            binding,
            limit,
            after,
        }
    }

    /// Rows to fetch: one more than the page has, to see whether there is another.
    pub(super) fn fetch_limit(&self) -> i64 {
        i64::try_from(self.limit + 1).unwrap_or(i64::MAX)
    }

    /// Cuts what was fetched to the page, with the cursor of the next; empty when this is the last.
    pub(super) fn finish<R>(
        &self,
        mut rows: Vec<R>,
        key: impl FnOnce(&R) -> K,
    ) -> Result<(Vec<R>, String), Fault> {
        if rows.len() <= self.limit {
            return Ok((rows, String::new()));
        }
        rows.truncate(self.limit);
        let cursor = rows
            .last()
            .map(|last| self.binding.encode(&key(last)))
            .transpose()
            .map_err(|error| Fault::internal(&error))?;
        Ok((rows, cursor.unwrap_or_default()))
    }
}
