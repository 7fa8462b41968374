use contracts::listings::v1 as proto;
use kit::api::timestamp;

use super::state;
use crate::domain::array_fields::{Credit, Screenshot};
use crate::domain::game::Game;
use crate::domain::listing::Listing;

pub fn message(listing: &Listing, game: &Game) -> proto::Game {
    let game = game.clone();
    proto::Game {
        id: listing.id.to_string(),
        mode: listing.mode.into(),
        state: state(listing.state),
        revision: listing.revision,
        slug: game.slug,
        title: game.title,
        tagline: game.tagline,
        description: game.description,
        cover_url: game.cover_url,
        screenshots: game.screenshots.into_iter().map(screenshot).collect(),
        genres: game.genres,
        platforms: game.platforms,
        stage: game.stage,
        release_year: game.release_year,
        trailer_url: game.trailer_url,
        links: game.links.into_iter().collect(),
        credits: game.credits.into_iter().map(credit).collect(),
        featured: game.featured,
        page_id: game.page_id.to_string(),
        created_at: Some(timestamp::encode(listing.created_at)),
        first_published_at: listing.first_published_at.map(timestamp::encode),
        visible: listing.is_visible(),
        updated_at: Some(timestamp::encode(listing.updated_at)),
    }
}

fn screenshot(picture: Screenshot) -> proto::Screenshot {
    proto::Screenshot {
        url: picture.url,
        width: picture.width,
        height: picture.height,
        alt: picture.alt,
    }
}

fn credit(credit: Credit) -> proto::Credit {
    proto::Credit { handle: credit.handle, name: credit.name, role: credit.role }
}
