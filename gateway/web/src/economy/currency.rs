//! The currency of one game: its name and the reports of the game.

use axum::extract::Path;
use contracts::economy::v1 as proto;
use pages::economy::{CurrencyPage, NameRow, ReportRow};
use pages::{Field, StateText};
use serde::Deserialize;
use uuid::Uuid;

use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::english::{say, say_of, say_of_two, texts};
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::{minute_of, time_of};
use crate::url_query::{ListQuery, UrlQuery};

#[derive(Debug, Default, Deserialize)]
pub struct NameForm {
    #[serde(default)]
    name: String,
}

pub async fn show(
    request: MemberRequest,
    Path((_, game)): Path<(Uuid, String)>,
    UrlQuery(list): UrlQuery<ListQuery>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let shown = (list.cursor.as_str(), after.notice());
    page(&request, &game, shown, &NameForm::default(), FormState::default()).await
}

pub async fn name(
    request: MemberRequest,
    Path((_, game)): Path<(Uuid, String)>,
    FormBody(form): FormBody<NameForm>,
) -> PageResult {
    let economy = &request.app.economy;
    let work = async {
        let is_new = economy.name_currency(request.scope.id, &game, &form.name).await?;
        let path = request.path(&format!("/economy/{game}?done=currency-named"));
        Ok(if is_new {
            Effect::shown_at(Action::CurrencyNamed, &game, &path)
        } else {
            Effect::none(see_other(&path))
        })
    };
    let page = async |state| page(&request, &game, ("", None), &form, state).await;
    request.answer(work, &["name"], page).await
}

async fn page(
    request: &MemberRequest,
    game: &str,
    (cursor, notice): (&str, Option<&'static str>),
    form: &NameForm,
    state: FormState,
) -> PageResult {
    let (economy, account) = (&request.app.economy, request.scope.id);
    let (mut frame, own, reports) = futures::join!(
        request.frame(Section::Economy),
        economy.currency(account, game),
        economy.reports(account, game, cursor),
    );
    let (own, reports) = (own?.unwrap_or_else(|| unknown(game)), reports?);
    let FormState { status, errors } = state;
    frame.notice = notice;
    let rows = reports.reports.into_iter();
    let page = CurrencyPage {
        account: account.to_string(),
        name: request.may(Permission::Develop).then(|| {
            let name = Field::text("name", say("economy-name-label"));
            let hint = say("economy-name-hint");
            name.hint(hint).value(&form.name).error_in(&errors)
        }),
        slug: own.game,
        title: own.title,
        is_public: own.published,
        registered: own.name.map(name_row),
        reports: rows.map(report_row).collect(),
        earlier: request.next_page(&format!("/economy/{game}"), reports.page),
        frame,
        errors,
    };
    Ok(html(status, &page))
}

fn unknown(game: &str) -> proto::OwnCurrency {
    proto::OwnCurrency {
        game: game.to_owned(),
        title: game.to_owned(),
        published: true,
        name: None,
    }
}

fn name_row(name: proto::CurrencyName) -> NameRow {
    let by = if name.given_by == "account" { "economy-by-owner" } else { "economy-by-staff" };
    NameRow { name: name.name, since: minute_of(texts(), name.since), by: say(by) }
}

fn report_row(own: proto::OwnReport) -> ReportRow {
    let state = own.state();
    let report = own.report.unwrap_or_default();
    let (key, tone) = match state {
        proto::ReportState::Counted => ("economy-report-counts", "good"),
        proto::ReportState::Rejected => ("economy-report-rejected", "bad"),
        proto::ReportState::Retracted => ("economy-report-retracted", "bad"),
        proto::ReportState::Held => ("economy-report-held", ""),
        proto::ReportState::Unspecified => ("economy-report-unknown", ""),
    };
    let text = say(key);
    let mut notes = Vec::new();
    if !own.held.is_empty() {
        notes.push(own.held);
    }
    if let Some(at) = time_of(own.approved_at) {
        notes.push(say_of("economy-report-approved", &texts().minute(at)));
    }
    if let Some(ended) = own.ended {
        let key = match state {
            proto::ReportState::Retracted => "economy-report-retracted-reason",
            _ => "economy-report-reason",
        };
        notes.push(say_of_two(key, &minute_of(texts(), ended.at), &ended.reason));
    }
    if state == proto::ReportState::Held {
        let since = minute_of(texts(), report.at);
        notes.push(say_of("economy-report-waits", &since));
    }
    ReportRow {
        at: minute_of(texts(), report.at),
        state: StateText { text, tone },
        notes,
        cost: texts().number(report.cost),
        supply: texts().number(report.supply),
        output: texts().number(report.output),
        players: texts().number(report.active_players),
    }
}
