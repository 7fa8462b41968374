//! Mails about decisions of staff: on live keys, listings, claims, takedowns and reports.
//!
//! The services publish each decision on their feeds. The job lists the next ones of all accounts together, and stores the mails and the
//! position in the feed in one transaction: each decision is mailed once, whatever the clocks say. What was decided before the first run is
//! not mailed.

use anyhow::Context as _;
use contracts::economy::v1::ReportReview;
use contracts::gateway::v1::KeyRequest;
use contracts::listings::v1::StaffDecision;
use kit::feed::Change;
use pages::mails::MailText;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::Web;
use crate::domain::notice_kind::NoticeKind;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::store::feed_positions;
use crate::upstream::Feed;

/// A service whose feed has decisions. While one is away, the mails about the others go on.
#[derive(Debug, Clone, Copy)]
enum Source {
    Gateway,
    Listings,
    Economy,
}

impl Source {
    const ALL: [Self; 3] = [Self::Gateway, Self::Listings, Self::Economy];

    /// The name of the service, under which the position is stored.
    const fn producer(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Listings => "listings",
            Self::Economy => "economy",
        }
    }

    /// The entity type of the decisions.
    const fn entity(self) -> &'static str {
        match self {
            Self::Gateway => "key_request",
            Self::Listings => "decision",
            Self::Economy => "report_review",
        }
    }

    const fn feed(self, web: &Web) -> &Feed {
        match self {
            Self::Gateway => &web.feeds.gateway,
            Self::Listings => &web.feeds.listings,
            Self::Economy => &web.feeds.economy,
        }
    }

    /// The decision of a change; `None`: it is another change of the entity type, or cannot be read.
    fn decision(self, change: &Change) -> Option<Decision> {
        let decision = match self {
            Self::Gateway => on_key(change),
            Self::Listings => on_listing(change),
            Self::Economy => on_report(change),
        };
        decision.unwrap_or_else(|error| {
            tracing::error!(
                producer = self.producer(),
                seq = change.seq,
                error = format!("{error:#}"),
                "a decision cannot be read, and nobody gets a mail about it"
            );
            None
        })
    }
}

/// A decision, and the mail about it.
struct Decision {
    kind: NoticeKind,
    /// The accounts that it concerns.
    accounts: Vec<Uuid>,
    /// Without `page`.
    text: MailText<'static>,
    /// The page of the dashboard to look at, below that of the account.
    page: String,
}

/// Queues the mails that are due; returns the number of decisions.
pub async fn run(web: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let (mut mailed, mut failed) = (0, None);
    for source in Source::ALL {
        match mail_next(web, source, now).await {
            Ok(decisions) => mailed += decisions,
            Err(error) => failed = Some(error.context(source.producer())),
        }
    }
    failed.map_or(Ok(mailed), Err)
}

/// Queues the mails about what has been decided at a service since the last run.
async fn mail_next(web: &Web, source: Source, now: OffsetDateTime) -> anyhow::Result<u64> {
    let producer = source.producer();
    let mut mailed = 0;
    loop {
        let from = feed_positions::find(&web.pool, producer).await?;
        let listed = source.feed(web).changes(source.entity(), from).await?;
        if from == Some(listed.position) {
            return Ok(mailed);
        }
        let mut transaction = web.pool.begin().await?;
        let moved =
            feed_positions::advance(&mut *transaction, producer, from, listed.position).await?;
        if !moved {
            // Another replica has read these changes as well.
            return Ok(mailed);
        }
        for change in &listed.changes {
            if let Some(decision) = source.decision(change) {
                let is_read = queue(&mut transaction, web, &decision, now).await?;
                mailed += u64::from(is_read);
            }
        }
        transaction.commit().await?;
        if listed.changes.is_empty() {
            return Ok(mailed);
        }
    }
}

/// Queues the mails about a decision; returns whether anybody gets one.
async fn queue(
    connection: &mut PgConnection,
    web: &Web,
    decision: &Decision,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let (kind, site) = (decision.kind, web.public_url.as_str());
    let mut readers = 0;
    for account in &decision.accounts {
        let page = format!("{site}/accounts/{account}{}", decision.page);
        let mail = MemberMail {
            account: *account,
            permission: permission(kind),
            text: decision.text.clone().with("page", page),
        };
        readers += member_mail::queue_notice(&mut *connection, kind, mail, site, now).await?;
    }
    Ok(readers > 0)
}

/// Who reads mails of a kind.
const fn permission(kind: NoticeKind) -> Permission {
    match kind {
        NoticeKind::Listings | NoticeKind::Claims | NoticeKind::Takedowns => Permission::Edit,
        _ => Permission::Develop,
    }
}

fn parse(accounts: &[String]) -> anyhow::Result<Vec<Uuid>> {
    let accounts = accounts.iter().map(|account| account.parse());
    let accounts: Result<_, uuid::Error> = accounts.collect();
    accounts.context("an account is not a UUID")
}

/// The reason of staff, which may be missing.
fn with_reason(text: MailText<'static>, reason: &str) -> MailText<'static> {
    if reason.is_empty() {
        text.say("reason", "mail-no-reason")
    } else {
        text.with("reason", reason.to_owned())
    }
}

fn on_key(change: &Change) -> anyhow::Result<Option<Decision>> {
    let request = KeyRequest::decode(change.state.clone())?;
    let text = |key| MailText::new(key).with("name", request.name.clone());
    let text = match change.event.as_str() {
        "approved" => text("key-approved"),
        "rejected" => {
            let reason = request.reason.as_deref().unwrap_or_default();
            with_reason(text("key-rejected"), reason)
        }
        _ => return Ok(None),
    };
    Ok(Some(Decision {
        kind: NoticeKind::Keys,
        accounts: parse(&[request.account_id])?,
        text,
        page: "/keys".to_owned(),
    }))
}

fn on_listing(change: &Change) -> anyhow::Result<Option<Decision>> {
    let decided = StaffDecision::decode(change.state.clone())?;
    let text = |key| MailText::new(key).with("title", decided.title.clone());
    let of_claim = |key| MailText::new(key).with("handle", decided.name.clone());
    let reason = decided.reason.as_str();
    let (kind, text) = match change.event.as_str() {
        "listing_published" => {
            let text = text("listing-approved").with("url", decided.url.clone());
            (NoticeKind::Listings, text)
        }
        "listing_rejected" => {
            let text = with_reason(text("listing-rejected"), reason);
            (NoticeKind::Listings, text)
        }
        "listing_removed" => (NoticeKind::Takedowns, text("listing-removed")),
        "takedown_declined" => {
            let text = with_reason(text("takedown-declined"), reason);
            (NoticeKind::Takedowns, text)
        }
        "claim_granted" => (NoticeKind::Claims, of_claim("claim-granted")),
        "claim_rejected" => {
            let text = with_reason(of_claim("claim-rejected"), reason);
            (NoticeKind::Claims, text)
        }
        _ => return Ok(None),
    };
    let page = match change.event.as_str() {
        "claim_granted" => "/listings".to_owned(),
        "claim_rejected" => "/claims".to_owned(),
        _ => format!("/listings/{}/{}", decided.kind, decided.name),
    };
    Ok(Some(Decision {
        kind,
        accounts: parse(&decided.account_ids)?,
        text,
        page,
    }))
}

fn on_report(change: &Change) -> anyhow::Result<Option<Decision>> {
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
        _ => return Ok(None),
    };
    Ok(Some(Decision {
        kind: NoticeKind::Reports,
        accounts: parse(&review.account_ids)?,
        text,
        page: format!("/economy/{}", review.game),
    }))
}
