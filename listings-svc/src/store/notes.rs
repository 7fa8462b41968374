//! Notes of visitors about listings.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::visitor_note::{NoteEnd, NoteKind, NoteText};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingNote {
    pub id: Uuid,
    /// `page`, `game` or `event`.
    pub entity: String,
    /// The slug or the handle.
    pub name: String,
    /// `live`.
    pub mode: String,
    pub title: String,
    /// `correction` or `report`.
    pub kind: String,
    pub reason: String,
    pub text: String,
    pub email: String,
    pub made_at: OffsetDateTime,
    /// `open`, `done` or `dismissed`.
    pub state: String,
    pub closed_at: Option<OffsetDateTime>,
    /// `account` or `staff`.
    pub closed_by_kind: Option<String>,
    pub closed_by: Option<String>,
    pub answer: String,
}

/// A new note, and its sender.
#[derive(Debug, Clone)]
pub struct NewNote<'a> {
    pub form: &'a str,
    pub entity: Entity,
    pub listing: Uuid,
    pub kind: NoteKind,
    pub note: &'a NoteText,
    pub network: &'a str,
}

/// Inserts a note. False if there is one of this form, or one of this kind and text by this network about this listing on this day.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    new: &NewNote<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into listings.listing_note (id, form, entity, listing_id, kind, reason, text, email, network, made_at, made_on)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ($10 at time zone 'UTC')::date)
         on conflict do nothing",
        id,
        new.form,
        new.entity.as_str(),
        new.listing,
        new.kind.as_str(),
        new.note.reason,
        new.note.text,
        new.note.email,
        new.network,
        now
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Whether there is a note of this form about this listing.
pub async fn exists(
    connection: &mut PgConnection,
    form: &str,
    (entity, listing): (Entity, Uuid),
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from listings.listing_note where form = $1 and entity = $2 and listing_id = $3
           ) as "exists!""#,
        form,
        entity.as_str(),
        listing
    )
    .fetch_one(connection)
    .await
}

/// The times of the notes of a network since `since`, oldest first.
pub async fn times_of_network(
    connection: &mut PgConnection,
    network: &str,
    since: OffsetDateTime,
) -> Result<Vec<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "select made_at from listings.listing_note
         where network = $1 and network <> '' and made_on >= ($2 at time zone 'UTC')::date and made_at > $2 order by made_at",
        network,
        since
    )
    .fetch_all(connection)
    .await
}

/// The accounts that own a listing.
pub async fn owners(
    executor: impl PgExecutor<'_>,
    (entity, listing): (Entity, Uuid),
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select listings.owners($1, $2) as "owners!""#,
        entity.as_str(),
        listing
    )
    .fetch_one(executor)
    .await
}

/// The note with this id.
pub async fn find(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<ListingNote>, sqlx::Error> {
    sqlx::query_as!(
        ListingNote,
        r#"select note.id, entity, listing.name as "name!", listing.mode as "mode!", listing.title as "title!", note.kind, reason,
               note.text, email, made_at, note.state, closed_at, closed_by_kind, closed_by, answer
           from listings.listing_note as note
           join listings.listing on listing.kind = entity and listing.id = listing_id
           where note.id = $1"#,
        id
    )
    .fetch_optional(executor)
    .await
}

/// The open corrections of a listing, oldest first.
pub async fn list_corrections(
    executor: impl PgExecutor<'_>,
    (entity, listing): (Entity, Uuid),
    limit: i64,
) -> Result<Vec<ListingNote>, sqlx::Error> {
    sqlx::query_as!(
        ListingNote,
        r#"select note.id, entity, listing.name as "name!", listing.mode as "mode!", listing.title as "title!", note.kind, reason,
               note.text, email, made_at, note.state, closed_at, closed_by_kind, closed_by, answer
           from listings.listing_note as note
           join listings.listing on listing.kind = entity and listing.id = listing_id
           where entity = $1 and listing_id = $2 and note.state = 'open' and note.kind = 'correction'
           order by made_at, note.id limit $3"#,
        entity.as_str(),
        listing,
        limit
    )
    .fetch_all(executor)
    .await
}

pub async fn count_corrections(
    executor: impl PgExecutor<'_>,
    (entity, listing): (Entity, Uuid),
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing_note
           where entity = $1 and listing_id = $2 and state = 'open' and kind = 'correction'"#,
        entity.as_str(),
        listing
    )
    .fetch_one(executor)
    .await
}

/// The open notes for staff, oldest first, after this key: reports, and corrections that no account gets.
pub async fn list_for_staff(
    pool: &PgPool,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<ListingNote>, sqlx::Error> {
    let (made_at, id) = after.unzip();
    sqlx::query_as!(
        ListingNote,
        r#"select note.id, entity, listing.name as "name!", listing.mode as "mode!", listing.title as "title!", note.kind, reason,
               note.text, email, made_at, note.state, closed_at, closed_by_kind, closed_by, answer
           from listings.listing_note as note
           join listings.listing on listing.kind = entity and listing.id = listing_id
           where note.state = 'open' and (note.kind = 'report' or listings.owners(entity, listing_id) = '{}')
               and ($1::timestamptz is null or (made_at, note.id) > ($1, $2::uuid))
           order by made_at, note.id limit $3"#,
        made_at,
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

pub async fn count_for_staff(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing_note
           where state = 'open' and (kind = 'report' or listings.owners(entity, listing_id) = '{}')"#
    )
    .fetch_one(pool)
    .await
}

/// A note that is locked until the end of the transaction.
#[derive(Debug)]
pub struct LockedNote {
    pub entity: String,
    pub listing: Uuid,
    pub kind: String,
    pub state: String,
}

/// Locks a note, to close it. A note that another transaction has locked is an error (55P03).
pub async fn lock(
    connection: &mut PgConnection,
    id: Uuid,
) -> Result<Option<LockedNote>, sqlx::Error> {
    sqlx::query_as!(
        LockedNote,
        "select entity, listing_id as listing, kind, state from listings.listing_note where id = $1 for update nowait",
        id
    )
    .fetch_optional(connection)
    .await
}

/// Who closes a note, and why.
#[derive(Debug, Clone, Copy)]
pub struct Closing<'a> {
    pub end: NoteEnd,
    /// `account` or `staff`, and the account or the member.
    pub by: (&'static str, &'a str),
    pub answer: &'a str,
    pub at: OffsetDateTime,
}

pub async fn close(
    connection: &mut PgConnection,
    id: Uuid,
    closing: Closing<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.listing_note set state = $2, closed_by_kind = $3, closed_by = $4, answer = $5, closed_at = $6
         where id = $1",
        id,
        closing.end.as_str(),
        closing.by.0,
        closing.by.1,
        closing.answer,
        closing.at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Closes all open notes about a listing.
pub async fn close_all(
    connection: &mut PgConnection,
    (entity, listing): (Entity, Uuid),
    closing: Closing<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.listing_note set state = $3, closed_by_kind = $4, closed_by = $5, answer = $6, closed_at = $7
         where entity = $1 and listing_id = $2 and state = 'open'",
        entity.as_str(),
        listing,
        closing.end.as_str(),
        closing.by.0,
        closing.by.1,
        closing.answer,
        closing.at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes notes that were closed before `before`, and the senders of notes that were made before it; returns the number of rows.
pub async fn compact(pool: &PgPool, before: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let deleted = sqlx::query!(
        "delete from listings.listing_note where state <> 'open' and closed_at < $1",
        before
    );
    let deleted = deleted.execute(pool).await?.rows_affected();
    let forgotten = sqlx::query!(
        "update listings.listing_note set email = '', network = ''
         where made_at < $1 and (network <> '' or email <> '')",
        before
    );
    Ok(deleted + forgotten.execute(pool).await?.rows_affected())
}
