//! Mails to owners and developers when an account has used 80 % and 100 % of its month's calls, once each. A new plan in the middle of the
//! month has another limit, and mails of its own.

use contracts::gateway::v1::AccountMonthUse;
use kit::timestamp;
use pages::mails::MailText;
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::store::sent_notices;

/// The shares that are announced, in percent. The last is the limit itself.
const SHARES: [u8; 2] = [80, 100];
/// How long notices are kept after their month: the gateway's clock may be in the month before.
const KEPT_AFTER_MONTH: Duration = Duration::days(31);

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
    // An earlier run has announced nearly all of them.
    let notices: Vec<String> = page.iter().flat_map(UsedMonth::notices).collect();
    let sent = sent_notices::sent(&web.pool, &notices).await?;
    let mut announced = 0;
    for month in page {
        let notices = month.notices();
        if notices.iter().any(|notice| !sent.contains(notice)) {
            announced += u64::from(announce(web, month, &notices, now).await?);
        }
    }
    Ok(announced)
}

/// Queues the mail about the largest share of these notices, unless it was sent before. Leaves out mails about smaller shares. Returns false if
/// nobody gets a mail.
async fn announce(
    web: &Web,
    month: &UsedMonth<'_>,
    notices: &[String],
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let mut transaction = web.pool.begin().await?;
    let until = month.resets_at + KEPT_AFTER_MONTH;
    let new = sent_notices::insert(&mut *transaction, notices, until).await?;
    if !notices.last().is_some_and(|notice| new.contains(notice)) {
        return Ok(false);
    }
    let mail = MemberMail {
        account: month.account,
        permission: Permission::Develop,
        text: month.text(&web.public_url),
    };
    if member_mail::queue(&mut transaction, mail, now).await? == 0 {
        // Nothing is recorded: somebody may join later in the month.
        return Ok(false);
    }
    transaction.commit().await?;
    Ok(true)
}

impl UsedMonth<'_> {
    /// The notices of the shares that are reached, smallest first.
    fn notices(&self) -> Vec<String> {
        let (used, limit) = (u128::from(self.used), u128::from(self.limit));
        let shares = SHARES.into_iter();
        let shares = shares.filter(|share| used * 100 >= limit * u128::from(*share));
        let (account, day) = (self.account, self.first_day);
        shares
            .map(|share| format!("month {account} {day} {limit} {share}"))
            .collect()
    }

    fn text(&self, public_url: &str) -> MailText<'_> {
        let key = if self.used >= self.limit {
            "month-used"
        } else {
            "month-share"
        };
        let account = format!("{public_url}/accounts/{}", self.account);
        MailText::new(key)
            .with("name", self.name)
            .with("plan", self.plan)
            .number("used", self.used)
            .number("limit", self.limit)
            .time("resets", self.resets_at)
            .with("usage", format!("{account}/usage"))
            .with("plans", format!("{account}/plans"))
    }
}
