//! Tickets about listings: claims, requests for a takedown, and notes of visitors.

use serde::Deserialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::ticket::{TicketKind, TicketState};
use crate::domain::visitor_note::NoteText;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Ticket {
    pub id: Uuid,
    pub kind: TicketKind,
    /// A page, a game or an event.
    pub entity: Entity,
    pub listing_id: Uuid,
    /// The slug or the handle of the listing.
    pub name: String,
    pub mode: Mode,
    /// The title of the listing, or the name of a page.
    pub title: String,
    /// Of a claim or a takedown.
    pub account_id: Option<Uuid>,
    /// Of a report; empty otherwise.
    pub reason: String,
    pub text: String,
    /// Of a visitor; often empty.
    pub email: String,
    pub state: TicketState,
    pub answer: String,
    #[serde(with = "rfc3339")]
    pub made_at: OffsetDateTime,
    #[serde(with = "rfc3339::option")]
    pub decided_at: Option<OffsetDateTime>,
    /// `account` or `staff`.
    pub decided_by_kind: Option<String>,
    /// The account or the member of the staff.
    pub decided_by: Option<String>,
}

/// Selects tickets by a clause.
macro_rules! select_tickets {
    ($clause:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            r#"select to_json(ticket) as "ticket!: Json<Ticket>" from listings.named_ticket as ticket "# + $clause,
            $($argument),+
        )
        .map(|row| row.ticket.0)
    };
}

/// The listing that a ticket is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TicketSubject {
    pub entity: Entity,
    pub listing: Uuid,
}

/// A ticket of an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountTicket<'a> {
    pub kind: TicketKind,
    pub subject: TicketSubject,
    pub account: Uuid,
    pub text: &'a str,
}

/// Inserts a ticket of an account, or replaces the text of its open one of this kind about this listing. Returns the id.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    ticket: AccountTicket<'_>,
    now: OffsetDateTime,
) -> Result<Uuid, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into listings.ticket (id, kind, entity, listing_id, account_id, text, made_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (kind, entity, listing_id, account_id) where state = 'open' do update set text = excluded.text
         returning id",
        id,
        ticket.kind.as_str(),
        ticket.subject.entity.as_str(),
        ticket.subject.listing,
        ticket.account,
        ticket.text,
        now
    )
    .fetch_one(connection)
    .await
}

/// A note of a visitor.
#[derive(Debug, Clone, Copy)]
pub struct NewNote<'a> {
    pub kind: TicketKind,
    pub subject: TicketSubject,
    pub note: &'a NoteText,
    pub form: &'a str,
    pub network: &'a str,
}

/// Inserts a note. False if there is one of this form, or one of this kind and text by this network about this listing on this day.
pub async fn insert_note(
    connection: &mut PgConnection,
    id: Uuid,
    new: NewNote<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into listings.ticket (id, kind, entity, listing_id, reason, text, made_at, form, email, network, sent_on)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ($7 at time zone 'UTC')::date)
         on conflict do nothing",
        id,
        new.kind.as_str(),
        new.subject.entity.as_str(),
        new.subject.listing,
        new.note.reason,
        new.note.text,
        now,
        new.form,
        new.note.email,
        new.network
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Whether there is a note of this form about this listing.
pub async fn has_form(
    connection: &mut PgConnection,
    form: &str,
    subject: TicketSubject,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from listings.ticket where form = $1 and entity = $2 and listing_id = $3
           ) as "exists!""#,
        form,
        subject.entity.as_str(),
        subject.listing
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
        "select made_at from listings.ticket
         where network = $1 and network <> '' and sent_on >= ($2 at time zone 'UTC')::date and made_at > $2 order by made_at",
        network,
        since
    )
    .fetch_all(connection)
    .await
}

/// Whether a network has sent a note with this form or this text since `since`.
pub async fn is_repeated(
    connection: &mut PgConnection,
    network: &str,
    form: &str,
    text: &str,
    since: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from listings.ticket
               where network = $1 and sent_on >= ($4 at time zone 'UTC')::date and made_at > $4 and (form = $2 or text = $3)
           ) as "exists!""#,
        network,
        form,
        text,
        since
    )
    .fetch_one(connection)
    .await
}

/// The accounts that own a listing.
pub async fn owners(
    executor: impl PgExecutor<'_>,
    subject: TicketSubject,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select listings.owners($1, $2) as "owners!""#,
        subject.entity.as_str(),
        subject.listing
    )
    .fetch_one(executor)
    .await
}

pub async fn find(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Ticket>, sqlx::Error> {
    select_tickets!("where id = $1", id)
        .fetch_optional(executor)
        .await
}

/// Locks a ticket for a decision, and returns it. A ticket that another transaction has locked is an error (55P03).
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<Ticket>, sqlx::Error> {
    sqlx::query_scalar!(
        "select id from listings.ticket where id = $1 for update nowait",
        id
    )
    .fetch_optional(&mut *connection)
    .await?;
    find(connection, id).await
}

/// The newest 100 claims of an account, newest first.
pub async fn claims_of(pool: &PgPool, account: Uuid) -> Result<Vec<Ticket>, sqlx::Error> {
    select_tickets!(
        "where account_id = $1 and kind = 'claim' order by id desc limit 100",
        account
    )
    .fetch_all(pool)
    .await
}

/// The newest request of an account to take down a listing.
pub async fn newest_takedown_of(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    subject: TicketSubject,
) -> Result<Option<Ticket>, sqlx::Error> {
    select_tickets!(
        "where account_id = $1 and kind = 'takedown' and entity = $2 and listing_id = $3 order by id desc limit 1",
        account,
        subject.entity.as_str(),
        subject.listing
    )
    .fetch_optional(executor)
    .await
}

/// The open corrections of a listing, oldest first.
pub async fn list_corrections(
    executor: impl PgExecutor<'_>,
    subject: TicketSubject,
    limit: i64,
) -> Result<Vec<Ticket>, sqlx::Error> {
    select_tickets!(
        "where entity = $1 and listing_id = $2 and state = 'open' and kind = 'correction' order by made_at, id limit $3",
        subject.entity.as_str(),
        subject.listing,
        limit
    )
    .fetch_all(executor)
    .await
}

/// The open corrections of all listings of an account, oldest first.
pub async fn list_corrections_of_account(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    limit: i64,
) -> Result<Vec<Ticket>, sqlx::Error> {
    // From the listings of the account to their tickets: other accounts may have any number of open ones.
    select_tickets!(
        "where id in (
             select note.id from listings.page_owner
             cross join lateral (
                 select 'page' as entity, page_owner.page_id as listing_id
                 union all
                 select 'game', game.id from listings.game where game.page_id = page_owner.page_id
             ) as own
             join listings.ticket as note on note.entity = own.entity and note.listing_id = own.listing_id
             where page_owner.account_id = $1 and note.state = 'open' and note.kind = 'correction'
             union all
             select note.id from listings.event
             join listings.ticket as note on note.entity = 'event' and note.listing_id = event.id
             where event.submitter = $1 and note.state = 'open' and note.kind = 'correction'
         )
         order by made_at, id limit $2",
        account,
        limit
    )
    .fetch_all(executor)
    .await
}

pub async fn count_corrections(
    executor: impl PgExecutor<'_>,
    subject: TicketSubject,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.ticket
           where entity = $1 and listing_id = $2 and state = 'open' and kind = 'correction'"#,
        subject.entity.as_str(),
        subject.listing
    )
    .fetch_one(executor)
    .await
}

/// The open tickets of these kinds that wait for staff, oldest first, after this key.
pub async fn list_for_staff(
    pool: &PgPool,
    kinds: &[TicketKind],
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Ticket>, sqlx::Error> {
    let (made_at, id) = after.unzip();
    select_tickets!(
        "where state = 'open' and kind = any($1) and listings.is_for_staff(kind, entity, listing_id, account_id)
             and ($2::timestamptz is null or (made_at, id) > ($2, $3::uuid))
         order by made_at, id limit $4",
        &names(kinds),
        made_at,
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

pub async fn count_for_staff(pool: &PgPool, kinds: &[TicketKind]) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.ticket
           where state = 'open' and kind = any($1) and listings.is_for_staff(kind, entity, listing_id, account_id)"#,
        &names(kinds)
    )
    .fetch_one(pool)
    .await
}

fn names(kinds: &[TicketKind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.as_str().to_owned()).collect()
}

/// Number of open tickets of an account of this kind that wait for staff, without one about this listing.
pub async fn count_others(
    connection: &mut PgConnection,
    ticket: AccountTicket<'_>,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.ticket
           where account_id = $1 and kind = $2 and listing_id <> $3 and state = 'open'
               and listings.is_for_staff(kind, entity, listing_id, account_id)"#,
        ticket.account,
        ticket.kind.as_str(),
        ticket.subject.listing
    )
    .fetch_one(connection)
    .await
}

/// How a ticket ends.
#[derive(Debug, Clone, Copy)]
pub struct Closing<'a> {
    pub state: TicketState,
    /// `account` or `staff`.
    pub by_kind: &'static str,
    /// The account or the member.
    pub by: &'a str,
    pub answer: &'a str,
    pub at: OffsetDateTime,
}

pub async fn close(
    connection: &mut PgConnection,
    id: Uuid,
    closing: Closing<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.ticket set state = $2, decided_by_kind = $3, decided_by = $4, answer = $5, decided_at = $6 where id = $1",
        id,
        closing.state.as_str(),
        closing.by_kind,
        closing.by,
        closing.answer,
        closing.at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Accepts the open tickets of these kinds about a listing.
pub async fn accept_all(
    connection: &mut PgConnection,
    kinds: &[TicketKind],
    subject: TicketSubject,
    closing: Closing<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.ticket set state = 'accepted', decided_by_kind = $4, decided_by = $5, answer = $6, decided_at = $7
         where entity = $1 and listing_id = $2 and kind = any($3) and state = 'open'",
        subject.entity.as_str(),
        subject.listing,
        &names(kinds),
        closing.by_kind,
        closing.by,
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
        "delete from listings.ticket where form is not null and state <> 'open' and decided_at < $1",
        before
    );
    let deleted = deleted.execute(pool).await?.rows_affected();
    let forgotten = sqlx::query!(
        "update listings.ticket set email = '', network = ''
         where made_at < $1 and (network <> '' or email <> '')",
        before
    );
    Ok(deleted + forgotten.execute(pool).await?.rows_affected())
}
