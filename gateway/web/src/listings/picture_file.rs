//! Picture files of an account, also of listings that are not public.

use axum::extract::{Path, State};
use axum::response::Response;
use contracts::listings::v1::GetPictureRequest;
use uuid::Uuid;

use crate::app::App;
use crate::page_error::PageError;

/// The length of a part: all that this process holds for a slow browser.
const PART: u32 = 256 * 1024;

/// The position in a file that is being sent.
struct Rest {
    app: App,
    name: String,
    size: u64,
    sent: u64,
    first: Option<Bytes>,
}

pub async fn show(
    State(app): State<App>,
    Path((account, name)): Path<(Uuid, String)>,
) -> Result<Response, PageError> {
    let request = GetPictureRequest {
        name,
        account_id: account.to_string(),
        ..GetPictureRequest::default()
    };
    // A short time, so that a picture that is taken from the listing disappears here soon too.
    picture_file::respond(app, request, "private, max-age=300").await
}
