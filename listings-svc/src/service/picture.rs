//! Files of pictures, for the gateway (`listings/v1/picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::PictureService;
use kit::Fault;
use tonic::{Request, Response, Status};

use crate::domain::picture::Name;
use crate::pictures::Store;

/// What every file is.
const CONTENT_TYPE: &str = "image/jpeg";

/// The service.
#[derive(Debug)]
pub struct Service {
    store: Store,
}

impl Service {
    /// The service that reads from `store`.
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

#[tonic::async_trait]
impl PictureService for Service {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let request = request.into_inner();
        let none = || Fault::not_found("there is no picture of this name");
        let name = Name::parse(&request.name).ok_or_else(none)?;
        let most = request.most.into();
        let part = self.store.part(&name, request.offset, most).await?;
        let part = part.ok_or_else(none)?;
        Ok(Response::new(proto::GetPictureResponse {
            content_type: CONTENT_TYPE.to_owned(),
            size: part.size,
            part: part.bytes,
        }))
    }
}
