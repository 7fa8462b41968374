//! Pictures of listings, for staff (`listings/v1/staff_picture.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_upload::Message;
use contracts::listings::v1::staff_picture_service_server::StaffPictureService;
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::rpc::respond;
use kit::rpc::staff::Member;
use tokio::time::timeout;
use tonic::{Request, Response, Status, Streaming};

use super::public::Reader;
use super::upload::{self, Part, truncated_stream, unexpected_message};
use super::{kind, message, operation, position, removal, stored_address};
use crate::domain::array_fields::MAX_ALT_CHARS;
use crate::domain::audit_action::AuditAction;
use crate::domain::listing_name::ListingName;
use crate::domain::pictures::{FileName, PictureKind};
use crate::domain::text;
use crate::service::listing::find;
use crate::service::{Service, listing_name};
use crate::write::pictures::{self, PictureEdit, PictureOperation};

/// Maximum number of concurrent uploads: each holds its file in memory.
pub(in crate::service) const MAX_UPLOADS: usize = 8;

struct UploadHeader {
    listing: ListingName,
    alt: String,
    place: Option<usize>,
}

#[tonic::async_trait]
impl StaffPictureService for Service {
    async fn set_cover(
        &self,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        Ok(self.store_upload(PictureKind::Cover, request).await?)
    }

    async fn set_avatar(
        &self,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        Ok(self.store_upload(PictureKind::Avatar, request).await?)
    }

    async fn add_screenshot(
        &self,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        Ok(self.store_upload(PictureKind::Screenshot, request).await?)
    }

    async fn remove_picture(
        &self,
        request: Request<proto::RemovePictureRequest>,
    ) -> Result<Response<proto::RemovePictureResponse>, Status> {
        let subject = ("picture", request.get_ref().name.as_str());
        let action = AuditAction::Edit;
        let member = self.audit.admit(&request, action, subject).await?.member;
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let mode = bad.mode(request.mode);
        let kind = bad.take(kind(request.kind()));
        if kind == Some(PictureKind::Screenshot) && request.url.is_empty() {
            let reason = "Give the address of the screenshot, or the last part of it.";
            bad.add("url", reason);
        }
        let kind = bad.finish(kind)?;
        let listing = ListingName {
            entity: kind.entity(),
            mode,
            key: request.name,
        };
        let operation = removal(kind, &request.url, &self.commands.public_url);
        let listing = self.edit_pictures(member, listing, operation).await?;
        Ok(Response::new(proto::RemovePictureResponse {
            listing: Some(listing),
        }))
    }

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
        let name = FileName::in_address(&stored_address(&request.url, &self.commands.public_url));
        if name.is_none() {
            bad.add(
                "url",
                "Give the address of an uploaded picture, or the last part of it.",
            );
        }
        let name = bad.finish(name)?;
        Ok(Response::new(self.purge(&name, reason, by).await?))
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

impl Service {
    async fn store_upload(
        &self,
        kind: PictureKind,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        let subject = (kind.entity().as_str(), "");
        let action = AuditAction::Edit;
        let member = self.audit.admit(&request, action, subject).await?.member;
        let _permit = self.running.staff_uploads.try_acquire()?;
        let mut stream = request.into_inner();
        let received = timeout(upload::TIMEOUT, self.receive_upload(kind, &mut stream)).await;
        let (header, file) = received.unwrap_or_else(|_| Err(truncated_stream().into()))?;
        // Checks early that the listing exists, to save the work. The write checks again.
        find(&self.pool, &header.listing).await?;
        let sizes = self.pictures.store(file, kind).await?;
        let (large, small) = (&sizes.large, &sizes.small);
        let picture = message(large, &self.commands.public_url);
        let small = message(small, &self.commands.public_url);
        let operation = operation(kind, (&sizes).into(), &header.alt, header.place);
        let listing = self
            .edit_pictures(member, header.listing, operation)
            .await?;
        Ok(Response::new(proto::PictureResponse {
            listing: Some(listing),
            picture: Some(picture),
            small: Some(small),
        }))
    }

    /// Receives the header and the whole file.
    async fn receive_upload(
        &self,
        kind: PictureKind,
        stream: &mut Streaming<proto::PictureUpload>,
    ) -> Result<(UploadHeader, Vec<u8>), Status> {
        let first = stream.message().await?.and_then(|it| it.message);
        let Some(Message::Header(first)) = first else {
            return Err(unexpected_message().into());
        };
        let header = header(kind, first)?;
        let part = |message: proto::PictureUpload| match message.message {
            Some(Message::Chunk(chunk)) => Part::Chunk(chunk),
            Some(Message::End(_)) => Part::End,
            Some(Message::Header(_)) | None => Part::Unexpected,
        };
        let file = upload::receive(stream, part, self.pictures.max_file_bytes()).await?;
        Ok((header, file))
    }

    async fn edit_pictures(
        &self,
        by: Member,
        listing: ListingName,
        operation: PictureOperation,
    ) -> Result<proto::Listing, Fault> {
        let edit = PictureEdit {
            listing: listing.clone(),
            operation,
            reason: String::new(),
            by,
        };
        pictures::apply(&self.commands, &edit).await?;
        find(&self.pool, &listing).await
    }
}

/// Reads a header. Only a screenshot has an alternative text and a position.
fn header(kind: PictureKind, header: proto::PictureHeader) -> Result<UploadHeader, Fault> {
    let mut bad = BadFields::default();
    let mode = bad.mode(header.mode);
    let alt = bad.read("alt", text::line(&header.alt, MAX_ALT_CHARS));
    let alt = alt.unwrap_or_default();
    let place = position(header.place);
    if kind != PictureKind::Screenshot {
        let only = "Only a screenshot has this field.";
        if !alt.is_empty() {
            bad.add("alt", only);
        }
        if place.is_some() {
            bad.add("place", only);
        }
    }
    bad.check()?;
    Ok(UploadHeader {
        listing: ListingName {
            entity: kind.entity(),
            mode,
            key: header.name,
        },
        alt,
        place,
    })
}
