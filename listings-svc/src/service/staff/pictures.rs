//! Pictures of listings, for staff (`listings/v1/staff_picture.proto`): their files, and the purge of a picture from every listing and the file store.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_server::StaffPictureService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::audit::{AuthorizedAction, Subject};
use kit::rpc::respond;
use serde_json::json;
use tonic::{Request, Response, Status};

use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::domain::pictures::FileName;
use crate::service::{Service, listing_name};
use crate::store::pictures;
use crate::store::pictures::Reader;
use crate::write::pictures::{self as write, PictureEdit};

#[tonic::async_trait]
impl StaffPictureService for Service {
    async fn purge_picture(
        &self,
        request: Request<proto::PurgePictureRequest>,
    ) -> Result<Response<proto::PurgePictureResponse>, Status> {
        let subject = ("picture", request.get_ref().url.as_str());
        let action = AuditAction::PurgePicture;
        let by = self.audit.admit(&request, action, subject).await?;
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let reason = listing_name::reason(&request.reason, true, &mut bad);
        let name = FileName::read(&request.url, self.commands.public_url.as_str());
        if name.is_none() {
            bad.add("url", "Give the address of an uploaded picture, or the last part of it.");
        }
        let name = bad.finish(name)?;
        respond(self.purge(&name, reason, by).await)
    }

    async fn read_picture(
        &self,
        request: Request<proto::ReadPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let subject = ("picture", request.get_ref().name.as_str());
        let action = AuditAction::Look;
        self.audit.admit(&request, action, subject).await?;
        let proto::ReadPictureRequest { name, offset, most } = request.into_inner();
        respond(self.read_part(&name, offset, most, Reader::Staff).await)
    }
}

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
        let mut transaction = kit::pg::begin(&self.pool).await?;
        let now = kit::pg::now(&mut *transaction, &self.clock).await?;
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
