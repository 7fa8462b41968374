//! The caller of requests that a person makes in the documentation, without a key.

use time::OffsetDateTime;
use uuid::Uuid;

use super::access::AllowedKeys;
use super::key::{Caller, Key, KeyKind, Mode, Spec};

/// The game of calls for which a key of an account is not enough: one of the samples.
const SAMPLE_GAME: &str = "sample-baobab-runner";

/// An account for which a person tries the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCaller {
    pub account: Uuid,
    pub account_name: String,
    /// The name of the account's plan.
    pub plan: String,
}

impl TestCaller {
    /// The caller of a route, with a test key that the route takes.
    pub fn into_caller(self, allowed: AllowedKeys, now: OffsetDateTime) -> Caller {
        let (kind, game) = match allowed {
            AllowedKeys::Any | AllowedKeys::NotPublic => (KeyKind::Account, None),
            AllowedKeys::Secret | AllowedKeys::Game => {
                (KeyKind::Secret, Some(SAMPLE_GAME.to_owned()))
            }
        };
        let spec = Spec {
            name: "documentation".to_owned(),
            mode: Mode::Test,
            kind,
            may_write: true,
            game,
            expires_at: None,
        };
        Caller {
            // All test calls of an account have one minute together.
            key: Key::new(self.account, self.account, spec, "", now),
            account_name: self.account_name,
            plan: self.plan,
        }
    }
}

#[cfg(test)]
mod tests {
    use kit::Code;
    use time::macros::datetime;

    use super::super::access::{self, Effect, Requirements};
    use super::super::plan_table;
    use super::super::switch::Switches;
    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    /// The caller of a route with real webhook events, and the reason why it is refused.
    fn check(keys: AllowedKeys, effect: Effect) -> (Caller, Option<Code>) {
        let caller = TestCaller {
            account: Uuid::from_u128(7),
            account_name: "Savanna".to_owned(),
            plan: "free".to_owned(),
        };
        let caller = caller.into_caller(keys, NOW);
        let required = Requirements {
            keys,
            module: None,
            endpoint: None,
            webhook_events: true,
            effect,
            from_browser: false,
        };
        let plans = plan_table::parse(plan_table::BUILT_IN).unwrap();
        let checked = access::check(required, &caller, &plans, Switches::default());
        (caller, checked.err().map(|fault| fault.code))
    }

    #[test]
    fn every_route_of_keys_takes_the_caller_and_stores_nothing() {
        let all = [
            AllowedKeys::Any,
            AllowedKeys::NotPublic,
            AllowedKeys::Secret,
            AllowedKeys::Game,
        ];
        let operations = [Effect::Read, Effect::Submit, Effect::Edit, Effect::Record];
        for keys in all {
            for effect in operations {
                let (caller, refused) = check(keys, effect);
                assert_eq!(refused, None, "{keys:?} {effect:?}");
                assert_eq!(caller.key.mode, Mode::Test, "{keys:?}");
                assert!(caller.works(NOW));
            }
        }
    }
}
