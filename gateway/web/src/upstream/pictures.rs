//! listings-svc: pictures of the listings of an account.

use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::PictureKind;
use futures::Stream;
use kit::Fault;
use uuid::Uuid;

use super::Listings;
use super::call::{required, rpcs};
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
        required(prepared.picture)
    }

    /// A part of a picture file, or of the rendition of the same picture with a width.
    pub async fn picture_part(
        &self,
        request: proto::GetPictureRequest,
    ) -> Result<proto::GetPictureResponse, Fault> {
        self.0.read(Pictures::get_picture, request).await
    }
}

rpcs! { Listings:
    /// Gives the listing a prepared picture. A second call changes nothing.
    read use_picture(account: Uuid, id: &str, alt: &str, place: Option<u32>, writes_per_day: Option<u32>) -> () =
        OwnPictures::use_picture(proto::UsePictureRequest { account_id: account, id, alt, place, writes_per_day })
        => |_used| ();

    read remove_picture(account: Uuid, kind: PictureKind, name: &str, url: &str, writes_per_day: Option<u32>) -> () =
        OwnPictures::remove_own_picture(proto::RemoveOwnPictureRequest { account_id: account, kind, name, url, writes_per_day })
        => |_removed| ();

    /// Gives the screenshots of a game this order and these texts.
    read arrange_screenshots(
        account: Uuid,
        game: &str,
        screenshots: Vec<proto::ArrangedScreenshot>,
        writes_per_day: Option<u32>,
    ) -> () =
        OwnPictures::arrange_screenshots(proto::ArrangeScreenshotsRequest {
            account_id: account,
            name: game,
            screenshots,
            writes_per_day,
        })
        => |_arranged| ();
}
