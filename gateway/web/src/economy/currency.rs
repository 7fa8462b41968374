//! The currency of one game: its name and the reports of the game.

use axum::extract::{Path, Query};
use axum::response::Response;
use contracts::economy::v1 as proto;
use kit::{Code, Fault};
use pages::Field;
use pages::economy::{CurrencyPage, NameRow, ReportRow};
use pages::listings::StateText;
use pages::site::Texts;
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use crate::account::member_request::MemberRequest;
use crate::account::page_frame::AccountFrame;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::upstream::{minute_of, time_of};
use crate::viewer::Section;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ViewQuery {
    /// Of the page of the reports.
    cursor: String,
    done: String,
}

#[derive(Debug, Default, Deserialize)]
pub struct NameForm {
    #[serde(default)]
    name: String,
}

pub async fn show(
    request: MemberRequest,
    Path((_, game)): Path<(Uuid, String)>,
    Query(query): Query<ViewQuery>,
) -> PageResult {
    let (frame, loaded) = futures::join!(
        request.frame(Section::Economy),
        Loaded::load(&request, &game, &query)
    );
    let form = NameForm::default();
    let page = loaded?.page(&request, frame, &form, FormState::default());
    Ok(page)
}

pub async fn name(
    request: MemberRequest,
    Path((_, game)): Path<(Uuid, String)>,
    FormBody(form): FormBody<NameForm>,
) -> PageResult {
    let frame = request.frame(Section::Economy).await;
    let named = async {
        frame.admit(None)?;
        let (economy, account) = (&request.app.economy, request.scope.id);
        economy.name_currency(account, &game, &form.name).await
    };
    match named.await {
        Ok(()) => {
            request.record(Action::CurrencyNamed, &game).await;
            let page = format!("/economy/{game}?done=currency-named");
            Ok(see_other(&request.path(&page)))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let query = ViewQuery::default();
            let loaded = Loaded::load(&request, &game, &query);
            let loaded = match frame.read_after(&fault, loaded).await {
                Ok(loaded) => loaded,
                Err(fault) if fault.code == Code::NotFound => return Err(fault.into()),
                // The page shows the typed text again.
                Err(_) => Loaded::empty(&game, &query),
            };
            let refused = request.language().refused(&fault, &["name"], &[]);
            Ok(loaded.page(&request, frame, &form, refused))
        }
    }
}

/// The page of a game with the answers of economy-svc.
struct Loaded<'a> {
    game: &'a str,
    query: &'a ViewQuery,
    own: proto::OwnCurrency,
    reports: proto::ListOwnReportsResponse,
}

impl<'a> Loaded<'a> {
    async fn load(
        request: &MemberRequest,
        game: &'a str,
        query: &'a ViewQuery,
    ) -> Result<Self, Fault> {
        let (app, account) = (&request.app, request.scope.id);
        let (own, reports) = futures::try_join!(
            app.economy.currency(account, game),
            app.economy.reports(account, game, &query.cursor),
        )?;
        Ok(Self {
            game,
            query,
            own: own.unwrap_or_else(|| unknown(game)),
            reports,
        })
    }

    /// While economy-svc is away.
    fn empty(game: &'a str, query: &'a ViewQuery) -> Self {
        Self {
            game,
            query,
            own: unknown(game),
            reports: proto::ListOwnReportsResponse::default(),
        }
    }

    fn page(
        self,
        request: &MemberRequest,
        mut frame: AccountFrame,
        form: &NameForm,
        state: FormState,
    ) -> Response {
        let language = request.language();
        let FormState { status, errors } = state;
        let texts = language.texts();
        let (game, own) = (self.game, self.own);
        frame.shell.notice = AfterForm::named(&self.query.done);
        let reports = self.reports.reports.into_iter();
        let page = CurrencyPage {
            account: request.scope.id.to_string(),
            name: request.may(Permission::Develop).then(|| {
                let name = Field::text("name", language.say("economy-name-label")).max(60);
                let hint = language.say("economy-name-hint");
                name.hint(hint).value(&form.name).error_in(&errors)
            }),
            slug: own.game,
            title: own.title,
            is_public: own.published,
            registered: own.name.map(|name| name_row(texts, name)),
            closed: frame.closed(),
            reports: reports.map(|own| report_row(texts, own)).collect(),
            earlier: request.next_page(&format!("/economy/{game}"), self.reports.page),
            shell: frame.shell,
            errors,
        };
        html(status, &page)
    }
}

fn unknown(game: &str) -> proto::OwnCurrency {
    proto::OwnCurrency {
        game: game.to_owned(),
        title: game.to_owned(),
        published: true,
        name: None,
    }
}

fn name_row(texts: &'static Texts, name: proto::CurrencyName) -> NameRow {
    let by = if name.given_by == "account" {
        "economy-by-owner"
    } else {
        "economy-by-staff"
    };
    NameRow {
        name: name.name,
        since: minute_of(texts, name.since),
        by: texts.say(by),
    }
}

fn report_row(texts: &'static Texts, own: proto::OwnReport) -> ReportRow {
    let state = own.state();
    let report = own.report.unwrap_or_default();
    let decided = time_of(own.decided_at).map(|at| when::minute(texts, at));
    let (key, tone) = match state {
        proto::ReportState::Counted => ("economy-report-counts", "good"),
        proto::ReportState::Rejected => ("economy-report-rejected", "bad"),
        proto::ReportState::Held => ("economy-report-held", ""),
        proto::ReportState::Unspecified => ("economy-report-unknown", ""),
    };
    let text = texts.say(key);
    let mut notes = Vec::new();
    if !own.held.is_empty() {
        notes.push(own.held);
    }
    match (state, decided) {
        (proto::ReportState::Counted, Some(at)) => {
            notes.push(texts.say_of("economy-report-approved", &at));
        }
        (proto::ReportState::Rejected, Some(at)) => {
            let text = texts.say_of_two("economy-report-reason", &at, &own.reason);
            notes.push(text);
        }
        (proto::ReportState::Held, _) => {
            let since = minute_of(texts, report.at);
            notes.push(texts.say_of("economy-report-waits", &since));
        }
        _ => {}
    }
    ReportRow {
        at: minute_of(texts, report.at),
        state: StateText { text, tone },
        notes,
        cost: texts.number(report.cost),
        supply: texts.number(report.supply),
        output: texts.number(report.output),
        players: texts.number(report.active_players),
    }
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    #[test]
    fn a_report_in_an_unknown_state_is_not_said_to_be_held() {
        let text = |state: i32| {
            let report = proto::OwnReport {
                state,
                ..proto::OwnReport::default()
            };
            report_row(Texts::of(Language::English), report).state.text
        };
        assert_eq!(text(proto::ReportState::Held.into()), "held");
        for state in [i32::from(proto::ReportState::Unspecified), 99] {
            assert_eq!(text(state), "not known");
        }
    }
}
