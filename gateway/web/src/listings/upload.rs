//! The upload of a picture. Streams its bytes to listings-svc.

use axum::Extension;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{Path, State};
use contracts::listings::v1 as proto;
use contracts::listings::v1::prepare_picture_request::Message;
use futures::stream;
use http::StatusCode;
use kit::{Code, Fault};
use tokio::sync::mpsc;
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
/// Chunks that wait for listings-svc.
const WAITING: usize = 4;

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
    let prepared = match (frame.admit(None), multipart) {
        (Ok(()), Ok(multipart)) => prepare(&app, header, multipart).await,
        (Err(closed), Ok(mut multipart)) => {
            discard(&mut multipart).await;
            Err(closed)
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

/// Sends the file of the form on.
async fn prepare(
    web: &Web,
    header: proto::OwnPictureHeader,
    mut multipart: Multipart,
) -> Result<proto::PreparedPicture, Fault> {
    let file = loop {
        match multipart.next_field().await {
            Ok(Some(field)) if field.name() == Some("picture") => break field,
            Ok(Some(_)) => {}
            Ok(None) => return Err(no_file()),
            Err(error) => return Err(unreadable(&error)),
        }
    };
    let (sender, receiver) = mpsc::channel(WAITING);
    let messages = stream::unfold(receiver, async |mut receiver: mpsc::Receiver<_>| {
        let message = receiver.recv().await?;
        Some((message, receiver))
    });
    let (fed, prepared) = futures::join!(
        feed(header, file, sender),
        web.listings.prepare_picture(messages)
    );
    // A fault of the file is the cause of the service's error about a stream that ended early, so return that fault.
    fed?;
    prepared
}

/// Reads the whole file. Forwards it until the service stops receiving or the file is too long.
async fn feed(
    header: proto::OwnPictureHeader,
    mut file: Field<'_>,
    sender: mpsc::Sender<proto::PreparePictureRequest>,
) -> Result<(), Fault> {
    let message = |message| proto::PreparePictureRequest {
        message: Some(message),
    };
    let mut sender = Some(sender);
    if let Some(open) = &sender
        && open.send(message(Message::Header(header))).await.is_err()
    {
        sender = None;
    }
    let mut size = 0_usize;
    while let Some(chunk) = file.chunk().await.map_err(|error| unreadable(&error))? {
        size = size.saturating_add(chunk.len());
        if size > MAX_FILE {
            sender = None;
        }
        if let Some(open) = &sender
            && open.send(message(Message::Chunk(chunk))).await.is_err()
        {
            sender = None;
        }
    }
    if size == 0 {
        return Err(no_file());
    }
    if size > MAX_FILE {
        return Err(too_large());
    }
    if let Some(open) = sender {
        // The receiver was dropped if the service has answered already.
        drop(open.send(message(Message::End(proto::PictureEnd {}))).await);
    }
    Ok(())
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
