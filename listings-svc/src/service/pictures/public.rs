//! Picture files, for the gateway and the public site (`listings/v1/picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::PictureService;
use kit::Fault;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::pictures::FileName;
use crate::service::Service;
use crate::service::ids::parse_uuid;
use crate::store::pictures::Rendition;
use crate::store::pictures::{self, uses};

/// Who reads a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Public,
    /// A member of this account.
    Member(Uuid),
    Staff,
}

impl Service {
    /// Reads a part of a picture for a reader; the file itself, or the rendition with the width that the request names.
    pub(super) async fn read_part(
        &self,
        request: &proto::GetPictureRequest,
        reader: Reader,
    ) -> Result<proto::GetPictureResponse, Fault> {
        let not_found = || Fault::not_found("There is no picture of this name.");
        let mut name = FileName::parse(&request.name).ok_or_else(not_found)?;
        // The first part decides; a response that has begun is finished.
        if request.offset == 0 && !self.may_see(reader, &name).await? {
            return Err(not_found());
        }
        if let Some(width) = i32::try_from(request.width).ok().filter(|it| *it > 0) {
            let rendition = pictures::rendition_of_width(&self.pool, &name, width).await;
            name = rendition?.unwrap_or(name);
        }
        let max_bytes = request.most.into();
        let part = self.files.part(&name, request.offset, max_bytes).await?;
        let part = part.ok_or_else(not_found)?;
        Ok(proto::GetPictureResponse {
            size: part.size,
            part: part.bytes,
            name: name.to_string(),
        })
    }

    /// Whether a reader may see a picture. Nobody sees one that staff have purged. The public sees those that a public listing has, and
    /// those that one had before, since caches and readers may still hold its earlier state; not those of listings that were taken down.
    /// The members of an account also see what its listings have.
    async fn may_see(&self, reader: Reader, name: &FileName) -> Result<bool, sqlx::Error> {
        let renditions = pictures::renditions(&self.pool, name).await?;
        let is_named = |it: &&Rendition| it.name == *name;
        let Some(named) = renditions.iter().find(is_named) else {
            return Ok(false);
        };
        if named.is_purged {
            return Ok(false);
        }
        let was_published = renditions.iter().any(|it| it.is_published);
        let names: Vec<FileName> = renditions.into_iter().map(|it| it.name).collect();
        let uses = uses::list(&self.pool, &names).await?;
        if reader == Reader::Staff || uses.iter().any(|it| it.is_public) {
            return Ok(true);
        }
        if uses.iter().any(|it| it.is_withdrawn) {
            return Ok(false);
        }
        match reader {
            Reader::Member(account) if !was_published => {
                Ok(uses.iter().any(|it| it.owners.contains(&account)))
            }
            _ => Ok(was_published),
        }
    }
}

#[tonic::async_trait]
impl PictureService for Service {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let request = request.into_inner();
        let reader = match request.account_id.as_str() {
            "" => Reader::Public,
            account => Reader::Member(parse_uuid("account_id", account)?),
        };
        respond(self.read_part(&request, reader).await)
    }
}
