//! Pictures of the listings of an account (`listings/v1/own_picture.proto`).

use bytes::Bytes;
use contracts::listings::v1 as proto;
use contracts::listings::v1::own_pictures_service_server::OwnPicturesService;
use kit::api::bad_fields::BadFields;
use kit::overload::ConcurrencyLimit;
use kit::{Code, Fault};
use time::Duration;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::array_fields::{MAX_ALT_CHARS, MAX_ITEMS};
use crate::domain::mode::Mode;
use crate::domain::pictures::{FileName, PictureKind, StoredPicture};
use crate::domain::state::ListingState;
use crate::domain::text;
use crate::feed::PublicUrl;
use crate::pictures::FIELD;
use crate::service::Service;
use crate::service::ids::parse_uuid;
use crate::store::own_listings;
use crate::store::pictures::uploads;
use crate::write::absent::no_own_listing;
use crate::write::pictures::PictureOperation;
use crate::write::submission::Author;

/// Maximum number of concurrent uploads: each decodes its file in memory. `web` sends a file once
/// it has arrived whole, so a slow browser holds none of them.
const MAX_UPLOADS: usize = 16;
/// Maximum size of a request: a file that is a little too large is refused with a reason.
pub(in crate::service) const MAX_REQUEST_BYTES: usize = 12 * 1024 * 1024;

/// Limits how many uploads run at once.
pub fn upload_limit() -> ConcurrencyLimit {
    ConcurrencyLimit::new("uploads_of_accounts", MAX_UPLOADS)
}

#[tonic::async_trait]
impl OwnPicturesService for Service {
    async fn add_own_picture(
        &self,
        request: Request<proto::AddOwnPictureRequest>,
    ) -> Result<Response<proto::AddOwnPictureResponse>, Status> {
        let request = request.into_inner();
        let author = author(&request.account_id, request.writes_per_day)?;
        let kind = kind(request.kind())?;
        self.check_upload(author.account, kind, &request.name).await?;
        let _permit = self.uploads.try_acquire()?;
        self.count_upload(author.account).await?;
        let file = self.checked_file(request.file)?;
        let picture = self.pictures.store(file, kind).await?;
        let operation = addition(kind, picture);
        let listing = (kind.entity(), request.name);
        let written = self.change_pictures(listing, operation, author, None).await?;
        Ok(Response::new(proto::AddOwnPictureResponse { written }))
    }

    async fn remove_own_picture(
        &self,
        request: Request<proto::RemoveOwnPictureRequest>,
    ) -> Result<Response<proto::RemoveOwnPictureResponse>, Status> {
        let request = request.into_inner();
        let author = author(&request.account_id, request.writes_per_day)?;
        let kind = kind(request.kind())?;
        let operation = removal(kind, &request.url, &self.commands.public_url);
        let listing = (kind.entity(), request.name);
        let written = self.change_pictures(listing, operation, author, None).await?;
        Ok(Response::new(proto::RemoveOwnPictureResponse { written }))
    }

    async fn arrange_screenshots(
        &self,
        request: Request<proto::ArrangeScreenshotsRequest>,
    ) -> Result<Response<proto::ArrangeScreenshotsResponse>, Status> {
        let request = request.into_inner();
        let author = author(&request.account_id, request.writes_per_day)?;
        let order = self.arrangement(request.screenshots)?;
        let operation = PictureOperation::ArrangeScreenshots(order);
        let entity = PictureKind::Screenshot.entity();
        let seen = Some(vec![request.revision]);
        let written = self.change_pictures((entity, request.name), operation, author, seen).await?;
        Ok(Response::new(proto::ArrangeScreenshotsResponse { written }))
    }
}

impl Service {
    /// Refuses the file of a listing that cannot have it, before it is decoded; the write checks
    /// again.
    async fn check_upload(
        &self,
        account: Uuid,
        kind: PictureKind,
        name: &str,
    ) -> Result<(), Fault> {
        let own = own_listings::find(&self.pool, account, kind.entity(), name).await?;
        own.filter(|listing| listing.state != ListingState::Removed)
            .ok_or_else(|| no_own_listing(kind.entity()))?;
        Ok(())
    }

    /// Counts an upload before its file is read: to refuse a file costs as much as to accept it.
    async fn count_upload(&self, account: Uuid) -> Result<(), Fault> {
        let now = kit::pg::now(&self.pool, &self.clock).await?;
        let since = now - Duration::DAY;
        if uploads::count(&self.pool, account, since, now, self.pictures_per_day).await? {
            return Ok(());
        }
        let message = format!(
            "{} pictures in 24 hours are the most that an account can upload, refused ones included. Try again later.",
            self.pictures_per_day
        );
        // The account may upload again when its oldest upload no longer counts.
        let oldest = uploads::oldest(&self.pool, account, since).await?;
        let wait = oldest.map_or(Duration::SECOND, |oldest| oldest - since);
        Err(Fault::new(Code::Limit, message).retry_in(wait.max(Duration::SECOND)))
    }

    fn checked_file(&self, file: Bytes) -> Result<Vec<u8>, Fault> {
        let most = self.pictures.max_file_bytes();
        if file.len() > most {
            let megabytes = most / (1024 * 1024);
            let reason = format!("Make it smaller: a file has {megabytes} MB at most.");
            return Err(Fault::invalid_field(FIELD, reason));
        }
        Ok(file.into())
    }

    /// The addresses and texts of an arrangement; a bad text is named by its index.
    fn arrangement(
        &self,
        screenshots: Vec<proto::ArrangedScreenshot>,
    ) -> Result<Vec<(String, String)>, Fault> {
        let mut bad = BadFields::default();
        let mut order = Vec::new();
        // More than a game may have: the write refuses them.
        for (index, screenshot) in screenshots.into_iter().take(MAX_ITEMS + 1).enumerate() {
            let alt = text::line(&screenshot.alt, MAX_ALT_CHARS);
            let alt = bad.read(&format!("screenshots.{index}.alt"), alt);
            let address = stored_address(&screenshot.url, &self.commands.public_url);
            order.push((address, alt.unwrap_or_default()));
        }
        bad.check()?;
        Ok(order)
    }
}

fn author(account_id: &str, writes_per_day: Option<u32>) -> Result<Author, Fault> {
    Ok(Author { account: parse_uuid("account_id", account_id)?, mode: Mode::Live, writes_per_day })
}

/// Gives a listing a picture.
fn addition(kind: PictureKind, picture: StoredPicture) -> PictureOperation {
    match kind {
        PictureKind::Cover => PictureOperation::SetCover(picture),
        PictureKind::Avatar => PictureOperation::SetAvatar(picture),
        PictureKind::Screenshot => PictureOperation::AddScreenshot(picture),
    }
}

fn kind(kind: proto::PictureKind) -> Result<PictureKind, Fault> {
    match kind {
        proto::PictureKind::Cover => Ok(PictureKind::Cover),
        proto::PictureKind::Avatar => Ok(PictureKind::Avatar),
        proto::PictureKind::Screenshot => Ok(PictureKind::Screenshot),
        proto::PictureKind::Unspecified => {
            Err(Fault::invalid_field("kind", "Give cover, avatar or screenshot."))
        }
    }
}

/// Takes a picture from a listing. Only a screenshot is named by its address.
fn removal(kind: PictureKind, url: &str, public_url: &PublicUrl) -> PictureOperation {
    match kind {
        PictureKind::Cover => PictureOperation::RemoveCover,
        PictureKind::Avatar => PictureOperation::RemoveAvatar,
        PictureKind::Screenshot => {
            PictureOperation::RemoveScreenshot(stored_address(url, public_url))
        }
    }
}

/// The address as listings store it, of a public URL or a file name.
fn stored_address(url: &str, public_url: &PublicUrl) -> String {
    let uploaded = FileName::read(url, public_url.as_str());
    uploaded.map_or_else(|| url.to_owned(), |name| name.address())
}
