//! listings-svc: pictures of the listings of an account.

use contracts::listings::v1 as proto;
use contracts::listings::v1::PictureKind;
use kit::Fault;
use uuid::Uuid;

use super::Listings;
use super::call::rpcs;
use crate::uploads::STORING;

impl Listings {
    /// Gives a listing a picture.
    pub async fn add_picture(&self, request: proto::AddOwnPictureRequest) -> Result<(), Fault> {
        self.0.once_within(request, STORING).await?;
        Ok(())
    }

    /// Gives the screenshots of a game an order and texts. Like other changes of a revision it is
    /// not repeated: after it, the game has another one.
    pub async fn arrange_screenshots(
        &self,
        request: proto::ArrangeScreenshotsRequest,
    ) -> Result<(), Fault> {
        self.0.once(request).await?;
        Ok(())
    }

    /// A part of a picture file.
    pub async fn picture_part(
        &self,
        request: proto::GetPictureRequest,
    ) -> Result<proto::GetPictureResponse, Fault> {
        self.0.idempotent(request).await
    }
}

rpcs! { Listings:
    idempotent remove_picture(account: Uuid, kind: PictureKind, name: &str, url: &str, writes_per_day: Option<u32>) -> () =
        proto::RemoveOwnPictureRequest { account_id: account, kind, name, url, writes_per_day }
        => |_removed| ();

}
