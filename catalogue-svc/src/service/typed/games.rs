//! Games.

use contracts::catalogue::v1 as proto;
use contracts::public;
use kit::timestamp;

/// A list row.
pub(in crate::service) fn row(row: public::GameRow) -> proto::GameRow {
    proto::GameRow {
        slug: row.slug,
        title: row.title,
        tagline: row.tagline,
        cover_url: row.cover_url,
        genres: row.genres,
        platforms: row.platforms,
        stage: row.stage,
        release_year: row.release_year,
        featured: row.featured,
        creator: Some(proto::GameCreator {
            handle: row.creator.handle,
            name: row.creator.name,
        }),
        country_code: row.country_code,
        city: row.city,
        url: row.url,
        created_at: Some(timestamp::encode(row.created_at.0)),
    }
}

/// A single game.
pub(in crate::service) fn game(game: public::Game) -> proto::Game {
    proto::Game {
        row: Some(row(game.row)),
        description: game.description,
        screenshots: game.screenshots.into_iter().map(screenshot).collect(),
        links: game.links.into_iter().collect(),
        credits: game.credits.into_iter().map(credit).collect(),
        trailer_url: game.trailer_url,
        updated_at: Some(timestamp::encode(game.updated_at.0)),
    }
}

fn screenshot(shot: public::Screenshot) -> proto::Screenshot {
    proto::Screenshot {
        url: shot.url,
        width: shot.width,
        height: shot.height,
        alt: shot.alt,
    }
}

fn credit(credit: public::Credit) -> proto::Credit {
    proto::Credit {
        handle: credit.handle,
        name: credit.name,
        role: credit.role,
    }
}
