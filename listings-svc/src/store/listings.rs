//! Single listings of any kind, as staff look at them.

use sqlx::PgPool;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::state::State;

/// A listing, how it stands and who changed it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingStatus {
    /// Which one.
    pub id: Uuid,
    /// Its title, or the name on a page.
    pub title: String,
    /// Where it stands.
    pub state: Json<State>,
    /// Counts its changes.
    pub revision: i64,
    /// When it last changed.
    pub changed_at: OffsetDateTime,
    /// What kind of actor changed it.
    pub actor_kind: String,
    /// Which one.
    pub actor: String,
    /// What staff gave as the reason when they last took it down or restored it.
    pub reason: Option<String>,
}

/// The listing of that kind and name, whatever its state.
pub async fn find(
    pool: &PgPool,
    entity: Entity,
    mode: Mode,
    name: &str,
) -> Result<Option<ListingStatus>, sqlx::Error> {
    sqlx::query_as!(
        ListingStatus,
        r#"with listing as (
             select id, name as title, state, revision from listings.page
             where $1 = 'page' and mode = $2 and handle = $3
             union all
             select id, title, state, revision from listings.game
             where $1 = 'game' and mode = $2 and slug = $3
             union all
             select id, title, state, revision from listings.event
             where $1 = 'event' and mode = $2 and slug = $3
         )
         select listing.id as "id!", listing.title as "title!", to_jsonb(listing.state) as "state!: Json<State>",
             listing.revision as "revision!", newest.at as changed_at, newest.actor_kind, newest.actor,
             (
                 select given.reason from listings.revision as given
                 where given.entity = $1 and given.id = listing.id and given.actor_kind = 'staff'
                 order by given.revision desc limit 1
             ) as reason
         from listing
         join listings.revision as newest
             on newest.entity = $1 and newest.id = listing.id and newest.revision = listing.revision"#,
        entity.as_str(),
        mode.as_str(),
        name,
    )
    .fetch_optional(pool)
    .await
}
