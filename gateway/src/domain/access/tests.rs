use strum::VariantArray as _;

use super::super::key::tests::caller;
use super::super::plan_table;
use super::*;

const READ: Requirements = Requirements {
    keys: AllowedKeys::Any,
    module: None,
    endpoint: Some("games"),
    webhook_events: false,
    effect: Effect::Read,
    from_browser: false,
};

/// The plan `free` lacks the endpoints of these tests; `build` has them.
fn plans() -> Plans {
    let lacking = "lacks = [\"games\", \"economy\"]\n[[plan]]\nname = \"build\"";
    plan_table::parse(&plan_table::BUILT_IN.replacen("[[plan]]\nname = \"build\"", lacking, 1))
        .unwrap()
}

fn code(required: Requirements, caller: &Caller, switches: Switches) -> Option<Code> {
    check(required, caller, &plans(), switches).err().map(|f| f.code)
}

fn on() -> Switches {
    Switches::default()
}

fn all_off() -> Switches {
    Switch::VARIANTS
        .iter()
        .fold(on(), |switches, switch| switches.with(*switch, *switch == Switch::ReadOnly))
}

/// Each step removes the cause of the previous error, so that every pair of adjacent checks is tested.
#[test]
fn the_earlier_of_two_errors_is_returned() {
    let mut caller = caller();
    let mut switches = all_off();
    let mut required = Requirements {
        keys: AllowedKeys::Secret,
        module: None,
        endpoint: Some("economy"),
        webhook_events: false,
        effect: Effect::Submit,
        from_browser: true,
    };
    assert_eq!(code(required, &caller, switches), Some(Code::SecretKeyRequired));
    required.keys = AllowedKeys::Any;
    assert_eq!(code(required, &caller, switches), Some(Code::ServerOnly));
    required.from_browser = false;
    assert_eq!(code(required, &caller, switches), Some(Code::ApiUnavailable));
    switches = switches.with(Switch::Api, true);
    assert_eq!(code(required, &caller, switches), Some(Code::ModuleOff));
    switches = switches.with(Switch::ApiWrites, true);
    assert_eq!(code(required, &caller, switches), Some(Code::Closed));
    switches = switches.with(Switch::ReadOnly, false);
    assert_eq!(code(required, &caller, switches), Some(Code::Closed));
    switches = switches.with(Switch::Submissions, true);
    assert_eq!(code(required, &caller, switches), Some(Code::PlanRequired));
    caller.plan = "build".to_owned();
    assert_eq!(code(required, &caller, switches), Some(Code::WriteNotAllowed));
    caller.key.may_write = true;
    assert_eq!(code(required, &caller, switches), None);
}

/// The table of §7.3: each switch alone, with each effect and in both modes.
#[test]
fn a_switch_stops_only_its_own_requests() {
    let read = Requirements { endpoint: None, ..READ };
    let required = |module, effect| Requirements { module, effect, ..read };
    let calls = [
        read,
        required(None, Effect::Submit),
        required(None, Effect::Edit),
        required(Some(Switch::Economy), Effect::Read),
        required(Some(Switch::Economy), Effect::Record),
    ];
    let (api, module, closed) =
        (Some(Code::ApiUnavailable), Some(Code::ModuleOff), Some(Code::Closed));
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
            assert_eq!(calls.map(|required| code(required, &caller, on())), [None; 5]);
        }
    }
}

#[test]
fn temporary_switches_have_retry_after() {
    for switches in [on().with(Switch::Api, false), on().with(Switch::ReadOnly, true)] {
        let required = Requirements { effect: Effect::Edit, ..READ };
        let fault = check(required, &caller(), &plans(), switches).unwrap_err();
        assert_eq!(fault.retry_after, Some(RETRY_AFTER_SECONDS), "{fault}");
    }
}

#[test]
fn each_route_accepts_only_its_kinds_of_keys() {
    let own = Requirements { keys: AllowedKeys::NotPublic, endpoint: None, ..READ };
    let economy = Requirements { keys: AllowedKeys::Secret, endpoint: None, ..READ };
    let tip = Requirements { keys: AllowedKeys::Game, ..economy };
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
    let required = Requirements { endpoint: None, webhook_events: true, ..READ };
    let mut caller = caller();
    let refused = check(required, &caller, &plans(), on()).unwrap_err();
    assert_eq!(refused.code, Code::PlanRequired);
    assert!(refused.message.contains("The plan Partner does."), "{refused}");
    caller.key.mode = Mode::Test;
    assert_eq!(code(required, &caller, on()), None);
    caller.key.mode = Mode::Live;
    caller.plan = "build".to_owned();
    assert_eq!(code(required, &caller, on()), None);
}

#[test]
fn plans_limit_live_keys_only_and_the_message_names_a_sufficient_plan() {
    let mut caller = caller();
    let fault = check(READ, &caller, &plans(), on()).unwrap_err();
    assert_eq!(fault.code, Code::PlanRequired);
    assert!(fault.message.contains("Partner"), "{}", fault.message);
    caller.key.mode = Mode::Test;
    assert_eq!(code(READ, &caller, on()), None);
}
