//! "Today", the start page of an account: what waits, how the month goes, and two first steps.
//!
//! Every part comes from one service; the page names those that do not answer, and has the rest.

use contracts::economy::v1 as economy;
use contracts::gateway::v1::{KeyRequest, KeyRequestState};
use contracts::listings::v1 as listings;
use contracts::public::OwnListing;
use contracts::webhook::v1::{Endpoint, EndpointState};
use kit::Code;
use pages::ApiCall;
use pages::accounts::{FirstStep, TodayItem, TodayPage};
use time::OffsetDateTime;

use super::keys::{REJECTION_SHOWN_FOR, is_recent_rejection};
use super::page_part::part;
use super::{recent_items, usage};
use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::english::{say, say_of, say_of_two, texts};
use crate::page_error::{PageError, PageResult};
use crate::render::ok;
use crate::request::Section;
use crate::upstream::listings::{EndedListing, state_of};
use crate::upstream::minute_of;
use crate::upstream::webhook::origin;

/// The items that wait.
#[derive(Debug, Default)]
struct Waiting {
    for_you: Vec<TodayItem>,
    for_staff: Vec<TodayItem>,
}

pub async fn show(request: MemberRequest) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let (context, keys, endpoints, listings, reports) = futures::join!(
        request.context(Section::Today),
        part(async {
            futures::try_join!(app.gateway.keys(account), app.gateway.key_requests(account))
        }),
        part(app.webhooks.endpoints(account)),
        part(async {
            futures::try_join!(app.listings.pages(account), app.listings.list(account, ""))
        }),
        part(app.economy.held_reports(account)),
    );
    let found = context.account();
    if found.as_ref().is_err_and(|fault| fault.code == Code::NotFound) {
        return Err(PageError::not_found());
    }
    let found = found.ok();
    let now = app.clock.now();
    let has_key = keys.as_ref().map(|(keys, _)| !keys.is_empty());
    let has_game = listings.as_ref().map(|(_, (rows, page))| {
        // A further page may have one.
        let has_more = page.as_ref().is_some_and(|page| page.next_cursor.is_some());
        has_more || rows.iter().any(|row| row.kind == "game")
    });
    let missing = [
        ("today-part-keys", keys.is_none() || found.is_none()),
        ("today-part-webhooks", endpoints.is_none()),
        ("today-part-listings", listings.is_none()),
        ("today-part-reports", reports.is_none()),
    ];
    let mut waiting = Waiting::default();
    for asked in keys.iter().flat_map(|(_, requests)| requests) {
        waiting.add_key_request(&request, asked, now);
    }
    for endpoint in endpoints.iter().flat_map(|listed| &listed.endpoints) {
        waiting.add_endpoint(&request, endpoint);
    }
    if let Some((pages, (rows, _))) = &listings {
        waiting.add_listings(&request, pages, rows);
    }
    for report in reports.iter().flatten() {
        waiting.add_report(&request, report);
    }
    let endpoints = endpoints.map(|listed| listed.endpoints).unwrap_or_default();
    let recent = recent_items::load(&request, found.is_some(), &endpoints).await?;
    let month = found.and_then(|found| found.month.as_ref());
    let plan = found.and_then(|found| found.plan.as_ref());
    let page = TodayPage {
        account: account.to_string(),
        missing: (missing.into_iter())
            .filter(|(_, is_missing)| *is_missing)
            .map(|(part, _)| say(part))
            .collect(),
        steps: if has_key == Some(false) && has_game == Some(false) {
            first_steps(&request)
        } else {
            Vec::new()
        },
        for_you: waiting.for_you,
        for_staff: waiting.for_staff,
        recent,
        month: month.map(usage::month),
        plan: plan.map(|plan| plan.title.clone()),
        is_owner: request.may(Permission::Manage),
        frame: pages::Frame { api_call: Some(ApiCall::same("GET /v1/me")), ..context.frame },
    };
    Ok(ok(&page))
}

/// The first steps of an account that has neither a key nor a game.
fn first_steps(request: &MemberRequest) -> Vec<FirstStep> {
    let steps = [
        (Permission::Develop, ["today-api-title", "today-api", "today-first-key"], "/keys/new"),
        (
            Permission::Edit,
            ["today-list-title", "today-list", "today-first-game"],
            "/listings/new/game",
        ),
    ];
    let steps = steps.into_iter().filter(|(permission, ..)| request.may(*permission)).map(
        |(_, words, path)| {
            let [title, text, button] = words.map(say);
            FirstStep { title, text, button, href: request.path(path) }
        },
    );
    steps.collect()
}

impl Waiting {
    fn add_key_request(
        &mut self,
        request: &MemberRequest,
        asked: &KeyRequest,
        now: OffsetDateTime,
    ) {
        let item = |key| TodayItem::new(say_of(key, &asked.name), request.path("/keys"));
        let may_act = request.may(Permission::Develop);
        match asked.state() {
            KeyRequestState::Asked => {
                let since = minute_of(texts(), asked.asked_at);
                let detail = say_of("today-live-key-since", &since);
                self.for_staff.push(item("today-live-key").detail(detail));
            }
            KeyRequestState::Approved if may_act => {
                let detail = say("today-live-key-reveal");
                self.for_you.push(item("today-live-key-approved").detail(detail));
            }
            KeyRequestState::Rejected if may_act && is_recent_rejection(asked, now) => {
                let reason = asked.ended.as_ref().map_or("", |ended| &*ended.reason);
                self.for_you.push(item("today-live-key-rejected").detail(reason));
            }
            _ => {}
        }
    }

    /// A disabled address.
    fn add_endpoint(&mut self, request: &MemberRequest, endpoint: &Endpoint) {
        if endpoint.state() != EndpointState::Off || !request.may(Permission::Develop) {
            return;
        }
        let text = say_of("today-address-off", &origin(&endpoint.url));
        let href = request.path(&format!("/webhooks/{}", endpoint.id));
        self.for_you.push(TodayItem::new(text, href).detail(&endpoint.reason));
    }

    fn add_listings(
        &mut self,
        request: &MemberRequest,
        pages: &listings::ListOwnPagesResponse,
        rows: &[OwnListing],
    ) {
        for page in &pages.pages {
            let path = format!("/listings/page/{}", page.handle);
            let ended = pages.ended.get(&page.handle).and_then(EndedListing::of);
            self.add_listing(request, (&page.name, &path), page.state(), ended);
        }
        for row in rows {
            let path = format!("/listings/{}/{}", row.kind, row.slug);
            let ended = EndedListing::of_row(row);
            self.add_listing(request, (&row.title, &path), state_of(&row.status), ended);
        }
    }

    fn add_report(&mut self, request: &MemberRequest, report: &economy::OwnHeldReport) {
        let since = minute_of(texts(), report.at);
        let path = request.path(&format!("/economy/{}", report.game));
        let item = TodayItem::new(say_of("today-report", &report.title), path);
        self.for_staff.push(item.detail(say_of_two("today-report-held", &since, &report.held)));
    }

    /// A page, a game or an event, with its path in the account.
    fn add_listing(
        &mut self,
        request: &MemberRequest,
        (title, path): (&str, &str),
        state: listings::State,
        ended: Option<EndedListing>,
    ) {
        let item = |text| TodayItem::new(text, request.path(path));
        let now = request.app.clock.now();
        let is_recent = |it: &EndedListing| it.is_by_staff && now - it.at < REJECTION_SHOWN_FOR;
        let recent = ended.filter(is_recent);
        match state {
            listings::State::Pending => {
                let item = item(title.to_owned()).detail(say("today-listing-waits"));
                self.for_staff.push(item);
            }
            listings::State::Rejected if request.may(Permission::Edit) => {
                if let Some(rejected) = recent {
                    let item = item(say_of("today-listing-rejected", title));
                    self.for_you.push(item.detail(rejected.reason));
                }
            }
            _ => {}
        }
    }
}
