//! The games of an account with their currencies.

use pages::economy::{GameRow, GamesPage};

use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::request::Section;
use crate::url_query::{ListQuery, UrlQuery};

pub async fn show(request: MemberRequest, UrlQuery(query): UrlQuery<ListQuery>) -> PageResult {
    let (economy, account) = (&request.app.economy, request.scope.id);
    let (context, listed) = futures::join!(
        request.context(Section::Economy),
        economy.currencies(account, "", &query.cursor)
    );
    let context = context.api_call("GET /v1/economy/currencies");
    let listed = listed?;
    let games = listed.currencies.into_iter().map(|own| GameRow {
        slug: own.game,
        title: own.title,
        currency: own.name.map(|name| name.name),
        is_public: own.published,
    });
    Ok(ok(&GamesPage {
        account: account.to_string(),
        games: games.collect(),
        more: request.next_page("/economy", listed.page),
        may_change: request.may(Permission::Develop),
        frame: context.frame,
    }))
}
