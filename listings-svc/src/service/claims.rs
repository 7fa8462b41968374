//! Claims as messages.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::{Binding, SortTime};
use kit::api::page::Page;
use kit::api::timestamp;
use uuid::Uuid;

use super::Service;
use crate::domain::claim::ClaimState;
use crate::store::claims::{self as store, Claim};

impl Service {
    /// The waiting claims, oldest first.
    pub(super) async fn waiting_claims(
        &self,
        page: Option<common::PageRequest>,
    ) -> Result<proto::ListClaimsResponse, Fault> {
        let mut bad = BadFields::default();
        let binding = Binding::new("claims", [None]);
        let page: Page<(SortTime, Uuid)> = bad.read_public_page(binding, page);
        bad.check()?;
        let after = page.after.map(|(SortTime(at), id)| (at, id));
        let mut found = store::list_waiting(&self.pool, after, page.rows_to_fetch()).await?;
        let total = store::count_waiting(&self.pool).await?;
        let next_cursor = page.cut(&mut found, |claim| (SortTime(claim.made_at), claim.id))?;
        Ok(proto::ListClaimsResponse {
            claims: found.into_iter().map(message).collect(),
            page: Some(common::PageInfo {
                total: u64::try_from(total).unwrap_or_default(),
                next_cursor,
            }),
        })
    }
}

pub(super) fn message(claim: Claim) -> proto::Claim {
    let state = match claim.state {
        ClaimState::Waiting => proto::ClaimState::Waiting,
        ClaimState::Granted => proto::ClaimState::Granted,
        ClaimState::Rejected => proto::ClaimState::Rejected,
    };
    proto::Claim {
        id: claim.id.to_string(),
        handle: claim.handle,
        account_id: claim.account_id.to_string(),
        evidence: claim.evidence,
        state: state.into(),
        made_at: Some(timestamp::encode(claim.made_at)),
        decided_at: claim.decided_at.map(timestamp::encode),
        reason: claim.reason,
    }
}
