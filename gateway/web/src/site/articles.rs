//! Pages of text.

use axum::Extension;
use axum::extract::State;
use pages::Head;
use pages::site::articles::ArticlePage;

use super::response::respond;
use crate::app::App;
use crate::page_error::{PageError, PageResult};
use crate::visit::Visit;

/// The text whose name ends the path.
pub async fn show(app: State<App>, visit: Extension<Visit>) -> PageResult {
    let name = visit.path.rsplit('/').next().unwrap_or_default();
    let article = app.articles.find(name, visit.language).ok_or_else(PageError::not_found)?;
    respond(&app, &visit, |mut frame| {
        frame.head = Head::new(article.title.clone(), article.summary.clone());
        Ok(ArticlePage { frame, body: article.html.clone() })
    })
}
