//! The states of a listing (§3), and as tables who may change them: how, what they must have seen, who gets a mail, and what the audit names it.
//!
//! Edits by staff, reverts and imports change no state, so the tables do not have them. A listing becomes public only by its approval: a
//! restore publishes nothing new, because only what is public can be taken down.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use super::audit_action::AuditAction;

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[expect(
    clippy::module_name_repetitions,
    reason = "`State` alone is also the state of other things"
)]
pub enum ListingState {
    /// Submitted, not reviewed yet.
    Pending,
    Published,
    /// Returned by a reviewer with a reason, or withdrawn by its account. An edit by the account
    /// resubmits it.
    Rejected,
    /// Taken down after it was public; the slug stays taken.
    Removed,
}

use ListingState::{Pending, Published, Rejected, Removed};

/// Who gave a listing its state, when and why. One state has several causes: staff reject a
/// submission, and its account withdraws it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::module_name_repetitions, reason = "`Cause` alone does not say of what")]
pub struct StateCause {
    /// `None`: staff, or an import.
    #[serde(rename = "state_by")]
    pub account: Option<Uuid>,
    #[serde(rename = "state_at", with = "rfc3339")]
    pub at: OffsetDateTime,
    /// What staff wrote for the owners.
    #[serde(rename = "state_reason")]
    pub reason: Option<String>,
}

impl StateCause {
    pub const fn account(account: Uuid, at: OffsetDateTime) -> Self {
        Self { account: Some(account), at, reason: None }
    }

    /// `reason` may be empty.
    pub fn staff(at: OffsetDateTime, reason: &str) -> Self {
        let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
        Self { account: None, at, reason }
    }
}

/// A decision of staff. Its [audit action](AuditAction) says which role it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Transition {
    /// Publishes a submission.
    Approve,
    /// Returns a submission to its account.
    Reject,
    TakeDown,
    /// Publishes a listing that was taken down.
    Restore,
}

/// What an account does to a listing of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum OwnAction {
    /// Changes fields or pictures.
    Edit,
    /// Withdraws what is in review, or puts away what staff rejected. Never ends what is public.
    Withdraw,
    /// Takes down what is public.
    TakeDown,
}

/// A change of the owners of a listing, which leaves its state as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum OwnershipChange {
    /// Staff add an owner to a page.
    AddOwner,
    RemoveOwner,
    /// Staff grant the claim of a page. The decision on the claim is a mail of its own.
    GrantClaim,
    /// Staff move a game to another page.
    MoveGame,
    /// Staff move an event to another account.
    MoveEvent,
}

/// The effects of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The state before, the state after, and who gets a mail. The action is refused in every state that is not listed.
    pub cells: &'static [(ListingState, ListingState, Recipients)],
    pub seen: Seen,
}

/// What must have been seen. A call that names a revision is always refused when the listing has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The revision, which the call must name.
    Revision,
    /// The listing. An account that changes its listing all the time does not evade the decision.
    Listing,
    Nothing,
}

/// Who gets a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipients {
    Nobody,
    /// All accounts that own the listing, or owned it before.
    Owners,
    /// The owners but the account that acts.
    OtherOwners,
}

use Recipients::{Nobody, OtherOwners, Owners};

impl Recipients {
    /// The accounts that get a mail, of the owners before and after an action; `acting` is the account that acts.
    pub fn among(self, owners: impl IntoIterator<Item = Uuid>, acting: Option<Uuid>) -> Vec<Uuid> {
        let owners: BTreeSet<Uuid> = owners.into_iter().collect();
        let gets_mail = |account: &Uuid| match self {
            Self::Nobody => false,
            Self::Owners => true,
            Self::OtherOwners => Some(*account) != acting,
        };
        owners.into_iter().filter(gets_mail).collect()
    }
}

impl OwnershipChange {
    pub const fn recipients(self) -> Recipients {
        match self {
            Self::AddOwner | Self::RemoveOwner | Self::MoveGame | Self::MoveEvent => Owners,
            Self::GrantClaim => OtherOwners,
        }
    }

    /// The action in the audit, whose entry names the accounts or the pages.
    pub const fn audit_action(self) -> AuditAction {
        match self {
            Self::AddOwner => AuditAction::AddOwner,
            Self::RemoveOwner => AuditAction::RemoveOwner,
            Self::GrantClaim => AuditAction::GrantClaim,
            Self::MoveGame | Self::MoveEvent => AuditAction::EditAsAdmin,
        }
    }
}

impl Transition {
    #[rustfmt::skip]
    pub const fn rule(self) -> Rule {
        match self {
            Self::Approve => Rule {
                cells: &[(Pending, Published, Owners), (Published, Published, Nobody)],
                seen: Seen::Revision,
            },
            Self::Reject => Rule {
                cells: &[(Pending, Rejected, Owners), (Rejected, Rejected, Nobody)],
                seen: Seen::Listing,
            },
            Self::TakeDown => Rule {
                cells: &[(Published, Removed, Owners), (Removed, Removed, Nobody)],
                seen: Seen::Nothing,
            },
            Self::Restore => Rule {
                cells: &[(Removed, Published, Owners), (Published, Published, Nobody)],
                seen: Seen::Nothing,
            },
        }
    }

    /// The action in the audit, whose entry holds the revision, the state and the reason.
    pub const fn audit_action(self) -> AuditAction {
        match self {
            Self::Approve => AuditAction::Approve,
            Self::Reject => AuditAction::Reject,
            Self::TakeDown => AuditAction::TakeDown,
            Self::Restore => AuditAction::Restore,
        }
    }
}

impl OwnAction {
    #[rustfmt::skip]
    pub const fn rule(self) -> Rule {
        match self {
            Self::Edit => Rule {
                cells: &[(Pending, Pending, Nobody), (Published, Published, Nobody), (Rejected, Pending, Nobody)],
                // `If-Match` names a revision (§10.10).
                seen: Seen::Nothing,
            },
            Self::Withdraw => Rule {
                cells: &[(Pending, Rejected, Nobody), (Rejected, Rejected, Nobody)],
                seen: Seen::Revision,
            },
            Self::TakeDown => Rule {
                cells: &[(Published, Removed, OtherOwners)],
                seen: Seen::Revision,
            },
        }
    }

    /// Whether an account has done this before, so that the same call again changes nothing.
    pub const fn is_done(self, state: ListingState, cause: &StateCause) -> bool {
        let is_in_target_state = match self {
            Self::Edit => false,
            Self::Withdraw => matches!(state, Rejected),
            Self::TakeDown => matches!(state, Removed),
        };
        is_in_target_state && cause.account.is_some()
    }
}

impl Rule {
    /// The state after the action, which may be the same, and who gets a mail; `None` when the action is refused in this state.
    pub fn after(&self, before: ListingState) -> Option<(ListingState, Recipients)> {
        let mut cells = self.cells.iter();
        let cell = cells.find(|(from, ..)| *from == before);
        cell.map(|&(_, after, recipients)| (after, recipients))
    }
}

impl ListingState {
    /// The name in the contract (§3).
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether somebody ended the listing: rejected, withdrew or took it down.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Rejected | Self::Removed)
    }

    /// The state as the end of a sentence about a listing.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Pending => "is pending review",
            Self::Published => "is public",
            Self::Rejected => "was rejected or withdrawn",
            Self::Removed => "was taken down",
        }
    }
}

#[cfg(test)]
mod tests {
    use kit::audit::Action as _;
    use kit::rpc::staff::Role;

    use super::*;

    /// What §3 says of an action: the state after it and who gets a mail, for each state before it; `None` where it is refused.
    type Row = [Option<(ListingState, Recipients)>; 4];

    fn row(rule: Rule) -> Row {
        [Pending, Published, Rejected, Removed].map(|before| rule.after(before))
    }

    #[test]
    fn each_cell_is_what_the_contract_says() {
        let own = [
            (
                OwnAction::Edit,
                [Some((Pending, Nobody)), Some((Published, Nobody)), Some((Pending, Nobody)), None],
            ),
            (OwnAction::Withdraw, [Some((Rejected, Nobody)), None, Some((Rejected, Nobody)), None]),
            (OwnAction::TakeDown, [None, Some((Removed, OtherOwners)), None, None]),
        ];
        assert!(own.iter().map(|(action, _)| action).eq(OwnAction::VARIANTS));
        for (action, expected) in own {
            assert_eq!(row(action.rule()), expected, "{action:?}");
        }
        let (reviewer, admin) = (Role::Reviewer, Role::Admin);
        let staff = [
            (
                (Transition::Approve, reviewer, Seen::Revision),
                [Some((Published, Owners)), Some((Published, Nobody)), None, None],
            ),
            (
                (Transition::Reject, reviewer, Seen::Listing),
                [Some((Rejected, Owners)), None, Some((Rejected, Nobody)), None],
            ),
            (
                (Transition::TakeDown, admin, Seen::Nothing),
                [None, Some((Removed, Owners)), None, Some((Removed, Nobody))],
            ),
            (
                (Transition::Restore, admin, Seen::Nothing),
                [None, Some((Published, Nobody)), None, Some((Published, Owners))],
            ),
        ];
        assert!(staff.iter().map(|((decision, ..), _)| decision).eq(Transition::VARIANTS));
        for ((decision, role, seen), expected) in staff {
            let rule = decision.rule();
            assert_eq!(row(rule), expected, "{decision:?}");
            assert_eq!((decision.audit_action().needs(), rule.seen), (role, seen));
        }
    }

    /// What staff did is not repeated by the account, and one action is not the repetition of
    /// another.
    #[test]
    fn an_own_action_is_repeated_only_after_an_account_did_it() {
        let at = OffsetDateTime::UNIX_EPOCH;
        let own = StateCause::account(Uuid::max(), at);
        for action in OwnAction::VARIANTS {
            for state in ListingState::VARIANTS {
                let expected = match action {
                    OwnAction::Edit => false,
                    OwnAction::Withdraw => *state == Rejected,
                    OwnAction::TakeDown => *state == Removed,
                };
                assert_eq!(action.is_done(*state, &own), expected, "{action:?} {state:?}");
                assert!(!action.is_done(*state, &StateCause::staff(at, "Too short")));
            }
        }
    }

    #[test]
    fn owners_learn_of_each_change_of_owners() {
        let (reviewer, admin) = (Role::Reviewer, Role::Admin);
        let expected = [
            (OwnershipChange::AddOwner, admin, Owners),
            (OwnershipChange::RemoveOwner, admin, Owners),
            (OwnershipChange::GrantClaim, reviewer, OtherOwners),
            (OwnershipChange::MoveGame, admin, Owners),
            (OwnershipChange::MoveEvent, admin, Owners),
        ];
        let found = OwnershipChange::VARIANTS
            .iter()
            .map(|change| (*change, change.audit_action().needs(), change.recipients()));
        assert!(found.eq(expected));
    }

    #[test]
    fn each_recipient_gets_one_mail() {
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        let owners = [c, a, b, a];
        assert_eq!(Owners.among(owners, None), [a, b, c]);
        assert_eq!(OtherOwners.among(owners, Some(a)), [b, c]);
        assert!(Nobody.among(owners, None).is_empty());
    }

    /// The reason why a restore may publish.
    #[test]
    fn only_an_approval_publishes_and_only_what_is_public_is_removed() {
        let own = OwnAction::VARIANTS.iter().map(|action| (None, action.rule()));
        let staff = Transition::VARIANTS.iter().map(|decision| (Some(*decision), decision.rule()));
        for (decision, rule) in own.chain(staff) {
            for &(before, after, _) in
                rule.cells.iter().filter(|(before, after, _)| before != after)
            {
                let expected = match after {
                    Published if before == Removed => decision == Some(Transition::Restore),
                    Published => (decision, before) == (Some(Transition::Approve), Pending),
                    Removed => before == Published,
                    Pending | Rejected => true,
                };
                assert!(expected, "{decision:?}: {before:?} to {after:?}");
            }
        }
    }
}
