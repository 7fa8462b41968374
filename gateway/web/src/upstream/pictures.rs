//! listings-svc: pictures of the listings of an account.

use std::time::Duration;

use contracts::listings::v1 as proto;
use futures::Stream;
use kit::Fault;
use uuid::Uuid;

use super::Listings;
use super::call::incomplete;
use super::clients::{OwnPictures, Pictures};

/// How long an upload may take.
const UPLOAD: Duration = Duration::from_mins(2);

impl Listings {
    /// Sends a picture, whose messages are a header, chunks and an end.
    pub async fn prepare_picture(
        &self,
        messages: impl Stream<Item = proto::PreparePictureRequest> + Send + 'static,
    ) -> Result<proto::PreparedPicture, Fault> {
        let method = OwnPictures::prepare_picture;
        let prepared = self.0.write_within(UPLOAD, method, messages).await?;
        prepared.picture.ok_or_else(incomplete)
    }

    /// Gives the listing a prepared picture. A second call changes nothing.
    pub async fn use_picture(
        &self,
        account: Uuid,
        id: &str,
        alt: &str,
        place: Option<u32>,
        writes_per_day: Option<u32>,
    ) -> Result<(), Fault> {
        let request = proto::UsePictureRequest {
            account_id: account.to_string(),
            id: id.to_owned(),
            alt: alt.to_owned(),
            place,
            writes_per_day,
        };
        self.0.read(OwnPictures::use_picture, request).await?;
        Ok(())
    }

    pub async fn remove_picture(
        &self,
        account: Uuid,
        kind: proto::PictureKind,
        name: &str,
        url: &str,
        writes_per_day: Option<u32>,
    ) -> Result<(), Fault> {
        let request = proto::RemoveOwnPictureRequest {
            account_id: account.to_string(),
            kind: kind.into(),
            name: name.to_owned(),
            url: url.to_owned(),
            writes_per_day,
        };
        self.0
            .read(OwnPictures::remove_own_picture, request)
            .await?;
        Ok(())
    }

    /// Gives the screenshots of a game this order and these texts.
    pub async fn arrange_screenshots(
        &self,
        account: Uuid,
        game: &str,
        screenshots: Vec<proto::ArrangedScreenshot>,
        writes_per_day: Option<u32>,
    ) -> Result<(), Fault> {
        let request = proto::ArrangeScreenshotsRequest {
            account_id: account.to_string(),
            name: game.to_owned(),
            screenshots,
            writes_per_day,
        };
        self.0
            .read(OwnPictures::arrange_screenshots, request)
            .await?;
        Ok(())
    }

    /// A part of a picture file, or of the rendition of the same picture with a width.
    pub async fn picture_part(
        &self,
        request: proto::GetPictureRequest,
    ) -> Result<proto::GetPictureResponse, Fault> {
        self.0.read(Pictures::get_picture, request).await
    }
}
