//! What a row or a body may refer to, besides genres, countries and cities.

use std::collections::{BTreeSet, HashMap};

use time::OffsetDateTime;
use uuid::Uuid;

/// The data that a row or a body may refer to, and the bounds of its dates.
#[derive(Debug, Clone, Default)]
pub struct ReferenceData {
    /// The current year, in UTC.
    pub year: i32,
    /// The latest timestamp that a row may state; `None` for no limit.
    pub no_later_than: Option<OffsetDateTime>,
    /// The base URL of the public pages, below which an uploaded picture has its address.
    pub public_url: String,
    /// Pages by handle, in the dataset of the row. For an account: the public pages that the body names.
    pub creators: HashMap<String, Uuid>,
    /// For an account: pages that the credits of its game name and that are not public. A read returns null for their handles.
    pub hidden_creators: BTreeSet<String>,
}

impl ReferenceData {
    pub fn at(now: OffsetDateTime) -> Self {
        Self { year: now.year(), ..Self::default() }
    }
}
