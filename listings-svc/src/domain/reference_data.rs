//! Reference data: what a row or a body may refer to.

use std::collections::{BTreeSet, HashMap};

use time::OffsetDateTime;
use uuid::Uuid;

use super::gazetteer::Gazetteer;

/// The data that a row or a body may refer to, and the bounds of its dates.
#[derive(Debug, Default)]
pub struct ReferenceData {
    /// The current year, in UTC.
    pub year: i32,
    /// The latest timestamp that a row may state; `None` for no limit.
    pub no_later_than: Option<OffsetDateTime>,
    pub genres: BTreeSet<String>,
    pub countries: BTreeSet<String>,
    pub gazetteer: Gazetteer,
    /// Pages by handle, in the dataset of the row.
    pub creators: HashMap<String, Uuid>,
}
