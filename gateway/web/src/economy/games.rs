//! The games of an account with their currencies.

use axum::Extension;
use axum::extract::{Query, State};
use pages::economy::{GameRow, GamesPage};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::app::App;
use crate::domain::role::Permission;
use crate::listings::Frame;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::viewer::{AccountScope, Section, Viewer};

#[derive(Debug, Default, Deserialize)]
pub struct Shown {
    #[serde(default)]
    cursor: String,
}

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
    Query(shown): Query<Shown>,
) -> PageResult {
    let (frame, listed) = futures::join!(
        Frame::load(&app, &viewer, &scope, Section::Economy),
        app.economy.currencies(scope.id, &shown.cursor)
    );
    let frame = frame.api_call("GET /v1/economy/currencies");
    let listed = listed?;
    let next = listed.page.and_then(|page| page.next_cursor);
    let games = listed.currencies.into_iter().map(|own| GameRow {
        slug: own.game,
        title: own.title,
        currency: own.names.into_iter().next().map(|name| name.name),
        is_public: own.published,
    });
    Ok(ok(&GamesPage {
        account: scope.id.to_string(),
        games: games.collect(),
        more: next.map(|cursor| {
            let cursor = utf8_percent_encode(&cursor, NON_ALPHANUMERIC);
            format!("/accounts/{}/economy?cursor={cursor}", scope.id)
        }),
        may_change: scope.role.may(Permission::Develop),
        shell: frame.shell,
    }))
}
