//! `web.activity`: the actions of people, with the client's address.

use kit::ids;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::client_info::ClientInfo;
use crate::domain::action::Action;

/// How long entries are kept.
pub const RETENTION: time::Duration = time::Duration::days(365);

/// An entry to record.
#[derive(Debug, Clone, Copy)]
pub struct NewEntry<'a> {
    /// `None`: it concerns the person only.
    pub account: Option<Uuid>,
    pub person: Uuid,
    pub email: &'a str,
    pub action: Action,
    /// The object of the action. Never a secret.
    pub subject: &'a str,
    /// `None` for an action of staff, whose address is not known here.
    pub client: Option<&'a ClientInfo>,
}

impl<'a> NewEntry<'a> {
    /// An action that concerns the person only.
    pub fn new(person: Uuid, email: &'a str, client: &'a ClientInfo, action: Action) -> Self {
        Self { account: None, person, email, action, subject: "", client: Some(client) }
    }

    /// A decision of staff about something of an account. No person is named: `person` and `email` are empty.
    pub const fn of_staff(account: Uuid, action: Action, subject: &'a str) -> Self {
        Self {
            account: Some(account),
            person: Uuid::nil(),
            email: "",
            action,
            subject,
            client: None,
        }
    }

    /// An action in an account.
    #[must_use]
    pub fn in_account(self, account: Uuid, subject: &'a str) -> Self {
        Self { account: Some(account), subject, ..self }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    pub id: Uuid,
    pub at: OffsetDateTime,
    pub email: String,
    pub action: String,
    pub subject: String,
    pub address: String,
    pub agent: String,
}

pub async fn insert(
    executor: impl PgExecutor<'_>,
    entry: NewEntry<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    insert_once(executor, entry, None, now).await
}

/// Inserts the entry of an effect, unless the account has one of this action with the same id.
pub async fn insert_once(
    executor: impl PgExecutor<'_>,
    entry: NewEntry<'_>,
    effect: Option<Uuid>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let query = sqlx::query!(
        "insert into web.activity (id, at, account_id, person_id, email, action, subject, address, agent, effect_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing",
        ids::row_id(),
        now,
        entry.account,
        entry.person,
        entry.email,
        entry.action.name(),
        entry.subject,
        entry.client.map_or_else(String::new, ClientInfo::address),
        entry.client.map_or("", |client| client.agent.as_str()),
        effect
    );
    query.execute(executor).await?;
    Ok(())
}

/// Entries of an account in the last [`RETENTION`], before the one with the id `before`, newest first.
pub async fn of_account(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    now: OffsetDateTime,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Activity>, sqlx::Error> {
    let query = sqlx::query_as!(
        Activity,
        "select id, at, email, action, subject, address, agent from web.activity
         where account_id = $1 and id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid) and at >= $3
         order by id desc limit $4",
        account,
        before,
        now - RETENTION,
        limit
    );
    query.fetch_all(executor).await
}

/// Whether the activity of an account says that a person has done this.
pub async fn has_done(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
    action: Action,
) -> Result<bool, sqlx::Error> {
    let query = sqlx::query_scalar!(
        r#"select exists (
             select from web.activity where account_id = $1 and person_id = $2 and action = $3
           ) as "exists!""#,
        account,
        person,
        action.name(),
    );
    query.fetch_one(executor).await
}

/// The newest address that the activity of an account has of each of these people.
pub async fn last_emails(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    people: &[Uuid],
) -> Result<Vec<(Uuid, String)>, sqlx::Error> {
    let rows = sqlx::query!(
        "select distinct on (person_id) person_id, email from web.activity
         where account_id = $1 and person_id = any ($2) order by person_id, id desc",
        account,
        people,
    )
    .fetch_all(executor)
    .await?
    .into_iter();
    Ok(rows.map(|row| (row.person_id, row.email)).collect())
}

/// The newest decisions of staff in an account in the last [`RETENTION`].
pub async fn last_of_staff(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    now: OffsetDateTime,
    limit: i64,
) -> Result<Vec<Activity>, sqlx::Error> {
    let query = sqlx::query_as!(
        Activity,
        "select id, at, email, action, subject, address, agent from web.activity
         where account_id = $1 and person_id = '00000000-0000-0000-0000-000000000000' and at >= $2 order by id desc limit $3",
        account,
        now - RETENTION,
        limit
    );
    query.fetch_all(executor).await
}

/// Removes entries older than [`RETENTION`]; returns their number.
pub async fn remove_old(pool: &PgPool, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!("delete from web.activity where at < $1", now - RETENTION);
    Ok(removed.execute(pool).await?.rows_affected())
}
