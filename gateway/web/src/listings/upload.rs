//! The upload of a picture, which the listing gets at once.

use std::io;

use axum::extract::Path;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use bytes::BytesMut;
use contracts::listings::v1 as proto;
use contracts::listings::v1::add_own_picture_request::Message;
use futures::{Stream, StreamExt as _, stream};
use http::StatusCode;
use kit::{Code, Fault};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use uuid::Uuid;

use super::gallery::gallery;
use super::picture_target::PictureTarget;
use super::pictures::pictures_changed;
use crate::account::member_request::MemberRequest;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::FormState;
use crate::request::Section;
use crate::uploads::UploadRefusal;

/// The longest picture file, in bytes.
const MAX_FILE: usize = 10 * 1024 * 1024;
/// The longest body that is read to its end. A browser reads the response only after it has sent the body, so the rest of a file that is
/// too long is read and discarded.
pub const MAX_BODY: usize = 64 * 1024 * 1024;
/// The size of the messages with the file.
const CHUNK: usize = 64 * 1024;
/// The keys of title and text of the page while another upload of the person is under way.
const OTHER_UPLOAD: &(&str, &str) = &("error-unavailable-title", "picture-other-upload");

/// Why a file was not stored. The page shows it at the field of the file.
#[derive(Debug)]
enum FileRefusal {
    /// The file is too long, or its body is.
    TooLarge,
    /// The body breaks off.
    Incomplete,
    Fault(Fault),
}

impl FileRefusal {
    /// The fault of the field `picture`, in the language of its page.
    fn fault(self, language: PageLanguage) -> Fault {
        match self {
            Self::TooLarge => {
                let megabytes = (MAX_FILE / (1024 * 1024)).to_string();
                let text = language.texts().say_of("picture-too-large", &megabytes);
                Fault {
                    fields: [("picture".to_owned(), text.clone())].into(),
                    ..Fault::new(Code::TooLarge, text)
                }
            }
            Self::Incomplete => Fault::invalid_field("picture", language.say("picture-incomplete")),
            Self::Fault(fault) => fault,
        }
    }
}

impl From<Fault> for FileRefusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    multipart: Result<Multipart, MultipartRejection>,
) -> PageResult {
    let target = PictureTarget::parse(&request, &of_kind, &name, &picture)?;
    let uploaded = match multipart {
        Ok(mut multipart) => match request.app.uploads.begin(request.person().id) {
            Ok(_guard) => upload(&request, target, multipart).await,
            Err(refusal) => {
                discard(&mut multipart).await;
                return Err(other_upload(refusal));
            }
        },
        Err(_no_multipart) => Err(no_file(request.language())),
    };
    let work = async {
        uploaded?;
        Ok(pictures_changed(&request, target.listing))
    };
    let page = async |mut state: FormState| {
        // The error stands at the field of the file, which has the name of the picture.
        state.errors = state.errors.renamed(|name| match name.as_str() {
            "picture" => target.picture.to_owned(),
            _ => name,
        });
        let context = request.context(Section::Listings).await;
        gallery(&request, context, target.listing, (state, None)).await
    };
    request.answer(work, &["picture"], page).await
}

/// The error page while the site receives as many files as it can, or another one of the person.
fn other_upload(refusal: UploadRefusal) -> PageError {
    match refusal {
        UploadRefusal::OtherUpload => {
            let text = PageLanguage::default().say("picture-other-upload");
            let fault = Fault::new(Code::Unavailable, text).with_retry_after(5);
            PageError::from(fault).with_keys(OTHER_UPLOAD)
        }
        UploadRefusal::Overloaded(fault) => fault.into(),
    }
}

/// Sends the file of the form on, once it has arrived, and gives it to the listing.
async fn upload(
    request: &MemberRequest,
    target: PictureTarget<'_>,
    multipart: Multipart,
) -> Result<(), Fault> {
    let language = request.language();
    let context = request.context(Section::Listings).await;
    let header = proto::OwnPictureHeader {
        account_id: request.scope.id.to_string(),
        kind: target.proto_kind().into(),
        name: target.listing.name.to_owned(),
        writes_per_day: context.writes_per_day()?,
    };
    let file = receive(multipart).await;
    let file = file.map_err(|refused| refused.fault(language))?;
    let file = file.ok_or_else(|| no_file(language))?;
    let listings = &request.app.listings;
    listings.add_picture(messages(header, file)).await
}

/// Stores the file of the form, if it has one.
async fn receive(mut multipart: Multipart) -> Result<Option<File>, FileRefusal> {
    let mut field = loop {
        match multipart.next_field().await {
            Ok(Some(field)) if field.name() == Some("picture") => break field,
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(error) => return Err(incomplete(&error)),
        }
    };
    store(&mut field).await
}

/// Stores a file in a temporary one.
///
/// A slow browser then holds neither the memory for its file nor a call of listings-svc. Reads to the end
/// also when the file is too long. `None`: it is empty, as in a form in which nobody has chosen a file.
async fn store(field: &mut Field<'_>) -> Result<Option<File>, FileRefusal> {
    let failed = |error: io::Error| Fault::internal(&error);
    let mut file = File::from_std(tempfile::tempfile().map_err(failed)?);
    let mut size = 0_usize;
    while let Some(chunk) = field.chunk().await.map_err(|error| incomplete(&error))? {
        size = size.saturating_add(chunk.len());
        if size <= MAX_FILE {
            file.write_all(&chunk).await.map_err(failed)?;
        }
    }
    match size {
        0 => return Ok(None),
        size if size > MAX_FILE => return Err(FileRefusal::TooLarge),
        _ => {}
    }
    file.flush().await.map_err(failed)?;
    file.rewind().await.map_err(failed)?;
    Ok(Some(file))
}

/// The refusal if a body breaks off, or is longer than [`MAX_BODY`].
fn incomplete(error: &MultipartError) -> FileRefusal {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        FileRefusal::TooLarge
    } else {
        FileRefusal::Incomplete
    }
}

/// The messages of an upload: the header, the chunks of the file, and the end.
fn messages(
    header: proto::OwnPictureHeader,
    file: File,
) -> impl Stream<Item = proto::AddOwnPictureRequest> {
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
        .map(|message| proto::AddOwnPictureRequest {
            message: Some(message),
        })
}

/// Reads and discards a body, so that the browser reads the response.
async fn discard(multipart: &mut Multipart) {
    while let Ok(Some(mut field)) = multipart.next_field().await {
        while let Ok(Some(_)) = field.chunk().await {}
    }
}

fn no_file(language: PageLanguage) -> Fault {
    Fault::invalid_field("picture", language.say("picture-no-file"))
}
