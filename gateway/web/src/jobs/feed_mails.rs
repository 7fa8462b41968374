//! Mails about what other services publish on their feeds: decisions of staff on live keys, listings, claims, owners and reports, takedowns
//! by another owner of a page, and webhooks that fail.
//!
//! The job lists the next changes of all accounts together, and stores the mails and the time of
//! the last change in one transaction: each is mailed once, whatever the clocks say. What was
//! published before the first run is not mailed. A change that this version cannot read is not
//! mailed either, and does not stop the next ones. A decision on a live key, a listing or a claim
//! is also recorded in the activity of its accounts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use anyhow::Context as _;
use contracts::addresses;
use contracts::economy::v1::ReportReview;
use contracts::gateway::v1::KeyRequest;
use contracts::listings::v1::StaffDecision;
use contracts::webhook::v1::EndpointNotice;
use kit::feed::Change;
use pages::mails::MailText;
use prost::Message as _;
use sqlx::PgConnection;
use strum::{IntoStaticStr, VariantArray};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::store::activity::{self, NewEntry};
use crate::store::feed_positions;
use crate::upstream::Feed;

/// How long the names of the accounts of a batch may take.
const NAMES_DEADLINE: Duration = Duration::from_secs(3);

/// A service whose feed has changes to mail. While one is unavailable, the mails about the others go on.
#[derive(Debug, Clone, Copy, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
enum Source {
    Gateway,
    Listings,
    Economy,
    Webhook,
}

impl Source {
    /// The name of the service, under which the time is stored.
    fn producer(self) -> &'static str {
        self.into()
    }

    /// The entity type of the changes.
    const fn entity(self) -> &'static str {
        match self {
            Self::Gateway => "key_request",
            Self::Listings => "decision",
            Self::Economy => "report_review",
            Self::Webhook => "endpoint_notice",
        }
    }

    const fn feed(self, app: &Web) -> &Feed {
        match self {
            Self::Gateway => &app.feeds.gateway,
            Self::Listings => &app.feeds.listings,
            Self::Economy => &app.feeds.economy,
            Self::Webhook => &app.feeds.webhooks,
        }
    }

    /// The mail about a change; `None`: it is another change of the entity type, or cannot be read, which is logged and counted.
    async fn notice(self, change: &Change, names: &mut AccountNames<'_>) -> Option<Notice> {
        let notice = match self {
            Self::Gateway => on_key(change),
            Self::Listings => on_listing(change, names).await.map(Some),
            Self::Economy => on_report(change).map(Some),
            Self::Webhook => on_endpoint(change).map(Some),
        };
        notice.unwrap_or_else(|error| {
            let producer = self.producer();
            tracing::error!(
                producer,
                seq = change.seq,
                error = format!("{error:#}"),
                "a change cannot be read, and nobody gets a mail about it"
            );
            // As the followers of feeds count the changes that they cannot apply.
            metrics::counter!("feed_changes_refused_total", "producer" => producer).increment(1);
            None
        })
    }
}

/// The names of the accounts that a batch of changes names.
struct AccountNames<'a> {
    app: &'a Web,
    /// A gateway that hangs delays the mails of a batch until then, whatever their number.
    until: Instant,
    read: HashMap<Uuid, Option<String>>,
}

impl AccountNames<'_> {
    /// The name of an account, or its id while the gateway is unavailable.
    async fn find(&mut self, id: &str) -> anyhow::Result<String> {
        let account = id.parse().context("an account is not a UUID")?;
        let name = match self.read.entry(account) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let name = timeout_at(self.until, self.app.gateway.account_name(account));
                unknown.insert(name.await.ok().flatten())
            }
        };
        Ok(name.clone().unwrap_or_else(|| id.to_owned()))
    }
}

/// The mail about a change.
struct Notice {
    /// Members with this permission read it.
    permission: Permission,
    /// The accounts that it concerns.
    accounts: Vec<Uuid>,
    /// Without `page`.
    text: MailText<'static>,
    /// The page of the dashboard to look at, below that of the account.
    page: String,
    /// What staff did and to what, for the activity of the accounts.
    done: Option<(Action, String)>,
}

/// Queues the mails that are due; returns the number of changes that somebody gets a mail about.
pub async fn run(app: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let (mut mailed, mut errors) = (0, Vec::new());
    for &source in Source::VARIANTS {
        match mail_next(app, source, now).await {
            Ok(more) => mailed += more,
            Err(error) => errors.push(format!("{}: {error:#}", source.producer())),
        }
    }
    anyhow::ensure!(errors.is_empty(), errors.join("; "));
    Ok(mailed)
}

/// Queues the mails about what a service has published since the last run.
async fn mail_next(app: &Web, source: Source, now: OffsetDateTime) -> anyhow::Result<u64> {
    let producer = source.producer();
    let mut mailed = 0;
    loop {
        let from = feed_positions::find(&app.pool, producer).await?;
        let listed = source.feed(app).changes(source.entity(), from).await?;
        if from == Some(listed.until) {
            return Ok(mailed);
        }
        let mut notices = Vec::new();
        let mut names =
            AccountNames { app, until: Instant::now() + NAMES_DEADLINE, read: HashMap::new() };
        for change in &listed.changes {
            notices.extend(source.notice(change, &mut names).await);
        }
        let mut transaction = kit::pg::begin(&app.pool).await?;
        let moved =
            feed_positions::advance(&mut *transaction, producer, from, listed.until).await?;
        if !moved {
            // Another replica has read these changes as well.
            return Ok(mailed);
        }
        for notice in &notices {
            let is_read = queue(&mut transaction, app, notice, now).await?;
            mailed += u64::from(is_read);
        }
        transaction.commit().await?;
        if listed.changes.is_empty() {
            return Ok(mailed);
        }
    }
}

/// Queues the mails about a change, and records a decision of staff in the activity; returns whether anybody gets a mail.
async fn queue(
    connection: &mut PgConnection,
    app: &Web,
    notice: &Notice,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let site = app.public_url.as_str();
    let mut readers = 0;
    for account in &notice.accounts {
        if let Some((action, subject)) = &notice.done {
            let entry = NewEntry::of_staff(*account, *action, subject);
            activity::insert(&mut *connection, entry, now).await?;
        }
        let page = format!("{site}/accounts/{account}{}", notice.page);
        let mail = MemberMail {
            account: *account,
            permission: notice.permission,
            text: notice.text.clone().with("page", page),
        };
        readers += member_mail::queue_notice(&mut *connection, mail, site, now).await?;
    }
    Ok(readers > 0)
}

fn parse(accounts: &[String]) -> anyhow::Result<Vec<Uuid>> {
    let accounts: Result<_, uuid::Error> = accounts.iter().map(|account| account.parse()).collect();
    accounts.context("an account is not a UUID")
}

/// The error of a change whose event is newer than this version.
fn unknown(change: &Change) -> anyhow::Error {
    anyhow::anyhow!("the event `{}` is unknown", change.event)
}

/// The reason of staff, which may be missing.
fn with_reason(text: MailText<'static>, reason: &str) -> MailText<'static> {
    if reason.is_empty() {
        text.say("reason", "mail-no-reason")
    } else {
        text.with("reason", reason.to_owned())
    }
}

fn on_key(change: &Change) -> anyhow::Result<Option<Notice>> {
    let request = KeyRequest::decode(change.state.clone())?;
    let text = |key| MailText::new(key).with("name", request.name.clone());
    let (action, text) = match change.event.as_str() {
        "approved" => (Action::KeyApproved, text("key-approved")),
        "rejected" => {
            let reason = request.ended.as_ref().map_or("", |ended| &*ended.reason);
            (Action::KeyRejected, with_reason(text("key-rejected"), reason))
        }
        // What the people of the account did.
        "asked" | "revealed" | "withdrawn" => return Ok(None),
        _ => return Err(unknown(change)),
    };
    Ok(Some(Notice {
        permission: Permission::Develop,
        accounts: parse(&[request.account_id])?,
        text,
        page: "/keys".to_owned(),
        done: Some((action, request.name)),
    }))
}

async fn on_listing(change: &Change, names: &mut AccountNames<'_>) -> anyhow::Result<Notice> {
    let decided = StaffDecision::decode(change.state.clone())?;
    let app = names.app;
    let site = app.public_url.as_str();
    let contact = app.staff_mail.as_ref().unwrap_or(&app.public_url);
    let new = |key| MailText::new(key).with("contact", contact.clone());
    let text = |key| new(key).with("title", decided.title.clone());
    let of_claim = |key| new(key).with("handle", decided.name.clone());
    let reason = decided.reason.as_str();
    let (action, text) = match change.event.as_str() {
        "listing_removed_by_owner" => {
            let account = names.find(&decided.account_id).await?;
            let text = text("listing-removed-by-owner").with("account", account);
            return Ok(Notice {
                permission: Permission::Edit,
                accounts: parse(&decided.account_ids)?,
                text,
                page: format!("/listings/{}/{}", decided.kind, decided.name),
                // Not of staff: the account that did it has it in its own activity.
                done: None,
            });
        }
        event @ ("owner_added" | "owner_removed") => {
            let (action, key) = match event {
                "owner_added" => (Action::OwnerAdded, "owner-added"),
                _ => (Action::OwnerRemoved, "owner-removed"),
            };
            (action, of_claim(key).with("account", names.find(&decided.account_id).await?))
        }
        "game_moved" => {
            let text = text("game-moved")
                .with("former", decided.former_page.clone())
                .with("handle", decided.page.clone());
            (Action::GameMoved, text)
        }
        "event_moved" => {
            let text = text("event-moved");
            let text = match decided.former_account_id.as_str() {
                "" => text.say("former", "mail-no-account"),
                former => text.with("former", names.find(former).await?),
            };
            let account = names.find(&decided.account_id).await?;
            (Action::EventMoved, text.with("account", account))
        }
        "listing_published" => {
            let list = match decided.kind.as_str() {
                "page" => "creators",
                "event" => "events",
                _ => "games",
            };
            let url = addresses::listing(site, list, &decided.name);
            let text = text("listing-published").with("url", url);
            (Action::ListingApproved, text)
        }
        "listing_approved" => (Action::ListingApproved, text("listing-approved")),
        "listing_rejected" => {
            (Action::ListingRejected, with_reason(text("listing-rejected"), reason))
        }
        "listing_removed" => (Action::ListingRemoved, with_reason(text("listing-removed"), reason)),
        "listing_restored" => (Action::ListingRestored, text("listing-restored")),
        "claim_granted" => (Action::ClaimGranted, of_claim("claim-granted")),
        "claim_rejected" => {
            (Action::ClaimRejected, with_reason(of_claim("claim-rejected"), reason))
        }
        _ => return Err(unknown(change)),
    };
    Ok(Notice {
        permission: Permission::Edit,
        accounts: parse(&decided.account_ids)?,
        text,
        page: page_of_decision(&change.event, &decided),
        done: Some((action, decided.name)),
    })
}

/// The page of the dashboard that shows what staff decided.
fn page_of_decision(event: &str, decided: &StaffDecision) -> String {
    match event {
        // The list shows the page of the game as well.
        "claim_granted" | "listing_approved" | "owner_added" | "owner_removed" | "game_moved"
        | "event_moved" => "/listings".to_owned(),
        "claim_rejected" => "/claims".to_owned(),
        _ => format!("/listings/{}/{}", decided.kind, decided.name),
    }
}

fn on_report(change: &Change) -> anyhow::Result<Notice> {
    let review = ReportReview::decode(change.state.clone())?;
    let text = |key| {
        MailText::new(key)
            .with("report", review.report.to_string())
            .with("game", review.game.clone())
    };
    let text = match change.event.as_str() {
        "held" => text("report-held").with("reason", review.reason.clone()),
        "counted" => text("report-counted"),
        "rejected" => with_reason(text("report-rejected"), &review.reason),
        "retracted" => with_reason(text("report-retracted"), &review.reason),
        _ => return Err(unknown(change)),
    };
    Ok(Notice {
        permission: Permission::Develop,
        accounts: parse(&review.account_ids)?,
        text,
        page: format!("/economy/{}", review.game),
        done: None,
    })
}

fn on_endpoint(change: &Change) -> anyhow::Result<Notice> {
    let notice = EndpointNotice::decode(change.state.clone())?;
    let text = |key| MailText::new(key).with("url", notice.url.clone());
    let text = match change.event.as_str() {
        "deliveries_failed" => text("webhooks-failed").number("failed", notice.failed.into()),
        "disabled_after_failures" => {
            text("webhook-off").say("reason", "reason-webhook-off-failures")
        }
        "disabled_by_gone" => text("webhook-off").say("reason", "reason-webhook-off-gone"),
        _ => return Err(unknown(change)),
    };
    Ok(Notice {
        permission: Permission::Develop,
        accounts: parse(&[notice.account_id])?,
        text,
        page: format!("/webhooks/{}", notice.endpoint_id),
        done: None,
    })
}
