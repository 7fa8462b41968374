//! The activity of an account, newest first: actions of people in the dashboard, and changes by programs with account tokens.
//!
//! This service stores the entries of people, and the gateway those of programs. Both kinds of ids are UUIDs of version 7, so one id orders
//! the merged list and continues it.

use axum::Extension;
use axum::extract::{Query, State};
use contracts::gateway::v1 as proto;
use kit::timestamp;
use pages::teams::{ActivityPage, ActivityRow};
use pages::when;
use serde::Deserialize;
use uuid::Uuid;

use super::shell;
use crate::app::App;
use crate::domain::agent;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::store::activity::{self, Activity, RETENTION};
use crate::upstream::gateway::TokenChangeFilter;
use crate::viewer::{AccountScope, Section, Viewer};

/// Rows of a page.
const ROWS: u8 = 100;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Query(before): Query<Before>,
) -> PageResult {
    let before: Option<Uuid> = before.before.parse().ok();
    // Read one row more than a page has, to see whether there is a next page.
    let limit = u32::from(ROWS) + 1;
    let filter = TokenChangeFilter {
        before,
        since: app.clock.now() - RETENTION,
        limit,
    };
    let (people, programs, shell) = futures::join!(
        activity::of_account(&app.pool, scope.id, before, limit.into()),
        app.gateway.token_changes(scope.id, filter),
        shell(&app, &viewer, &scope, Section::Activity),
    );
    let are_programs_missing = programs.is_err();
    let programs = programs.unwrap_or_default();
    let mut rows: Vec<(Uuid, ActivityRow)> = people?.iter().map(row_of_person).collect();
    rows.extend(programs.iter().filter_map(row_of_program));
    rows.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    let has_more = rows.len() > usize::from(ROWS);
    rows.truncate(ROWS.into());
    let last = rows.last().filter(|_| has_more);
    let next = last.map(|(last, _)| format!("/accounts/{}/activity?before={last}", scope.id));
    Ok(ok(&ActivityPage {
        shell,
        account: scope.id.to_string(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        next,
        are_programs_missing,
    }))
}

fn row_of_person(entry: &Activity) -> (Uuid, ActivityRow) {
    let row = ActivityRow {
        at: when::minute(entry.at),
        author: entry.email.clone(),
        is_token: false,
        what: words(&entry.action, &entry.subject),
        address: entry.address.clone(),
        agent: agent::name(&entry.agent),
    };
    (entry.id, row)
}

/// `None` if the id is not a UUID; the gateway never sends such an id.
fn row_of_program(change: &proto::TokenChange) -> Option<(Uuid, ActivityRow)> {
    let at = change.at.and_then(timestamp::decode);
    let row = ActivityRow {
        at: at.map(when::minute).unwrap_or_default(),
        author: change.token.clone().unwrap_or_default().name,
        is_token: true,
        what: words_of_program(change),
        address: change.address.clone(),
        agent: "account API".to_owned(),
    };
    Some((change.id.parse().ok()?, row))
}

/// Describes a program's change in the words for the same action of a person.
fn words_of_program(change: &proto::TokenChange) -> String {
    let subject = change.subject.as_str();
    let action = match (change.action.as_str(), change.endpoint_change.as_str()) {
        ("create_key", _) => "key_created",
        ("request_key", _) => "key_asked",
        ("reveal_key", _) => "key_revealed",
        ("rotate_key", _) => "key_rotated",
        ("revoke_key", _) => "key_revoked",
        (_, "add") => "webhook_added",
        (_, "change") => "webhook_changed",
        (_, "remove") => "webhook_removed",
        (_, "pause") => "webhook_paused",
        (_, "resume") => "webhook_resumed",
        (_, "rotate-secret") => "webhook_secret_rotated",
        (_, "switch-secret") => "webhook_secret_switched",
        (_, "test") => return format!("sent a test event to {subject}"),
        (_, "send-again") => "webhook_sent_again",
        (_, "recover") => "webhook_recovered",
        // A newer version has recorded this.
        (action, _) => action,
    };
    words(action, subject)
}

/// An action in words.
fn words(action: &str, subject: &str) -> String {
    match action {
        "account_created" => "created the account".to_owned(),
        "account_changed" => format!("changed name or address of the account: {subject}"),
        "key_created" => format!("made the key {subject}"),
        "key_asked" => format!("asked for the live key {subject}"),
        "key_revealed" => format!("revealed the key {subject}"),
        "key_rotated" => format!("rotated the key {subject}"),
        "key_revoked" => format!("revoked the key {subject}"),
        "token_created" => format!("made the account token {subject}"),
        "token_revoked" => format!("revoked the account token {subject}"),
        "webhook_added" => format!("added a webhook at {subject}"),
        "webhook_changed" => format!("changed the webhook at {subject}"),
        "webhook_paused" => format!("paused the webhook at {subject}"),
        "webhook_resumed" => format!("resumed the webhook at {subject}"),
        "webhook_secret_rotated" => format!("made a new signing secret for {subject}"),
        "webhook_secret_switched" => format!("switched to the new signing secret of {subject}"),
        "webhook_removed" => format!("removed the webhook at {subject}"),
        "webhook_tested" => format!("sent the test event {subject}"),
        "webhook_sent_again" => format!("sent a delivery again to {subject}"),
        "webhook_recovered" => format!("sent failed deliveries again to {subject}"),
        "webhook_checked" => format!("checked the receiver at {subject}"),
        "invited" => format!("invited {subject}"),
        "invite_withdrawn" => format!("withdrew the invitation of {subject}"),
        "joined" => format!("joined as {subject}"),
        "role_changed" => format!("changed a role: {subject}"),
        "member_removed" => format!("removed {subject}"),
        "left" => "left the team".to_owned(),
        "listing_submitted" => format!("submitted {subject}"),
        "listing_changed" => format!("changed {subject}"),
        "listing_withdrawn" => format!("withdrew {subject}"),
        "pictures_changed" => format!("changed the pictures of {subject}"),
        "takedown_asked" => format!("asked for the takedown of {subject}"),
        "correction_done" => format!("marked a correction of {subject} as done"),
        "correction_dismissed" => format!("dismissed a correction of {subject}"),
        "page_claimed" => format!("claimed the page {subject}"),
        "currency_named" => format!("named the currency of {subject}"),
        // A newer version has recorded this.
        other => format!("{other}: {subject}"),
    }
}
