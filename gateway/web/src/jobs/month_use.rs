//! Mails to owners and developers when an account has used 80 % and 100 % of its month's calls, once each.
//!
//! A new plan in the middle of the month has another limit, and mails of its own. Without a limit, staff get a mail when the account has made
//! very many calls.

use contracts::gateway::v1::AccountMonthUse;
use kit::api::timestamp;
use pages::mails::{MailText, WrittenMail};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::role::Permission;
use crate::mail;
use crate::member_mail::{self, MemberMail};
use crate::person_mail;
use crate::store::sent_notices;

/// The shares that are announced, in percent. The last is the limit itself.
const SHARES: [u8; 2] = [80, 100];
/// How long notices are kept after their month: the gateway's clock may be in the month before.
const KEPT_AFTER_MONTH: Duration = Duration::days(31);

/// A month that has reached a share, or very many calls.
struct UsedMonth<'a> {
    account: Uuid,
    name: &'a str,
    plan: &'a str,
    first_day: Date,
    resets_at: OffsetDateTime,
    used: u64,
    limit: Option<u64>,
}

/// Queues the mails that are due; returns the number of accounts.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let (mut announced, mut cursor) = (0, String::new());
    // Staff without an address get no mail.
    let large = if app.staff_mail.is_some() { app.large_month } else { 0 };
    loop {
        let page = app.gateway.month_uses(SHARES[0], large, &cursor).await?;
        let used: Vec<UsedMonth<'_>> = page.accounts.iter().filter_map(used_month).collect();
        announced += announce_page(app, &used, now).await?;
        match page.next_cursor {
            Some(next) => cursor = next,
            None => return Ok(announced),
        }
    }
}

/// `None`: the gateway's answer is incomplete.
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
        limit: month.limit,
    })
}

async fn announce_page(
    app: &Web,
    page: &[UsedMonth<'_>],
    now: OffsetDateTime,
) -> Result<u64, sqlx::Error> {
    // An earlier run has announced nearly all of them.
    let notices: Vec<String> = page.iter().flat_map(UsedMonth::notices).collect();
    let sent = sent_notices::sent(&app.pool, &notices).await?;
    let mut announced = 0;
    for month in page {
        let notices = month.notices();
        if notices.iter().any(|notice| !sent.contains(notice)) {
            announced += u64::from(announce(app, month, &notices, now).await?);
        }
    }
    Ok(announced)
}

/// Queues the mail about the largest share of these notices, unless it was sent before. Leaves out mails about smaller shares. Returns false if
/// nobody gets a mail.
async fn announce(
    app: &Web,
    month: &UsedMonth<'_>,
    notices: &[String],
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let mut transaction = kit::pg::begin(&app.pool).await?;
    let until = month.resets_at + KEPT_AFTER_MONTH;
    let new = sent_notices::insert(&mut *transaction, notices, until).await?;
    if !notices.last().is_some_and(|notice| new.contains(notice)) {
        return Ok(false);
    }
    match (month.limit, &app.staff_mail) {
        (Some(limit), _) => {
            let mail = MemberMail {
                account: month.account,
                permission: Permission::Develop,
                text: month.text(limit, &app.public_url),
            };
            if member_mail::queue(&mut transaction, mail, now).await? == 0 {
                // Nothing is recorded: somebody may join later in the month.
                return Ok(false);
            }
        }
        (None, Some(staff)) => {
            let mail = month.mail_to_staff(app.large_month);
            let mail = person_mail::message(staff, &mail);
            mail::insert(&mut *transaction, mail, None, now).await?;
        }
        (None, None) => return Ok(false),
    }
    transaction.commit().await?;
    Ok(true)
}

impl UsedMonth<'_> {
    /// The notices of the shares that are reached, smallest first; without a limit, that of very many calls.
    fn notices(&self) -> Vec<String> {
        let (account, day) = (self.account, self.first_day);
        let Some(limit) = self.limit else {
            return vec![format!("large month {account} {day}")];
        };
        let used = u128::from(self.used);
        let shares =
            SHARES.into_iter().filter(|share| used * 100 >= u128::from(limit) * u128::from(*share));
        shares.map(|share| format!("month {account} {day} {limit} {share}")).collect()
    }

    fn text(&self, limit: u64, public_url: &str) -> MailText<'_> {
        let key = if self.used >= limit { "month-used" } else { "month-share" };
        let account = format!("{public_url}/accounts/{}", self.account);
        MailText::new(key)
            .with("name", self.name)
            .with("plan", self.plan)
            .number("used", self.used)
            .number("limit", limit)
            .time("resets", self.resets_at)
            .with("usage", format!("{account}/usage"))
            .with("plans", format!("{account}/plans"))
    }

    fn mail_to_staff(&self, large: u64) -> WrittenMail {
        let Self { account, name, plan, first_day, used, .. } = self;
        WrittenMail {
            subject: format!("{name} has made {large} calls or more this month"),
            body: format!(
                "The account {name} (id {account}) on the plan {plan} has made {used} calls since {first_day}. The plan has no monthly limit, so \
                 nothing stops the account: please talk to it.\n\n\
                 This mail comes once per account and month. The setting WEB_LARGE_MONTH, now {large}, says from how many calls.\n"
            ),
        }
    }
}
