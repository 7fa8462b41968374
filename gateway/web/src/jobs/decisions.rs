//! Mails about decisions of staff: on live keys, listings, claims, takedowns and reports.
//!
//! The job asks the services for what an account has, as the dashboard does, and compares it with what it read before. The mails and what was
//! read are stored in one transaction, so each decision is mailed once. What was decided before the first run is not mailed.

use contracts::economy::v1 as economy;
use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use pages::mails::MailText;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::app::Web;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::domain::notice_kind::NoticeKind;
use crate::domain::role::Permission;
use crate::member_mail::{self, MemberMail};
use crate::store::decision_states::{self, DecisionStates};
use crate::store::{activity, members};
use crate::upstream::listings::ListingRef;
use crate::upstream::time_of;

/// How far the clocks of two services may differ.
const CLOCKS: Duration = Duration::MINUTE;
/// How long staff may take to answer a request for a takedown.
const TAKEDOWN: Duration = Duration::days(90);
/// The reason that listings-svc gives when an account itself has withdrawn a listing, which needs no mail.
const WITHDRAWN: &str = "Withdrawn by its account.";

/// A service that is asked. While one is away, the mails about the others go on.
#[derive(Debug, Clone, Copy)]
enum Source {
    Gateway,
    Listings,
    Economy,
}

impl Source {
    const ALL: [Self; 3] = [Self::Gateway, Self::Listings, Self::Economy];

    const fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Listings => "listings",
            Self::Economy => "economy",
        }
    }
}

/// Something of an account that staff decide on.
struct Subject {
    /// Names it within its source.
    name: String,
    state: String,
    began_at: Option<OffsetDateTime>,
    /// The mail about the state; `None`: it is no decision.
    mail: Option<(NoticeKind, MailText<'static>)>,
}

/// Queues the mails that are due; returns the number of decisions.
pub async fn run(web: &Web, now: OffsetDateTime) -> anyhow::Result<u64> {
    let accounts = members::accounts(&web.pool).await?;
    let (mut mailed, mut failed) = (0, None);
    for source in Source::ALL {
        for account in &accounts {
            match compare(web, source, *account, now).await {
                Ok(decisions) => mailed += decisions,
                Err(fault) if fault.code == Code::NotFound => {}
                Err(fault) => {
                    let is_away = fault.code == Code::Unavailable;
                    failed = Some(fault);
                    if is_away {
                        break;
                    }
                }
            }
        }
    }
    match failed {
        Some(fault) => Err(fault.into()),
        None => Ok(mailed),
    }
}

/// Reads what an account has at a service, and queues the mails about what has been decided since it was read before.
async fn compare(
    web: &Web,
    source: Source,
    account: Uuid,
    now: OffsetDateTime,
) -> Result<u64, Fault> {
    let subjects = match source {
        Source::Gateway => key_requests(web, account).await?,
        Source::Listings => listings(web, account, now).await?,
        Source::Economy => reports(web, account).await?,
    };
    let name = source.name();
    let mut transaction = web.pool.begin().await?;
    let before = decision_states::lock(&mut transaction, account, name).await?;
    // Another replica has read it later.
    if before.as_ref().is_some_and(|before| before.read_at >= now) {
        return Ok(0);
    }
    let mut mailed = 0;
    let read = subjects.iter();
    let read = read.map(|subject| (subject.name.clone(), subject.state.clone()));
    let states = DecisionStates {
        read_at: now,
        by_subject: read.collect(),
    };
    if let Some(before) = before {
        if before.by_subject == states.by_subject {
            return Ok(0);
        }
        for subject in subjects.into_iter().filter(|it| it.is_news(&before)) {
            let Some((kind, text)) = subject.mail else {
                continue;
            };
            let mail = MemberMail {
                account,
                permission: permission(kind),
                text,
            };
            let connection = &mut transaction;
            let queued = member_mail::queue_notice(connection, kind, mail, &web.public_url, now);
            mailed += u64::from(queued.await? > 0);
        }
    }
    decision_states::store(&mut transaction, account, name, &states).await?;
    transaction.commit().await?;
    Ok(mailed)
}

impl Subject {
    /// Whether its state is another one than before, or it began since then. An account also gets older things of others, with a page.
    fn is_news(&self, before: &DecisionStates) -> bool {
        match before.by_subject.get(&self.name) {
            Some(state) => *state != self.state,
            None => (self.began_at).is_some_and(|at| at > before.read_at - CLOCKS),
        }
    }
}

/// Who reads mails of a kind.
const fn permission(kind: NoticeKind) -> Permission {
    match kind {
        NoticeKind::Listings | NoticeKind::Claims | NoticeKind::Takedowns => Permission::Edit,
        _ => Permission::Develop,
    }
}

/// The reason of staff, which may be missing.
fn with_reason(text: MailText<'static>, reason: &str) -> MailText<'static> {
    if reason.is_empty() {
        text.say("reason", "mail-no-reason")
    } else {
        text.with("reason", reason.to_owned())
    }
}

async fn key_requests(web: &Web, account: Uuid) -> Result<Vec<Subject>, Fault> {
    let page = format!("{}/accounts/{account}/keys", web.public_url);
    let requests = web.gateway.key_requests(account).await?.into_iter();
    let subjects = requests.map(|request| {
        let text = |key| {
            MailText::new(key)
                .with("name", request.name.clone())
                .with("page", page.clone())
        };
        let mail = match request.state.as_str() {
            "approved" => Some(text("key-approved")),
            "rejected" => {
                let reason = request.reason.as_deref().unwrap_or_default();
                Some(with_reason(text("key-rejected"), reason))
            }
            _ => None,
        };
        Subject {
            name: format!("key {}", request.id),
            began_at: time_of(request.asked_at),
            mail: mail.map(|text| (NoticeKind::Keys, text)),
            state: request.state,
        }
    });
    Ok(subjects.collect())
}

/// A listing of an account.
struct Listing {
    kind: ListingKind,
    name: String,
    title: String,
    url: String,
    state: String,
    reason: String,
    created_at: Option<OffsetDateTime>,
}

async fn listings(web: &Web, account: Uuid, now: OffsetDateTime) -> Result<Vec<Subject>, Fault> {
    let of_account = own_listings(web, account).await?;
    let site = &web.public_url;
    let mut subjects = claims(web, account).await?;
    let since = now - TAKEDOWN;
    let asked = activity::subjects(&web.pool, account, Action::TakedownAsked, since).await?;
    for listing in of_account {
        let (kind, name) = (listing.kind, listing.name.as_str());
        let page = format!(
            "{site}/accounts/{account}/listings/{}/{name}",
            kind.as_str()
        );
        if asked.iter().any(|asked| asked == name) {
            let listing = ListingRef {
                account,
                kind,
                name,
            };
            let found = web.listings.get(listing).await?;
            subjects.extend(found.takedown.map(|request| takedown(request, &page)));
        }
        subjects.push(listing.subject(&page));
    }
    Ok(subjects)
}

async fn own_listings(web: &Web, account: Uuid) -> Result<Vec<Listing>, Fault> {
    let pages = web.listings.pages(account).await?;
    let reasons = pages.reasons;
    let of_pages = pages.pages.into_iter().map(|page| Listing {
        kind: ListingKind::Page,
        state: match page.state() {
            proto::State::Published => "published",
            proto::State::Rejected => "rejected",
            proto::State::Removed => "removed",
            proto::State::Pending | proto::State::Unspecified => "pending",
        }
        .to_owned(),
        reason: reasons.get(&page.handle).cloned().unwrap_or_default(),
        created_at: time_of(page.created_at),
        name: page.handle,
        title: page.name,
        url: page.url,
    });
    let mut all: Vec<Listing> = of_pages.collect();
    let mut cursor = Some(String::new());
    while let Some(after) = cursor {
        let (rows, page) = web.listings.list(account, &after).await?;
        all.extend(rows.into_iter().filter_map(|row| {
            Some(Listing {
                kind: ListingKind::parse(&row.kind)?,
                name: row.slug,
                title: row.title,
                url: row.url,
                state: row.status,
                reason: row.reason.unwrap_or_default(),
                created_at: Some(row.created_at.0),
            })
        }));
        cursor = page.and_then(|page| page.next_cursor);
    }
    Ok(all)
}

impl Listing {
    /// `page` is its page in the dashboard.
    fn subject(self, page: &str) -> Subject {
        let text = |key| {
            MailText::new(key)
                .with("title", self.title.clone())
                .with("page", page.to_owned())
        };
        let mail = match self.state.as_str() {
            "published" => {
                let text = text("listing-approved").with("url", self.url.clone());
                Some((NoticeKind::Listings, text))
            }
            "rejected" if self.reason != WITHDRAWN => {
                let text = with_reason(text("listing-rejected"), &self.reason);
                Some((NoticeKind::Listings, text))
            }
            "removed" => Some((NoticeKind::Takedowns, text("listing-removed"))),
            _ => None,
        };
        Subject {
            name: format!("{} {}", self.kind.as_str(), self.name),
            began_at: self.created_at,
            mail,
            state: self.state,
        }
    }
}

/// The request of an account that a listing is taken down. If it is granted, the listing has another state.
fn takedown(request: proto::TakedownRequest, page: &str) -> Subject {
    let state = request.state();
    let is_declined = state == proto::TakedownState::Declined;
    let mail = is_declined.then(|| {
        let text = MailText::new("takedown-declined")
            .with("title", request.title)
            .with("page", page.to_owned());
        (NoticeKind::Takedowns, with_reason(text, &request.answer))
    });
    Subject {
        name: format!("takedown {}", request.id),
        state: state.as_str_name().to_owned(),
        began_at: time_of(request.made_at),
        mail,
    }
}

async fn claims(web: &Web, account: Uuid) -> Result<Vec<Subject>, Fault> {
    let account_page = format!("{}/accounts/{account}", web.public_url);
    let claims = web.listings.claims(account).await?.into_iter();
    let subjects = claims.map(|claim| {
        let text = |key, path: &str| {
            MailText::new(key)
                .with("handle", claim.handle.clone())
                .with("page", format!("{account_page}{path}"))
        };
        let mail = match claim.state() {
            proto::ClaimState::Granted => Some(text("claim-granted", "/listings")),
            proto::ClaimState::Rejected => Some(with_reason(
                text("claim-rejected", "/claims"),
                &claim.reason,
            )),
            proto::ClaimState::Waiting | proto::ClaimState::Unspecified => None,
        };
        Subject {
            name: format!("claim {}", claim.id),
            state: claim.state().as_str_name().to_owned(),
            began_at: time_of(claim.made_at),
            mail: mail.map(|text| (NoticeKind::Claims, text)),
        }
    });
    Ok(subjects.collect())
}

/// The reports of the games of an account that were held.
async fn reports(web: &Web, account: Uuid) -> Result<Vec<Subject>, Fault> {
    let mut subjects = Vec::new();
    let mut cursor = Some(String::new());
    while let Some(after) = cursor {
        let listed = web.economy.currencies(account, &after).await?;
        let named = listed.currencies.into_iter();
        for currency in named.filter(|currency| !currency.names.is_empty()) {
            let game = currency.game;
            let page = format!("{}/accounts/{account}/economy/{game}", web.public_url);
            let newest = web.economy.reports(account, &game, "").await?.reports;
            let held = newest.into_iter().filter(|own| !own.held.is_empty());
            subjects.extend(held.filter_map(|own| report(&own, &game, &page)));
        }
        cursor = listed.page.and_then(|page| page.next_cursor);
    }
    Ok(subjects)
}

fn report(own: &economy::OwnReport, game: &str, page: &str) -> Option<Subject> {
    let report = own.report.as_ref()?;
    let text = |key| {
        MailText::new(key)
            .with("report", report.id.to_string())
            .with("game", game.to_owned())
            .with("page", page.to_owned())
    };
    let text = match own.state() {
        economy::ReportState::Counted => text("report-counted"),
        economy::ReportState::Rejected => with_reason(text("report-rejected"), &own.reason),
        economy::ReportState::Held | economy::ReportState::Unspecified => {
            text("report-held").with("reason", own.held.clone())
        }
    };
    Some(Subject {
        name: format!("report {game} {}", report.id),
        state: own.state().as_str_name().to_owned(),
        began_at: time_of(report.at),
        mail: Some((NoticeKind::Reports, text)),
    })
}
