//! The purge of a picture: out of every listing, and out of the file store.

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use serde_json::json;

use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::pictures::FileName;
use crate::service::{Service, listing_name};
use crate::store::pictures;
use crate::write::pictures::{self as write, PictureEdit};

impl Service {
    /// Purges a picture in both sizes. Every step may be repeated, so a purge that was interrupted is finished by another one.
    pub(super) async fn purge(
        &self,
        name: &FileName,
        reason: String,
        by: AuthorizedAction<AuditAction>,
    ) -> Result<proto::PurgePictureResponse, Fault> {
        // It is not served from here on, and no listing can get it.
        self.mark_purged(name, &reason, &by).await?;
        let removed = self.files.remove_picture(name).await;
        let mut listings = Vec::new();
        for listing in pictures::listings(&self.pool, name).await? {
            let (kind, mode, key) = (listing.entity.as_str(), listing.mode, listing.key.clone());
            listings.push(listing_name::message(kind, mode, key));
            let edit = PictureEdit {
                listing,
                purged: name.clone(),
                reason: reason.clone(),
                by: by.member.clone(),
            };
            write::apply(&self.commands, &edit).await?;
        }
        removed?;
        Ok(proto::PurgePictureResponse {
            files: name.sizes().iter().map(ToString::to_string).collect(),
            listings,
        })
    }

    async fn mark_purged(
        &self,
        name: &FileName,
        reason: &str,
        by: &AuthorizedAction<AuditAction>,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let unknown = || Fault::not_found("There is no picture with this name.");
        let marked = pictures::mark_purged(&mut transaction, name, now).await?;
        if marked.ok_or_else(unknown)? {
            let subject = Subject {
                entity: "picture",
                name: name.hash().to_owned(),
                details: json!({ "reason": reason }),
            };
            by.record(&mut *transaction, SCHEMA, subject, now).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}
