//! Keys of today: requests that were decided, and keys that end or do not work.

use contracts::gateway::v1 as proto;
use kit::Fault;
use pages::accounts::NewsItem;
use pages::when;
use time::{Duration, OffsetDateTime};

use super::{News, is_recent};
use crate::account::keys::state;
use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::upstream::{minute_of, time_of};

/// A key that ends within this time is on the page.
const ENDS_SOON: Duration = Duration::days(14);

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
    let list = request.path("/keys");
    for asked in &requests {
        add_request(&mut news, &list, asked, now);
    }
    if !request.may(Permission::Develop) {
        news.for_you.clear();
    }
    Ok(KeyNews {
        has_key: !keys.is_empty(),
        has_called: keys.iter().any(|key| key.last_used_at.is_some()),
        working: keys.iter().filter(|key| state(key, now).works).count(),
        news,
    })
}

fn add_key(news: &mut News, request: &MemberRequest, key: &proto::Key, now: OffsetDateTime) {
    let href = request.path(&format!("/keys/{}", key.id));
    let found = state(key, now);
    let expires = time_of(key.expires_at);
    let ends_soon = expires.is_some_and(|at| at > now && at - now < ENDS_SOON);
    if !found.works && key.revoked_at.is_none() && !key.game_state.is_empty() {
        let text = format!("The key {} does not work", key.name);
        news.failed.push(NewsItem::new(text, found.text, href));
    } else if found.works && ends_soon && key.grace_until.is_none() {
        let detail = expires.map(|at| format!("It expires in {}.", when::left(at, now)));
        let text = format!("The key {} expires soon", key.name);
        let detail = detail.unwrap_or_default();
        news.for_you.push(NewsItem::new(text, detail, href));
    }
}

fn add_request(news: &mut News, list: &str, asked: &proto::KeyRequest, now: OffsetDateTime) {
    let name = &asked.name;
    match asked.state.as_str() {
        "asked" => {
            let since = minute_of(asked.asked_at);
            let text = format!("The live key {name}");
            let detail = format!("Requested {since}. Test keys work meanwhile.");
            news.for_staff.push(NewsItem::new(text, detail, list));
        }
        "approved" => {
            let text = format!("The live key {name} is approved");
            let detail = "Reveal it once, and copy it then.";
            news.for_you.push(NewsItem::new(text, detail, list));
        }
        "rejected" if is_recent(asked.decided_at, now) => {
            let text = format!("The live key {name} was rejected");
            let reason = asked.reason.clone().unwrap_or_default();
            news.for_you.push(NewsItem::new(text, reason, list));
        }
        _ => {}
    }
}
