//! The start page. A person who is signed in gets to the accounts.

use axum::Extension;
use axum::extract::{Query, State};
use pages::Shell;
use pages::shell::StartPage;

use crate::app::App;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::{ok, see_other};
use crate::viewer::Viewer;

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Option<Viewer>>,
    Query(done): Query<AfterForm>,
) -> PageResult {
    if viewer.is_some() {
        return Ok(see_other("/accounts"));
    }
    Ok(ok(&StartPage {
        shell: Shell {
            notice: done.notice(),
            ..Shell::default()
        },
        api_url: app.api_url.clone(),
    }))
}
