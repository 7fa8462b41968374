//! The actions of staff that the audit records, and the role that each one needs.

use kit::audit::Action;
use kit::rpc::staff::Role;
use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum AuditAction {
    /// Reads listings and the queue.
    Look,
    /// Publishes a submission.
    Approve,
    /// Returns a submission to its account, with a reason.
    Reject,
    Edit,
    /// Features a game, verifies a page, moves a game to another page, or gives an event to another account.
    EditAsAdmin,
    /// Restores the fields of an earlier revision.
    Revert,
    TakeDown,
    /// Publishes a listing that was taken down.
    Restore,
    /// Makes an account an owner of a page.
    AddOwner,
    RemoveOwner,
    GrantClaim,
    RejectClaim,
    Import,
    /// Deletes a picture from every listing and from the file store.
    PurgePicture,
    /// Reads the audit entries of other members.
    ReadAudit,
}

impl Action for AuditAction {
    const READ_AUDIT: Self = Self::ReadAudit;
    const KINDS: &'static [&'static str] =
        &["page", "game", "event", "account", "member", "claim", "picture"];

    fn needs(self) -> Role {
        match self {
            Self::Look
            | Self::Approve
            | Self::Reject
            | Self::Edit
            | Self::Revert
            | Self::GrantClaim
            | Self::RejectClaim => Role::Reviewer,
            _ => Role::Admin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entity::Entity;
    use super::*;

    #[test]
    fn rows_of_every_entity_can_be_imported() {
        for entity in Entity::VARIANTS {
            assert!(AuditAction::KINDS.contains(&entity.as_str()), "{entity:?}");
        }
    }

    #[test]
    fn a_reviewer_may_only_review_and_decide_claims() {
        let may: Vec<AuditAction> = AuditAction::VARIANTS
            .iter()
            .copied()
            .filter(|action| Role::Reviewer.covers(action.needs()))
            .collect();
        let decisions = [AuditAction::GrantClaim, AuditAction::RejectClaim];
        let reviews = [
            AuditAction::Look,
            AuditAction::Approve,
            AuditAction::Reject,
            AuditAction::Edit,
            AuditAction::Revert,
        ];
        assert_eq!(may, [&reviews[..], &decisions].concat());
        assert!(AuditAction::VARIANTS.iter().all(|action| Role::Admin.covers(action.needs())));
    }
}
