//! listings-svc: pictures of the listings of an account.

use contracts::listings::v1 as proto;
use contracts::listings::v1::PictureKind;
use contracts::listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
use futures::Stream;
use kit::Fault;
use tonic::Request;
use uuid::Uuid;

use super::Listings;
use super::call::{once_fault, rpcs};
use crate::uploads::STORING;

impl Listings {
    /// Gives a listing a picture, whose messages are a header, chunks and an end.
    pub async fn add_picture(
        &self,
        messages: impl Stream<Item = proto::AddOwnPictureRequest> + Send + 'static,
    ) -> Result<(), Fault> {
        let mut request = Request::new(messages);
        request.set_timeout(STORING);
        let mut service = OwnPicturesServiceClient::new(self.0.client.clone());
        service.add_own_picture(request).await.map_err(once_fault)?;
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
