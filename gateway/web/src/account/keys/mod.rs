//! Keys of an account.

pub mod create;
pub mod list;
pub mod one;

use contracts::gateway::v1 as proto;
use pages::keys::{FirstAnswer, Grace, KeyRow, KeyState, SecretPage};
use pages::shell::ApiCall;
use pages::when;
use prost_types::Timestamp;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::member_request::MemberRequest;
use crate::app::Web;
use crate::domain::json_text;
use crate::upstream::gateway::RotatedKey;
use crate::upstream::{minute_of, time_of};
use crate::viewer::Section;

/// The mode of keys for sample data.
const TEST: &str = "test";
/// A path for the first call.
const FIRST_PATH: &str = "/games?limit=3";
/// The most bytes of the first call's answer that a page shows.
const MAX_ANSWER: usize = 16 * 1024;

/// A secret to show, as it is stored for a form that is sent twice.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ShownSecret {
    name: String,
    secret: String,
    may_write: bool,
    kind: String,
    mode: String,
    /// When the key expires: Unix time.
    expires: Option<i64>,
    /// When the old secret ends, after a rotation: Unix time.
    old_ends: Option<i64>,
}

impl ShownSecret {
    /// The new secret of a key.
    fn new(key: proto::Key, secret: String) -> Self {
        Self {
            name: key.name,
            secret,
            may_write: key.may_write,
            kind: key.kind,
            mode: key.mode,
            expires: time_of(key.expires_at).map(OffsetDateTime::unix_timestamp),
            old_ends: None,
        }
    }

    /// The secret of the new key of a rotation.
    fn rotated(rotated: RotatedKey) -> Self {
        let old_ends = time_of(rotated.old_key.grace_until);
        Self {
            old_ends: old_ends.map(OffsetDateTime::unix_timestamp),
            ..Self::new(rotated.key, rotated.secret)
        }
    }

    /// The page that shows the secret. For a test key, the page has the API's answer to the first call.
    async fn page(self, request: &MemberRequest, heading: &'static str) -> SecretPage {
        let web = &request.app;
        let first_answer = if self.mode == TEST {
            Some(first_answer(web, &self.secret).await)
        } else {
            None
        };
        let mut shell = request.shell(Section::Keys).await;
        shell.api_call = Some(ApiCall::account("POST /v1/account/keys"));
        SecretPage {
            shell,
            account: request.scope.id.to_string(),
            heading,
            variable: variable(&self.kind, self.may_write),
            secret: self.secret,
            name: self.name,
            api_url: web.api_url.clone(),
            expires: self
                .expires
                .and_then(|end| OffsetDateTime::from_unix_timestamp(end).ok())
                .map(when::minute),
            grace: self
                .old_ends
                .and_then(|end| OffsetDateTime::from_unix_timestamp(end).ok())
                .and_then(|end| grace(end, web.clock.now())),
            first_path: FIRST_PATH,
            first_answer,
        }
    }
}

/// The API's answer to the first call with a new key.
async fn first_answer(web: &Web, secret: &str) -> FirstAnswer {
    match web.api.get(FIRST_PATH, secret).await {
        Ok(answer) => {
            let mut body = json_text::indented(&answer.body);
            if body.len() > MAX_ANSWER {
                let end = body.floor_char_boundary(MAX_ANSWER);
                body.truncate(end);
                body.push_str("\n…");
            }
            FirstAnswer::Answered {
                status: answer.status.to_string(),
                is_success: answer.status.is_success(),
                body,
            }
        }
        Err(reason) => FirstAnswer::Failed(reason),
    }
}

/// The customary name of the environment variable of a key (§5.8).
pub(super) fn variable(kind: &str, may_write: bool) -> &'static str {
    match (kind, may_write) {
        ("secret", _) => "SERVICE_SECRET_KEY",
        (_, true) => "SERVICE_WRITE_KEY",
        (_, false) => "SERVICE_API_KEY",
    }
}

fn row(key: &proto::Key, now: OffsetDateTime) -> KeyRow {
    KeyRow {
        id: key.id.clone(),
        name: key.name.clone(),
        shown: format!("…{}", key.last4),
        mode: key.mode.clone(),
        rights: rights(&key.mode, &key.kind, key.may_write, key.game.as_deref()),
        created: time_of(key.created_at).map(when::day).unwrap_or_default(),
        last_used: time_of(key.last_used_at).map(when::minute),
        state: state(key, now),
        grace: time_of(key.grace_until)
            .filter(|_| key.revoked_at.is_none())
            .and_then(|until| grace(until, now)),
    }
}

/// The rest of a grace period.
fn grace(until: OffsetDateTime, now: OffsetDateTime) -> Option<Grace> {
    (until > now).then(|| Grace {
        left: when::left_in_short(until, now),
        seconds: (until - now).whole_seconds(),
        until: when::minute(until),
    })
}

/// The rights of a key in words, such as `test, writes` or `live, secret key of okoto`.
fn rights(mode: &str, kind: &str, may_write: bool, game: Option<&str>) -> String {
    let what = match (kind, game) {
        ("account", _) | (_, None) if may_write => "reads and writes".to_owned(),
        ("account", _) | (_, None) => "reads".to_owned(),
        (kind, Some(game)) if may_write => format!("{kind} key of {game}, writes"),
        (kind, Some(game)) => format!("{kind} key of {game}"),
    };
    format!("{mode}, {what}")
}

pub(super) fn state(key: &proto::Key, now: OffsetDateTime) -> KeyState {
    let state = |text: String, works| KeyState { text, works };
    let (expires, grace) = (time_of(key.expires_at), time_of(key.grace_until));
    if key.revoked_at.is_some() {
        return state("revoked".to_owned(), false);
    }
    if expires.is_some_and(|expires| expires <= now) {
        return state("expired".to_owned(), false);
    }
    match key.game_state.as_str() {
        "game_gone" => return state("its game is not published".to_owned(), false),
        "not_owned" => return state("its game has another owner".to_owned(), false),
        _ => {}
    }
    match grace {
        // The page shows the rest of the grace period next to this.
        Some(until) => state("rotated".to_owned(), until > now),
        None => match expires {
            Some(expires) if expires - now < time::Duration::days(14) => {
                state(format!("expires in {}", when::left(expires, now)), true)
            }
            _ => state("works".to_owned(), true),
        },
    }
}

/// Why calls with a key are refused, and what its owner can do. `None`: they are not.
fn refusal(
    key: &proto::Key,
    month: Option<&proto::MonthUse>,
    now: OffsetDateTime,
) -> Option<String> {
    let ended = |at: Option<Timestamp>| time_of(at).filter(|at| *at <= now);
    if key.revoked_at.is_some() {
        let at = minute_of(key.revoked_at);
        return Some(format!(
            "It was revoked, {at}: calls with it get 401 for good. Create another key."
        ));
    }
    if let Some(at) = ended(key.expires_at) {
        let at = when::minute(at);
        return Some(format!(
            "It expired, {at}: calls with it get 401. Create another key."
        ));
    }
    if let Some(at) = ended(key.grace_until) {
        let at = when::minute(at);
        return Some(format!(
            "It was rotated, and its grace period ended, {at}. Calls need the new key."
        ));
    }
    let game = key.game.as_deref().unwrap_or_default();
    match key.game_state.as_str() {
        "game_gone" => {
            return Some(format!(
                "Its game {game} is not published: it waits for review, was rejected or was taken down. The key works again once the game is public."
            ));
        }
        "not_owned" => {
            return Some(format!(
                "Its game {game} belongs to another account now. The key works again if this account owns the game again."
            ));
        }
        _ => {}
    }
    let is_used_up = |month: &&proto::MonthUse| month.limit.is_some_and(|most| month.used >= most);
    let month = month.filter(is_used_up).filter(|_| key.mode == "live")?;
    let resets = minute_of(month.resets_at);
    Some(format!(
        "The calls of the plan are used up: live keys get 429 until {resets}, or until the account has a larger plan."
    ))
}

#[cfg(test)]
mod tests {
    use kit::timestamp;
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-23 12:00 UTC);

    #[test]
    fn the_state_of_a_key_is_told_in_words() {
        let at = |after: Duration| Some(timestamp::encode(NOW + after));
        let text = |key: proto::Key| state(&key, NOW).text;
        assert_eq!(text(proto::Key::default()), "works");
        let rotated = proto::Key {
            grace_until: at(Duration::hours(5)),
            ..proto::Key::default()
        };
        assert_eq!(text(rotated.clone()), "rotated");
        let shown = row(&rotated, NOW).grace.unwrap();
        assert_eq!((shown.left.as_str(), shown.seconds), ("5 h 0 min", 18_000));
        assert_eq!(shown.until, "2026-11-23 17:00 UTC");
        assert!(row(&rotated, NOW + Duration::hours(5)).grace.is_none());
        let revoked = proto::Key {
            revoked_at: at(Duration::ZERO),
            ..rotated
        };
        assert_eq!(text(revoked), "revoked");
        let without_game = |reason: &str| proto::Key {
            game_state: reason.to_owned(),
            ..proto::Key::default()
        };
        for (reason, shown) in [
            ("game_gone", "its game is not published"),
            ("not_owned", "its game has another owner"),
        ] {
            let shown_state = state(&without_game(reason), NOW);
            assert_eq!((&*shown_state.text, shown_state.works), (shown, false));
        }
        let expires = |after| proto::Key {
            expires_at: at(after),
            ..proto::Key::default()
        };
        assert_eq!(text(expires(Duration::days(2))), "expires in 2 days");
        assert_eq!(text(expires(Duration::ZERO)), "expired");
        assert_eq!(text(expires(Duration::days(60))), "works");
    }

    #[test]
    fn a_key_that_is_refused_says_why() {
        let at = |after: Duration| Some(timestamp::encode(NOW + after));
        let used_up = proto::MonthUse {
            used: 50_000,
            limit: Some(50_000),
            ..proto::MonthUse::default()
        };
        let why = |key: proto::Key| refusal(&key, Some(&used_up), NOW);
        let key = || proto::Key {
            mode: "test".to_owned(),
            game: Some("okoto".to_owned()),
            ..proto::Key::default()
        };
        assert_eq!(why(key()), None, "test calls do not count");
        let past = at(-Duration::HOUR);
        for (key, words) in [
            (
                proto::Key {
                    revoked_at: past,
                    ..key()
                },
                "revoked, 2026-11-23 11:00 UTC",
            ),
            (
                proto::Key {
                    expires_at: past,
                    ..key()
                },
                "expired, 2026-11-23 11:00 UTC",
            ),
            (
                proto::Key {
                    grace_until: past,
                    ..key()
                },
                "grace period ended",
            ),
            (
                proto::Key {
                    game_state: "game_gone".to_owned(),
                    ..key()
                },
                "game okoto is not published",
            ),
            (
                proto::Key {
                    game_state: "not_owned".to_owned(),
                    ..key()
                },
                "another account",
            ),
            (
                proto::Key {
                    mode: "live".to_owned(),
                    ..key()
                },
                "calls of the plan are used up",
            ),
        ] {
            let text = why(key).unwrap();
            assert!(text.contains(words), "{text}");
        }
        let future = proto::Key {
            expires_at: at(Duration::HOUR),
            grace_until: at(Duration::HOUR),
            ..key()
        };
        assert_eq!(why(future), None);
    }

    #[test]
    fn rights_are_told_in_words() {
        assert_eq!(rights("test", "account", false, None), "test, reads");
        assert_eq!(
            rights("live", "account", true, None),
            "live, reads and writes"
        );
        assert_eq!(
            rights("live", "public", false, Some("okoto")),
            "live, public key of okoto"
        );
    }
}
