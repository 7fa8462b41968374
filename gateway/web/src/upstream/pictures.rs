//! listings-svc: pictures of the listings of an account.

use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
use contracts::listings::v1::picture_service_client::PictureServiceClient;
use futures::Stream;
use kit::Fault;
use kit::rpc::client::Client;
use tonic::Request;
use uuid::Uuid;

use super::Listings;
use super::call::incomplete;

/// How long an upload may take.
const UPLOAD: Duration = Duration::from_mins(2);

impl Listings {
    fn pictures(&self) -> OwnPicturesServiceClient<Client> {
        OwnPicturesServiceClient::new(self.calls.client.clone())
    }

    /// Sends a picture, whose messages are a header, chunks and an end.
    pub async fn prepare_picture(
        &self,
        messages: impl Stream<Item = proto::PreparePictureRequest> + Send + 'static,
    ) -> Result<proto::PreparedPicture, Fault> {
        let mut request = Request::new(messages);
        request.set_timeout(UPLOAD);
        let prepared = self.pictures().prepare_picture(request).await?.into_inner();
        prepared.picture.ok_or_else(incomplete)
    }

    /// Gives the listing a prepared picture. A second call changes nothing.
    pub async fn use_picture(
        &self,
        account: Uuid,
        id: &str,
        alt: &str,
        place: Option<u32>,
    ) -> Result<(), Fault> {
        let request = self.calls.read(proto::UsePictureRequest {
            account_id: account.to_string(),
            id: id.to_owned(),
            alt: alt.to_owned(),
            place,
        });
        self.pictures().use_picture(request).await?;
        Ok(())
    }

    pub async fn remove_picture(
        &self,
        account: Uuid,
        kind: proto::PictureKind,
        name: &str,
        url: &str,
    ) -> Result<(), Fault> {
        let request = self.calls.read(proto::RemoveOwnPictureRequest {
            account_id: account.to_string(),
            kind: kind.into(),
            name: name.to_owned(),
            url: url.to_owned(),
        });
        self.pictures().remove_own_picture(request).await?;
        Ok(())
    }

    /// Gives the screenshots of a game this order and these texts.
    pub async fn arrange_screenshots(
        &self,
        account: Uuid,
        game: &str,
        screenshots: Vec<proto::ArrangedScreenshot>,
    ) -> Result<(), Fault> {
        let request = self.calls.read(proto::ArrangeScreenshotsRequest {
            account_id: account.to_string(),
            name: game.to_owned(),
            screenshots,
        });
        self.pictures().arrange_screenshots(request).await?;
        Ok(())
    }

    /// A part of a picture file, or of the rendition of the same picture with a width.
    pub async fn picture_part(
        &self,
        request: proto::GetPictureRequest,
    ) -> Result<proto::GetPictureResponse, Fault> {
        let request = self.calls.read(request);
        let mut files = PictureServiceClient::new(self.calls.client.clone());
        Ok(files.get_picture(request).await?.into_inner())
    }
}
