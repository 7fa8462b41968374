//! Games: the list, and the page of one.

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public::{self, PLATFORMS, STAGES};
use futures::future::{join, join3, try_join, try_join3};
use kit::Fault;
use pages::site::amount::Amount;
use pages::site::cards::GameCard;
use pages::site::games::{Credit, Currency, CurrencyRate, GamePage, ShareCode, Trailer};
use pages::site::list::GamesPage;
use pages::site::{Frame, Head};
use time::{Date, OffsetDateTime};

use super::boards::Ranks;
use super::cached::respond;
use super::filters::{self, FixedFilter, ListRequest, RowNames};
use super::query::address;
use super::request::SiteRequest;
use super::{cards, feeds, oembed, share_card, structured_data, visitor_actions};
use crate::domain::listing_kind::ListingKind;
use crate::domain::similar_games::similar;
use crate::page_error::PageResult;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::page;

const LIST: &str = "/games";

/// Other games of the creator on the page of a game.
const OTHERS: u32 = 4;
/// Similar games on the page of a game.
const SIMILAR: usize = 4;
/// Rows of each list in which similar games are looked for.
const SIMILAR_ROWS: u32 = 24;

const FILTERS: [&str; 7] = [
    "genre", "platform", "country", "stage", "creator", "city", "q",
];
/// How filters stand in a title; the genre is in front.
const PHRASES: [(&str, &str); 6] = [
    ("platform", "list-on"),
    ("city", "list-from"),
    ("country", "list-from"),
    ("creator", "list-by"),
    ("stage", "list-that"),
    ("q", "list-matching"),
];
const PLATFORM: FixedFilter = FixedFilter {
    name: "platform",
    label: "filter-platform",
    group: "platform",
    values: &PLATFORMS,
};
const STAGE: FixedFilter = FixedFilter {
    name: "stage",
    label: "filter-stage",
    group: "stage",
    values: &STAGES,
};

pub async fn list(request: SiteRequest) -> PageResult {
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    let list = ListRequest::new(LIST, &FILTERS, query);
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
    let catalogue = &app.catalogue;
    let reads = try_join3(
        catalogue.games(request),
        catalogue.genres(),
        catalogue.countries(),
    );
    let (games, genres, countries) = reads.await?;
    visit.path = list.address();
    respond(app, &visit, |mut frame| {
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
            city: first.map(|row| cards::city_name(frame.texts, &row.city, &row.country_code)),
        };
        let set = list.set_filters(&frame, &choices, &names);
        let genre = set.iter().find(|(name, _)| *name == "genre");
        let all = match genre {
            Some((_, genre)) => frame.say_of("games-of-genre", genre),
            None => frame.say("games-title").to_owned(),
        };
        let title = filters::title(&frame, all, &set, &PHRASES);
        list.describe(&mut frame, title, "games-description", games.page.total);
        if list.get("city").is_some() {
            // The API has no such filter.
            frame.api_call = None;
        }
        frame.share.documents = feeds::of_games(&frame);
        let cards = rows.into_iter().map(|row| cards::game(&frame, row));
        Ok(GamesPage {
            filters: list.form(&frame, choices, &set),
            total: games.page.total,
            games: cards.collect(),
            pager: list.pager(&frame, &games),
            frame,
        })
    })
}

/// What stands around a game on its page. The page is shown without what cannot be read.
#[derive(Debug)]
struct Surroundings {
    /// When it became public, if that is known.
    published: Option<OffsetDateTime>,
    creator_kind: String,
    ranks: Ranks,
    currency: Option<(public::Currency, Option<public::Rate<'static>>)>,
    /// The creator with some games, and the number of all.
    creator: Option<(public::Creator, u64)>,
    similar: Vec<public::GameRow>,
}

pub async fn show(
    SiteRequest { app, visit, .. }: SiteRequest,
    Path(slug): Path<String>,
) -> PageResult {
    let catalogue = &app.catalogue;
    let listing = async {
        let (found, creator_kind) = catalogue.game_or_sample(&slug).await?;
        let game: public::Game = found.parse()?;
        let neighbours = neighbours(catalogue, &game.row, found.is_sample).await;
        Ok::<_, Fault>((found, creator_kind, game, neighbours))
    };
    let beyond = async {
        let ranks = Ranks::read(catalogue, "games", &slug);
        let currency = app.currencies.of_game(&slug, app.clock.now());
        Ok(join(ranks, currency).await)
    };
    // So many calls at once are a large future.
    let reads = Box::pin(try_join(listing, beyond));
    let ((found, creator_kind, game, neighbours), (ranks, currency)) = reads.await?;
    let (creator, similar) = neighbours;
    let surroundings = Surroundings {
        published: found.published,
        creator_kind,
        ranks,
        currency,
        creator,
        similar,
    };
    respond(&app, &visit, |frame| {
        let mut page = game_page(&app, frame, game, surroundings);
        if found.is_sample {
            page.frame.mark_sample();
            page.share = None;
        }
        Ok(page)
    })
}

/// The creator of a game with other games, and similar games of others.
async fn neighbours(
    catalogue: &Catalogue,
    row: &public::GameRow,
    is_sample: bool,
) -> (Option<(public::Creator, u64)>, Vec<public::GameRow>) {
    // One more than shown, since this game may be one of them.
    let creator = async {
        let read = catalogue.creator_or_sample(&row.creator.handle, OTHERS + 1);
        let (creator, total) = read.await.ok()?;
        Some((creator.parse::<public::Creator>().ok()?, total))
    };
    if is_sample {
        // All lists have live games.
        return (creator.await, Vec::new());
    }
    let request = || proto::ListGamesRequest {
        page: Some(page(SIMILAR_ROWS, None)),
        ..proto::ListGamesRequest::default()
    };
    let of_genre = async {
        let genre = row.genres.first()?;
        let genre = Some(genre.clone());
        let read = catalogue.games(proto::ListGamesRequest { genre, ..request() });
        read.await.ok()?.parse::<public::GameRow>().ok()
    };
    let of_country = async {
        let country = Some(row.country_code.clone());
        let read = catalogue.games(proto::ListGamesRequest {
            country,
            ..request()
        });
        read.await.ok()?.parse::<public::GameRow>().ok()
    };
    let (creator, of_genre, of_country) = join3(creator, of_genre, of_country).await;
    let lists = [of_genre, of_country].map(Option::unwrap_or_default);
    (creator, similar(row, lists, SIMILAR))
}

/// The head of the page of a game, and what machines read of it.
fn describe(frame: &mut Frame, game: &public::Game, creator_kind: &str) {
    let row = &game.row;
    frame.path = format!("{LIST}/{}", row.slug);
    let description = match row.tagline.as_str() {
        "" => frame.say_of("game-description", &row.title),
        tagline => tagline.to_owned(),
    };
    frame.head = Head::new(format!("{} – {}", row.title, row.creator.name), description);
    frame.api_call = Some(format!("GET /v1/games/{}", row.slug));
    frame.share.image = share_card::of_game(&frame.site, row);
    frame.share.documents = oembed::of_game(&frame.site, &frame.canonical(), &row.title);
    frame.share.structured_data = Some(structured_data::game(frame, game, creator_kind));
    share_card::or_of_site(frame);
}

fn game_page(app: &Web, mut frame: Frame, game: public::Game, around: Surroundings) -> GamePage {
    describe(&mut frame, &game, &around.creator_kind);
    let texts = frame.texts;
    let row = game.row;
    let filtered = |group: &str, name: &'static str, value: &String| {
        let list = address(LIST, &[(name, Some(value))]);
        frame.link(&list, texts.value(group, value, value))
    };
    let genres = row.genres.iter().map(|key| filtered("genre", "genre", key));
    let platforms = row.platforms.iter();
    let platforms = platforms.map(|key| filtered("platform", "platform", key));
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
    let creator = around.creator.as_ref().map(|(creator, _)| &creator.row);
    // A game has the city of its creator, without its slug.
    let city_slug = creator.filter(|creator| creator.city == row.city);
    let city_slug = city_slug.map_or("", |creator| creator.city_slug.as_str());
    let has_creator_site = around
        .creator
        .as_ref()
        .is_some_and(|(creator, _)| creator.links.contains_key("website"));
    let (others, all_others) = other_games(&frame, &row, around.creator.as_ref());
    let (stores, links) = cards::stores_and_links(&frame, &game.links);
    let (listed, updated) = days(row.created_at.0, around.published, game.updated_at.0);
    let similar = around.similar.into_iter();
    GamePage {
        cover: cards::cover(&frame, &row),
        genres: genres.collect(),
        platforms: platforms.collect(),
        stage: filtered("stage", "stage", &row.stage),
        release_year: row.release_year,
        place: cards::place_links(&frame, city_slug, &row.city, &row.country_code),
        currency: around
            .currency
            .map(|(currency, rate)| page_currency(&frame, currency, rate)),
        stores,
        listing_ranks: around.ranks.shown(&frame),
        trailer: trailer.map(|href| Trailer {
            host: cards::host(&href),
            href,
        }),
        screenshots: screenshots.collect(),
        has_creator_site,
        links,
        credits: game
            .credits
            .into_iter()
            .map(|credit| self::credit(&frame, credit))
            .collect(),
        listed: texts.date(listed),
        updated: updated.map(|day| texts.date(day)),
        others,
        all_others,
        similar: similar.map(|row| cards::game(&frame, row)).collect(),
        share: Some(ShareCode {
            address: frame.canonical(),
            embed: oembed::frame_code(&frame, &row),
            feed: frame.href(feeds::GAMES),
            calendar: frame.href(feeds::CALENDAR),
        }),
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
    let all = address(LIST, &[("creator", Some(&creator.row.handle))]);
    (
        others.map(|row| cards::game(frame, row)).collect(),
        (*total > u64::from(OTHERS) + 1).then(|| frame.href(&all)),
    )
}

fn page_currency(
    frame: &Frame,
    currency: public::Currency,
    rate: Option<public::Rate<'static>>,
) -> Currency {
    let path = format!("/economy/{}", currency.slug);
    let rate = rate.map(|rate| CurrencyRate {
        amount: Amount::new(frame.texts, rate.rate.as_str()),
        to: frame.link(&format!("{path}/{}", rate.to), rate.currency_to.to_string()),
    });
    Currency {
        cost: Amount::new(frame.texts, &currency.basket.cost.to_string()),
        link: frame.link(&path, currency.currency),
        is_late: currency.late,
        rate,
    }
}

fn credit(frame: &Frame, credit: public::Credit) -> Credit {
    let role = frame.texts.value("role", &credit.role, &credit.role);
    Credit {
        role: role.to_owned(),
        name: credit.name,
        href: credit
            .handle
            .map(|handle| frame.href(&format!("/creators/{handle}"))),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_change_before_the_listing_is_none() {
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
