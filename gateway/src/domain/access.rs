//! What a caller may do: the checks between a good key and the quota, in the order of §7.1.

use kit::{Code, Fault};

use super::key::{Caller, Kind, Mode};
use super::plan::Plans;

/// What a call wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Which keys may make it at all.
    pub keys: Keys,
    /// The switch it stands behind, if any.
    pub behind: Option<Switch>,
    /// The endpoint, as plans name it.
    pub endpoint: Option<&'static str>,
    /// Whether it changes something in the directory.
    pub writes: bool,
    /// Whether it was sent from a page: it has an `Origin`.
    pub from_page: bool,
}

/// Which keys may make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Every key.
    Any,
    /// A game's secret key, from a server (§5.4).
    Secret,
    /// A game's secret or public key.
    OfGame,
}

/// What staff can turn off (§7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// `/economy/*` and `/play/tips`.
    Economy,
    /// Writing games and events.
    ApiWrites,
}

/// How the switches stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// Whether `/economy/*` and `/play/tips` answer.
    pub economy: bool,
    /// Whether games and events can be written.
    pub api_writes: bool,
}

impl Switches {
    /// Everything off: neither the economy nor writing is served yet.
    pub const OFF: Self = Self {
        economy: false,
        api_writes: false,
    };

    const fn is_on(self, switch: Switch) -> bool {
        match switch {
            Switch::Economy => self.economy,
            Switch::ApiWrites => self.api_writes,
        }
    }
}

/// Refuses what the caller may not do. The order is the contract's.
pub fn check(call: Call, caller: &Caller, plans: &Plans, switches: Switches) -> Result<(), Fault> {
    secret_key_required(call, caller)?;
    server_only(call)?;
    module_off(call, switches)?;
    plan_required(call, caller, plans)?;
    write_not_allowed(call, caller)
}

fn secret_key_required(call: Call, caller: &Caller) -> Result<(), Fault> {
    let (fits, message) = match call.keys {
        Keys::Any => return Ok(()),
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

fn module_off(call: Call, switches: Switches) -> Result<(), Fault> {
    match call.behind {
        Some(switch) if !switches.is_on(switch) => Err(Fault::new(
            Code::ModuleOff,
            match switch {
                Switch::Economy => "the economy is turned off for now",
                Switch::ApiWrites => "writing by API is turned off for now",
            },
        )),
        _ => Ok(()),
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
    if !call.writes || caller.key.may_write {
        return Ok(());
    }
    Err(Fault::new(
        Code::WriteNotAllowed,
        match caller.key.kind {
            Kind::Public => {
                "a public key never writes; use another key, made with May write ticked"
            }
            Kind::Account | Kind::Secret => "this key reads only; make one with May write ticked",
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::caller;
    use super::super::plan_table;
    use super::*;

    const ON: Switches = Switches {
        economy: true,
        api_writes: true,
    };
    const READ: Call = Call {
        keys: Keys::Any,
        behind: None,
        endpoint: Some("games"),
        writes: false,
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

    /// Each step mends what the check before complained of, so that every neighbouring pair is seen in its order.
    #[test]
    fn of_two_reasons_the_earlier_is_given() {
        let mut caller = caller();
        let mut call = Call {
            keys: Keys::Secret,
            behind: Some(Switch::Economy),
            endpoint: Some("economy"),
            writes: true,
            from_page: true,
        };
        assert_eq!(
            code(call, &caller, Switches::OFF),
            Some(Code::SecretKeyRequired)
        );
        call.keys = Keys::Any;
        assert_eq!(code(call, &caller, Switches::OFF), Some(Code::ServerOnly));
        call.from_page = false;
        assert_eq!(code(call, &caller, Switches::OFF), Some(Code::ModuleOff));
        assert_eq!(code(call, &caller, ON), Some(Code::PlanRequired));
        caller.plan = "build".to_owned();
        assert_eq!(code(call, &caller, ON), Some(Code::WriteNotAllowed));
        caller.key.may_write = true;
        assert_eq!(code(call, &caller, ON), None);
    }

    #[test]
    fn which_keys_an_economy_call_and_a_tip_take() {
        let economy = Call {
            keys: Keys::Secret,
            endpoint: None,
            ..READ
        };
        let tip = Call {
            keys: Keys::OfGame,
            ..economy
        };
        for (kind, economy_takes, tip_takes) in [
            (Kind::Account, false, false),
            (Kind::Secret, true, true),
            (Kind::Public, false, true),
        ] {
            let mut caller = caller();
            caller.key.kind = kind;
            let refused = Some(Code::SecretKeyRequired);
            assert_eq!(code(economy, &caller, ON) != refused, economy_takes);
            assert_eq!(code(tip, &caller, ON) != refused, tip_takes);
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
        assert_eq!(code(call, &caller, ON), Some(Code::SecretKeyRequired));
    }

    #[test]
    fn plans_bind_live_keys_only_and_the_message_names_one_that_fits() {
        let mut caller = caller();
        let fault = check(READ, &caller, &plans(), ON).unwrap_err();
        assert_eq!(fault.code, Code::PlanRequired);
        assert!(fault.message.contains("Build"), "{}", fault.message);
        caller.key.mode = Mode::Test;
        assert_eq!(code(READ, &caller, ON), None);
    }
}
