//! The start page.

use contracts::catalogue::v1 as proto;
use contracts::public;
use futures::future::join;
use pages::site::Head;
use pages::site::list::StartPage;

use super::cached::respond;
use super::request::SiteRequest;
use super::{FEW, cards, feeds, next_events, structured_data};
use crate::page_error::PageResult;
use crate::upstream::catalogue::page;

pub async fn show(request: SiteRequest) -> PageResult {
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    // From a fixed list, so that a link cannot put words into the page.
    let notice = match query.get("done") {
        Some("signed-out") => Some("notice-signed-out"),
        Some("deleted") => Some("notice-deleted"),
        _ => None,
    };
    "/".clone_into(&mut visit.path);
    let featured = proto::ListGamesRequest {
        page: Some(page(FEW, None)),
        ..proto::ListGamesRequest::default()
    };
    let reads = join(
        app.catalogue.games(featured),
        app.catalogue.events(next_events(FEW)),
    );
    // People sign in from here, also while there is nothing to show.
    let (games, events) = reads.await;
    let (games, events) = (games.ok(), events.ok());
    respond(app, &visit, |mut frame| {
        frame.head = Head::new(
            frame.texts.say("start-title"),
            frame.texts.say("start-lead"),
        );
        frame.share.documents = feeds::of_games(&frame);
        frame.share.structured_data = Some(structured_data::site(&frame));
        let games: Vec<public::GameRow> = match &games {
            Some(games) => games.parse()?,
            None => Vec::new(),
        };
        let events: Vec<public::Event> = match &events {
            Some(events) => events.parse()?,
            None => Vec::new(),
        };
        Ok(StartPage {
            notice: notice.map(|key| frame.texts.say(key).to_owned()),
            games: games
                .into_iter()
                .map(|row| cards::game(&frame, row))
                .collect(),
            events: events
                .into_iter()
                .map(|row| cards::event(&frame, row))
                .collect(),
            api_url: app.api_url.clone(),
            frame,
        })
    })
}
