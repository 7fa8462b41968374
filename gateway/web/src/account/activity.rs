//! The activity of an account, newest first: actions of people in the dashboard, and changes by programs with account tokens.
//!
//! This service stores the entries of people, and the gateway those of programs. Both kinds of ids are UUIDs of version 7, so one id orders
//! the merged list and continues it.

use axum::extract::Query;
use contracts::gateway::v1 as proto;
use kit::timestamp;
use pages::site::Texts;
use pages::teams::{ActivityPage, ActivityRow};
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use super::member_request::MemberRequest;
use crate::domain::action::{self, Action};
use crate::domain::agent;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::store::activity::{self, Activity, RETENTION};
use crate::viewer::Section;

/// Rows of a page.
const ROWS: u8 = 100;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(request: MemberRequest, Query(before): Query<Before>) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let texts = request.language().texts();
    let before: Option<Uuid> = before.before.parse().ok();
    // Read one row more than a page has, to see whether there is a next page.
    let limit = u32::from(ROWS) + 1;
    let changes = proto::AccountsServiceListTokenChangesRequest {
        account_id: account.to_string(),
        before: before.map(|id| id.to_string()).unwrap_or_default(),
        since: Some(timestamp::encode(app.clock.now() - RETENTION)),
        limit,
    };
    let (people, programs, shell) = futures::join!(
        activity::of_account(&app.pool, account, before, limit.into()),
        app.gateway.token_changes(changes),
        request.shell(Section::Activity),
    );
    let are_programs_missing = programs.is_err();
    let programs = programs.unwrap_or_default();
    let people = people?;
    let people = people.iter().map(|entry| row_of_person(texts, entry));
    let mut rows: Vec<(Uuid, ActivityRow)> = people.collect();
    let programs = programs.iter();
    rows.extend(programs.filter_map(|change| row_of_program(texts, change)));
    rows.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    let has_more = rows.len() > usize::from(ROWS);
    rows.truncate(ROWS.into());
    let last = rows.last().filter(|_| has_more);
    let next = last.map(|(last, _)| request.path(&format!("/activity?before={last}")));
    Ok(ok(&ActivityPage {
        shell,
        account: account.to_string(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        next,
        are_programs_missing,
    }))
}

fn row_of_person(texts: &Texts, entry: &Activity) -> (Uuid, ActivityRow) {
    // An action of staff has no address, and then no browser either.
    let agent = if entry.address.is_empty() {
        String::new()
    } else {
        agent::name(texts, &entry.agent)
    };
    let row = ActivityRow {
        at: when::minute(texts, entry.at),
        author: action::author(texts, &entry.email).to_owned(),
        is_token: false,
        what: action::text(texts, &entry.action, &entry.subject),
        address: entry.address.clone(),
        agent,
    };
    (entry.id, row)
}

/// `None` if the id is not a UUID; the gateway never sends such an id.
fn row_of_program(texts: &Texts, change: &proto::TokenChange) -> Option<(Uuid, ActivityRow)> {
    let at = change.at.and_then(timestamp::decode);
    let at = at.map(|at| when::minute(texts, at));
    let row = ActivityRow {
        at: at.unwrap_or_default(),
        author: change.token.clone().unwrap_or_default().name,
        is_token: true,
        what: text_of_program(texts, change),
        address: change.address.clone(),
        agent: texts.say("team-activity-api").to_owned(),
    };
    Some((change.id.parse().ok()?, row))
}

/// Describes a program's change in the words for the same action of a person.
fn text_of_program(texts: &Texts, change: &proto::TokenChange) -> String {
    let subject = change.subject.as_str();
    let action = match (change.action.as_str(), change.endpoint_change.as_str()) {
        ("create_key", _) => Action::KeyCreated,
        ("request_key", _) => Action::KeyAsked,
        ("reveal_key", _) => Action::KeyRevealed,
        ("rotate_key", _) => Action::KeyRotated,
        ("revoke_key", _) => Action::KeyRevoked,
        (_, "add") => Action::WebhookAdded,
        (_, "change") => Action::WebhookChanged,
        (_, "remove") => Action::WebhookRemoved,
        (_, "pause") => Action::WebhookPaused,
        (_, "resume") => Action::WebhookResumed,
        (_, "rotate-secret") => Action::WebhookSecretRotated,
        (_, "switch-secret") => Action::WebhookSecretSwitched,
        (_, "test") => return texts.say_of("did-webhook_test_sent", subject),
        (_, "send-again") => Action::WebhookSentAgain,
        (_, "recover") => Action::WebhookRecovered,
        // During a rolling update, a replica with more actions may have recorded it.
        (name, _) => return format!("{name}: {subject}"),
    };
    action::text(texts, action.name(), subject)
}
