//! Keys of an account.

pub mod create;
pub mod list;
pub mod one;
mod words;

use contracts::gateway::v1 as proto;
use pages::keys::{Grace, KeyRow, SecretPage};
use pages::when;
use time::OffsetDateTime;

use self::words::rights;
pub(super) use self::words::{mode_name, state};
use crate::account::member_request::MemberRequest;
use crate::page_language::PageLanguage;
use crate::request::Section;
use crate::upstream::gateway::RotatedKey;
use crate::upstream::time_of;

/// A path for the first call.
const FIRST_PATH: &str = "/games?limit=3";

/// A secret that is shown once.
struct ShownSecret {
    name: String,
    secret: String,
    kind: String,
    may_write: bool,
    /// When the old secret ends, after a rotation.
    old_ends: Option<OffsetDateTime>,
}

impl ShownSecret {
    /// The new secret of a key.
    fn new(key: proto::Key, secret: String) -> Self {
        Self {
            name: key.name,
            secret,
            kind: key.kind,
            may_write: key.may_write,
            old_ends: None,
        }
    }

    /// The secret of the new key of a rotation.
    fn rotated(rotated: RotatedKey) -> Self {
        Self {
            old_ends: time_of(rotated.old_key.grace_until),
            ..Self::new(rotated.key, rotated.secret)
        }
    }

    /// The page that shows the secret. `heading` is the key of a text.
    async fn page(self, request: &MemberRequest, heading: &'static str) -> SecretPage {
        let (app, language) = (&request.app, request.language());
        SecretPage {
            frame: request.frame(Section::Keys).await,
            account: request.scope.id.to_string(),
            heading: language.say(heading),
            variable: variable(&self.kind, self.may_write),
            secret: self.secret,
            name: self.name,
            api_url: app.api_url.clone(),
            grace: self
                .old_ends
                .and_then(|end| grace(language, end, app.clock.now())),
            first_path: FIRST_PATH,
        }
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

fn row(language: PageLanguage, key: &proto::Key, now: OffsetDateTime) -> KeyRow {
    let (game, texts) = (key.game.as_deref(), language.texts());
    let created = time_of(key.created_at).map(|at| when::day(texts, at));
    KeyRow {
        id: key.id.clone(),
        name: key.name.clone(),
        shown: format!("…{}", key.last4),
        mode: mode_name(language, &key.mode),
        rights: rights(language, &key.mode, &key.kind, key.may_write, game),
        created: created.unwrap_or_default(),
        last_used: time_of(key.last_used_at).map(|at| when::minute(texts, at)),
        state: state(language, key, now),
        grace: time_of(key.grace_until)
            .filter(|_| key.revoked_at.is_none())
            .and_then(|until| grace(language, until, now)),
    }
}

/// The rest of a grace period.
fn grace(language: PageLanguage, until: OffsetDateTime, now: OffsetDateTime) -> Option<Grace> {
    let texts = language.texts();
    (until > now).then(|| Grace {
        left: when::time_left(until, now),
        seconds: (until - now).whole_seconds(),
        until: when::minute(texts, until),
    })
}

#[cfg(test)]
mod tests {
    use kit::timestamp;
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_rotated_key_has_the_rest_of_its_grace_period() {
        let now = datetime!(2026-11-23 12:00 UTC);
        let rotated = proto::Key {
            grace_until: Some(timestamp::encode(now + Duration::hours(5))),
            ..proto::Key::default()
        };
        let row = |now| row(PageLanguage::default(), &rotated, now).grace;
        let shown = row(now).unwrap();
        assert_eq!((shown.left.as_str(), shown.seconds), ("5 h 0 min", 18_000));
        assert_eq!(shown.until, "23 November 2026, 17:00 UTC");
        assert!(row(now + Duration::hours(5)).is_none());
    }
}
