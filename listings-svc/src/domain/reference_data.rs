//! What the rest of the directory holds, as far as a row refers to it.

use std::collections::{BTreeSet, HashMap};

use time::OffsetDateTime;
use uuid::Uuid;

use super::gazetteer::Gazetteer;

/// What a row may refer to, and the year it is read in.
#[derive(Debug, Default)]
pub struct ReferenceData {
    /// This UTC year.
    pub year: i32,
    /// The latest time that a row may state; any when it is not given.
    pub no_later_than: Option<OffsetDateTime>,
    /// Keys of the genres.
    pub genres: BTreeSet<String>,
    /// Codes of the countries.
    pub countries: BTreeSet<String>,
    /// The cities.
    pub gazetteer: Gazetteer,
    /// Pages by handle, of the row's own world.
    pub creators: HashMap<String, Uuid>,
}
