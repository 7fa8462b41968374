//! The search over the documentation.

use axum::Extension;
use axum::extract::{RawQuery, State};
use pages::docs::SearchPage;
use pages::site::Head;

use super::menu;
use crate::app::App;
use crate::page_error::PageResult;
use crate::site::cached::{Version, respond};
use crate::site::query::{Query, address};
use crate::visit::Visit;

const PATH: &str = "/docs/search";
/// Characters of a query that count, as many as the field takes.
const MOST: usize = 100;

pub async fn show(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = Query::parse(query.as_deref());
    let words: Option<String> = query
        .get("q")
        .map(|words| words.chars().take(MOST).collect());
    let mut visit = visit.in_english();
    visit.path = address(PATH, &[("q", words.as_deref())]);
    let version = Version::new(&app, &visit);
    respond(&app, &visit, &version, |mut frame| {
        frame.head = Head {
            title: match &words {
                Some(words) => format!("Documentation: “{words}”"),
                None => "Search the documentation".to_owned(),
            },
            description: "Search every page of the documentation.".to_owned(),
            is_indexed: false,
        };
        let hits = words.as_ref().map(|words| app.guides.index.find(words));
        let mut menu = menu(&app.guides, "");
        menu.search = words.unwrap_or_default();
        Ok(SearchPage { frame, menu, hits })
    })
}
