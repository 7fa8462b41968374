//! Games: the list, and the page of one.

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public::{self, PLATFORMS, STAGES};
use futures::future::{join, try_join, try_join3};
use kit::{Code, Fault};
use pages::site::amount::Amount;
use pages::site::cards::GameCard;
use pages::site::course::Course;
use pages::site::games::{Credit, Currency, CurrencyRate, GamePage, ShareCode};
use pages::site::list::Rows;
use pages::{ApiCall, Frame, Head, Link};
use time::{Date, OffsetDateTime};

use super::cards::COVER;
use super::filters::{FilteredList, FixedFilter, ListRequest, RowNames};
use super::response::respond;
use super::{boards, cards, feeds, or_sample, structured_data, visitor_actions};
use crate::app::Web;
use crate::domain::link_host;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::query::address;
use crate::site::public_request::PublicRequest;
use crate::upstream::catalogue::page;
use crate::upstream::currencies::GameCurrency;
use crate::upstream::{Catalogue, PageEconomy};

const PATH: &str = "/games";

/// Other games of the creator on the page of a game.
const OTHERS: u32 = 4;
/// Similar games on the page of a game.
const SIMILAR: usize = 4;
/// Rows among which similar games are looked for. Those of the same creator are left out.
const SIMILAR_ROWS: u32 = 8;

pub const FILTERS: [&str; 7] = ["genre", "platform", "country", "stage", "creator", "city", "q"];
const LIST: FilteredList = FilteredList {
    path: PATH,
    filters: &FILTERS,
    title: "games-title",
    description: "games-description",
};
const PLATFORM: FixedFilter = FixedFilter {
    name: "platform",
    label: "filter-platform",
    group: "platform",
    values: &PLATFORMS,
};
const STAGE: FixedFilter =
    FixedFilter { name: "stage", label: "filter-stage", group: "stage", values: &STAGES };

pub async fn list(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let list = ListRequest::new(LIST, query);
    let request = proto::ListGamesRequest {
        page: Some(list.page()),
        genre: list.text("genre"),
        platform: list.text("platform"),
        country: list.text("country"),
        stage: list.text("stage"),
        creator: list.text("creator"),
        city: list.text("city"),
        q: list.text("q"),
        ..proto::ListGamesRequest::default()
    };
    let reads = try_join3(catalogue.games(request), catalogue.genres(), catalogue.countries(false));
    let (games, genres, countries) = reads.await?;
    respond(app, visit, |mut frame| {
        let rows: Vec<public::GameRow> = games.parse()?;
        let choices = vec![
            list.genres(&frame, &genres)?,
            list.fixed(&frame, PLATFORM),
            list.countries(&frame, &countries)?,
            list.fixed(&frame, STAGE),
        ];
        let first = rows.first();
        let names = RowNames {
            creator: first.map(|row| row.creator.name.clone()),
            city: first.map(|row| cards::city_name(frame.texts(), &row.city, &row.country_code)),
        };
        frame.share.documents = feeds::of_games(&frame);
        let cards = Rows::Games(cards::games(&frame, rows));
        let mut page = list.list_page(frame, choices, &names, &games, cards);
        if list.get("city").is_some() {
            // The API has no such filter.
            page.frame.api_call = None;
        }
        Ok(page)
    })
}

/// The parts of a game's page that come from other reads. The page says which of them cannot be read.
#[derive(Debug)]
struct PageParts {
    /// When it became public, if that is known.
    published: Option<OffsetDateTime>,
    ranks: Result<Vec<proto::BoardRank>, Fault>,
    currency: Result<Option<GameCurrency>, Fault>,
    creator: Result<Option<CreatorGames>, Fault>,
    similar: Result<Vec<public::GameRow>, Fault>,
}

/// A creator with some games, and the number of all.
type CreatorGames = (public::Creator, u64);

impl PageParts {
    fn is_whole(&self) -> bool {
        let has_rate = |currency: &GameCurrency| currency.rates.is_ok();
        let currency = self.currency.as_ref();
        let has_currency = currency.is_ok_and(|currency| currency.as_ref().is_none_or(has_rate));
        has_currency && self.ranks.is_ok() && self.creator.is_ok() && self.similar.is_ok()
    }
}

pub async fn show(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
    currencies: PageEconomy,
    Path(slug): Path<String>,
) -> PageResult {
    let listing = async {
        let found = catalogue.game(&slug).await?;
        let game: public::Game = found.parse()?;
        let (creator, similar) = creator_and_similar(&catalogue, &game.row).await;
        Ok::<_, Fault>((found.published, game, creator, similar))
    };
    let ranks_and_currency = async {
        let ranks = boards::ranks(&catalogue, "games", &slug);
        let currency = currencies.for_game(&slug);
        Ok(join(ranks, currency).await)
    };
    // Boxed: the joined futures exceed the size limit of clippy.
    let reads = Box::pin(try_join(listing, ranks_and_currency));
    let ((published, game, creator, similar), (ranks, currency)) = match reads.await {
        Ok(read) => read,
        Err(fault) => return or_sample(&app, &visit, &slug, fault),
    };
    let parts = PageParts { published, ranks, currency, creator, similar };
    respond(&app, &visit, |frame| Ok(game_page(&app, frame, game, parts)))
}

/// The creator of a game with other games, and similar games of others.
async fn creator_and_similar(
    catalogue: &Catalogue,
    row: &public::GameRow,
) -> (Result<Option<CreatorGames>, Fault>, Result<Vec<public::GameRow>, Fault>) {
    let creator = async {
        // One more than shown, since this game may be one of them.
        let read = catalogue.creator(&row.creator.handle, OTHERS + 1);
        match read.await {
            Ok((creator, total)) => Ok(Some((creator.parse()?, total))),
            // The creator is no longer public.
            Err(fault) if fault.code == Code::NotFound => Ok(None),
            Err(fault) => Err(fault),
        }
    };
    let similar = async {
        let request = proto::ListGamesRequest {
            page: Some(page(SIMILAR_ROWS, None)),
            genre: row.genres.first().cloned(),
            country: row.genres.is_empty().then(|| row.country_code.clone()),
            ..proto::ListGamesRequest::default()
        };
        Ok(similar(row, catalogue.games(request).await?.parse()?))
    };
    join(creator, similar).await
}

/// The games of other creators among `rows`, those of the same country first.
fn similar(game: &public::GameRow, mut rows: Vec<public::GameRow>) -> Vec<public::GameRow> {
    rows.retain(|other| other.creator.handle != game.creator.handle);
    rows.sort_by_key(|other| other.country_code != game.country_code);
    rows.truncate(SIMILAR);
    rows
}

/// The head of a game's page, and its structured data.
fn describe(frame: &mut Frame, game: &public::Game) {
    let row = &game.row;
    frame.path = format!("{PATH}/{}", row.slug);
    let description = match row.tagline.as_str() {
        "" => frame.say_of("game-description", &row.title),
        tagline => tagline.to_owned(),
    };
    frame.head = Head::new(format!("{} – {}", row.title, row.creator.name), description);
    frame.api_call = Some(ApiCall::same(format!("GET /v1/games/{}", row.slug)));
    frame.share.image = cards::picture(frame, row.cover_url.as_deref(), COVER, &row.title);
    frame.share.structured_data = Some(structured_data::listing(frame, PATH, "nav-games"));
}

fn game_page(app: &Web, mut frame: Frame, game: public::Game, parts: PageParts) -> GamePage {
    describe(&mut frame, &game);
    frame.head.is_indexed = parts.is_whole();
    let is_currency_unavailable = parts.currency.is_err();
    let today = super::today(app);
    let creator_games = parts.creator.as_ref().ok().map(Option::as_ref);
    let texts = frame.texts();
    let row = game.row;
    let filtered = |group: &str, name: &'static str, value: &String| {
        let list = address(PATH, &[(name, Some(value))]);
        frame.link(&list, texts.value(group, value, value))
    };
    let genres = row.genres.iter().map(|key| filtered("genre", "genre", key));
    let platforms = row.platforms.iter().map(|key| filtered("platform", "platform", key));
    let screenshots = (1_u64..).zip(&game.screenshots);
    let screenshots = screenshots.filter_map(|(number, shot)| {
        let sizes = cards::screenshot(shot.width, shot.height);
        // Each is a link, which needs a name.
        let alt = match shot.alt.as_str() {
            "" => texts.say_of("game-picture", &texts.number(number)),
            alt => alt.to_owned(),
        };
        cards::picture(&frame, Some(&shot.url), sizes, &alt)
    });
    let trailer = game.trailer_url.filter(|url| cards::is_https(url));
    let creator = creator_games.flatten().map(|(creator, _)| creator);
    let has_creator_site = creator.is_some_and(|it| it.links.contains_key("website"));
    // A game has the city of its creator, without its slug.
    let city_slug = creator.filter(|creator| creator.row.city == row.city);
    let city_slug = city_slug.map_or("", |creator| creator.row.city_slug.as_str());
    let others = creator_games.map(|creator| other_games(&frame, &row, creator));
    let (others, all_others) = others.unzip();
    let (stores, links) = cards::stores_and_links(&frame, &game.links);
    let (listed, updated) = days(row.created_at.0, parts.published, game.updated_at.0);
    let similar = parts.similar.ok().map(|rows| cards::games(&frame, rows));
    GamePage {
        cover: cards::cover(&frame, &row),
        genres: genres.collect(),
        platforms: platforms.collect(),
        stage: filtered("stage", "stage", &row.stage),
        release_year: row.release_year,
        place: cards::place_links(&frame, city_slug, &row.city, &row.country_code),
        currency: (parts.currency.ok().flatten()).map(|it| page_currency(&frame, it, today)),
        is_currency_unavailable,
        stores,
        ranks: parts.ranks.ok().map(|it| boards::shown(&frame, &it)),
        trailer: trailer.map(|href| Link { label: link_host::of(&href), href }),
        screenshots: screenshots.collect(),
        has_creator_site,
        links,
        credits: game.credits.into_iter().map(|credit| self::credit(&frame, credit)).collect(),
        listed: texts.date(listed),
        updated: updated.map(|day| texts.date(day)),
        others,
        all_others: all_others.flatten(),
        similar,
        share: ShareCode {
            address: frame.canonical(),
            feed: frame.href(feeds::GAMES),
            calendar: frame.href(feeds::CALENDAR),
        },
        actions: visitor_actions(app, &frame, ListingKind::Game, &row.slug),
        creator: cards::creator_link(&frame, row.creator),
        title: row.title,
        tagline: row.tagline,
        is_featured: row.featured,
        description: game.description,
        frame,
    }
}

/// The day on which a game was listed, and that of its last change if it is a later one. Nobody could see the game before it was
/// published.
fn days(
    submitted: OffsetDateTime,
    published: Option<OffsetDateTime>,
    updated: OffsetDateTime,
) -> (Date, Option<Date>) {
    let listed = published.unwrap_or(submitted).date();
    (listed, Some(updated.date()).filter(|day| *day > listed))
}

/// Other games of the creator, and the list of all if there are more. The creator comes with the number of all games.
fn other_games(
    frame: &Frame,
    row: &public::GameRow,
    creator: Option<&(public::Creator, u64)>,
) -> (Vec<GameCard>, Option<String>) {
    let Some((creator, total)) = creator else {
        return (Vec::new(), None);
    };
    let others = creator.games.iter().filter(|other| other.slug != row.slug);
    let most = usize::try_from(OTHERS).unwrap_or_default();
    let others = others.take(most).cloned();
    let all = address(PATH, &[("creator", Some(&creator.row.handle))]);
    (
        others.map(|row| cards::game(frame, row)).collect(),
        (*total > u64::from(OTHERS) + 1).then(|| frame.href(&all)),
    )
}

fn page_currency(
    frame: &Frame,
    GameCurrency { currency, rates }: GameCurrency,
    today: Date,
) -> Currency {
    let page = |slug: &str| format!("/economy/{slug}");
    let is_rate_unavailable = rates.is_err();
    let rates = rates.unwrap_or_default();
    let rate = rates.rows.first().map(|rate| CurrencyRate {
        amount: Amount::new(frame.texts(), &rate.rate.to_string()),
        course: Course::new(frame.texts(), &rates.course(rate), today),
        to: frame.link(&page(&rate.to), rate.currency_to.to_string()),
    });
    Currency {
        cost: Amount::new(frame.texts(), &currency.basket.cost.to_string()),
        link: frame.link(&page(&currency.slug), currency.currency),
        is_late: currency.late,
        rate,
        is_rate_unavailable,
    }
}

fn credit(frame: &Frame, credit: public::Credit) -> Credit {
    let role = frame.texts().value("role", &credit.role, &credit.role);
    Credit {
        role: role.to_owned(),
        name: credit.name,
        href: credit.handle.map(|handle| frame.href(&format!("/creators/{handle}"))),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn an_update_by_the_day_of_publication_is_not_shown() {
        let submitted = datetime!(2026-03-01 08:00 UTC);
        let published = datetime!(2026-03-05 08:00 UTC);
        let later = datetime!(2026-03-06 00:00 UTC);
        let [first, fifth, sixth] = [submitted, published, later].map(OffsetDateTime::date);
        for (published, updated, expected) in [
            (Some(published), submitted, (fifth, None)),
            (Some(published), published, (fifth, None)),
            (Some(published), later, (fifth, Some(sixth))),
            (None, submitted, (first, None)),
            (None, published, (first, Some(fifth))),
        ] {
            let found = days(submitted, published, updated);
            assert_eq!(found, expected, "{published:?} {updated}");
        }
    }
}
