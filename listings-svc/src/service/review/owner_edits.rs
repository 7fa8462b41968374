//! Lists the changes of public listings by their accounts.

use contracts::listings::v1 as proto;
use kit::bad_fields::BadFields;
use kit::cursor::{Binding, SortTime};
use kit::page::{Limits, Page};
use kit::{Fault, timestamp};
use uuid::Uuid;

use super::{Service, kind};
use crate::domain::mode::Mode;
use crate::service::{listing_name, revision};
use crate::store::history::{self, OwnerEdit};

impl Service {
    pub(super) async fn owner_edits(
        &self,
        request: proto::ListOwnerEditsRequest,
    ) -> Result<proto::ListOwnerEditsResponse, Fault> {
        let kind = kind(&request.kind)?;
        let mut bad = BadFields::default();
        let binding = Binding::new("owner edits", [Some(request.kind.as_str())]);
        let page: Page<(SortTime, Uuid, i64)> =
            bad.read_page(Limits::PUBLIC, binding, request.limit, &request.cursor);
        bad.check()?;
        let after = (page.after).map(|(SortTime(at), id, revision)| (at, id, revision));
        let mut edits = history::owner_edits(&self.pool, kind, after, page.rows_to_fetch()).await?;
        let bytes = |edit: &OwnerEdit| revision::bytes(Some(&edit.before), &edit.after);
        let next_cursor = page.cut_by_bytes(&mut edits, bytes, |edit| {
            (SortTime(edit.at), edit.id, edit.revision)
        })?;
        let changes = edits.iter().map(|edit| (Some(&edit.before), &edit.after));
        let differences = revision::differences(&self.pool, changes).await?;
        let edits = edits.into_iter().zip(differences);
        let edits = edits.map(|(edit, differences)| proto::OwnerEdit {
            name: Some(listing_name::message(edit.kind, Mode::Live, edit.name)),
            title: edit.title,
            revision: edit.revision,
            at: Some(timestamp::encode(edit.at)),
            account_id: edit.account,
            differences,
        });
        Ok(proto::ListOwnerEditsResponse {
            edits: edits.collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        })
    }
}
