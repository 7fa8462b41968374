//! Reads listings of any kind.

use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::state::ListingState as State;

/// The status of a listing, and who changed it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingStatus {
    pub id: Uuid,
    /// The title of a game or an event, the name of a page.
    pub title: String,
    pub state: State,
    pub revision: i64,
    pub changed_at: OffsetDateTime,
    /// `account`, `staff` or `import`.
    pub actor_kind: String,
    /// The account, the member or the file.
    pub actor: String,
    /// Reason of the newest revision by staff.
    pub reason: Option<String>,
}

/// The ones of these names that listings have.
pub async fn names(
    connection: &mut PgConnection,
    entity: Entity,
    mode: Mode,
    names: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select name as "name!" from listings.listing where kind = $1 and mode = $2 and name = any($3)"#,
        entity.as_str(),
        mode.as_str(),
        names
    )
    .fetch_all(connection)
    .await
}

/// The title of a listing, and the accounts that own it.
pub async fn title_and_owners(
    connection: &mut PgConnection,
    entity: Entity,
    id: Uuid,
) -> Result<(String, Vec<Uuid>), sqlx::Error> {
    let row = sqlx::query!(
        r#"select title as "title!", listings.owners($1, $2) as "owners!" from listings.listing where kind = $1 and id = $2"#,
        entity.as_str(),
        id
    );
    let row = row.fetch_one(connection).await?;
    Ok((row.title, row.owners))
}

/// The status of one listing, for staff.
pub async fn find(pool: &PgPool, name: &ListingName) -> Result<Option<ListingStatus>, sqlx::Error> {
    sqlx::query_as!(
        ListingStatus,
        r#"select listing.id as "id!", listing.title as "title!", to_jsonb(listing.state) as "state!: Json<State>",
             listing.revision as "revision!", newest.at as changed_at, newest.actor_kind, newest.actor,
             (
                 select given.reason from listings.revision as given
                 where given.entity = $1 and given.id = listing.id and given.actor_kind = 'staff'
                 order by given.revision desc limit 1
             ) as reason
         from listings.listing
         join listings.revision as newest
             on newest.entity = $1 and newest.id = listing.id and newest.revision = listing.revision
         where listing.kind = $1 and listing.mode = $2 and listing.name = $3"#,
        name.entity.as_str(),
        name.mode.as_str(),
        name.key,
    )
    .fetch_optional(pool)
    .await
}
