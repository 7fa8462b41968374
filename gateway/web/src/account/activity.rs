//! The activity of an account: actions of people in the dashboard, newest first.

use std::borrow::Cow;

use pages::teams::{ActivityPage, ActivityRow};
use serde::Deserialize;
use uuid::Uuid;

use crate::account::member_request::MemberRequest;
use crate::domain::role::Role;
use crate::english::{say, texts};
use crate::page_error::PageResult;
use crate::people::agent;
use crate::render::ok;
use crate::request::Section;
use crate::store::activity::{self, Activity};
use crate::url_query::UrlQuery;

/// Rows of a page.
const ROWS: u8 = 100;

#[derive(Debug, Default, Deserialize)]
pub struct Before {
    #[serde(default)]
    before: String,
}

pub async fn show(request: MemberRequest, UrlQuery(before): UrlQuery<Before>) -> PageResult {
    let (app, account) = (&request.app, request.scope.id);
    let before: Option<Uuid> = before.before.parse().ok();
    let now = app.clock.now();
    // Read one row more than a page has, to see whether there is a next page.
    let limit = u32::from(ROWS) + 1;
    let (entries, frame) = futures::join!(
        activity::of_account(&app.pool, account, now, before, limit.into()),
        request.frame(Section::Activity),
    );
    let mut entries = entries?;
    let has_more = entries.len() > usize::from(ROWS);
    entries.truncate(ROWS.into());
    let last = entries.last().filter(|_| has_more);
    let next = last.map(|last| request.path(&format!("/activity?before={}", last.id)));
    Ok(ok(&ActivityPage { frame, rows: entries.iter().map(row).collect(), next }))
}

fn row(entry: &Activity) -> ActivityRow {
    // An action of staff has no address, and then no browser either.
    let agent =
        if entry.address.is_empty() { String::new() } else { agent::name(texts(), &entry.agent) };
    ActivityRow {
        at: texts().minute(entry.at),
        author: author(&entry.email).to_owned(),
        what: text(&entry.action, &entry.subject),
        address: entry.address.clone(),
        agent,
    }
}

/// The author of a recorded action: the address of a person, or staff, who are not named.
fn author(email: &str) -> &str {
    if email.is_empty() { say("activity-staff") } else { email }
}

/// A recorded action in words. During a rolling update, a replica with more actions may have recorded it.
pub(super) fn text(name: &str, subject: &str) -> String {
    let shown = shown_subject(name, subject);
    let text = texts().find_of(&format!("did-{name}"), &shown);
    text.unwrap_or_else(|| {
        if subject.is_empty() { name.to_owned() } else { format!("{name}: {subject}") }
    })
}

/// The object of an action, with a role in words.
fn shown_subject<'a>(name: &str, subject: &'a str) -> Cow<'a, str> {
    let role = |name: &str| Some(say(name.parse::<Role>().ok()?.key()).to_owned());
    let shown = match name {
        "joined" => role(subject),
        "role_changed" => subject
            .rsplit_once(", ")
            .and_then(|(person, name)| Some(format!("{person}, {}", role(name)?))),
        _ => None,
    };
    shown.map_or(Cow::Borrowed(subject), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use strum::VariantNames as _;

    use super::*;
    use crate::domain::action::Action;

    #[test]
    fn every_action_of_an_account_has_a_text() {
        let of_accounts =
            Action::VARIANTS.iter().take_while(|name| **name != Action::SignedIn.name());
        for name in of_accounts {
            let found = texts().find_of(&format!("did-{name}"), "x");
            assert!(found.is_some(), "{name}");
        }
    }
}
