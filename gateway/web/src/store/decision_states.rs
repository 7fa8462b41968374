//! `web.decision_state`: what the things of an account were that are decided on, when a service was last asked.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// The states that were read last, by what they are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionStates {
    pub read_at: OffsetDateTime,
    pub by_subject: HashMap<String, String>,
}

/// The states of an account that were read from a service before; locks them until the transaction ends.
pub async fn lock(
    connection: &mut PgConnection,
    account: Uuid,
    source: &str,
) -> Result<Option<DecisionStates>, sqlx::Error> {
    let row = sqlx::query!(
        "select read_at, subjects, states from web.decision_state where account_id = $1 and source = $2 for update",
        account,
        source,
    );
    let row = row.fetch_optional(connection).await?;
    Ok(row.map(|row| DecisionStates {
        read_at: row.read_at,
        by_subject: row.subjects.into_iter().zip(row.states).collect(),
    }))
}

/// Stores the states that were read now.
pub async fn store(
    connection: &mut PgConnection,
    account: Uuid,
    source: &str,
    states: &DecisionStates,
) -> Result<(), sqlx::Error> {
    let (subjects, states_of): (Vec<String>, Vec<String>) =
        states.by_subject.clone().into_iter().unzip();
    sqlx::query!(
        "insert into web.decision_state (account_id, source, read_at, subjects, states) values ($1, $2, $3, $4, $5)
         on conflict (account_id, source) do update set read_at = excluded.read_at, subjects = excluded.subjects, states = excluded.states
         where decision_state.read_at < excluded.read_at",
        account,
        source,
        states.read_at,
        &subjects[..],
        &states_of[..],
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes the states of accounts without members; returns their number.
pub async fn remove_of_closed(pool: &PgPool) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "delete from web.decision_state as state
         where not exists (select from web.member where member.account_id = state.account_id)",
    );
    Ok(removed.execute(pool).await?.rows_affected())
}
