//! Picture files, for the public site (`listings/v1/picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::PictureService;
use kit::Fault;
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use crate::domain::pictures::FileName;
use crate::service::Service;
use crate::service::ids::parse_uuid;
use crate::store::pictures::{self, Reader};

impl Service {
    /// Reads a part of a picture file, at most `most` bytes from `offset` on, for a reader.
    pub(super) async fn read_part(
        &self,
        name: &str,
        offset: u64,
        most: u32,
        reader: Reader,
    ) -> Result<proto::GetPictureResponse, Fault> {
        let not_found = || Fault::not_found("There is no picture of this name.");
        let name = FileName::parse(name).ok_or_else(not_found)?;
        // The first part decides; a response that has begun is finished.
        if offset == 0 && !pictures::may_see(&self.pool, reader, &name).await? {
            return Err(not_found());
        }
        let part = self.files.part(&name, offset, most.into()).await?.ok_or_else(not_found)?;
        Ok(proto::GetPictureResponse { size: part.size, part: part.bytes })
    }
}

#[tonic::async_trait]
impl PictureService for Service {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let proto::GetPictureRequest { name, offset, most, account_id } = request.into_inner();
        let reader = match account_id.as_str() {
            "" => Reader::Public,
            account => Reader::Member(parse_uuid("account_id", account)?),
        };
        respond(self.read_part(&name, offset, most, reader).await)
    }
}
