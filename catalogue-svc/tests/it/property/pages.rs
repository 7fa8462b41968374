//! Reads a list to its end by its cursors.

use bytes::Bytes;
use contracts::common::v1::{PageInfo, PageRequest};
use serde_json::Value;

/// The rows of a page as JSON, and its `PageInfo`.
pub(super) type ResultPage = (Bytes, Option<PageInfo>);

/// All rows of a list. Every page must report the same total.
pub(super) async fn all(limit: u32, call: impl AsyncFn(PageRequest) -> ResultPage) -> Vec<Value> {
    let (mut rows, mut totals, mut cursor) = (Vec::new(), Vec::new(), String::new());
    loop {
        let (json, info) = call(PageRequest { limit, cursor }).await;
        let page: Vec<Value> = serde_json::from_slice(&json).unwrap();
        let info = info.unwrap();
        totals.push(info.total);
        assert!(page.len() <= limit as usize);
        assert!(info.next_cursor.is_none() || page.len() == limit as usize);
        rows.extend(page);
        match info.next_cursor {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!(totals, vec![rows.len() as u64; totals.len()]);
    rows
}
