//! Mails to owners and developers when an account has used 80 % and 100 % of its month's calls, once each. A new plan in the middle of the
//! month has another limit, and mails of its own.

use contracts::gateway::v1::AccountMonthUse;
use kit::timestamp;
use pages::when;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Permission;
use crate::member_mail;
use crate::store::month_notices;

/// The shares that are announced, in percent. The last is the limit itself.
const SHARES: [u8; 2] = [80, 100];

/// A month that has reached a share.
struct UsedMonth<'a> {
    account: Uuid,
    name: &'a str,
    plan: &'a str,
    first_day: Date,
    resets_at: OffsetDateTime,
    used: u64,
    limit: u64,
}

/// Queues the mails that are due; returns the number of accounts.
pub async fn run(web: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    // The gateway's clock may be in the month before.
    let last_month = first_of_month(first_of_month(now.date()) - time::Duration::DAY);
    month_notices::remove_before(&web.pool, last_month).await?;
    let (mut announced, mut cursor) = (0, String::new());
    loop {
        let page = web.gateway.month_uses(SHARES[0], &cursor).await?;
        let used: Vec<UsedMonth<'_>> = page.accounts.iter().filter_map(used_month).collect();
        announced += announce_page(web, &used, now).await?;
        match page.next_cursor {
            Some(next) => cursor = next,
            None => return Ok(announced),
        }
    }
}

fn first_of_month(day: Date) -> Date {
    day.replace_day(1).unwrap_or(day)
}

/// `None`: the month has no limit.
fn used_month(found: &AccountMonthUse) -> Option<UsedMonth<'_>> {
    let month = found.month.as_ref()?;
    let starts_at = timestamp::decode(month.starts_at?)?;
    Some(UsedMonth {
        account: found.account_id.parse().ok()?,
        name: &found.name,
        plan: &found.plan,
        first_day: starts_at.date(),
        resets_at: timestamp::decode(month.resets_at?)?,
        used: month.used,
        limit: month.limit?,
    })
}

async fn announce_page(
    web: &Web,
    page: &[UsedMonth<'_>],
    now: OffsetDateTime,
) -> Result<u64, sqlx::Error> {
    let Some(first) = page.first() else {
        return Ok(0);
    };
    // An earlier run has announced nearly all of them.
    let accounts: Vec<Uuid> = page.iter().map(|it| it.account).collect();
    let before = month_notices::announced(&web.pool, first.first_day, &accounts).await?;
    let mut announced = 0;
    for month in page {
        let shares = month.shares();
        let is_new =
            |share: &i16| !before.contains(&(month.account, month.announced_limit(), *share));
        if shares.iter().any(is_new) {
            announced += u64::from(announce(web, month, &shares, now).await?);
        }
    }
    Ok(announced)
}

/// Queues the mail about the largest of these shares, unless it was sent before. Leaves out mails about smaller shares. Returns false if
/// nobody gets a mail.
async fn announce(
    web: &Web,
    month: &UsedMonth<'_>,
    shares: &[i16],
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let mut transaction = web.pool.begin().await?;
    let account = month.account;
    let of = (month.first_day, month.announced_limit());
    let new = month_notices::insert(&mut *transaction, account, of, shares).await?;
    if !shares.last().is_some_and(|share| new.contains(share)) {
        return Ok(false);
    }
    let (subject, body) = month.text(&web.public_url);
    let readers = (account, Permission::Develop);
    let readers = member_mail::queue(&mut transaction, readers, (subject, &body), now).await?;
    if readers == 0 {
        // Nothing is recorded: somebody may join later in the month.
        return Ok(false);
    }
    transaction.commit().await?;
    Ok(true)
}

impl UsedMonth<'_> {
    /// The limit as the notices have it.
    fn announced_limit(&self) -> i64 {
        i64::try_from(self.limit).unwrap_or(i64::MAX)
    }

    /// The announced shares that are reached, smallest first.
    fn shares(&self) -> Vec<i16> {
        let (used, limit) = (u128::from(self.used), u128::from(self.limit));
        let shares = SHARES.into_iter();
        let shares = shares.filter(|share| used * 100 >= limit * u128::from(*share));
        shares.map(i16::from).collect()
    }

    /// Subject and body of the mail.
    fn text(&self, public_url: &str) -> (&'static str, String) {
        let Self {
            account,
            name,
            plan,
            ..
        } = self;
        let (used, limit) = (when::grouped(self.used), when::grouped(self.limit));
        let resets = when::minute(self.resets_at);
        let facts = format!(
            "The account {name} has made {used} of the {limit} calls that a month of the plan {plan} has.\n\n"
        );
        let (subject, when_used_up) = if self.used >= self.limit {
            ("The calls of the month are used up", "Calls")
        } else {
            (
                "80 % of the month's calls are used",
                "When they are used up, calls",
            )
        };
        let effect = format!(
            "{when_used_up} with live keys are refused with 429 quota_exceeded until {resets}. Nothing is charged, and test keys still work."
        );
        let links = format!(
            "\n\nWhich days and routes took them: {public_url}/accounts/{account}/usage\n\
             The plans: {public_url}/accounts/{account}/plans\n"
        );
        (subject, facts + &effect + &links)
    }
}
