//! Authorization: the checks between authentication and the quota, in the order of §7.1.

use kit::{Code, Fault};

use super::key::{Caller, KeyKind, Mode};
use super::plan::Plans;
use super::switch::{Switch, Switches};

/// The `Retry-After` of a request that meets a switch. Nobody knows when staff will turn the switch back.
const RETRY_AFTER_SECONDS: u32 = 60;

/// The requirements of a call on its caller. The table of routes has those of a read from a server; effect and browser are added for each
/// call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirements {
    pub keys: AllowedKeys,
    /// The switch of the module that the route belongs to. Submissions and edits of listings have [`Switch::ApiWrites`].
    pub module: Option<Switch>,
    /// The endpoint's name in the table of plans.
    pub endpoint: Option<&'static str>,
    /// Whether live keys need a plan with real webhook events.
    pub webhook_events: bool,
    pub effect: Effect,
    /// Whether a page sent the request: it has an `Origin` header.
    pub from_browser: bool,
}

impl Requirements {
    /// None: a read that every key and plan may make.
    pub const ANY: Self = Self {
        keys: AllowedKeys::Any,
        module: None,
        endpoint: None,
        webhook_events: false,
        effect: Effect::Read,
        from_browser: false,
    };

    /// A read of an endpoint that a plan may lack.
    pub const fn endpoint(name: &'static str) -> Self {
        Self { endpoint: Some(name), ..Self::ANY }
    }
}

/// What a call does to data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
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
}

/// Rejects a request that the caller may not make. The order of the checks is part of the contract.
pub fn check(
    required: Requirements,
    caller: &Caller,
    plans: &Plans,
    switches: Switches,
) -> Result<(), Fault> {
    secret_key_required(required, caller)?;
    server_only(required)?;
    api_unavailable(switches)?;
    module_off(required, switches)?;
    closed(required, switches)?;
    plan_required(required, caller, plans)?;
    write_not_allowed(required, caller)
}

fn secret_key_required(required: Requirements, caller: &Caller) -> Result<(), Fault> {
    let (fits, message) = match required.keys {
        AllowedKeys::Any => return Ok(()),
        AllowedKeys::NotPublic => (
            caller.key.kind != KeyKind::Public,
            "This call shows what is not public, and a public key may be known to anybody. Use a secret key or a key of the account.",
        ),
        AllowedKeys::Secret => (
            caller.key.kind == KeyKind::Secret && !required.from_browser,
            "Economy calls need the secret key of the game, which you create on the page Keys, and must come from your server, not from a page.",
        ),
        AllowedKeys::Game => (
            caller.key.kind != KeyKind::Account,
            "This call needs the secret or public key of a game, not a key of an account.",
        ),
    };
    if fits { Ok(()) } else { Err(Fault::new(Code::SecretKeyRequired, message)) }
}

fn server_only(required: Requirements) -> Result<(), Fault> {
    if required.from_browser { Err(server_only_error()) } else { Ok(()) }
}

/// The error of every request from a page (§5.6).
pub fn server_only_error() -> Fault {
    Fault::new(
        Code::ServerOnly,
        "API keys are for servers. Make this call from your server, not from a page.",
    )
}

/// One error for every key that does not work, so that strangers do not learn the reason.
pub fn invalid_key() -> Fault {
    Fault::new(
        Code::InvalidKey,
        "This key does not work. It is mistyped, unknown, revoked or rotated, its game is not published, or its \
         account does not own the game's page. Use another key, or make one in the dashboard.",
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
    let writes = matches!(required.effect, Effect::Submit | Effect::Edit);
    let module = required.module;
    let message = match module.or_else(|| writes.then_some(Switch::ApiWrites)) {
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
    let changes = required.effect != Effect::Read;
    let message = if changes && switches.is_on(Switch::ReadOnly) {
        "Nothing can be changed at the moment. Reads still work. Try again later."
    } else if required.effect == Effect::Submit && !switches.is_on(Switch::Submissions) {
        "New games and events are not accepted at the moment. Edits and reads still work. Try again later."
    } else {
        return Ok(());
    };
    Err(with_retry_after(Code::Closed, message))
}

fn with_retry_after(code: Code, message: &'static str) -> Fault {
    Fault::new(code, message).with_retry_after(RETRY_AFTER_SECONDS)
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
    // Anybody may know a public key.
    let own = if caller.key.kind == KeyKind::Public {
        "The plan of this key".to_owned()
    } else {
        format!("Your plan {}", plan.title)
    };
    Err(Fault::new(Code::PlanRequired, format!("{own} does not include {endpoint}. {way_out}")))
}

fn write_not_allowed(required: Requirements, caller: &Caller) -> Result<(), Fault> {
    // Keys of a game may send reports and tips whether they may write or not.
    let writes = matches!(required.effect, Effect::Submit | Effect::Edit);
    if !writes || caller.key.may_write {
        return Ok(());
    }
    Err(Fault::new(
        Code::WriteNotAllowed,
        match caller.key.kind {
            KeyKind::Public => {
                "A public key never writes. Use a key that was created with permission to write."
            }
            KeyKind::Account | KeyKind::Secret => {
                "This key can only read, and that cannot be changed. Use a key that was created with permission to write."
            }
        },
    ))
}

#[cfg(test)]
mod tests;
