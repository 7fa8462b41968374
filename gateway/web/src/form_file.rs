//! A file in a form with other fields, such as the cover of a new game.
//!
//! The whole form is read before the access layer looks at the person and the role. The fields then go on as a form without files, so that
//! everything that knows forms knows this one, and the file goes beside them.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Request};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Extensions, HeaderValue, StatusCode};
use kit::{Code, Fault};
use tokio::fs::File;
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use url::form_urlencoded;

use crate::form_body::{MAX_FIELDS, unreadable};
use crate::page_error::PageError;
use crate::page_language::PageLanguage;
use crate::uploads::{UploadGuard, UploadRefusal};

/// The longest picture file, in bytes.
const MAX_FILE: usize = 10 * 1024 * 1024;
/// The longest body that is read to its end. A browser reads the response only after it has sent the body, so the rest of a file that is
/// too long is read and discarded.
pub const MAX_BODY: usize = 64 * 1024 * 1024;

/// The file of a form, for its handler. Extensions of requests are cloned, so it is shared.
#[derive(Debug, Clone)]
pub struct FormFile(Arc<Mutex<Option<AttachedFile>>>);

/// A file, which is deleted when it is dropped.
#[derive(Debug)]
pub struct AttachedFile {
    pub file: File,
    _guard: UploadGuard,
}

impl FormFile {
    pub fn take(&self) -> Option<AttachedFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Why the file of a form was not stored. The handler shows it at the field of the file.
#[derive(Debug, Clone)]
pub enum FileRefusal {
    /// The file is too long, or its body is.
    TooLarge,
    /// The body breaks off.
    Incomplete,
    /// The person is uploading another one.
    OtherUpload,
    Fault(Fault),
}

impl FileRefusal {
    /// The fault of the field `picture`, in the language of its page.
    pub fn fault(self, language: PageLanguage) -> Fault {
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
            Self::OtherUpload => Fault {
                retry_after: Some(5),
                ..Fault::new(Code::Unavailable, language.say("picture-other-upload"))
            },
            Self::Fault(fault) => fault,
        }
    }
}

impl From<UploadRefusal> for FileRefusal {
    fn from(refusal: UploadRefusal) -> Self {
        match refusal {
            UploadRefusal::OtherUpload => Self::OtherUpload,
            UploadRefusal::Overloaded(fault) => Self::Fault(fault),
        }
    }
}

impl From<Fault> for FileRefusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Reads a form with a file. `upload` is the permit to store the file; `None`: the person may not send the form, whose refusal shows the
/// fields again.
pub async fn unpack(
    mut request: Request,
    limit: usize,
    mut upload: Option<Result<UploadGuard, UploadRefusal>>,
) -> Result<Request, PageError> {
    // Someone who may not send the form sends what a browser sends of it at most.
    let longest = if upload.is_some() {
        MAX_BODY
    } else {
        MAX_FILE + limit
    };
    DefaultBodyLimit::max(longest).apply(&mut request);
    let (mut parts, body) = request.into_parts();
    let whole = Request::from_parts(parts.clone(), body);
    let multipart = Multipart::from_request(whole, &()).await;
    let mut multipart = multipart.map_err(|_rejection| unreadable(StatusCode::BAD_REQUEST))?;
    let mut fields: Vec<(String, String)> = Vec::new();
    let (mut size, mut parts_read) = (0, 0);
    loop {
        let field = multipart.next_field().await;
        let Some(mut field) = field.map_err(|error| unreadable(error.status()))? else {
            break;
        };
        parts_read += 1;
        if parts_read > MAX_FIELDS {
            return Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE));
        }
        if field.file_name().is_some() {
            read_file(&mut field, upload.take(), &mut parts.extensions).await;
            continue;
        }
        let name = field.name().unwrap_or_default().to_owned();
        let text = read_text(&mut field, limit.saturating_sub(size)).await?;
        size += name.len() + text.len();
        fields.push((name, text));
    }
    let encoded = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&fields)
        .finish();
    if encoded.len() > limit {
        return Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE));
    }
    let form = HeaderValue::from_static("application/x-www-form-urlencoded");
    parts.headers.insert(CONTENT_TYPE, form);
    parts.headers.remove(CONTENT_LENGTH);
    Ok(Request::from_parts(parts, Body::from(encoded)))
}

/// Adds a file to the extensions of its request, or why it was not stored.
async fn read_file(
    field: &mut Field<'_>,
    upload: Option<Result<UploadGuard, UploadRefusal>>,
    extensions: &mut Extensions,
) {
    let guard = match upload {
        Some(Ok(guard)) => guard,
        Some(Err(refusal)) => {
            if discard(field).await > 0 {
                extensions.insert(FileRefusal::from(refusal));
            }
            return;
        }
        None => {
            discard(field).await;
            return;
        }
    };
    match store(field).await {
        Ok(Some(file)) => {
            let attached = AttachedFile {
                file,
                _guard: guard,
            };
            extensions.insert(FormFile(Arc::new(Mutex::new(Some(attached)))));
        }
        Ok(None) => {}
        Err(refusal) => {
            extensions.insert(refusal);
        }
    }
}

async fn read_text(field: &mut Field<'_>, most: usize) -> Result<String, PageError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = (field.chunk().await).map_err(|error| unreadable(error.status()))? {
        if bytes.len() + chunk.len() > most {
            return Err(unreadable(StatusCode::PAYLOAD_TOO_LARGE));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_no_text| unreadable(StatusCode::BAD_REQUEST))
}

/// Stores a file in a temporary one.
///
/// A slow browser then holds neither the memory for its file nor a call of listings-svc. Reads to the end
/// also when the file is too long. `None`: it is empty, as in a form in which nobody has chosen a file.
pub async fn store(field: &mut Field<'_>) -> Result<Option<File>, FileRefusal> {
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

/// Reads and discards a file, so that the browser reads the response; returns its length.
pub async fn discard(field: &mut Field<'_>) -> usize {
    let mut size = 0_usize;
    while let Ok(Some(chunk)) = field.chunk().await {
        size = size.saturating_add(chunk.len());
    }
    size
}

/// The refusal if a body breaks off, or is longer than [`MAX_BODY`].
pub fn incomplete(error: &MultipartError) -> FileRefusal {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        FileRefusal::TooLarge
    } else {
        FileRefusal::Incomplete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends the same part several times.
    async fn unpacked(part: &str, times: usize) -> Result<Request, PageError> {
        let part = format!("--x\r\ncontent-disposition: form-data; {part}\r\n\r\n\r\n");
        let request = http::Request::post("/")
            .header(CONTENT_TYPE, "multipart/form-data; boundary=x")
            .body(Body::from(part.repeat(times) + "--x--\r\n"))
            .unwrap();
        unpack(request, 10_000, None).await
    }

    #[tokio::test]
    async fn a_form_has_a_number_of_parts() {
        for part in ["name=\"a\"", "name=\"a\"; filename=\"\""] {
            assert!(unpacked(part, MAX_FIELDS).await.is_ok(), "{part}");
            assert!(unpacked(part, MAX_FIELDS + 1).await.is_err(), "{part}");
        }
    }
}
