//! Picture files of an account, also of listings that are not public.

use axum::extract::{Path, State};
use axum::response::Response;
use contracts::listings::v1::GetPictureRequest;
use uuid::Uuid;

use crate::app::App;
use crate::page_error::PageError;
use crate::picture_file;

pub async fn show(
    State(app): State<App>,
    Path((account, name)): Path<(Uuid, String)>,
) -> Result<Response, PageError> {
    let request =
        GetPictureRequest { name, account_id: account.to_string(), ..GetPictureRequest::default() };
    // A short time, so that a picture that is taken from the listing disappears here soon too.
    picture_file::respond(app, request, "private, max-age=300").await
}
