//! The upload of a picture.

use axum::extract::Path;
use axum::extract::multipart::{Multipart, MultipartRejection};
use bytes::BytesMut;
use contracts::listings::v1 as proto;
use contracts::listings::v1::prepare_picture_request::Message;
use futures::{Stream, StreamExt as _, stream};
use http::StatusCode;
use kit::{Code, Fault};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use uuid::Uuid;

use super::crop::{Prepared, crop_page};
use super::gallery::gallery;
use super::picture_target::PictureTarget;
use crate::account::member_request::MemberRequest;
use crate::app::Web;
use crate::form_file::{self, FileRefusal};
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::viewer::Section;

/// The size of the messages with the file.
const CHUNK: usize = 64 * 1024;
/// The keys of title and text of the page while another upload of the person is under way.
const OTHER_UPLOAD: &(&str, &str) = &("error-unavailable-title", "picture-other-upload");

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    multipart: Result<Multipart, MultipartRejection>,
) -> PageResult {
    let target = PictureTarget::parse(&request, &of_kind, &name, &picture)?;
    let frame = request.frame(Section::Listings).await;
    let header = proto::OwnPictureHeader {
        account_id: request.scope.id.to_string(),
        kind: target.proto_kind().into(),
        name: name.clone(),
    };
    let language = request.language();
    let begun = frame.admit(None).map_err(FileRefusal::Fault);
    let begun = begun.and_then(|()| Ok(request.app.uploads.begin(request.person().id)?));
    let prepared = match (begun, multipart) {
        (Ok(_guard), Ok(multipart)) => prepare(&request, header, multipart).await,
        (Err(FileRefusal::OtherUpload), Ok(mut multipart)) => {
            discard(&mut multipart).await;
            // The page of an error finds the text in other languages itself.
            let fault = FileRefusal::OtherUpload.fault(PageLanguage::default());
            return Err(PageError::from(fault).with_keys(OTHER_UPLOAD));
        }
        (Err(refused), Ok(mut multipart)) => {
            discard(&mut multipart).await;
            Err(refused.fault(language))
        }
        (_, Err(_no_multipart)) => Err(no_file(language)),
    };
    match prepared {
        Ok(prepared) => {
            let prepared = Prepared::of(prepared);
            Ok(crop_page(&request, frame, target, prepared, None).await)
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let is_too_large = fault.code == Code::TooLarge;
            let mut answer = target.refused(language, fault);
            if is_too_large {
                answer.state.status = StatusCode::PAYLOAD_TOO_LARGE.into();
            }
            gallery(&request, frame, target.listing, answer).await
        }
    }
}

/// Sends the file of the form on, once it has arrived.
async fn prepare(
    request: &MemberRequest,
    header: proto::OwnPictureHeader,
    multipart: Multipart,
) -> Result<proto::PreparedPicture, Fault> {
    let language = request.language();
    let file = receive(multipart).await;
    let file = file.map_err(|refused| refused.fault(language))?;
    let file = file.ok_or_else(|| no_file(language))?;
    prepare_file(&request.app, header, file).await
}

/// Sends a file to listings-svc.
pub(super) async fn prepare_file(
    app: &Web,
    header: proto::OwnPictureHeader,
    file: File,
) -> Result<proto::PreparedPicture, Fault> {
    app.listings.prepare_picture(messages(header, file)).await
}

/// Stores the file of the form, if it has one.
async fn receive(mut multipart: Multipart) -> Result<Option<File>, FileRefusal> {
    let mut field = loop {
        match multipart.next_field().await {
            Ok(Some(field)) if field.name() == Some("picture") => break field,
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(error) => return Err(form_file::incomplete(&error)),
        }
    };
    form_file::store(&mut field).await
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
        form_file::discard(&mut field).await;
    }
}

fn no_file(language: PageLanguage) -> Fault {
    Fault::invalid_field("picture", language.say("picture-no-file"))
}
