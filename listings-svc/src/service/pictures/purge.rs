//! The purge of a picture: out of every listing, and out of the file store.

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::audit::{AuthorizedAction, Subject};
use serde_json::json;

use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::listing_name::ListingName;
use crate::domain::pictures::FileName;
use crate::service::{Service, listing_name};
use crate::store::pictures::{self, uses};
use crate::write::pictures::{self as write, PictureEdit, PictureOperation};

impl Service {
    /// Purges a picture in all its sizes. Every step may be repeated, so a purge that was interrupted is finished by another one.
    pub(super) async fn purge(
        &self,
        name: &FileName,
        reason: String,
        by: AuthorizedAction<AuditAction>,
    ) -> Result<proto::PurgePictureResponse, Fault> {
        let renditions = pictures::renditions(&self.pool, name).await?;
        let names: Vec<FileName> = renditions.into_iter().map(|it| it.name).collect();
        if names.is_empty() {
            return Err(Fault::not_found("There is no picture with this name."));
        }
        // It is not served from here on, and no listing can get it.
        self.mark_purged(&names, name, &reason, &by).await?;
        let removed = self.pictures.remove(&names).await;
        let uses = uses::list(&self.pool, &names).await?;
        let addresses: Vec<String> = names.iter().map(FileName::address).collect();
        let mut listings = Vec::with_capacity(uses.len());
        for found in uses {
            let listing = ListingName {
                entity: found.entity,
                mode: found.mode,
                key: found.name,
            };
            let (kind, mode, key) = (listing.entity.as_str(), listing.mode, listing.key.clone());
            listings.push(listing_name::message(kind, mode, key));
            let edit = PictureEdit {
                listing,
                operation: PictureOperation::Purge(addresses.clone()),
                reason: reason.clone(),
                by: by.member.clone(),
            };
            write::apply(&self.commands, &edit).await?;
        }
        removed?;
        Ok(proto::PurgePictureResponse {
            files: names.iter().map(ToString::to_string).collect(),
            listings,
        })
    }

    async fn mark_purged(
        &self,
        names: &[FileName],
        name: &FileName,
        reason: &str,
        by: &AuthorizedAction<AuditAction>,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let mut transaction = self.pool.begin().await?;
        if pictures::mark_purged(&mut transaction, names, now).await? == 0 {
            return Ok(());
        }
        let files: Vec<String> = names.iter().map(ToString::to_string).collect();
        let subject = Subject {
            entity: "picture",
            name: name.to_string(),
            details: json!({ "reason": reason, "files": files }),
        };
        by.record(&mut *transaction, SCHEMA, subject, now).await?;
        transaction.commit().await?;
        Ok(())
    }
}
