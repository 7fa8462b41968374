//! `web.token_revocation`: people whose account tokens are to be revoked at the gateway.

use kit::ids;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::upstream::gateway::Actor;

#[derive(Debug, Clone)]
pub struct TokenRevocation {
    pub id: Uuid,
    pub account: Uuid,
    /// The person who made the tokens.
    pub person: Uuid,
    /// The person who changed the role.
    pub actor: Actor,
}

pub async fn insert(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    person: Uuid,
    actor: &Actor,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into web.token_revocation (id, account_id, person_id, actor_id, address) values ($1, $2, $3, $4, $5)",
        ids::row_id(),
        account,
        person,
        actor.person,
        actor.address,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The queued revocations, oldest first.
pub async fn all(executor: impl PgExecutor<'_>) -> Result<Vec<TokenRevocation>, sqlx::Error> {
    let rows = sqlx::query!(
        "select id, account_id, person_id, actor_id, address from web.token_revocation order by id",
    );
    let rows = rows.fetch_all(executor).await?.into_iter();
    let revocations = rows.map(|row| TokenRevocation {
        id: row.id,
        account: row.account_id,
        person: row.person_id,
        actor: Actor {
            person: row.actor_id,
            address: row.address,
        },
    });
    Ok(revocations.collect())
}

pub async fn remove(executor: impl PgExecutor<'_>, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from web.token_revocation where id = $1", id)
        .execute(executor)
        .await?;
    Ok(())
}
