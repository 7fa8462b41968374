//! Live listings in any state, as the schema has them: the snapshot has only what is public, and staff see the votes on every listing.

use contracts::common::v1 as common;
use contracts::listings::v1 as listings;
use futures::TryStreamExt as _;
use prost::Message as _;
use sqlx::PgPool;
use uuid::Uuid;

use crate::boards::Votable as _;
use crate::domain::rankings::BoardKind;
use crate::index::{Creator, Game};
use crate::store::entity;

/// A live listing in any state.
pub(super) struct StoredListing {
    pub(super) id: Uuid,
    /// Slug or handle.
    pub(super) address: String,
    /// Title or name.
    pub(super) name: String,
}

impl StoredListing {
    /// The listing with this slug or handle.
    pub(super) async fn find(
        pool: &PgPool,
        kind: BoardKind,
        address: &str,
    ) -> Result<Option<Self>, sqlx::Error> {
        // A short address is in the message of nearly every listing, so they are not all held at once.
        let mut bodies = entity::containing(pool, entity_type(kind), address.as_bytes());
        while let Some(body) = bodies.try_next().await? {
            let found = Self::decode(kind, &body).filter(|it| it.address == address);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The listings with these ids, without those that the schema lacks.
    pub(super) async fn with_ids(
        pool: &PgPool,
        kind: BoardKind,
        ids: &[Uuid],
    ) -> Result<Vec<Self>, sqlx::Error> {
        let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
        let bodies = entity::with_ids(pool, entity_type(kind), &ids).await?;
        let listings = bodies.iter().filter_map(|body| Self::decode(kind, body));
        Ok(listings.collect())
    }

    /// `None`: a sample, or a message that this program cannot decode.
    fn decode(kind: BoardKind, body: &[u8]) -> Option<Self> {
        let (id, address, name, mode) = match kind {
            BoardKind::Games => {
                let game = listings::Game::decode(body).ok()?;
                (game.id, game.slug, game.title, game.mode)
            }
            BoardKind::Creators => {
                let page = listings::Page::decode(body).ok()?;
                (page.id, page.handle, page.name, page.mode)
            }
        };
        let is_live = mode == i32::from(common::Mode::Live);
        let id = id.parse().ok().filter(|_| is_live)?;
        Some(Self { id, address, name })
    }
}

/// The entity type on the listings feed.
const fn entity_type(kind: BoardKind) -> &'static str {
    match kind {
        BoardKind::Games => Game::ENTITY,
        BoardKind::Creators => Creator::ENTITY,
    }
}
