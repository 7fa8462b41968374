//! The names that the audit logs of the services use. The tool has its own copy, so that `--help` lists them without a fleet.

use clap::builder::PossibleValuesParser;

/// The actions and entities that the audit log of a service names.
pub(super) struct Vocabulary {
    pub(super) actions: &'static [&'static str],
    pub(super) kinds: &'static [&'static str],
}

pub(super) const LISTINGS: Vocabulary = Vocabulary {
    actions: &[
        "look",
        "approve",
        "reject",
        "edit",
        "revert",
        "take_down",
        "restore",
        "feature",
        "unfeature",
        "reassign",
        "add_owner",
        "remove_owner",
        "grant_claim",
        "reject_claim",
        "decline_takedown",
        "close_note",
        "import",
        "purge_picture",
        "create_member",
        "set_role",
        "renew_token",
        "revoke_member",
        "list_members",
        "forget_follower",
        "read_audit",
    ],
    kinds: &[
        "page", "game", "event", "genre", "country", "city", "member", "claim", "takedown", "note",
        "picture", "follower",
    ],
};

pub(super) const GATEWAY: Vocabulary = Vocabulary {
    actions: &[
        "look",
        "create_account",
        "change_account",
        "set_plan",
        "create_key",
        "rotate_key",
        "revoke_key",
        "request_key",
        "approve_key",
        "reject_key",
        "reveal_key",
        "create_token",
        "revoke_token",
        "change_endpoint",
        "set_switch",
        "retry_dead_letters",
        "forget_follower",
        "replay_feed",
        "read_audit",
    ],
    kinds: &[
        "account",
        "plan",
        "key",
        "key_request",
        "account_token",
        "endpoint",
        "switch",
        "dead_letter",
        "follower",
        "member",
    ],
};

pub(super) const ECONOMY: Vocabulary = Vocabulary {
    actions: &[
        "look",
        "set_currency",
        "approve_report",
        "reject_report",
        "import_swaps",
        "reverse_tip",
        "reverse_swap",
        "create_exchange",
        "revoke_exchange",
        "retry_dead_letters",
        "forget_follower",
        "replay_feed",
        "read_audit",
    ],
    kinds: &[
        "currency",
        "report",
        "swap",
        "tip",
        "exchange",
        "dead_letter",
        "follower",
        "member",
    ],
};

pub(super) const CATALOGUE: Vocabulary = Vocabulary {
    actions: &[
        "look",
        "void_votes",
        "restore_votes",
        "retry_dead_letters",
        "forget_follower",
        "replay_feed",
        "read_audit",
    ],
    kinds: &["voter", "dead_letter", "follower", "member"],
};

pub(super) const WEBHOOK: Vocabulary = Vocabulary {
    actions: &[
        "look",
        "add_endpoint",
        "change_endpoint",
        "pause_endpoint",
        "resume_endpoint",
        "rotate_secret",
        "switch_secret",
        "remove_endpoint",
        "send_again",
        "recover",
        "send_test_event",
        "retry_dead_letters",
        "forget_follower",
        "replay_feed",
        "read_audit",
    ],
    kinds: &["endpoint", "account", "dead_letter", "follower", "member"],
};

pub(super) const ALL: [&Vocabulary; 5] = [&LISTINGS, &GATEWAY, &ECONOMY, &CATALOGUE, &WEBHOOK];

/// Accepts a name of any service's vocabulary.
pub(super) fn any_service(of: fn(&Vocabulary) -> &'static [&'static str]) -> PossibleValuesParser {
    let mut names: Vec<&str> = Vec::new();
    for service in ALL {
        let more = of(service).iter().filter(|name| !names.contains(name));
        let more: Vec<&str> = more.copied().collect();
        names.extend(more);
    }
    PossibleValuesParser::new(names)
}
