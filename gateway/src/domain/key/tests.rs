use time::macros::datetime;

use super::super::plan_table;
use super::*;

const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

/// A caller on the plan `free` with a live account key.
pub(crate) fn caller() -> Caller {
    Caller {
        key: Key {
            id: Uuid::from_u128(1),
            account: Uuid::from_u128(2),
            chain: Uuid::from_u128(1),
            name: "server".to_owned(),
            mode: Mode::Live,
            kind: KeyKind::Account,
            may_write: false,
            game: None,
            last4: "abcd".to_owned(),
            created_at: NOW,
            last_used_at: None,
            grace_until: None,
            revoked_at: None,
            revision: 1,
            seen_by: None,
            game_state: GameState::Usable,
        },
        account_name: "Savanna".to_owned(),
        plan: "free".to_owned(),
    }
}

#[test]
fn a_key_works_until_its_grace_period_ends() {
    let mut caller = caller();
    assert!(caller.works(NOW));
    let end = NOW + Duration::HOUR;
    caller.key.grace_until = Some(end);
    assert!(caller.works(end - Duration::MILLISECOND));
    assert!(!caller.works(end));
}

fn spec(mode: Mode) -> Spec {
    Spec { name: "server".to_owned(), mode, kind: KeyKind::Account, may_write: false, game: None }
}

#[test]
fn a_plan_limits_live_keys_and_a_game_key_needs_its_game() {
    let plans = plan_table::parse(plan_table::BUILT_IN).unwrap();
    let plan = plans.get_or_cheapest("free");
    let limit = i64::from(plan.working_keys.unwrap());
    let check = |mode, taken, game| spec(mode).check(&plans, plan, taken, game).err();
    assert_eq!(check(Mode::Live, limit - 1, GameState::Usable), None);
    let full = check(Mode::Live, limit, GameState::Usable).unwrap();
    assert_eq!((full.code, full.fields.len()), (Code::PlanRequired, 0));
    assert!(full.message.contains("the plan Partner."), "{full}");
    assert_eq!(check(Mode::Test, limit, GameState::Usable), None);
    for game in [GameState::Gone, GameState::NotOwned] {
        assert!(check(Mode::Test, 0, game).unwrap().fields.contains_key("game"));
    }
    let endless = plans.get_or_cheapest("partner");
    let unlimited = Plan { working_keys: None, ..endless.clone() };
    assert!(spec(Mode::Live).check(&plans, &unlimited, i64::MAX, GameState::Usable).is_ok());
}

#[test]
fn a_key_is_rotated_once_while_it_works() {
    let key = caller().key;
    let id = Uuid::from_u128(9);
    let (old, new) = key.rotated(id, "wxyz", false, NOW).unwrap();
    assert_eq!((old.id, old.grace_until, old.revision), (key.id, Some(NOW + GRACE), 2));
    assert!(old.works(NOW) && !old.works(NOW + GRACE));
    assert_eq!((new.id, new.last4.as_str(), new.revision), (id, "wxyz", 1));
    assert_eq!((new.account, new.chain), (key.account, key.chain));
    assert_eq!(new.grace_until, None);
    let (old, _) = key.rotated(id, "wxyz", true, NOW).unwrap();
    assert_eq!(old.grace_until, Some(NOW));
    // A replica's clock may be behind that of PostgreSQL.
    assert!(!old.works(NOW - Duration::HOUR));

    let (old, _) = key.rotated(id, "wxyz", false, NOW).unwrap();
    let again = old.rotated(Uuid::from_u128(10), "abcd", false, NOW);
    assert!(again.unwrap_err().fields["id"].contains("rotated before"));
    let ended = key.revoked(NOW).unwrap();
    let dead = ended.rotated(Uuid::from_u128(10), "abcd", false, NOW);
    assert!(dead.unwrap_err().fields["id"].contains("no longer works"));
}

#[test]
fn a_key_is_revoked_once() {
    let revoked = caller().key.revoked(NOW).unwrap();
    assert_eq!((revoked.revoked_at, revoked.revision), (Some(NOW), 2));
    assert_eq!(revoked.revoked(NOW + Duration::HOUR), None);
}

#[test]
fn a_revoked_key_and_a_key_without_its_game_do_not_work() {
    let mut revoked = caller();
    revoked.key.revoked_at = Some(NOW);
    assert!(!revoked.works(NOW));
    for game in [GameState::Gone, GameState::NotOwned] {
        let mut orphan = caller();
        orphan.key.game_state = game;
        assert!(!orphan.works(NOW), "{game:?}");
    }
}
