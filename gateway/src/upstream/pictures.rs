//! The client of listings-svc for picture files, which are read in parts.
//!
//! A part is requested when the client has received the part before. Each is a small call without effects that any replica can
//! answer. A slow client therefore holds one part in memory, and neither a connection nor a permit.

use std::sync::Arc;

use bytes::Bytes;
use contracts::listings::v1::picture_service_client::PictureServiceClient;
use contracts::listings::v1::{GetPictureRequest, GetPictureResponse};
use futures::Stream;
use futures::stream::try_unfold;
use kit::Fault;
use kit::rpc::client::Client;

use super::{CallLimits, Upstream};

/// The size of a part. Most pictures are smaller.
const PART_SIZE: u32 = 256 * 1024;

/// A client with a limit of its own: while listings-svc hangs, no other route waits.
pub struct Pictures(Upstream);

impl Pictures {
    pub fn new(listings: Client, limits: CallLimits) -> Self {
        Self(Upstream::new("pictures", listings, limits))
    }

    /// The metadata of a picture and its first part.
    ///
    /// # Errors
    /// There is no such picture, or listings-svc does not respond.
    pub async fn first_part(&self, name: &str) -> Result<GetPictureResponse, Fault> {
        self.part(name, 0, PART_SIZE).await
    }

    async fn part(&self, name: &str, offset: u64, most: u32) -> Result<GetPictureResponse, Fault> {
        let request = GetPictureRequest {
            name: name.to_owned(),
            offset,
            most,
            ..GetPictureRequest::default()
        };
        let method = PictureServiceClient::get_picture;
        self.0.read(method, request).await
    }
}

/// Streams a picture, of which the first part is known. A missing part breaks the stream off, since the length has been sent.
pub fn stream(
    pictures: Arc<Pictures>,
    name: String,
    first: GetPictureResponse,
) -> impl Stream<Item = Result<Bytes, Fault>> + Send {
    let size = first.size;
    try_unfold((0, first.part), move |(offset, part): (u64, Bytes)| {
        let (pictures, name) = (Arc::clone(&pictures), name.clone());
        async move {
            if offset >= size {
                return Ok(None);
            }
            let part = if part.is_empty() {
                pictures.part(&name, offset, PART_SIZE).await?.part
            } else {
                part
            };
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            if length == 0 || length > size - offset {
                return Err(Fault::unavailable("a picture whose length has changed"));
            }
            Ok(Some((part, (offset + length, Bytes::new()))))
        }
    })
}
