//! The team today, for owners: open invitations, and what was done last.

use kit::Fault;
use pages::accounts::{NewsItem, PastAction};
use pages::when;

use super::News;
use crate::account::member_request::MemberRequest;
use crate::domain::action;
use crate::domain::role::Permission;
use crate::store::{activity, links};

/// Actions that the page shows.
const MAX_ACTIONS: i64 = 5;

#[derive(Debug, Default)]
pub(super) struct PeopleNews {
    pub(super) news: News,
    pub(super) changes: Vec<PastAction>,
}

pub(super) async fn load(request: &MemberRequest) -> Result<PeopleNews, Fault> {
    if !request.may(Permission::Manage) {
        return Ok(PeopleNews::default());
    }
    let (pool, account) = (&request.app.pool, request.scope.id);
    let now = request.app.clock.now();
    let (invited, done) = futures::try_join!(
        links::invitations(pool, account, now),
        activity::of_account(pool, account, None, MAX_ACTIONS)
    )?;
    let texts = request.language().texts();
    let for_you = invited.iter().map(|link| {
        let text = texts.say_of("today-invited", &link.email);
        let end = when::minute(texts, link.expires_at);
        let detail = texts.say_of("today-invitation-ends", &end);
        NewsItem::new(text, request.path("/team")).detail(detail)
    });
    let changes = done.iter().map(|entry| PastAction {
        at: when::minute(texts, entry.at),
        author: action::author(texts, &entry.email).to_owned(),
        what: action::text(texts, &entry.action, &entry.subject),
    });
    Ok(PeopleNews {
        news: News {
            for_you: for_you.collect(),
            ..News::default()
        },
        changes: changes.collect(),
    })
}
