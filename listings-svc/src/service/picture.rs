//! Picture files, for the gateway (`listings/v1/picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::PictureService;
use kit::Fault;
use tonic::{Request, Response, Status};

use crate::domain::pictures::FileName;
use crate::pictures::FileStore;

const CONTENT_TYPE: &str = "image/jpeg";

#[derive(Debug)]
pub struct Service {
    files: FileStore,
}

impl Service {
    pub fn new(files: FileStore) -> Self {
        Self { files }
    }
}

#[tonic::async_trait]
impl PictureService for Service {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let request = request.into_inner();
        let not_found = || Fault::not_found("There is no picture of this name.");
        let name = FileName::parse(&request.name).ok_or_else(not_found)?;
        let max_bytes = request.most.into();
        let part = self.files.part(&name, request.offset, max_bytes).await?;
        let part = part.ok_or_else(not_found)?;
        Ok(Response::new(proto::GetPictureResponse {
            content_type: CONTENT_TYPE.to_owned(),
            size: part.size,
            part: part.bytes,
        }))
    }
}
