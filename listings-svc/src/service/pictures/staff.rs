//! Pictures of listings, for staff (`listings/v1/staff_picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_server::StaffPictureService;
use kit::api::bad_fields::BadFields;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use crate::domain::audit_action::AuditAction;
use crate::domain::pictures::FileName;
use crate::service::{Service, listing_name};
use crate::store::pictures::Reader;

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
            bad.add(
                "url",
                "Give the address of an uploaded picture, or the last part of it.",
            );
        }
        let name = bad.finish(name)?;
        respond(self.purge(&name, reason, by).await)
    }

    async fn read_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let subject = ("picture", request.get_ref().name.as_str());
        let action = AuditAction::Look;
        self.audit.admit(&request, action, subject).await?;
        respond(self.read_part(request.get_ref(), Reader::Staff).await)
    }
}
