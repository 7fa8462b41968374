//! Reports of today: those that are held.

use contracts::economy::v1 as proto;
use futures::future::try_join_all;
use kit::Fault;
use pages::accounts::NewsItem;
use pages::shell::Sentence;

use super::News;
use crate::account::member_request::MemberRequest;
use crate::upstream::minute_of;

/// Games whose newest reports the page looks at.
const MAX_GAMES: usize = 5;

pub(super) async fn load(request: &MemberRequest) -> Result<News, Fault> {
    let (economy, account) = (&request.app.economy, request.scope.id);
    let games = economy.currencies(account, "", "").await?.currencies;
    let games = games.iter().filter(|game| game.name.is_some());
    let games = games.take(MAX_GAMES);
    let held = try_join_all(games.map(|game| newest_held(request, game))).await?;
    Ok(News {
        failed: held.into_iter().flatten().collect(),
        ..News::default()
    })
}

/// The newest report of a game that is held, if there is one.
async fn newest_held(
    request: &MemberRequest,
    game: &proto::OwnCurrency,
) -> Result<Option<NewsItem>, Fault> {
    let (economy, account) = (&request.app.economy, request.scope.id);
    let listed = economy.reports(account, &game.game, "").await?;
    let mut reports = listed.reports.into_iter();
    let held = reports.find(|it| it.state() == proto::ReportState::Held);
    Ok(held.map(|held| item(request, game, held)))
}

fn item(request: &MemberRequest, game: &proto::OwnCurrency, held: proto::OwnReport) -> NewsItem {
    let texts = request.language().texts();
    let since = minute_of(texts, held.report.unwrap_or_default().at);
    let detail = texts.say_of("today-report-since", &since);
    let text = texts.say_of("today-report-held", &game.title);
    let href = request.path(&format!("/economy/{}", game.game));
    NewsItem::new(text, href)
        .sentence(Sentence::of_service(held.held))
        .detail(detail)
}
