//! "Today", the start page of an account: what waits, what failed, what changed, and how the month goes.
//!
//! A new account also has its first
//! steps. Every part comes from one service; the page names those that do not answer, and has the rest.

mod keys;
mod listings;
mod people;
mod reports;
mod webhooks;

use std::time::Duration;

use kit::{Code, Fault};
use pages::ApiCall;
use pages::accounts::{Guide, NewsItem, Step, TodayPage};
use time::OffsetDateTime;
use tokio::time::timeout;

use self::keys::KeyNews;
use self::listings::ListingNews;
use super::member_request::MemberRequest;
use super::usage;
use crate::domain::role::Permission;
use crate::page_error::{PageError, PageResult};
use crate::render::ok;
use crate::upstream::time_of;
use crate::viewer::Section;

/// How long the page waits for a part.
const WAIT: Duration = Duration::from_secs(5);
/// How long an account has its first steps on the page, if it does not finish them sooner.
const IS_NEW_FOR: time::Duration = time::Duration::days(30);
/// How long a decision of staff stays on the page.
const IS_RECENT_FOR: time::Duration = time::Duration::days(14);

/// What a service has to say.
#[derive(Debug, Default)]
struct News {
    /// The person can act on it.
    for_you: Vec<NewsItem>,
    for_staff: Vec<NewsItem>,
    failed: Vec<NewsItem>,
}

impl News {
    fn extend(&mut self, other: Self) {
        self.for_you.extend(other.for_you);
        self.for_staff.extend(other.for_staff);
        self.failed.extend(other.failed);
    }
}

pub async fn show(request: MemberRequest) -> PageResult {
    let (frame, keys, hooks, listings, reports, people) = futures::join!(
        request.frame(Section::Today),
        part(keys::load(&request)),
        part(webhooks::load(&request)),
        part(listings::load(&request)),
        part(reports::load(&request)),
        part(people::load(&request)),
    );
    let now = request.app.clock.now();
    let language = request.language();
    let account = frame.account();
    if account
        .as_ref()
        .is_err_and(|fault| fault.code == Code::NotFound)
    {
        return Err(PageError::not_found());
    }
    let account = account.ok();
    let missing = [
        ("today-part-keys", keys.is_none() || account.is_none()),
        ("today-part-webhooks", hooks.is_none()),
        ("today-part-listings", listings.is_none()),
        ("today-part-reports", reports.is_none()),
        ("today-part-team", people.is_none()),
    ];
    let created = account.and_then(|found| time_of(found.account.as_ref()?.created_at));
    let is_new = account.is_some() && created.is_none_or(|at| now - at < IS_NEW_FOR);
    let has_address = hooks.as_ref().is_some_and(|hooks| hooks.has_address);
    let guides = guides(
        &request,
        keys.as_ref(),
        has_address,
        listings.as_ref(),
        is_new,
    );
    let (people, changes) = people.map_or_else(Default::default, |it| (it.news, it.changes));
    let working = keys.as_ref().map(|keys| keys.working);
    let mut news = News::default();
    let parts = [
        keys.map(|it| it.news),
        hooks.map(|it| it.news),
        listings.map(|it| it.news),
        reports,
        Some(people),
    ];
    for part in parts.into_iter().flatten() {
        news.extend(part);
    }
    let month = account.and_then(|found| found.month.as_ref());
    let plan = account.and_then(|found| found.plan.as_ref());
    let page = TodayPage {
        account: request.scope.id.to_string(),
        missing: (missing.into_iter())
            .filter(|(_, is_missing)| *is_missing)
            .map(|(part, _)| language.say(part))
            .collect(),
        guides,
        for_you: news.for_you,
        for_staff: news.for_staff,
        failed: news.failed,
        month: month.map(|month| usage::month(language.texts(), month)),
        changes,
        plan: plan.map(|plan| plan.title.clone()),
        keys: working.map(|count| count.to_string()),
        role: language.say(request.scope.role.key()),
        is_owner: request.may(Permission::Manage),
        shell: pages::Shell {
            api_call: Some(ApiCall::same("GET /v1/me")),
            ..frame.closed_shell()
        },
    };
    Ok(ok(&page))
}

/// A part of the page; `None` if its service does not answer in time.
async fn part<T>(load: impl Future<Output = Result<T, Fault>>) -> Option<T> {
    match timeout(WAIT, load).await {
        Ok(Ok(part)) => Some(part),
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "a start page lacks a part");
            None
        }
        Err(_elapsed) => None,
    }
}

fn is_recent(at: Option<prost_types::Timestamp>, now: OffsetDateTime) -> bool {
    time_of(at).is_some_and(|at| now - at < IS_RECENT_FOR)
}

/// The first steps that are not all done, of a new account or of one that has neither a key nor a game.
fn guides(
    request: &MemberRequest,
    keys: Option<&KeyNews>,
    has_address: bool,
    listings: Option<&ListingNews>,
    is_new: bool,
) -> Vec<Guide> {
    let is_empty = keys.is_some_and(|keys| !keys.has_key)
        && listings.is_some_and(|listings| listings.game.is_none());
    if !is_new && !is_empty {
        return Vec::new();
    }
    let api = keys.filter(|_| request.may(Permission::Develop));
    let api = api.map(|keys| api_guide(request, keys, has_address));
    let listing = listings.filter(|_| request.may(Permission::Edit));
    let listing = listing.map(|listings| listing_guide(request, listings));
    let guides = [api, listing].into_iter().flatten();
    guides.filter(|guide| guide.next_step().is_some()).collect()
}

fn api_guide(request: &MemberRequest, keys: &KeyNews, has_address: bool) -> Guide {
    let language = request.language();
    Guide {
        title: language.say("today-api-title"),
        text: language.say("today-api"),
        steps: vec![
            Step::new(
                language.say("today-first-key"),
                request.path("/keys/new"),
                keys.has_key,
            ),
            Step::new(
                language.say("today-first-call"),
                "/docs/first-call",
                keys.has_called,
            ),
            Step::new(
                language.say("today-first-webhook"),
                request.path("/webhooks/new"),
                has_address,
            ),
        ],
    }
}

fn listing_guide(request: &MemberRequest, listings: &ListingNews) -> Guide {
    let language = request.language();
    let pictures = listings.game.as_ref().map_or_else(
        || request.path("/listings/new/game"),
        |game| request.path(&format!("/listings/game/{game}/pictures")),
    );
    Guide {
        title: language.say("today-list-title"),
        text: language.say("today-list"),
        steps: vec![
            Step::new(
                language.say("today-first-page"),
                request.path("/listings"),
                listings.has_page,
            ),
            Step::new(
                language.say("today-first-game"),
                request.path("/listings/new/game"),
                listings.game.is_some(),
            ),
            Step::new(
                language.say("today-first-cover"),
                pictures,
                listings.has_cover,
            ),
        ],
    }
}
