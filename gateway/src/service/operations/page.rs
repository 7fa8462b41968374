//! Pages of lists that are sorted by id.

use kit::Fault;
use kit::cursor::Binding;
use uuid::Uuid;

use crate::domain::fields::Problems;

/// Rows per page: by default, and at most.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 500;

/// A requested page.
#[derive(Debug)]
pub(in crate::service) struct ResultPage {
    binding: Binding,
    limit: u32,
    /// The last row of the page before.
    pub(in crate::service) after: Option<Uuid>,
}

impl ResultPage {
    /// Parses a request. `binding` names the list.
    pub(in crate::service) fn parse(
        problems: &mut Problems,
        binding: Binding,
        limit: u32,
        cursor: &str,
    ) -> Self {
        let limit = if limit == 0 { DEFAULT_LIMIT } else { limit };
        if limit > MAX_LIMIT {
            problems.add(
                "limit",
                format!("Give a whole number from 1 to {MAX_LIMIT}."),
            );
        }
        let after = match cursor {
            "" => None,
            cursor => binding.decode(cursor).or_else(|| {
                problems.add(
                    "cursor",
                    "This cursor is not from this list. Start without a cursor.",
                );
                None
            }),
        };
        Self {
            binding,
            limit,
            after,
        }
    }

    /// One row more than requested shows whether there is a next page.
    pub(in crate::service) fn rows_to_fetch(&self) -> i64 {
        i64::from(self.limit) + 1
    }

    /// Truncates the rows to the page. Returns the cursor of the next page, if there is one.
    pub(in crate::service) fn truncate<T>(
        &self,
        found: &mut Vec<T>,
        id: impl Fn(&T) -> Uuid,
    ) -> Result<Option<String>, Fault> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| more);
        last.map(|last| self.binding.encode(&id(last)))
            .transpose()
            .map_err(|error| Fault::internal(&error))
    }
}
