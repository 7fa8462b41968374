//! Lists the changes of public listings by their accounts.

use contracts::listings::v1 as proto;
use kit::cursor::Binding;
use kit::{Fault, timestamp};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Service, kind, live_name};
use crate::service::listing_name::Problems;
use crate::service::paging::Paging;
use crate::service::revision;
use crate::store::history::{self, OwnerEdit};

impl Service {
    pub(super) async fn owner_edits(
        &self,
        request: proto::ListOwnerEditsRequest,
    ) -> Result<proto::ListOwnerEditsResponse, Fault> {
        let kind = kind(&request.kind)?;
        let mut problems = Problems::new();
        let binding = Binding::new("owner edits", [Some(request.kind.as_str())]);
        let paging = Paging::<(i128, Uuid, i64)>::read(
            binding,
            request.limit,
            &request.cursor,
            &mut problems,
        );
        if !problems.is_empty() {
            return Err(Fault::invalid(problems));
        }
        let after = paging.after.and_then(|(nanos, id, revision)| {
            let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
            Some((at, id, revision))
        });
        let edits = history::owner_edits(&self.pool, kind, after, paging.fetch_limit()).await?;
        let bytes = |edit: &OwnerEdit| revision::bytes(Some(&edit.before), &edit.after);
        let (edits, next_cursor) = paging.finish_within_bytes(edits, bytes, |edit| {
            (edit.at.unix_timestamp_nanos(), edit.id, edit.revision)
        })?;
        let changes = edits.iter().map(|edit| (Some(&edit.before), &edit.after));
        let differences = revision::differences(&self.pool, changes).await?;
        let edits = edits.into_iter().zip(differences);
        let edits = edits.map(|(edit, differences)| proto::OwnerEdit {
            name: Some(live_name(edit.kind, edit.name)),
            title: edit.title,
            revision: edit.revision,
            at: Some(timestamp::encode(edit.at)),
            account_id: edit.account,
            differences,
        });
        Ok(proto::ListOwnerEditsResponse {
            edits: edits.collect(),
            next_cursor,
        })
    }
}
