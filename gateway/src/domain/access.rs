//! Authorization: the checks between authentication and the quota, in the order of §7.1.

use kit::{Code, Fault};

use super::account_token::{self, Scope};
use super::key::{Caller, KeyKind, Mode};
use super::plan::Plans;
use super::switch::{Switch, Switches};

/// The `Retry-After` of a request that meets a switch. Nobody knows when staff will turn the switch back.
const RETRY_AFTER_SECONDS: u32 = 60;

/// What a request requires of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirements {
    pub keys: AllowedKeys,
    /// The switch of the module that the route belongs to.
    pub module: Option<Switch>,
    /// The endpoint's name in the table of plans.
    pub endpoint: Option<&'static str>,
    /// Whether live keys need a plan with real webhook events.
    pub webhook_events: bool,
    pub operation: Operation,
    /// Whether a page sent the request: it has an `Origin` header.
    pub from_browser: bool,
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Read,
    /// Submits a game or an event.
    Submit,
    /// Edits a game or an event.
    Edit,
    /// Records a report or a tip.
    Record,
}

/// The kinds of keys that a route accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedKeys {
    Any,
    /// All but public keys, which are meant to be given away.
    NotPublic,
    /// The secret key of a game, from a server (§5.4).
    Secret,
    /// The secret or the public key of a game.
    Game,
    /// An account token with one of two scopes: for reads, and for writes (§10.18).
    Token {
        read: Scope,
        write: Scope,
    },
}

/// Rejects what the caller may not do. The order of the checks is part of the contract.
pub fn check(
    required: Requirements,
    caller: &Caller,
    plans: &Plans,
    switches: Switches,
) -> Result<(), Fault> {
    scope_required(required, caller)?;
    secret_key_required(required, caller)?;
    server_only(required)?;
    api_unavailable(switches)?;
    module_off(required, switches)?;
    closed(required, switches)?;
    plan_required(required, caller, plans)?;
    write_not_allowed(required, caller)
}

fn scope_required(required: Requirements, caller: &Caller) -> Result<(), Fault> {
    let wanted = match required.keys {
        AllowedKeys::Token { read, .. } if required.operation == Operation::Read => Some(read),
        AllowedKeys::Token { write, .. } => Some(write),
        _ => None,
    };
    account_token::check_scope(caller, wanted)
}

fn secret_key_required(required: Requirements, caller: &Caller) -> Result<(), Fault> {
    let (fits, message) = match required.keys {
        AllowedKeys::Any | AllowedKeys::Token { .. } => return Ok(()),
        AllowedKeys::NotPublic => (
            caller.key.kind != KeyKind::Public,
            "This call shows what is not public, and a public key may be known to anybody. Use a secret key or a key of the account.",
        ),
        AllowedKeys::Secret => (
            caller.key.kind == KeyKind::Secret && !required.from_browser,
            "Economy calls need the secret key of the game, and must come from your server, not from a page.",
        ),
        AllowedKeys::Game => (
            caller.key.kind != KeyKind::Account,
            "This call needs the secret or public key of a game, not a key of an account.",
        ),
    };
    if fits {
        Ok(())
    } else {
        Err(Fault::new(Code::SecretKeyRequired, message))
    }
}

fn server_only(required: Requirements) -> Result<(), Fault> {
    if required.from_browser {
        Err(server_only_error())
    } else {
        Ok(())
    }
}

/// The error of every request from a page (§5.6).
pub fn server_only_error() -> Fault {
    Fault::new(
        Code::ServerOnly,
        "API keys are for servers. Make this call from your server, not from a page.",
    )
}

fn api_unavailable(switches: Switches) -> Result<(), Fault> {
    if switches.is_on(Switch::Api) {
        return Ok(());
    }
    Err(with_retry_after(
        Code::ApiUnavailable,
        "The API is turned off at the moment, for all keys. Keys and listings stay as they are. Try again later.",
    ))
}

fn module_off(required: Requirements, switches: Switches) -> Result<(), Fault> {
    let message = match required.module {
        Some(switch) if !switches.is_on(switch) => match switch {
            Switch::Economy => {
                "The economy, including tips, is turned off. The catalogue still works."
            }
            _ => "Writing through the API is turned off. Reads still work.",
        },
        _ => return Ok(()),
    };
    Err(Fault::new(Code::ModuleOff, message))
}

fn closed(required: Requirements, switches: Switches) -> Result<(), Fault> {
    let message = if required.operation != Operation::Read && switches.is_on(Switch::ReadOnly) {
        "Nothing can be changed at the moment. Reads still work. Try again later."
    } else if required.operation == Operation::Submit && !switches.is_on(Switch::Submissions) {
        "New games and events are not accepted at the moment. Edits and reads still work. Try again later."
    } else {
        return Ok(());
    };
    Err(with_retry_after(Code::Closed, message))
}

fn with_retry_after(code: Code, message: &'static str) -> Fault {
    Fault {
        retry_after: Some(RETRY_AFTER_SECONDS),
        ..Fault::new(code, message)
    }
}

fn plan_required(required: Requirements, caller: &Caller, plans: &Plans) -> Result<(), Fault> {
    let plan = plans.get_or_cheapest(&caller.plan);
    if caller.key.mode == Mode::Test {
        return Ok(());
    }
    let (endpoint, other) = match required.endpoint {
        Some(endpoint) if !plan.has(endpoint) => (endpoint, plans.cheapest_with(endpoint)),
        _ if required.webhook_events && !plan.webhook_events => {
            ("real webhook events", plans.cheapest_with_webhook_events())
        }
        _ => return Ok(()),
    };
    let way_out = other.map_or_else(
        || "No plan includes it; a test key can call it.".to_owned(),
        |other| format!("The plan {} does.", other.title),
    );
    Err(Fault::new(
        Code::PlanRequired,
        format!(
            "Your plan {} does not include {endpoint}. {way_out}",
            plan.title
        ),
    ))
}

fn write_not_allowed(required: Requirements, caller: &Caller) -> Result<(), Fault> {
    // Keys of a game may send reports and tips whether they may write or not.
    let writes = matches!(required.operation, Operation::Submit | Operation::Edit);
    if !writes || caller.key.may_write {
        return Ok(());
    }
    Err(Fault::new(
        Code::WriteNotAllowed,
        match caller.key.kind {
            KeyKind::Public => {
                "A public key never writes. Use a key that was created with permission to write."
            }
            KeyKind::Account | KeyKind::Secret | KeyKind::Token => {
                "This key can only read, and that cannot be changed. Use a key that was created with permission to write."
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::caller;
    use super::super::plan_table;
    use super::*;

    const READ: Requirements = Requirements {
        keys: AllowedKeys::Any,
        module: None,
        endpoint: Some("games"),
        webhook_events: false,
        operation: Operation::Read,
        from_browser: false,
    };

    /// The plan `free` lacks all endpoints of these tests; `build` has them.
    fn plans() -> Plans {
        let lacking = "lacks = [\"games\", \"economy\"]\n[[plan]]\nname = \"build\"";
        plan_table::parse(&plan_table::BUILT_IN.replacen("[[plan]]\nname = \"build\"", lacking, 1))
            .unwrap()
    }

    fn code(required: Requirements, caller: &Caller, switches: Switches) -> Option<Code> {
        check(required, caller, &plans(), switches)
            .err()
            .map(|f| f.code)
    }

    fn on() -> Switches {
        Switches::default()
    }

    fn all_off() -> Switches {
        Switch::ALL.into_iter().fold(on(), |switches, switch| {
            switches.with(switch, switch == Switch::ReadOnly)
        })
    }

    /// Each step removes the reason of the error before, so that the order of all neighbours is tested.
    #[test]
    fn the_earlier_of_two_errors_is_returned() {
        let mut caller = caller();
        let mut switches = all_off();
        let mut required = Requirements {
            keys: AllowedKeys::Secret,
            module: Some(Switch::ApiWrites),
            endpoint: Some("economy"),
            webhook_events: false,
            operation: Operation::Submit,
            from_browser: true,
        };
        assert_eq!(
            code(required, &caller, switches),
            Some(Code::SecretKeyRequired)
        );
        required.keys = AllowedKeys::Any;
        assert_eq!(code(required, &caller, switches), Some(Code::ServerOnly));
        required.from_browser = false;
        assert_eq!(
            code(required, &caller, switches),
            Some(Code::ApiUnavailable)
        );
        switches = switches.with(Switch::Api, true);
        assert_eq!(code(required, &caller, switches), Some(Code::ModuleOff));
        switches = switches.with(Switch::ApiWrites, true);
        assert_eq!(code(required, &caller, switches), Some(Code::Closed));
        switches = switches.with(Switch::ReadOnly, false);
        assert_eq!(code(required, &caller, switches), Some(Code::Closed));
        switches = switches.with(Switch::Submissions, true);
        assert_eq!(code(required, &caller, switches), Some(Code::PlanRequired));
        caller.plan = "build".to_owned();
        assert_eq!(
            code(required, &caller, switches),
            Some(Code::WriteNotAllowed)
        );
        caller.key.may_write = true;
        assert_eq!(code(required, &caller, switches), None);
    }

    /// The table of §7.3: each switch alone, with each operation and both modes.
    #[test]
    fn a_switch_stops_its_own_requests_only() {
        let read = Requirements {
            endpoint: None,
            ..READ
        };
        let required = |module, operation| Requirements {
            module,
            operation,
            ..read
        };
        let calls = [
            read,
            required(Some(Switch::ApiWrites), Operation::Submit),
            required(Some(Switch::ApiWrites), Operation::Edit),
            required(Some(Switch::Economy), Operation::Read),
            required(Some(Switch::Economy), Operation::Record),
        ];
        let (api, module, closed) = (
            Some(Code::ApiUnavailable),
            Some(Code::ModuleOff),
            Some(Code::Closed),
        );
        let mut caller = caller();
        caller.key.may_write = true;
        for (switch, is_on, expected) in [
            (Switch::Api, false, [api; 5]),
            (Switch::Economy, false, [None, None, None, module, module]),
            (Switch::ApiWrites, false, [None, module, module, None, None]),
            (Switch::Submissions, false, [None, closed, None, None, None]),
            (Switch::ReadOnly, true, [None, closed, closed, None, closed]),
        ] {
            for mode in [Mode::Live, Mode::Test] {
                caller.key.mode = mode;
                let switches = on().with(switch, is_on);
                let met = calls.map(|required| code(required, &caller, switches));
                assert_eq!(met, expected, "{switch:?} {mode:?}");
                assert_eq!(
                    calls.map(|required| code(required, &caller, on())),
                    [None; 5]
                );
            }
        }
    }

    #[test]
    fn temporary_switches_have_retry_after() {
        for switches in [
            on().with(Switch::Api, false),
            on().with(Switch::ReadOnly, true),
        ] {
            let required = Requirements {
                operation: Operation::Edit,
                ..READ
            };
            let fault = check(required, &caller(), &plans(), switches).unwrap_err();
            assert_eq!(fault.retry_after, Some(RETRY_AFTER_SECONDS), "{fault}");
        }
    }

    #[test]
    fn each_route_accepts_its_kinds_of_keys() {
        let own = Requirements {
            keys: AllowedKeys::NotPublic,
            endpoint: None,
            ..READ
        };
        let economy = Requirements {
            keys: AllowedKeys::Secret,
            endpoint: None,
            ..READ
        };
        let tip = Requirements {
            keys: AllowedKeys::Game,
            ..economy
        };
        for (kind, economy_takes, tip_takes, own_takes) in [
            (KeyKind::Account, false, false, true),
            (KeyKind::Secret, true, true, true),
            (KeyKind::Public, false, true, false),
        ] {
            let mut caller = caller();
            caller.key.kind = kind;
            let refused = Some(Code::SecretKeyRequired);
            assert_eq!(code(economy, &caller, on()) != refused, economy_takes);
            assert_eq!(code(tip, &caller, on()) != refused, tip_takes);
            assert_eq!(code(own, &caller, on()) != refused, own_takes);
        }
    }

    #[test]
    fn real_webhook_events_need_a_plan_that_has_them() {
        let required = Requirements {
            endpoint: None,
            webhook_events: true,
            ..READ
        };
        let mut caller = caller();
        let refused = check(required, &caller, &plans(), on()).unwrap_err();
        assert_eq!(refused.code, Code::PlanRequired);
        assert!(
            refused.message.contains("The plan Build does."),
            "{refused}"
        );
        caller.key.mode = Mode::Test;
        assert_eq!(code(required, &caller, on()), None);
        caller.key.mode = Mode::Live;
        caller.plan = "build".to_owned();
        assert_eq!(code(required, &caller, on()), None);
    }

    #[test]
    fn the_key_of_an_economy_call_is_checked_before_its_origin() {
        let mut caller = caller();
        caller.key.kind = KeyKind::Secret;
        let required = Requirements {
            keys: AllowedKeys::Secret,
            from_browser: true,
            ..READ
        };
        assert_eq!(code(required, &caller, on()), Some(Code::SecretKeyRequired));
    }

    #[test]
    fn plans_limit_live_keys_only_and_the_message_names_a_sufficient_plan() {
        let mut caller = caller();
        let fault = check(READ, &caller, &plans(), on()).unwrap_err();
        assert_eq!(fault.code, Code::PlanRequired);
        assert!(fault.message.contains("Build"), "{}", fault.message);
        caller.key.mode = Mode::Test;
        assert_eq!(code(READ, &caller, on()), None);
    }
}
