//! Pages of a list: a limit and a cursor.

use kit::Fault;
use kit::cursor::Binding;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::listing_name::Problems;
use crate::store::queue;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = queue::MAX_ROWS - 1;
/// After this size a page ends. Rows of long texts would exceed what a gRPC client receives, 4 MiB.
const MAX_BYTES: usize = 1024 * 1024;

/// A request for one page of a list. `K` is the sort key of a row.
#[derive(Debug)]
pub(super) struct Paging<K> {
    binding: Binding,
    limit: usize,
    /// Key of the last row of the previous page.
    pub(super) after: Option<K>,
}

impl<K: Serialize + DeserializeOwned> Paging<K> {
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

    /// Number of rows to fetch: one more than the page has, to detect a next page.
    pub(super) fn fetch_limit(&self) -> i64 {
        i64::try_from(self.limit + 1).unwrap_or(i64::MAX)
    }

    /// Cuts the fetched rows to the page, and returns the cursor of the next page; empty on the last page.
    pub(super) fn finish<R>(
        &self,
        rows: Vec<R>,
        key: impl FnOnce(&R) -> K,
    ) -> Result<(Vec<R>, String), Fault> {
        self.finish_within_bytes(rows, |_| 0, key)
    }

    /// The same for rows of any size: the page ends early when it exceeds [`MAX_BYTES`].
    pub(super) fn finish_within_bytes<R>(
        &self,
        mut rows: Vec<R>,
        bytes: impl Fn(&R) -> usize,
        key: impl FnOnce(&R) -> K,
    ) -> Result<(Vec<R>, String), Fault> {
        let mut total = 0;
        let fits = |row: &&R| {
            let is_under = total < MAX_BYTES;
            total += bytes(row);
            is_under
        };
        let fitting = rows.iter().take(self.limit).take_while(fits).count();
        if rows.len() <= fitting {
            return Ok((rows, String::new()));
        }
        rows.truncate(fitting);
        let cursor = rows
            .last()
            .map(|last| self.binding.encode(&key(last)))
            .transpose()
            .map_err(|error| Fault::internal(&error))?;
        Ok((rows, cursor.unwrap_or_default()))
    }
}
