//! Files of pictures, from listings-svc, part by part.
//!
//! A part is a small call that changes nothing: it is made when the caller has taken the part before it, and may be made of any replica.
//! So a slow caller holds one part in memory, and neither a connection nor a permit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contracts::listings::v1::picture_service_client::PictureServiceClient;
use contracts::listings::v1::{GetPictureRequest, GetPictureResponse};
use futures::Stream;
use futures::stream::try_unfold;
use kit::Fault;
use kit::rpc::client::{Client, Idempotent};
use tonic::Request;

use super::Bounds;
use super::limit::CallLimit;

/// Bytes of a part: that of most pictures is all of them.
const PART: u32 = 256 * 1024;

/// Clients of listings-svc for pictures, which have a limit of their own: when it hangs, no other route waits.
pub struct Pictures {
    client: PictureServiceClient<Client>,
    limit: CallLimit,
    deadline: Duration,
}

impl Pictures {
    /// Over a client of listings-svc.
    pub fn new(listings: Client, bounds: Bounds) -> Self {
        Self {
            client: PictureServiceClient::new(listings),
            limit: CallLimit::new("pictures", bounds),
            deadline: bounds.deadline,
        }
    }

    /// What is known of a picture, and its first part.
    ///
    /// # Errors
    /// There is none, or listings-svc does not answer.
    pub async fn begin(&self, name: &str) -> Result<GetPictureResponse, Fault> {
        self.part(name, 0, PART).await
    }

    /// What is known of a picture, and none of its bytes.
    ///
    /// # Errors
    /// There is none, or listings-svc does not answer.
    pub async fn look(&self, name: &str) -> Result<GetPictureResponse, Fault> {
        self.part(name, 0, 0).await
    }

    async fn part(&self, name: &str, offset: u64, most: u32) -> Result<GetPictureResponse, Fault> {
        let _permit = self.limit.acquire().await?;
        let mut request = Request::new(GetPictureRequest {
            name: name.to_owned(),
            offset,
            most,
        });
        request.set_timeout(self.deadline);
        request.extensions_mut().insert(Idempotent);
        let response = self.client.clone().get_picture(request).await;
        self.limit.ended(&response);
        Ok(response?.into_inner())
    }
}

/// The bytes of a picture that has begun, as they are asked for. It breaks off when a part does not come: the length was promised.
pub fn rest(
    pictures: Arc<Pictures>,
    name: String,
    begun: GetPictureResponse,
) -> impl Stream<Item = Result<Bytes, Fault>> + Send {
    let size = begun.size;
    try_unfold((0, begun.part), move |(offset, part): (u64, Bytes)| {
        let (pictures, name) = (Arc::clone(&pictures), name.clone());
        async move {
            if offset >= size {
                return Ok(None);
            }
            let part = if part.is_empty() {
                pictures.part(&name, offset, PART).await?.part
            } else {
                part
            };
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            if length == 0 || length > size - offset {
                return Err(Fault::unavailable(
                    "a picture that is not as long as it was",
                ));
            }
            Ok(Some((part, (offset + length, Bytes::new()))))
        }
    })
}
