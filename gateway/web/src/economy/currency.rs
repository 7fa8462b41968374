//! The currency of one game: its names, the reports of the game, and the rates.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use contracts::economy::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault, timestamp};
use pages::economy::{CurrencyPage, NameRow, Rates, ReportRow};
use pages::listings::StateText;
use pages::when::{self, grouped};
use pages::{Field, Fields};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tokio::time::timeout;
use uuid::Uuid;

use super::rates;
use crate::account::record_done;
use crate::app::{App, Web};
use crate::domain::role::Permission;
use crate::form_body::FormBody;
use crate::listings::{BESIDE_REFUSED, Frame, is_away};
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{form_errors, html, see_other};
use crate::viewer::{AccountScope, ClientInfo, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct Shown {
    /// The game whose currency the plot shows.
    #[serde(default)]
    to: String,
    /// The place in the list of rates.
    #[serde(default)]
    after: String,
    /// Of the page of the reports.
    #[serde(default)]
    cursor: String,
    #[serde(default)]
    done: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct NameForm {
    #[serde(default)]
    name: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, game)): Path<(Uuid, String)>,
    Query(shown): Query<Shown>,
) -> PageResult {
    let (frame, loaded) = futures::join!(
        Frame::load(&app, &viewer, &scope, Section::Economy),
        Loaded::load(&app, &scope, (&game, &shown))
    );
    let answer = (StatusCode::OK, None, Fields::default());
    Ok(page(&scope, frame, (&game, &shown), loaded?, answer))
}

pub async fn name(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(client): Extension<ClientInfo>,
    Extension(scope): Extension<AccountScope>,
    Path((_, game)): Path<(Uuid, String)>,
    FormBody(form): FormBody<NameForm>,
) -> PageResult {
    let frame = Frame::load(&app, &viewer, &scope, Section::Economy).await;
    let named = match frame.admit(None) {
        Ok(()) => app.economy.name_currency(scope.id, &game, &form.name).await,
        Err(closed) => Err(closed),
    };
    match named {
        Ok(()) => {
            let what = ("currency_named", game.as_str());
            record_done(&app, (&viewer, &client), &scope, what).await;
            let page = format!("/accounts/{}/economy/{game}?done=currency-named", scope.id);
            Ok(see_other(&page))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let (status, errors) = form_errors(&fault, &["name"], &[]);
            let answer = (status, Some(form.name.as_str()), errors);
            let shown = Shown::default();
            let loaded = if is_away(&fault) && frame.fault().is_none() {
                None
            } else {
                let loaded = Loaded::load(&app, &scope, (&game, &shown));
                timeout(BESIDE_REFUSED, loaded).await.ok()
            };
            let loaded = match loaded {
                Some(Err(fault)) if fault.code == Code::NotFound => return Err(fault.into()),
                // The page shows the typed text again.
                Some(Err(_)) | None => Loaded::default(),
                Some(Ok(loaded)) => loaded,
            };
            Ok(page(&scope, frame, (&game, &shown), loaded, answer))
        }
    }
}

/// The answers of economy-svc about a game.
#[derive(Default)]
struct Loaded {
    own: Option<proto::OwnCurrency>,
    reports: proto::ListOwnReportsResponse,
    rates: Rates,
}

impl Loaded {
    async fn load(
        web: &Web,
        scope: &AccountScope,
        (game, shown): (&str, &Shown),
    ) -> Result<Self, Fault> {
        let (own, reports, rates) = futures::join!(
            web.economy.currency(scope.id, game),
            web.economy.reports(scope.id, game, &shown.cursor),
            rates::load(web, game, (&shown.to, &shown.after))
        );
        Ok(Self {
            own: own?,
            reports: reports?,
            rates,
        })
    }
}

fn page(
    scope: &AccountScope,
    frame: Frame,
    (game, shown): (&str, &Shown),
    loaded: Loaded,
    (status, typed, errors): (StatusCode, Option<&str>, Fields),
) -> Response {
    let Loaded {
        own,
        reports,
        rates,
    } = loaded;
    let own = own.unwrap_or_else(|| proto::OwnCurrency {
        game: game.to_owned(),
        title: game.to_owned(),
        published: true,
        names: Vec::new(),
    });
    let mut frame = frame.api_call(format!("GET /v1/economy/rates?from={game}"));
    frame.shell.notice = AfterForm::named(&shown.done);
    let next = reports.page.and_then(|page| page.next_cursor);
    let closed = frame.closed();
    let page = CurrencyPage {
        account: scope.id.to_string(),
        name: scope.role.may(Permission::Develop).then(|| {
            let name = Field::text("name", "Name of the currency").max(60);
            let hint = "As players know it. A new name is valid from now on; earlier ones stay in the history.";
            name.hint(hint).value(typed.unwrap_or_default()).error_in(&errors)
        }),
        slug: own.game,
        title: own.title,
        is_public: own.published,
        names: own.names.into_iter().map(name_row).collect(),
        closed,
        reports: reports.reports.into_iter().map(report_row).collect(),
        earlier: next.map(|cursor| {
            let cursor = utf8_percent_encode(&cursor, NON_ALPHANUMERIC);
            format!("/accounts/{}/economy/{game}?cursor={cursor}", scope.id)
        }),
        rates,
        shell: frame.shell,
        errors,
    };
    html(status, &page)
}

fn name_row(name: proto::CurrencyName) -> NameRow {
    let since = name.since.and_then(timestamp::decode);
    NameRow {
        name: name.name,
        since: since.map(when::minute).unwrap_or_default(),
        by: if name.given_by == "account" {
            "an owner"
        } else {
            "staff"
        },
    }
}

fn report_row(own: proto::OwnReport) -> ReportRow {
    let state = own.state();
    let report = own.report.unwrap_or_default();
    let at = report.at.and_then(timestamp::decode);
    let decided = own.decided_at.and_then(timestamp::decode).map(when::minute);
    let (text, tone) = match state {
        proto::ReportState::Counted => ("counts", "good"),
        proto::ReportState::Rejected => ("rejected", "bad"),
        proto::ReportState::Held | proto::ReportState::Unspecified => ("held", ""),
    };
    let mut notes = Vec::new();
    if !own.held.is_empty() {
        notes.push(own.held);
    }
    match (state, decided) {
        (proto::ReportState::Counted, Some(at)) => notes.push(format!("Staff approved it: {at}.")),
        (proto::ReportState::Rejected, Some(at)) => {
            notes.push(format!("Staff rejected it, {at}: {}", own.reason));
        }
        _ => {}
    }
    ReportRow {
        at: at.map(when::minute).unwrap_or_default(),
        state: StateText { text, tone },
        notes,
        cost: grouped(report.cost),
        supply: grouped(report.supply),
        output: grouped(report.output),
        players: grouped(report.active_players),
    }
}
