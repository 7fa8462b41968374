//! The search over the documentation.

use pages::docs::SearchPage;
use pages::site::Head;

use super::{menu, reference};
use crate::docs::guides::Index;
use crate::page_error::PageResult;
use crate::site::cached::respond;
use crate::site::query::address;
use crate::site::request::SiteRequest;

const PATH: &str = "/docs/search";
/// Characters of a query that count, as many as the field takes.
const MOST: usize = 100;

pub async fn show(request: SiteRequest) -> PageResult {
    let (app, query, visit) = (&request.app, &request.query, request.visit);
    let words: Option<String> = query
        .get("q")
        .map(|words| words.chars().take(MOST).collect());
    let mut visit = visit.in_english();
    visit.path = address(PATH, &[("q", words.as_deref())]);
    let reference = reference::if_any(app).await;
    let guides = app.docs.guides(app.clock.now()).await;
    respond(app, &visit, |mut frame| {
        let title = match &words {
            Some(words) => format!("Documentation: “{words}”"),
            None => "Search the documentation".to_owned(),
        };
        frame.head = Head::new(title, "Search every page of the documentation.").unindexed();
        let indexes = std::iter::once(&guides.index);
        let indexes = indexes.chain(reference.as_deref().map(|reference| &reference.index));
        let hits = words.as_ref().map(|words| Index::find(indexes, words));
        let mut menu = menu(&guides, None, "");
        menu.search = words.unwrap_or_default();
        Ok(SearchPage { frame, menu, hits })
    })
}
