//! The rows of a list that a service returns page by page.

use std::num::NonZeroUsize;

use contracts::common::v1::PageRequest;
use tonic::Status;

use crate::error::Error;
use crate::output::{self, RowList};

/// Rows per request.
const PAGE_SIZE: usize = 100;

/// Reads up to `limit` rows. `read_page` returns the rows of a page and the cursor of the next one, empty on the last page.
pub(crate) async fn read<R>(
    limit: NonZeroUsize,
    read_page: impl AsyncFn(PageRequest) -> Result<(Vec<R>, String), Status>,
) -> Result<RowList<R>, Error> {
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let rest = limit.get() - rows.len();
        let page = PageRequest {
            limit: u32::try_from(rest.min(PAGE_SIZE)).unwrap_or_default(),
            cursor,
        };
        let (more, next) = read_page(page).await?;
        rows.extend(more);
        if next.is_empty() {
            return Ok(RowList { rows, more: false });
        }
        if rows.len() >= limit.get() {
            output::note("the list has more rows; a larger --limit shows them");
            return Ok(RowList { rows, more: true });
        }
        cursor = next;
    }
}

/// Reads all rows.
pub(crate) async fn read_all<R>(
    read_page: impl AsyncFn(PageRequest) -> Result<(Vec<R>, String), Status>,
) -> Result<Vec<R>, Error> {
    Ok(read(NonZeroUsize::MAX, read_page).await?.rows)
}
