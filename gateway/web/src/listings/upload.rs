//! The upload of a picture, which the listing gets at once.

use std::io;

use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest as _, Path, Request};
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::time::timeout;
use uuid::Uuid;

use super::arrangement::Arrangement;
use super::changes::BASE;
use super::picture_target::PictureTarget;
use super::pictures::{PICTURE, changed};
use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::english::{say, say_of};
use crate::form_body;
use crate::layers::form_person;
use crate::page_error::{PageError, PageResult};
use crate::request::Section;
use crate::store::sessions;
use crate::uploads::{self, TooSlow};

/// The longest picture file, in bytes.
const MAX_FILE: usize = 10 * 1024 * 1024;
/// The longest body that is read to its end. A browser reads the response only after it has sent the body, so the rest of a file that is
/// too long is read and discarded.
pub const MAX_BODY: usize = 64 * 1024 * 1024;
/// The person who opened the form, and the fields of the screenshots, which are in it as well.
const TEXTS: [&str; 5] = [form_person::FIELD, BASE, "url", "alt", "place"];
/// The most of these fields, and the longest texts together, as of other forms.
const MAX_FIELDS: usize = form_body::MAX_FIELDS;
const MAX_TEXTS: usize = form_body::MAX_LIMIT;
/// The keys of title and text of the page while another upload of the person is under way.
const OTHER_UPLOAD: &(&str, &str) = &("error-unavailable-title", "picture-other-upload");

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind, name, picture)): Path<(Uuid, String, String, String)>,
    form: Request,
) -> PageResult {
    let target = PictureTarget::parse(&request, &of_kind, &name, &picture)?;
    // The order and the texts of the screenshots, which are not saved with the file.
    let mut texts = Vec::new();
    let uploaded = match Multipart::from_request(form.map(uploads::timed), &()).await {
        Ok(mut multipart) => match request.app.uploads.begin(request.person().id) {
            Ok(Some(_guard)) => upload(&request, target, multipart, &mut texts).await?,
            refused => {
                // Not for longer than a browser may be silent: refused uploads hold a connection, and have no permit.
                timeout(uploads::SILENCE, discard(&mut multipart)).await.ok();
                let (status, keys) = (StatusCode::SERVICE_UNAVAILABLE, OTHER_UPLOAD);
                return Err(match refused {
                    Err(fault) => fault.into(),
                    Ok(_) => PageError::translated(status, keys).retry_after(5),
                });
            }
        },
        Err(_no_multipart) => Err(no_file()),
    };
    let context = request.context(Section::Listings).await;
    changed(&request, context, target, (uploaded, Arrangement::read(&texts))).await
}

/// Sends the file of the form on, once it has arrived, and gives it to the listing. The inner error is that of the form.
async fn upload(
    request: &MemberRequest,
    target: PictureTarget<'_>,
    multipart: Multipart,
    texts: &mut Vec<(String, String)>,
) -> Result<Result<(), Fault>, PageError> {
    let received = receive(multipart, target.picture, texts).await;
    let opened_by = texts.iter().find(|(name, _)| name == form_person::FIELD);
    form_person::check(&request.viewer, opened_by.map(|(_, person)| person.as_str()))?;
    let file = match received.and_then(|file| file.ok_or_else(no_file)) {
        Ok(file) => file,
        Err(fault) => return Ok(Err(fault)),
    };
    let reads = futures::join!(check_again(request), request.context(Section::Listings));
    let (admitted, context) = reads;
    admitted?;
    let picture = proto::AddOwnPictureRequest {
        account_id: request.scope.id.to_string(),
        kind: target.proto_kind().into(),
        name: target.listing.name.to_owned(),
        writes_per_day: context.writes_per_day()?,
        file: read(file).await?.into(),
    };
    Ok(request.app.listings.add_picture(picture).await)
}

/// Checks the session and the role again once the file has arrived, as the access layer does for other forms: it may have taken minutes.
async fn check_again(request: &MemberRequest) -> Result<(), PageError> {
    let (app, token, account) = (&request.app, &request.viewer.token, request.scope.id);
    let (lifetimes, now) = (app.session_lifetimes, app.clock.now());
    let found = sessions::find(&app.pool, token.hash(), Some(account), lifetimes, now);
    let (_, _, role) = found.await?.ok_or_else(PageError::signed_out)?;
    let role = role.ok_or_else(PageError::not_found)?;
    if !role.may(Permission::Edit) {
        return Err(PageError::forbidden(Permission::Edit));
    }
    app.gateway.admit_change().await?;
    Ok(())
}

/// Stores the file of the form in the field of this name, if it has one, and reads its texts, also
/// when the file is too long.
async fn receive(
    mut multipart: Multipart,
    name: &str,
    texts: &mut Vec<(String, String)>,
) -> Result<Option<File>, Fault> {
    let mut file = Ok(None);
    // What texts may still take.
    let mut room = MAX_TEXTS;
    loop {
        match multipart.next_field().await {
            Ok(Some(mut field)) if field.name() == Some(name) => file = store(&mut field).await,
            Ok(Some(mut field)) => {
                let text = field.name().filter(|name| TEXTS.contains(name)).map(ToOwned::to_owned);
                if let Some(name) = text.filter(|_| texts.len() < MAX_FIELDS) {
                    let value = read_text(&mut field, &mut room).await;
                    texts.extend(value?.map(|value| (name, value)));
                }
            }
            Ok(None) => return file,
            Err(error) => {
                file?;
                return Err(incomplete(&error));
            }
        }
    }
}

/// Reads a text field; `None` when it has no room.
async fn read_text(field: &mut Field<'_>, room: &mut usize) -> Result<Option<String>, Fault> {
    let mut text = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| incomplete(&error))? {
        let Some(left) = room.checked_sub(chunk.len()) else {
            return Ok(None);
        };
        *room = left;
        text.extend_from_slice(&chunk);
    }
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// Stores a file in a temporary one.
///
/// A slow browser then holds neither the memory for its file nor a call of listings-svc. Reads to the end
/// also when the file is too long. `None`: it is empty, as in a form in which nobody has chosen a file.
async fn store(field: &mut Field<'_>) -> Result<Option<File>, Fault> {
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
        size if size > MAX_FILE => return Err(too_large()),
        _ => {}
    }
    file.flush().await.map_err(failed)?;
    file.rewind().await.map_err(failed)?;
    Ok(Some(file))
}

/// The fault if a body breaks off, is too slow, or is longer than [`MAX_BODY`].
fn incomplete(error: &MultipartError) -> Fault {
    let refused = |key, value: u64| Fault::invalid_field(PICTURE, say_of(key, &value.to_string()));
    match TooSlow::among_sources(error) {
        Some(TooSlow::Silent) => refused("picture-silent", uploads::SILENCE.as_secs()),
        Some(TooSlow::Long) => refused("picture-slow", uploads::WHOLE.as_secs() / 60),
        None if error.status() == StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        None => Fault::invalid_field(PICTURE, say("picture-incomplete")),
    }
}

/// The fault if the file or its body is too long.
fn too_large() -> Fault {
    let text = say_of("picture-too-large", &(MAX_FILE / (1024 * 1024)).to_string());
    let fields = [(PICTURE.to_owned(), text.clone())].into();
    Fault { fields, ..Fault::new(Code::TooLarge, text) }
}

/// The content of a temporary file.
async fn read(mut file: File) -> Result<Vec<u8>, Fault> {
    let mut content = Vec::new();
    match file.read_to_end(&mut content).await {
        Ok(_) => Ok(content),
        Err(error) => Err(Fault::internal(&error)),
    }
}

/// Reads and discards a body, so that the browser reads the response.
async fn discard(multipart: &mut Multipart) {
    while let Ok(Some(mut field)) = multipart.next_field().await {
        while let Ok(Some(_)) = field.chunk().await {}
    }
}

fn no_file() -> Fault {
    Fault::invalid_field(PICTURE, say("picture-no-file"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::Body;
    use axum::extract::DefaultBodyLimit;
    use bytes::Bytes;
    use futures::{StreamExt as _, stream};
    use tokio::time::sleep;

    use super::*;

    /// Receives a file in this many parts of 60 KB. Each part arrives after this pause.
    async fn receive_slowly(parts: u32, pause: Duration) -> Result<usize, Fault> {
        const HEAD: &[u8] =
            b"--edge\r\ncontent-disposition: form-data; name=\"cover\"; filename=\"a.jpg\"\r\n\r\n";
        let part = Bytes::from(vec![7; 60_000]);
        let parts = stream::iter(0..parts).then(move |_| {
            let part = part.clone();
            async move {
                sleep(pause).await;
                part
            }
        });
        let head = stream::iter([Bytes::from_static(HEAD)]);
        let end = stream::iter([Bytes::from_static(b"\r\n--edge--\r\n")]);
        let body = head.chain(parts).chain(end).map(Ok::<_, io::Error>);
        let mut form = Request::post("/")
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(Body::from_stream(body))
            .unwrap()
            .map(uploads::timed);
        DefaultBodyLimit::max(MAX_BODY).apply(&mut form);
        let multipart = Multipart::from_request(form, &()).await.unwrap();
        let mut file = receive(multipart, "cover", &mut Vec::new()).await?.unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).await.unwrap();
        Ok(content.len())
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_of_ten_megabytes_arrives_over_a_slow_line() {
        let second = Duration::from_secs(1);
        // 60 KB a second, for almost three minutes; 12 KB a second.
        for pause in [second, 5 * second] {
            let received = receive_slowly(170, pause).await.unwrap();
            assert_eq!(received, 10_200_000);
        }
        for (pause, says) in [(6 * second, "15 minutes"), (31 * second, "30 seconds")] {
            let refused = receive_slowly(170, pause).await.unwrap_err();
            let reason = &refused.fields[PICTURE];
            assert!(reason.contains(says), "{reason}");
        }
    }
}
