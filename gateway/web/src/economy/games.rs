//! The games of an account with their currencies.

use axum::Extension;
use axum::extract::State;
use pages::economy::{GameRow, GamesPage};

use crate::app::App;
use crate::domain::role::Permission;
use crate::listings::Frame;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::viewer::{AccountScope, Section, Viewer};

pub async fn show(
    State(app): State<App>,
    Extension(viewer): Extension<Viewer>,
    Extension(scope): Extension<AccountScope>,
) -> PageResult {
    let (frame, games) = futures::join!(
        Frame::load(&app, &viewer, &scope, Section::Economy),
        app.economy.currencies(scope.id, "")
    );
    let frame = frame.api_call("GET /v1/economy/currencies");
    let games = games?.into_iter().map(|own| GameRow {
        slug: own.game,
        title: own.title,
        currency: own.names.into_iter().next().map(|name| name.name),
        is_public: own.published,
    });
    Ok(ok(&GamesPage {
        account: scope.id.to_string(),
        games: games.collect(),
        may_change: scope.role.may(Permission::Develop),
        shell: frame.shell,
    }))
}
