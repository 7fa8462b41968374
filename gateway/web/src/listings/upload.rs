//! The upload of a picture.

use std::io;

use axum::Extension;
use axum::extract::multipart::{Multipart, MultipartError, MultipartRejection};
use axum::extract::{Path, State};
use bytes::BytesMut;
use contracts::listings::v1 as proto;
use contracts::listings::v1::prepare_picture_request::Message;
use futures::{Stream, StreamExt as _, stream};
use http::StatusCode;
use kit::{Code, Fault};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use uuid::Uuid;

use super::Frame;
use super::crop::{Prepared, crop_page};
use super::gallery::gallery;
use super::pictures::{listing, picture_kind, proto_kind, refused_picture};
use crate::app::{App, Web};
use crate::page_error::{PageError, PageResult};
use crate::render::ok;
use crate::viewer::{AccountScope, Section, Viewer};

/// The longest picture file, in bytes.
const MAX_FILE: usize = 10 * 1024 * 1024;
/// The longest body that is read to its end. A browser reads the response only after it has sent the body, so the rest of a file that is
/// too long is read and discarded.
pub const MAX_BODY: usize = 64 * 1024 * 1024;
/// The size of the messages with the file.
const CHUNK: usize = 64 * 1024;
pub async fn send(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    multipart: Result<Multipart, MultipartRejection>,
) -> PageResult {
    let listing = listing(&scope, &of_kind, &name)?;
    let picture = picture_kind(listing.kind, &picture)?;
    let frame = Frame::load(&app, &viewer, &scope, Section::Listings).await;
    let header = proto::OwnPictureHeader {
        account_id: scope.id.to_string(),
        kind: proto_kind(picture).into(),
        name: name.clone(),
    };
    let begun = frame.admit(None);
    let begun = begun.and_then(|()| app.uploads.begin(viewer.person.id));
    let prepared = match (begun, multipart) {
        (Ok(_guard), Ok(multipart)) => prepare(&app, header, multipart).await,
        (Err(refused), Ok(mut multipart)) => {
            discard(&mut multipart).await;
            Err(refused)
        }
        (_, Err(_no_multipart)) => Err(no_file()),
    };
    match prepared {
        Ok(prepared) => {
            let prepared = Prepared::of(prepared);
            let of = (listing, picture);
            Ok(ok(&crop_page(
                &scope,
                frame,
                of,
                prepared,
                pages::Fields::default(),
            )))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let mut answer = refused_picture(&fault, picture);
            if fault.code == Code::TooLarge {
                answer.status = StatusCode::PAYLOAD_TOO_LARGE;
            }
            gallery(&app, &scope, frame, listing, answer).await
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
