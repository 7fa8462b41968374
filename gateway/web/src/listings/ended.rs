//! Who ended a listing, when and why, in words. What an account did itself never looks like a
//! decision of staff.

use contracts::common::v1::Ended;
use contracts::listings::v1::State;
use pages::listings::EndedText;

use crate::account::choice::account_name;
use crate::account::member_request::MemberRequest;
use crate::english::{say_of, say_of_two, texts};
use crate::upstream::listings::EndedListing;
use crate::upstream::minute_of;

/// For a list, in which a row says what the state is.
pub(super) fn in_list(state: State, ended: &EndedListing) -> EndedText {
    let key = match (state, ended.is_by_staff) {
        (State::Removed, true) => "listing-row-taken-down-by-staff",
        (State::Removed, false) => "listing-row-taken-down",
        (_, true) => "listing-row-rejected",
        (_, false) => "listing-row-withdrawn",
    };
    EndedText {
        sentence: say_of(key, &texts().minute(ended.at)),
        reason: ended.reason.clone(),
        is_by_staff: ended.is_by_staff,
    }
}

/// For the page of a listing, which names an account that is not the person's.
pub(super) async fn on_page(request: &MemberRequest, state: State, ended: &Ended) -> EndedText {
    let at = minute_of(texts(), ended.at);
    let is_removed = state == State::Removed;
    let sentence = match ended.by_account.parse() {
        Err(_no_account) if is_removed => say_of("listing-taken-down-by-staff", &at),
        Err(_no_account) => say_of("listing-rejected-by-staff", &at),
        Ok(account) if account == request.scope.id && is_removed => {
            say_of("listing-taken-down-by-you", &at)
        }
        Ok(account) if account == request.scope.id => say_of("listing-withdrawn-by-you", &at),
        Ok(account) => {
            let name = account_name(&request.app, account).await;
            let key = if is_removed { "listing-taken-down-by" } else { "listing-withdrawn-by" };
            say_of_two(key, &name, &at)
        }
    };
    EndedText { sentence, reason: ended.reason.clone(), is_by_staff: ended.by_account.is_empty() }
}
