//! What pages say about a key: its rights, its state, and why calls with it are refused.

use contracts::common::v1::Mode;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::{GameState, KeyKind};
use pages::keys::KeyState;
use time::OffsetDateTime;

use crate::english::{say, say_of, say_of_two, texts};
use crate::upstream::{minute_of, time_of};

pub(in crate::account) fn mode_name(mode: Mode) -> &'static str {
    say(match mode {
        Mode::Test => "key-mode-test",
        Mode::Live => "key-mode-live",
        Mode::Unspecified => "key-mode-unknown",
    })
}

/// The rights of a key in words, such as `test, reads and writes` or `live, secret key of okoto`.
pub(super) fn rights(mode: Mode, kind: KeyKind, may_write: bool, game: Option<&str>) -> String {
    let mode = mode_name(mode);
    let what = match (kind, game) {
        (KeyKind::Account, _) | (_, None) if may_write => say("key-rights-writes").to_owned(),
        (KeyKind::Account, _) | (_, None) => say("key-rights-reads").to_owned(),
        (kind, Some(game)) => {
            let kind = say(match kind {
                KeyKind::Secret => "key-kind-secret",
                KeyKind::Public => "key-kind-public",
                _ => "key-kind-unknown",
            });
            let text = if may_write { "key-rights-of-game-writes" } else { "key-rights-of-game" };
            say_of_two(text, kind, game)
        }
    };
    format!("{mode}, {what}")
}

pub(in crate::account) fn state(key: &proto::Key, now: OffsetDateTime) -> KeyState {
    let state = |text: &'static str, works| KeyState { text: say(text).to_owned(), works };
    if key.revoked_at.is_some() {
        return state("key-state-revoked", false);
    }
    match key.game_state() {
        GameState::Gone => return state("key-state-game-gone", false),
        GameState::NotOwned => return state("key-state-not-owned", false),
        _ => {}
    }
    match time_of(key.grace_until) {
        // The page shows the rest of the grace period next to this.
        Some(until) => state("key-state-rotated", until > now),
        None => state("key-state-works", true),
    }
}

/// Why calls with a key are refused, and what its owner can do. `None`: they are not.
pub(super) fn refusal(
    key: &proto::Key,
    month: Option<&proto::MonthUse>,
    now: OffsetDateTime,
) -> Option<String> {
    let say = |text: &str, value: &str| Some(say_of(text, value));
    if key.revoked_at.is_some() {
        return say("key-refusal-revoked", &minute_of(texts(), key.revoked_at));
    }
    if let Some(at) = time_of(key.grace_until).filter(|at| *at <= now) {
        return say("key-refusal-rotated", &texts().minute(at));
    }
    let game = key.game.as_deref().unwrap_or_default();
    match key.game_state() {
        GameState::Gone => return say("key-refusal-game-gone", game),
        GameState::NotOwned => return say("key-refusal-not-owned", game),
        _ => {}
    }
    let is_used_up = |month: &&proto::MonthUse| month.limit.is_some_and(|most| month.used >= most);
    let month = month.filter(is_used_up).filter(|_| key.mode() == Mode::Live)?;
    say("key-refusal-month", &minute_of(texts(), month.resets_at))
}

#[cfg(test)]
mod tests {
    use kit::api::timestamp;
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-23 12:00 UTC);

    #[test]
    fn a_key_that_does_not_work_shows_the_reason() {
        let at = |after: Duration| Some(timestamp::encode(NOW + after));
        let used_up =
            proto::MonthUse { used: 50_000, limit: Some(50_000), ..proto::MonthUse::default() };
        let key = |mode: Mode, revoked_at, grace_until, game_state: GameState| proto::Key {
            mode: mode.into(),
            revoked_at,
            grace_until,
            game_state: game_state.into(),
            ..proto::Key::default()
        };
        let (past, future) = (at(-Duration::HOUR), at(Duration::HOUR));
        for (key, works, says) in [
            // Calls of test keys do not use the month.
            (key(Mode::Test, None, None, GameState::Usable), true, None),
            (key(Mode::Test, None, future, GameState::Usable), true, None),
            (key(Mode::Live, None, None, GameState::Usable), true, Some("key-refusal-month")),
            (key(Mode::Test, past, None, GameState::Usable), false, Some("key-refusal-revoked")),
            (key(Mode::Test, past, past, GameState::Usable), false, Some("key-refusal-revoked")),
            (key(Mode::Test, None, past, GameState::Usable), false, Some("key-refusal-rotated")),
            (key(Mode::Test, None, None, GameState::Gone), false, Some("key-refusal-game-gone")),
            (
                key(Mode::Test, None, None, GameState::NotOwned),
                false,
                Some("key-refusal-not-owned"),
            ),
        ] {
            assert_eq!(state(&key, NOW).works, works, "{key:?}");
            let ended = matches!(says, Some("key-refusal-revoked" | "key-refusal-rotated"));
            let value = if ended { "23 November 2026, 11:00 UTC" } else { "" };
            let says = says.map(|text| texts().say_of(text, value));
            assert_eq!(refusal(&key, Some(&used_up), NOW), says, "{key:?}");
        }
    }

    #[test]
    fn the_rights_of_a_key_name_its_data_its_game_and_whether_it_writes() {
        for (mode, kind, may_write, game, shown) in [
            (Mode::Test, KeyKind::Account, false, None, "test, reads"),
            (Mode::Live, KeyKind::Account, true, None, "live, reads and writes"),
            (Mode::Live, KeyKind::Public, false, Some("okoto"), "live, public key of okoto"),
            (Mode::Test, KeyKind::Secret, true, Some("okoto"), "test, secret key of okoto, writes"),
            // A gateway of a later version may have another mode and another kind.
            (
                Mode::Unspecified,
                KeyKind::Unspecified,
                false,
                Some("okoto"),
                "not known, key of okoto",
            ),
        ] {
            assert_eq!(rights(mode, kind, may_write, game), shown);
        }
    }
}
