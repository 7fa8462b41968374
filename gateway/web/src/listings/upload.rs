//! The upload of a picture.

use std::io;

use axum::extract::Path;
use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use bytes::BytesMut;
use contracts::listings::v1 as proto;
use contracts::listings::v1::prepare_picture_request::Message;
use futures::{Stream, StreamExt as _, stream};
use http::StatusCode;
use kit::{Code, Fault};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use uuid::Uuid;

use super::crop::{Prepared, crop_page};
use super::gallery::gallery;
use super::pictures::Upload;
use crate::account::member_request::MemberRequest;
use crate::app::Web;
use crate::page_error::{PageError, PageResult};
use crate::viewer::Section;

/// The longest picture file, in bytes.
const MAX_FILE: usize = 10 * 1024 * 1024;
/// The longest body that is read to its end. A browser reads the response only after it has sent the body, so the rest of a file that is
/// too long is read and discarded.
pub const MAX_BODY: usize = 64 * 1024 * 1024;
/// The size of the messages with the file.
const CHUNK: usize = 64 * 1024;

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    multipart: Result<Multipart, MultipartRejection>,
) -> PageResult {
    let upload = Upload::parse(&request, &of_kind, &name, &picture)?;
    let frame = request.frame(Section::Listings).await;
    let header = proto::OwnPictureHeader {
        account_id: request.scope.id.to_string(),
        kind: upload.proto_kind().into(),
        name: name.clone(),
    };
    let begun = frame.admit(None);
    let begun = begun.and_then(|()| request.app.uploads.begin(request.person().id));
    let prepared = match (begun, multipart) {
        (Ok(_guard), Ok(multipart)) => prepare(&request.app, header, multipart).await,
        (Err(refused), Ok(mut multipart)) => {
            discard(&mut multipart).await;
            Err(refused)
        }
        (_, Err(_no_multipart)) => Err(no_file()),
    };
    match prepared {
        Ok(prepared) => {
            let prepared = Prepared::of(prepared);
            Ok(crop_page(&request, frame, upload, prepared, None).await)
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let is_too_large = fault.code == Code::TooLarge;
            let mut answer = upload.refused(fault);
            if is_too_large {
                answer.state.status = StatusCode::PAYLOAD_TOO_LARGE.into();
            }
            gallery(&request, frame, upload.listing, answer).await
        }
    }
}

/// Sends the file of the form on, once it has arrived.
async fn prepare(
    web: &Web,
    header: proto::OwnPictureHeader,
    multipart: Multipart,
) -> Result<proto::PreparedPicture, Fault> {
    let file = receive(multipart).await?;
    web.listings.prepare_picture(messages(header, file)).await
}

/// Stores the file of the form in a temporary file. A slow browser then holds neither the memory for its file nor a call of listings-svc.
/// Reads to the end also when the file is too long.
async fn receive(mut multipart: Multipart) -> Result<File, Fault> {
    let mut field = loop {
        match multipart.next_field().await {
            Ok(Some(field)) if field.name() == Some("picture") => break field,
            Ok(Some(_)) => {}
            Ok(None) => return Err(no_file()),
            Err(error) => return Err(unreadable(&error)),
        }
    };
    let failed = |error: io::Error| Fault::internal(&error);
    let mut file = File::from_std(tempfile::tempfile().map_err(failed)?);
    let mut size = 0_usize;
    while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error))? {
        size = size.saturating_add(chunk.len());
        if size <= MAX_FILE {
            file.write_all(&chunk).await.map_err(failed)?;
        }
    }
    match size {
        0 => return Err(no_file()),
        size if size > MAX_FILE => return Err(too_large()),
        _ => {}
    }
    file.flush().await.map_err(failed)?;
    file.rewind().await.map_err(failed)?;
    Ok(file)
}

/// The messages of an upload: the header, the chunks of the file, and the end.
fn messages(
    header: proto::OwnPictureHeader,
    file: File,
) -> impl Stream<Item = proto::PreparePictureRequest> {
    let parts = stream::unfold(Some(file), async |file| {
        let mut file = file?;
        let mut chunk = BytesMut::with_capacity(CHUNK);
        match file.read_buf(&mut chunk).await {
            Ok(0) => Some((Message::End(proto::PictureEnd {}), None)),
            Ok(_) => Some((Message::Chunk(chunk.freeze()), Some(file))),
            Err(error) => {
                // Without the end, the service refuses what it has received.
                tracing::error!(%error, "the temporary file of an upload cannot be read");
                None
            }
        }
    });
    let header = stream::iter([Message::Header(header)]);
    header
        .chain(parts)
        .map(|message| proto::PreparePictureRequest {
            message: Some(message),
        })
}

/// Reads and discards a body, so that the browser reads the response.
async fn discard(multipart: &mut Multipart) {
    while let Ok(Some(mut field)) = multipart.next_field().await {
        while let Ok(Some(_)) = field.chunk().await {}
    }
}

fn no_file() -> Fault {
    Fault::invalid_field("picture", "Choose a file.")
}

fn too_large() -> Fault {
    let megabytes = MAX_FILE / (1024 * 1024);
    let text = format!("Make it smaller: a file has {megabytes} MB at most.");
    Fault {
        fields: [("picture".to_owned(), text.clone())].into(),
        ..Fault::new(Code::TooLarge, text)
    }
}

fn unreadable(error: &MultipartError) -> Fault {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return too_large();
    }
    let text = "The file did not arrive whole. Send it again.";
    Fault::invalid_field("picture", text)
}
