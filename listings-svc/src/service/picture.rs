//! Picture files, for the gateway (`listings/v1/picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::PictureService;
use kit::Fault;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::domain::pictures::FileName;
use crate::pictures::FileStore;
use crate::store::{picture_uses, pictures};

const CONTENT_TYPE: &str = "image/jpeg";

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    files: FileStore,
}

impl Service {
    pub fn new(pool: PgPool, files: FileStore) -> Self {
        Self { pool, files }
    }

    /// Whether a picture may be served: staff have not purged it, and a listing that has it was not taken down. A picture that listings had
    /// before, but have no more, is served: caches and readers may still hold their earlier state.
    async fn is_served(&self, name: &FileName) -> Result<bool, sqlx::Error> {
        let renditions = pictures::renditions(&self.pool, name).await?;
        if renditions.iter().any(|(it, purged)| it == name && *purged) {
            return Ok(false);
        }
        let names: Vec<FileName> = renditions.into_iter().map(|(name, _)| name).collect();
        let uses = picture_uses::list(&self.pool, &names).await?;
        Ok(uses.is_empty() || uses.iter().any(|it| it.is_served))
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
        let mut name = FileName::parse(&request.name).ok_or_else(not_found)?;
        // The first part decides; a response that has begun is finished.
        if request.offset == 0 && !self.is_served(&name).await.map_err(Fault::from)? {
            return Err(not_found().into());
        }
        if let Some(width) = i32::try_from(request.width).ok().filter(|it| *it > 0) {
            let rendition = pictures::rendition_of_width(&self.pool, &name, width).await;
            name = rendition.map_err(Fault::from)?.unwrap_or(name);
        }
        let max_bytes = request.most.into();
        let part = self.files.part(&name, request.offset, max_bytes).await?;
        let part = part.ok_or_else(not_found)?;
        Ok(Response::new(proto::GetPictureResponse {
            content_type: CONTENT_TYPE.to_owned(),
            size: part.size,
            part: part.bytes,
            name: name.to_string(),
        }))
    }
}
