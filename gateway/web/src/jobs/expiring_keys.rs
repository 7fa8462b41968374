//! Mails to owners and developers a week before a key expires.

use contracts::gateway::v1::Key;
use kit::timestamp;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Permission;
use crate::member_mail;
use crate::store::{members, notices};

/// How long before its end a key is announced.
const NOTICE: Duration = Duration::WEEK;

/// Queues the mails that are due; returns the number of keys.
pub async fn run(web: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    notices::remove_old(&web.pool, now).await?;
    let mut announced = 0;
    for account in members::accounts(&web.pool).await? {
        // An account that cannot be read does not stop the others; it is read again at the next run.
        match web.gateway.keys(account).await {
            Ok(keys) => {
                for key in keys {
                    announced += u64::from(announce(web, account, &key, now).await?);
                }
            }
            Err(fault) => tracing::warn!(%account, %fault, "cannot read the keys of an account"),
        }
    }
    Ok(announced)
}

/// Queues the mail about a key, if it expires soon and no mail has said so.
async fn announce(
    web: &Web,
    account: Uuid,
    key: &Key,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let expires = key.expires_at.and_then(timestamp::decode);
    let Some(expires) = expires.filter(|at| *at > now && *at - now <= NOTICE) else {
        return Ok(false);
    };
    let has_ended = key.revoked_at.is_some() || key.grace_until.is_some();
    let Ok(id) = key.id.parse() else {
        return Ok(false);
    };
    let mut transaction = web.pool.begin().await?;
    if has_ended || !notices::insert(&mut *transaction, id, expires).await? {
        return Ok(false);
    }
    let body = format!(
        "The {} key \"{}\" (it ends in {}) works until {}. Calls with it are refused afterwards.\n\n\
         Make a new one in time: {}/accounts/{account}/keys\n",
        key.mode,
        key.name,
        key.last4,
        pages::when::minute(expires),
        web.public_url,
    );
    let mail = ("A key expires soon", body.as_str());
    let readers = (account, Permission::Develop);
    member_mail::queue(&mut transaction, readers, mail, now).await?;
    transaction.commit().await?;
    Ok(true)
}
