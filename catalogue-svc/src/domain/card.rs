//! What boards and voters see of a listing.

use contracts::public::RankingRow;

/// The fields of a listing that boards and voters see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// `game`, `studio` or `person`.
    pub kind: String,
    /// Title or name.
    pub name: String,
    pub tagline: String,
    /// Genres or roles.
    pub tags: Vec<String>,
    /// Two letters.
    pub country_code: String,
    /// The public page.
    pub url: String,
    /// Cover or avatar.
    pub picture_url: Option<String>,
}

impl Card {
    pub fn into_row(self, rank: u64, previous_rank: u64, wins: u64) -> RankingRow {
        RankingRow {
            rank,
            previous_rank,
            wins,
            name: self.name,
            tagline: self.tagline,
            tags: self.tags,
            country_code: self.country_code,
            url: self.url,
        }
    }
}
