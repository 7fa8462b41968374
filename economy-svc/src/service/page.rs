//! Pages of lists for staff and owners.

use contracts::common::v1::{PageInfo, PageRequest};
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::Page;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The requested page of a list with these filters.
///
/// # Errors
/// `invalid`: the limit is too large, or the cursor belongs to another list.
pub(super) fn read<'a, K: Serialize + DeserializeOwned>(
    list: &str,
    filters: impl IntoIterator<Item = &'a str>,
    page: Option<PageRequest>,
) -> Result<Page<K>, Fault> {
    let binding = Binding::new(list, filters.into_iter().map(Some));
    let mut bad = BadFields::default();
    let page = bad.read_public_page(binding, page);
    bad.finish(Some(page))
}

/// The information of a page without a total.
pub(super) fn info(next_cursor: Option<String>) -> PageInfo {
    PageInfo { next_cursor, ..PageInfo::default() }
}
