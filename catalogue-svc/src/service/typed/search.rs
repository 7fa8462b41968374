//! Search results.

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::search_result::Address;
use contracts::public::{SearchAddress, SearchResult};

/// A result.
pub(in crate::service) fn result(result: SearchResult) -> proto::SearchResult {
    proto::SearchResult {
        r#type: result.kind,
        address: Some(match result.address {
            SearchAddress::Slug(slug) => Address::Slug(slug),
            SearchAddress::Handle(handle) => Address::Handle(handle),
        }),
        name: result.name,
        tagline: result.tagline,
        country_code: result.country_code,
        url: result.url,
    }
}
