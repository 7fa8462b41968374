//! Rows of ranking boards.

use contracts::catalogue::v1 as proto;
use contracts::public::RankingRow;

/// A row.
pub(in crate::service) fn row(row: RankingRow) -> proto::RankingRow {
    proto::RankingRow {
        rank: row.rank,
        previous_rank: row.previous_rank,
        wins: row.wins,
        name: row.name,
        tagline: row.tagline,
        tags: row.tags,
        country_code: row.country_code,
        url: row.url,
    }
}
