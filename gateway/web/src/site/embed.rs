//! The page of a game that other sites show in a frame. It has no script, sets no cookie, and its links open in a new tab.

use axum::extract::Path;
use contracts::public;
use kit::Fault;
use pages::site::Frame;
use pages::site::cards::Link;
use pages::site::embed::Embed;

use super::cached::respond;
use super::cards;
use super::request::SiteRequest;
use crate::page_error::PageResult;
use crate::render::allow_frames;

pub async fn game(
    SiteRequest { app, visit, .. }: SiteRequest,
    Path(slug): Path<String>,
) -> PageResult {
    let game = app.catalogue.game(&slug).await?;
    let mut response = respond(&app, &visit, |frame| {
        let game: public::Game = game.parse()?;
        Ok::<_, Fault>(embed(frame, game.row))
    })?;
    allow_frames(response.headers_mut());
    Ok(response)
}

fn embed(frame: Frame, row: public::GameRow) -> Embed {
    let address = frame.absolute(&format!("/games/{}", row.slug));
    let creator = frame.absolute(&format!("/creators/{}", row.creator.handle));
    let card = cards::game(&frame, row);
    Embed {
        address,
        creator: Link {
            href: creator,
            label: card.creator.label,
        },
        title: card.title,
        tagline: card.tagline,
        cover: card.cover,
        facts: card.facts,
        frame,
    }
}
