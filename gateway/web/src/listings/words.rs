//! States and values of listings in words.

use contracts::listings::v1 as proto;
use pages::StateText;

use crate::english::{say, texts};

/// The name of a value of a field, as on the public site: `iOS` for `ios` in the group `platform`.
pub(super) fn value_name(group: &str, value: &str) -> String {
    texts().value(group, value, value).to_owned()
}

/// The kind of a game or an event, or that of a page, in a list.
pub(super) fn kind_name(kind: &str) -> String {
    let key = match kind {
        "game" => "listing-kind-game",
        "event" => "listing-kind-event",
        "studio" => "listing-kind-studio",
        "person" => "listing-kind-person",
        kind => return kind.to_owned(),
    };
    say(key).to_owned()
}

/// The state; `is_by_staff` is whether staff rejected the listing or took it down.
pub(super) fn state(state: proto::State, is_by_staff: bool) -> StateText {
    let (key, tone) = match state {
        proto::State::Pending => ("listing-state-pending", ""),
        proto::State::Published => ("listing-state-published", "good"),
        proto::State::Rejected if is_by_staff => ("listing-state-rejected", "bad"),
        proto::State::Rejected => ("listing-state-withdrawn", ""),
        proto::State::Removed if is_by_staff => ("listing-state-removed", "bad"),
        proto::State::Removed => ("listing-state-removed", ""),
        proto::State::Unspecified => ("listing-state-unknown", ""),
    };
    StateText { text: say(key), tone }
}

/// How many listings the account may still submit or change today; empty without a limit.
pub(super) fn writes_left(today: u32, per_day: Option<u32>) -> String {
    per_day.map_or_else(String::new, |per_day| {
        let left = per_day.saturating_sub(today);
        texts().count("listing-writes-left", left.into())
    })
}

/// The name of a kind of link.
pub(super) fn link_label(key: &str) -> String {
    let label = match key {
        // The public site has a shorter text on its button.
        "play" => say("field-link-play"),
        "other" => say("field-link-other"),
        key => texts().value("link", key, key),
    };
    label.to_owned()
}
