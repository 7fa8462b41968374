//! What a caller may do: the checks between a good key and the quota, in the order of §7.1.

use kit::{Code, Fault};

use super::key::{Caller, Kind, Mode};
use super::plan::Plans;
use super::switch::{Switch, Switches};

/// Seconds after which a call that met a switch is worth repeating; when staff throw it back nobody knows.
const PAUSE: u32 = 60;

/// What a call wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Which keys may make it at all.
    pub keys: Keys,
    /// The module it belongs to, as its switch, if any.
    pub behind: Option<Switch>,
    /// The endpoint, as plans name it.
    pub endpoint: Option<&'static str>,
    /// What it changes.
    pub effect: Effect,
    /// Whether it was sent from a page: it has an `Origin`.
    pub from_page: bool,
}

/// What a call changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it reads.
    None,
    /// It sends in a game or an event.
    Submits,
    /// It edits a game or an event.
    Edits,
    /// It books a report or a tip.
    Books,
}

/// Which keys may make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Every key.
    Any,
    /// Every key but a public one, which is meant to be given away.
    NotPublic,
    /// A game's secret key, from a server (§5.4).
    Secret,
    /// A game's secret or public key.
    OfGame,
}

/// Refuses what the caller may not do. The order is the contract's.
pub fn check(call: Call, caller: &Caller, plans: &Plans, switches: Switches) -> Result<(), Fault> {
    secret_key_required(call, caller)?;
    server_only(call)?;
    api_unavailable(switches)?;
    module_off(call, switches)?;
    closed(call, switches)?;
    plan_required(call, caller, plans)?;
    write_not_allowed(call, caller)
}

fn secret_key_required(call: Call, caller: &Caller) -> Result<(), Fault> {
    let (fits, message) = match call.keys {
        Keys::Any => return Ok(()),
        Keys::NotPublic => (
            caller.key.kind != Kind::Public,
            "this call shows what is not public yet, and a public key is meant to be given away: use a secret key or a key of the account",
        ),
        Keys::Secret => (
            caller.key.kind == Kind::Secret && !call.from_page,
            "economy calls take the secret key of the game, sent from your server",
        ),
        Keys::OfGame => (
            caller.key.kind != Kind::Account,
            "this call takes the secret or public key of a game, not an account's key",
        ),
    };
    if fits {
        Ok(())
    } else {
        Err(Fault::new(Code::SecretKeyRequired, message))
    }
}

fn server_only(call: Call) -> Result<(), Fault> {
    if call.from_page {
        Err(from_page())
    } else {
        Ok(())
    }
}

/// The refusal of whatever a page sends (§5.6).
pub fn from_page() -> Fault {
    Fault::new(
        Code::ServerOnly,
        "keys are for servers: make this call from your own server, not from a page",
    )
}

fn api_unavailable(switches: Switches) -> Result<(), Fault> {
    if switches.is_on(Switch::Api) {
        return Ok(());
    }
    Err(for_now(
        Code::ApiUnavailable,
        "the API is turned off for now, for every key; keys and listings stay as they are: call again later",
    ))
}

fn module_off(call: Call, switches: Switches) -> Result<(), Fault> {
    let message = match call.behind {
        Some(switch) if !switches.is_on(switch) => match switch {
            Switch::Economy => {
                "the economy, tips included, is turned off; the catalogue goes on answering"
            }
            _ => "writing by API is turned off; reads go on answering",
        },
        _ => return Ok(()),
    };
    Err(Fault::new(Code::ModuleOff, message))
}

fn closed(call: Call, switches: Switches) -> Result<(), Fault> {
    let message = if call.effect != Effect::None && switches.is_on(Switch::ReadOnly) {
        "nothing can be changed for now; reads go on answering"
    } else if call.effect == Effect::Submits && !switches.is_on(Switch::Submissions) {
        "no new games and events are taken for now; edits and reads go on answering"
    } else {
        return Ok(());
    };
    Err(for_now(Code::Closed, message))
}

fn for_now(code: Code, message: &'static str) -> Fault {
    Fault {
        retry_after: Some(PAUSE),
        ..Fault::new(code, message)
    }
}

fn plan_required(call: Call, caller: &Caller, plans: &Plans) -> Result<(), Fault> {
    let plan = plans.get_or_cheapest(&caller.plan);
    let Some(endpoint) = call.endpoint else {
        return Ok(());
    };
    if caller.key.mode == Mode::Test || plan.has(endpoint) {
        return Ok(());
    }
    let way_out = plans.cheapest_with(endpoint).map_or_else(
        || "no plan does; a test key answers it".to_owned(),
        |other| format!("the plan {} does", other.title),
    );
    Err(Fault::new(
        Code::PlanRequired,
        format!(
            "your plan {} does not include {endpoint}; {way_out}",
            plan.title
        ),
    ))
}

fn write_not_allowed(call: Call, caller: &Caller) -> Result<(), Fault> {
    // A report and a tip are for the keys of a game, whether they may write or not.
    let writes = matches!(call.effect, Effect::Submits | Effect::Edits);
    if !writes || caller.key.may_write {
        return Ok(());
    }
    Err(Fault::new(
        Code::WriteNotAllowed,
        match caller.key.kind {
            Kind::Public => "a public key never writes; use another key, one made to write",
            Kind::Account | Kind::Secret => {
                "this key reads only, and that cannot be changed; use another key, one made to write"
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::caller;
    use super::super::plan_table;
    use super::*;

    const READ: Call = Call {
        keys: Keys::Any,
        behind: None,
        endpoint: Some("games"),
        effect: Effect::None,
        from_page: false,
    };

    /// `free` lacks everything that these calls want; `build` has it.
    fn plans() -> Plans {
        let lacking = "lacks = [\"games\", \"economy\"]\n[[plan]]\nname = \"build\"";
        plan_table::parse(&plan_table::BUILT_IN.replacen("[[plan]]\nname = \"build\"", lacking, 1))
            .unwrap()
    }

    fn code(call: Call, caller: &Caller, switches: Switches) -> Option<Code> {
        check(call, caller, &plans(), switches)
            .err()
            .map(|f| f.code)
    }

    /// Every module on, as if all were served.
    fn on() -> Switches {
        Switches::default()
    }

    fn all_off() -> Switches {
        Switch::ALL.into_iter().fold(on(), |switches, switch| {
            switches.with(switch, switch == Switch::ReadOnly)
        })
    }

    /// Each step mends what the check before complained of, so that every neighbouring pair is seen in its order.
    #[test]
    fn of_two_reasons_the_earlier_is_given() {
        let mut caller = caller();
        let mut switches = all_off();
        let mut call = Call {
            keys: Keys::Secret,
            behind: Some(Switch::ApiWrites),
            endpoint: Some("economy"),
            effect: Effect::Submits,
            from_page: true,
        };
        assert_eq!(code(call, &caller, switches), Some(Code::SecretKeyRequired));
        call.keys = Keys::Any;
        assert_eq!(code(call, &caller, switches), Some(Code::ServerOnly));
        call.from_page = false;
        assert_eq!(code(call, &caller, switches), Some(Code::ApiUnavailable));
        switches = switches.with(Switch::Api, true);
        assert_eq!(code(call, &caller, switches), Some(Code::ModuleOff));
        switches = switches.with(Switch::ApiWrites, true);
        assert_eq!(code(call, &caller, switches), Some(Code::Closed));
        switches = switches.with(Switch::ReadOnly, false);
        assert_eq!(code(call, &caller, switches), Some(Code::Closed));
        switches = switches.with(Switch::Submissions, true);
        assert_eq!(code(call, &caller, switches), Some(Code::PlanRequired));
        caller.plan = "build".to_owned();
        assert_eq!(code(call, &caller, switches), Some(Code::WriteNotAllowed));
        caller.key.may_write = true;
        assert_eq!(code(call, &caller, switches), None);
    }

    /// §7.3, row by row: each switch by itself, and each kind of call, with either kind of key.
    #[test]
    fn a_switch_stops_its_calls_and_no_other() {
        let read = Call {
            endpoint: None,
            ..READ
        };
        let call = |behind, effect| Call {
            behind,
            effect,
            ..read
        };
        let calls = [
            read,
            call(Some(Switch::ApiWrites), Effect::Submits),
            call(Some(Switch::ApiWrites), Effect::Edits),
            call(Some(Switch::Economy), Effect::None),
            call(Some(Switch::Economy), Effect::Books),
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
                let met = calls.map(|call| code(call, &caller, switches));
                assert_eq!(met, expected, "{switch:?} {mode:?}");
                assert_eq!(calls.map(|call| code(call, &caller, on())), [None; 5]);
            }
        }
    }

    #[test]
    fn what_is_off_for_a_while_says_when_to_look_again() {
        for switches in [
            on().with(Switch::Api, false),
            on().with(Switch::ReadOnly, true),
        ] {
            let call = Call {
                effect: Effect::Edits,
                ..READ
            };
            let fault = check(call, &caller(), &plans(), switches).unwrap_err();
            assert_eq!(fault.retry_after, Some(PAUSE), "{fault}");
        }
    }

    #[test]
    fn which_keys_an_economy_call_a_tip_and_the_own_list_take() {
        let own = Call {
            keys: Keys::NotPublic,
            endpoint: None,
            ..READ
        };
        let economy = Call {
            keys: Keys::Secret,
            endpoint: None,
            ..READ
        };
        let tip = Call {
            keys: Keys::OfGame,
            ..economy
        };
        for (kind, economy_takes, tip_takes, own_takes) in [
            (Kind::Account, false, false, true),
            (Kind::Secret, true, true, true),
            (Kind::Public, false, true, false),
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
    fn a_page_with_a_secret_key_is_told_of_the_key() {
        let mut caller = caller();
        caller.key.kind = Kind::Secret;
        let call = Call {
            keys: Keys::Secret,
            from_page: true,
            ..READ
        };
        assert_eq!(code(call, &caller, on()), Some(Code::SecretKeyRequired));
    }

    #[test]
    fn plans_bind_live_keys_only_and_the_message_names_one_that_fits() {
        let mut caller = caller();
        let fault = check(READ, &caller, &plans(), on()).unwrap_err();
        assert_eq!(fault.code, Code::PlanRequired);
        assert!(fault.message.contains("Build"), "{}", fault.message);
        caller.key.mode = Mode::Test;
        assert_eq!(code(READ, &caller, on()), None);
    }
}
