//! Mails to owners and developers a week before a key expires.

use contracts::gateway::v1::Key;
use kit::timestamp;
use pages::mails::MailText;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::store::sent_notices;

/// How long before its end a key is announced.
const NOTICE: Duration = Duration::WEEK;

/// Queues the mails that are due; returns the number of keys.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let (mut announced, mut cursor) = (0, Some(String::new()));
    while let Some(after) = cursor {
        let page = app.gateway.expiring_keys(now + NOTICE, &after).await?;
        for key in &page.keys {
            announced += u64::from(announce(app, key, now).await?);
        }
        cursor = page.next_cursor;
    }
    Ok(announced)
}

/// Queues the mail about a key, unless one has been.
async fn announce(app: &Web, key: &Key, now: OffsetDateTime) -> Result<bool, sqlx::Error> {
    let expires = key.expires_at.and_then(timestamp::decode);
    let (Some(expires), Ok(id), Ok(account)) = (
        expires,
        key.id.parse::<Uuid>(),
        key.account_id.parse::<Uuid>(),
    ) else {
        return Ok(false);
    };
    let mut transaction = app.pool.begin().await?;
    let new = sent_notices::insert(&mut *transaction, &[format!("key {id}")], expires).await?;
    if new.is_empty() {
        return Ok(false);
    }
    let text = MailText::new("key-expires")
        .with("mode", key.mode.as_str())
        .with("name", key.name.as_str())
        .with("last4", key.last4.as_str())
        .time("at", expires)
        .with(
            "page",
            format!("{}/accounts/{account}/keys", app.public_url),
        );
    let mail = MemberMail {
        account,
        permission: Permission::Develop,
        text,
    };
    member_mail::queue(&mut transaction, mail, now).await?;
    transaction.commit().await?;
    Ok(true)
}
