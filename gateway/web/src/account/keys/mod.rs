//! Keys of an account.

pub mod create;
pub mod list;
pub mod one;
mod words;

use contracts::gateway::v1 as proto;
use pages::keys::{Grace, KeyRow, SecretPage};
use pages::when;
use time::{Duration, OffsetDateTime};

use self::words::rights;
pub(super) use self::words::{mode_name, state};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::{say, texts};
use crate::render::{ok, see_other};
use crate::request::Section;
use crate::upstream::time_of;

/// A path for the first call.
const FIRST_PATH: &str = "/games?limit=3";

/// How long what staff rejected waits for the account on its pages.
pub(super) const REJECTION_SHOWN_FOR: Duration = Duration::days(14);

/// Whether staff rejected a request. Otherwise its account withdrew it, or it has not ended.
fn is_rejection(request: &proto::KeyRequest) -> bool {
    request.ended.as_ref().is_some_and(|ended| ended.by_account.is_empty())
}

/// Whether staff rejected a request a short time ago.
pub(super) fn is_recent_rejection(request: &proto::KeyRequest, now: OffsetDateTime) -> bool {
    let ended = request.ended.as_ref().and_then(|ended| time_of(ended.at));
    is_rejection(request) && ended.is_some_and(|at| now - at < REJECTION_SHOWN_FOR)
}

/// What a form did that shows a secret.
#[derive(Debug, Clone, Copy)]
enum KeyEffect {
    Created,
    Revealed,
    Rotated,
}

impl KeyEffect {
    /// The entry in the activity, the key of the heading, and the notice of the form's second
    /// answer, which has no secret.
    const fn texts(self) -> (Action, &'static str, &'static str) {
        match self {
            Self::Created => (Action::KeyCreated, "key-secret-test", "key-created-before"),
            Self::Revealed => (Action::KeyRevealed, "key-secret-live", "key-revealed-before"),
            Self::Rotated => (Action::KeyRotated, "key-secret-new", "key-rotated-before"),
        }
    }
}

/// The effect of a form that shows a secret once. If the secret was shown before, to this or to
/// another person, it leads to the key. After a rotation, `old_ends` is the end of the old secret.
async fn shown_once(
    request: &MemberRequest,
    effect: KeyEffect,
    (key, secret): (proto::Key, String),
    old_ends: Option<OffsetDateTime>,
) -> Effect {
    let id = key.id.parse().ok();
    let (action, heading, before) = effect.texts();
    if secret.is_empty() {
        let page = request.path(&format!("/keys/{}?done={before}", key.id));
        let is_own = key.seen_by == request.person().id.to_string();
        if !is_own {
            return Effect::none(see_other(&page));
        }
        return Effect::shown_at(action, key.name, &page).once(id);
    }
    let app = &request.app;
    let page = SecretPage {
        frame: request.frame(Section::Keys).await,
        account: request.scope.id.to_string(),
        heading: say(heading),
        variable: variable(key.kind(), key.may_write),
        secret,
        name: key.name.clone(),
        api_url: app.api_url.clone(),
        grace: old_ends.and_then(|end| grace(end, app.clock.now())),
        first_path: FIRST_PATH,
    };
    Effect::new(action, key.name, ok(&page)).once(id)
}

/// The customary name of the environment variable of a key (§5.8).
pub(super) fn variable(kind: proto::KeyKind, may_write: bool) -> &'static str {
    match (kind, may_write) {
        (proto::KeyKind::Secret, _) => "SERVICE_SECRET_KEY",
        (_, true) => "SERVICE_WRITE_KEY",
        (_, false) => "SERVICE_API_KEY",
    }
}

fn row(key: &proto::Key, now: OffsetDateTime) -> KeyRow {
    let game = key.game.as_deref();
    let created = time_of(key.created_at).map(|at| when::day(texts(), at));
    KeyRow {
        id: key.id.clone(),
        name: key.name.clone(),
        shown: format!("…{}", key.last4),
        mode: mode_name(key.mode()).to_owned(),
        rights: rights(key.mode(), key.kind(), key.may_write, game),
        created: created.unwrap_or_default(),
        last_used: time_of(key.last_used_at).map(|at| texts().minute(at)),
        state: state(key, now),
        grace: time_of(key.grace_until)
            .filter(|_| key.revoked_at.is_none())
            .and_then(|until| grace(until, now)),
    }
}

/// The rest of a grace period.
fn grace(until: OffsetDateTime, now: OffsetDateTime) -> Option<Grace> {
    (until > now).then(|| Grace {
        left: when::time_left(until, now),
        seconds: (until - now).whole_seconds(),
        until: texts().minute(until),
    })
}
