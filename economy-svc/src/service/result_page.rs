//! A page of a list for staff or an exchange.

use contracts::common::v1::PageRequest;
use kit::Fault;
use kit::cursor::Binding;
use serde::Serialize;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

/// Rows of a page: default and maximum.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;
/// The reason why a cursor is refused.
pub(super) const NOT_A_CURSOR: &str =
    "It belongs to another list or other filters: begin without one.";

/// A requested page of rows with the sort key `K`.
#[derive(Debug)]
pub(super) struct ResultPage<K> {
    binding: Binding,
    limit: usize,
    /// The last row of the page before.
    pub(super) after: Option<K>,
}

impl<K: Serialize + DeserializeOwned> ResultPage<K> {
    /// Reads the page of a list with these filters.
    ///
    /// # Errors
    /// `invalid`: the cursor belongs to another list.
    pub(super) fn read<'a>(
        list: &str,
        filters: impl IntoIterator<Item = &'a str>,
        page: Option<PageRequest>,
    ) -> Result<Self, Fault> {
        let page = page.unwrap_or_default();
        let binding = Binding::new(list, filters.into_iter().map(Some));
        let after = binding.decode(&page.cursor);
        if after.is_none() && !page.cursor.is_empty() {
            return Err(Fault::invalid_field("cursor", NOT_A_CURSOR));
        }
        let limit = match usize::try_from(page.limit) {
            Ok(0) => DEFAULT_LIMIT,
            Ok(limit) => limit.min(MAX_LIMIT),
            Err(_) => MAX_LIMIT,
        };
        Ok(Self {
            binding,
            limit,
            after,
        })
    }

    /// The rows to read: one more than the page has shows whether there is a next page.
    pub(super) fn rows(&self) -> i64 {
        i64::try_from(self.limit + 1).unwrap_or(i64::MAX)
    }

    /// Cuts off the row beyond the page; returns the cursor of the next page, empty on the last one.
    pub(super) fn next_cursor<R>(
        &self,
        rows: &mut Vec<R>,
        key: impl Fn(&R) -> K,
    ) -> Result<String, Fault> {
        let has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let last = rows.last().filter(|_| has_more);
        let cursor = last.map(|last| self.binding.encode(&key(last)));
        let cursor = cursor.transpose();
        Ok(cursor
            .map_err(|error| Fault::internal(&error))?
            .unwrap_or_default())
    }
}

impl<I: Clone> ResultPage<(i128, I)> {
    /// The last row of the page before, in a list by time (in nanoseconds) and id.
    ///
    /// # Errors
    /// `invalid`: the cursor was edited.
    pub(super) fn after_time(&self) -> Result<Option<(OffsetDateTime, I)>, Fault> {
        let Some((nanos, id)) = self.after.clone() else {
            return Ok(None);
        };
        let at = time_in_cursor(nanos);
        let at = at.ok_or_else(|| Fault::invalid_field("cursor", NOT_A_CURSOR))?;
        Ok(Some((at, id)))
    }
}

/// A time of a cursor, which is of a stored row. `None`: the cursor was edited, and PostgreSQL may have no such time.
pub(super) fn time_in_cursor(nanos: i128) -> Option<OffsetDateTime> {
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
    (0..=9_999).contains(&at.year()).then_some(at)
}
