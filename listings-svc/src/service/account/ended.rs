//! Who ended a listing, as a message.

use contracts::common::v1::Ended;
use kit::api::timestamp::encode;

use crate::domain::state::StateCause;

/// The message about the cause of a state that ended a listing.
pub(super) fn ended(cause: &StateCause) -> Ended {
    Ended {
        by_account: cause.account.as_ref().map(ToString::to_string).unwrap_or_default(),
        at: Some(encode(cause.at)),
        reason: cause.reason.clone().unwrap_or_default(),
    }
}
