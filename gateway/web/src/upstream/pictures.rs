//! listings-svc: pictures of the listings of an account.

use contracts::listings::v1 as proto;
use contracts::listings::v1::PictureKind;
use futures::Stream;
use kit::Fault;
use uuid::Uuid;

use super::Listings;
use super::call::rpcs;
use super::clients::{OwnPictures, Pictures};
use crate::uploads::STORING;

impl Listings {
    /// Gives a listing a picture, whose messages are a header, chunks and an end.
    pub async fn add_picture(
        &self,
        messages: impl Stream<Item = proto::AddOwnPictureRequest> + Send + 'static,
    ) -> Result<(), Fault> {
        let method = OwnPictures::add_own_picture;
        self.0.once_within(STORING, method, messages).await?;
        Ok(())
    }

    /// A part of a picture file.
    pub async fn picture_part(
        &self,
        request: proto::GetPictureRequest,
    ) -> Result<proto::GetPictureResponse, Fault> {
        self.0.idempotent(Pictures::get_picture, request).await
    }
}

rpcs! { Listings:
    idempotent remove_picture(account: Uuid, kind: PictureKind, name: &str, url: &str, writes_per_day: Option<u32>) -> () =
        OwnPictures::remove_own_picture(proto::RemoveOwnPictureRequest { account_id: account, kind, name, url, writes_per_day })
        => |_removed| ();

    /// Gives the screenshots of a game this order and these texts.
    idempotent arrange_screenshots(
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
