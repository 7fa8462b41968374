//! Creators.

use contracts::catalogue::v1 as proto;
use contracts::public;

use super::games;

/// A list row.
pub(in crate::service) fn row(row: public::CreatorRow) -> proto::CreatorRow {
    proto::CreatorRow {
        handle: row.handle,
        name: row.name,
        kind: row.kind,
        roles: row.roles,
        tagline: row.tagline,
        avatar_url: row.avatar_url,
        country_code: row.country_code,
        city: row.city,
        city_slug: row.city_slug,
        verified: row.verified,
        url: row.url,
    }
}

/// A single creator.
pub(in crate::service) fn creator(creator: public::Creator) -> proto::Creator {
    proto::Creator {
        row: Some(row(creator.row)),
        bio: creator.bio,
        links: creator.links.into_iter().collect(),
        games: creator.games.into_iter().map(games::row).collect(),
    }
}
