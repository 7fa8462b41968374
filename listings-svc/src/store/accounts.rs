//! What an account has written today, and how much of it waits for a review.

use std::collections::HashMap;

use sqlx::PgConnection;
use time::Date;
use uuid::Uuid;

/// Accepted writes of one UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writes {
    /// Which day.
    pub day: Date,
    /// How many.
    pub count: i32,
}

/// Locks the rows of accounts, which are made where there are none. An account that somebody else has locked is left out.
pub async fn lock(
    connection: &mut PgConnection,
    accounts: &[Uuid],
    today: Date,
) -> Result<HashMap<Uuid, Writes>, sqlx::Error> {
    let mut locked = lock_present(connection, accounts).await?;
    if locked.len() == accounts.len() {
        return Ok(locked);
    }
    let mut missing: Vec<Uuid> = accounts.to_vec();
    missing.retain(|account| !locked.contains_key(account));
    sqlx::query!(
        "insert into listings.account (id, day, writes) select id, $2, 0 from unnest($1::uuid[]) as id order by id
         on conflict (id) do nothing",
        &missing,
        today
    )
    .execute(&mut *connection)
    .await?;
    locked.extend(lock_present(connection, &missing).await?);
    Ok(locked)
}

async fn lock_present(
    connection: &mut PgConnection,
    accounts: &[Uuid],
) -> Result<HashMap<Uuid, Writes>, sqlx::Error> {
    let rows = sqlx::query!(
        "select id, day, writes from listings.account where id = any($1) for no key update skip locked",
        accounts
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| {
            let writes = Writes {
                day: row.day,
                count: row.writes,
            };
            (row.id, writes)
        })
        .collect())
}

/// What accounts have written, without a lock.
pub async fn find(
    connection: &mut PgConnection,
    account: Uuid,
) -> Result<Option<Writes>, sqlx::Error> {
    sqlx::query_as!(
        Writes,
        "select day, writes as count from listings.account where id = $1",
        account
    )
    .fetch_optional(connection)
    .await
}

/// Writes down what accounts have written.
pub async fn save(
    connection: &mut PgConnection,
    accounts: impl IntoIterator<Item = (Uuid, Writes)>,
) -> Result<(), sqlx::Error> {
    let (mut ids, mut days, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (id, writes) in accounts {
        ids.push(id);
        days.push(writes.day);
        counts.push(writes.count);
    }
    sqlx::query!(
        "update listings.account set day = row.day, writes = row.writes
         from unnest($1::uuid[], $2::date[], $3::integer[]) as row (id, day, writes) where account.id = row.id",
        &ids,
        &days,
        &counts
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// How many pages, games and events of each account wait for their review.
pub async fn waiting(
    connection: &mut PgConnection,
    accounts: &[Uuid],
) -> Result<HashMap<Uuid, i64>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select account as "account!", (
               select count(*) from listings.page where submitter = account and state = 'pending'
           ) + (
               select count(*) from listings.game where submitter = account and state = 'pending'
           ) + (
               select count(*) from listings.event where submitter = account and state = 'pending'
           ) as "waiting!"
           from unnest($1::uuid[]) as account"#,
        accounts
    )
    .fetch_all(connection)
    .await?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| (row.account, row.waiting)).collect())
}
