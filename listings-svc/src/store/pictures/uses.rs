//! Which listings have a picture.

use sqlx::PgPool;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::pictures::FileName;

/// A listing that has a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureUse {
    /// A page or a game.
    pub entity: Entity,
    pub mode: Mode,
    /// The slug or the handle.
    pub name: String,
    /// Whether the public sees the listing.
    pub is_public: bool,
    /// Whether it was public, until a takedown of the listing or of its page.
    pub is_withdrawn: bool,
    /// The accounts that own the listing.
    pub owners: Vec<Uuid>,
}

/// The listings that have one of these pictures, in any state.
pub async fn list(pool: &PgPool, names: &[FileName]) -> Result<Vec<PictureUse>, sqlx::Error> {
    let addresses: Vec<String> = names.iter().map(FileName::address).collect();
    let rows = sqlx::query!(
        r#"select 'game' as "entity!", mode as "mode!", slug as "name!",
                state = 'published' and not hidden_by_page as "is_public!",
                state = 'removed' or (state = 'published' and hidden_by_page and first_published_at is not null) as "is_withdrawn!",
                listings.owners('game', id) as "owners!"
           from listings.game
           where listings.uploaded_pictures(cover_url, screenshots) && $1
               and (cover_url like '/pictures/%' or screenshots::text like '%"/pictures/%')
           union all
           select 'page', mode, handle, state = 'published', state = 'removed', listings.owners('page', id)
           from listings.page where avatar_url = any($1) and avatar_url like '/pictures/%'"#,
        &addresses
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter().filter_map(|row| {
        Some(PictureUse {
            entity: row.entity.parse().ok()?,
            mode: row.mode.parse().ok()?,
            name: row.name,
            is_public: row.is_public,
            is_withdrawn: row.is_withdrawn,
            owners: row.owners,
        })
    });
    Ok(rows.collect())
}
