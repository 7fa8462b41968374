//! Keys of today: requests that were decided, and keys that do not work.

use contracts::gateway::v1 as proto;
use kit::Fault;
use pages::accounts::NewsItem;
use time::OffsetDateTime;

use super::{News, is_recent};
use crate::account::keys::state;
use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::upstream::minute_of;

#[derive(Debug)]
pub(super) struct KeyNews {
    pub(super) has_key: bool,
    /// Whether a key was used.
    pub(super) has_called: bool,
    /// The keys that work.
    pub(super) working: usize,
    pub(super) news: News,
}

pub(super) async fn load(request: &MemberRequest) -> Result<KeyNews, Fault> {
    let (gateway, account) = (&request.app.gateway, request.scope.id);
    let now = request.app.clock.now();
    let (keys, requests) =
        futures::try_join!(gateway.keys(account), gateway.key_requests(account))?;
    let mut news = News::default();
    for key in &keys {
        add_key(&mut news, request, key, now);
    }
    for asked in &requests {
        add_request(&mut news, request, asked, now);
    }
    if !request.may(Permission::Develop) {
        news.for_you.clear();
    }
    let language = request.language();
    let working = keys.iter().filter(|key| state(language, key, now).works);
    Ok(KeyNews {
        has_key: !keys.is_empty(),
        has_called: keys.iter().any(|key| key.last_used_at.is_some()),
        working: working.count(),
        news,
    })
}

fn add_key(news: &mut News, request: &MemberRequest, key: &proto::Key, now: OffsetDateTime) {
    let href = request.path(&format!("/keys/{}", key.id));
    let language = request.language();
    let texts = language.texts();
    let found = state(language, key, now);
    if !found.works && key.revoked_at.is_none() && !key.game_state.is_empty() {
        let text = texts.say_of("today-key-broken", &key.name);
        news.failed
            .push(NewsItem::new(text, href).detail(found.text));
    }
}

fn add_request(
    news: &mut News,
    request: &MemberRequest,
    asked: &proto::KeyRequest,
    now: OffsetDateTime,
) {
    let texts = request.language().texts();
    let item = |key| NewsItem::new(texts.say_of(key, &asked.name), request.path("/keys"));
    match asked.state.as_str() {
        "asked" => {
            let since = minute_of(texts, asked.asked_at);
            let detail = texts.say_of("today-live-key-since", &since);
            news.for_staff.push(item("today-live-key").detail(detail));
        }
        "approved" => {
            let detail = texts.say("today-live-key-reveal");
            news.for_you
                .push(item("today-live-key-approved").detail(detail));
        }
        "rejected" if is_recent(asked.decided_at, now) => {
            let reason = asked.reason.clone().unwrap_or_default();
            news.for_you
                .push(item("today-live-key-rejected").detail(reason));
        }
        _ => {}
    }
}
