//! Pages of staff's lists, which run by id: the oldest first.

use kit::Fault;
use kit::cursor::Binding;
use uuid::Uuid;

use crate::domain::fields::Problems;

/// Rows on a page when nobody says how many, and at most.
const USUAL: u32 = 100;
const MOST: u32 = 500;

/// A page that is asked for.
#[derive(Debug)]
pub(super) struct Page {
    binding: Binding,
    limit: u32,
    /// The row that it follows on.
    pub(super) after: Option<Uuid>,
}

impl Page {
    /// Reads what is asked for; `binding` names the list.
    pub(super) fn read(
        problems: &mut Problems,
        binding: Binding,
        limit: u32,
        cursor: &str,
    ) -> Self {
        let limit = if limit == 0 { USUAL } else { limit };
        if limit > MOST {
            problems.add("limit", format!("is 1 to {MOST}"));
        }
        let after = match cursor {
            "" => None,
            cursor => binding.decode(cursor).or_else(|| {
                problems.add("cursor", "is none that this list gave out");
                None
            }),
        };
        Self {
            binding,
            limit,
            after,
        }
    }

    /// Rows to look for: one more than asked for tells whether there is a further page.
    pub(super) fn rows(&self) -> i64 {
        i64::from(self.limit) + 1
    }

    /// Cuts what was found to the page; the cursor of the next, if there is one.
    pub(super) fn cut<T>(
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
