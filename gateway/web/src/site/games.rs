//! Games: the list, and the page of one.

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public::{self, PLATFORMS, STAGES};
use futures::future::{join, try_join, try_join3};
use kit::Fault;
use pages::site::games::{Credit, Currency, GamePage, Trailer};
use pages::site::list::GamesPage;
use pages::site::{Frame, Head};

use super::cached::respond;
use super::filters::{FixedFilter, ListRequest};
use super::query::address;
use super::request::SiteRequest;
use super::{boards, cards, feeds, oembed, share_card, structured_data, visitor_actions};
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::upstream::currencies::CurrencyName;

const LIST: &str = "/games";

const FILTERS: [&str; 6] = ["genre", "platform", "country", "stage", "creator", "q"];
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
        let title = list.title(&frame, "games-title", "games-in");
        list.describe(&mut frame, title, "games-description");
        frame.share.documents = feeds::of_games(&frame);
        let choices = vec![
            list.genres(&frame, &genres)?,
            list.fixed(&frame, PLATFORM),
            list.countries(&frame, &countries)?,
            list.fixed(&frame, STAGE),
        ];
        let rows: Vec<public::GameRow> = games.parse()?;
        let cards = rows.into_iter().map(|row| cards::game(&frame, row));
        Ok(GamesPage {
            filters: list.form(&frame, choices),
            total: games.page.total,
            games: cards.collect(),
            pager: list.pager(&frame, &games),
            frame,
        })
    })
}

pub async fn show(
    SiteRequest { app, visit, .. }: SiteRequest,
    Path(slug): Path<String>,
) -> PageResult {
    let catalogue = &app.catalogue;
    // Show the page without ranks and currency if these calls fail.
    let beyond = async {
        let ranks = catalogue.ranks("games", &slug);
        let currency = app.currencies.of_game(&slug, app.clock.now());
        Ok(join(ranks, currency).await)
    };
    let read = try_join(catalogue.game_or_sample(&slug), beyond);
    let ((game, creator_kind), (ranks, currency)) = read.await?;
    let ranks = ranks.unwrap_or_default();
    respond(&app, &visit, |frame| {
        let mut page = game_page(frame, game.parse()?, &creator_kind, &ranks, currency)?;
        if game.is_sample {
            page.frame.mark_sample();
        }
        Ok(page)
    })
}

fn game_page(
    mut frame: Frame,
    game: public::Game,
    creator_kind: &str,
    ranks: &[proto::BoardRank],
    currency: Option<CurrencyName>,
) -> Result<GamePage, Fault> {
    let row = &game.row;
    frame.path = format!("{LIST}/{}", row.slug);
    let description = match row.tagline.as_str() {
        "" => frame.say_of("game-description", &row.title),
        tagline => tagline.to_owned(),
    };
    frame.head = Head::new(format!("{} – {}", row.title, row.creator.name), description);
    frame.api_call = Some(format!("GET /v1/games/{}", row.slug));
    frame.share.image = share_card::of_game(&frame.site, row)?;
    frame.share.documents = oembed::of_game(&frame.site, &frame.canonical(), &row.title);
    frame.share.structured_data = Some(structured_data::game(&frame, &game, creator_kind));
    let row = game.row;
    let filtered = |group: &str, name: &'static str, value: &String| {
        let list = address(LIST, &[(name, Some(value))]);
        frame.link(&list, frame.texts.value(group, value, value))
    };
    let genres = row.genres.iter().map(|key| filtered("genre", "genre", key));
    let platforms = row.platforms.iter();
    let platforms = platforms.map(|key| filtered("platform", "platform", key));
    let screenshots = game.screenshots.iter().filter_map(|shot| {
        let sizes = cards::screenshot((shot.width, shot.height));
        cards::picture(&frame, Some(&shot.url), sizes, &shot.alt)
    });
    let trailer = game.trailer_url.filter(|url| cards::is_https(url));
    Ok(GamePage {
        cover: Some(cards::cover(&frame, &row)),
        genres: genres.collect(),
        platforms: platforms.collect(),
        stage: filtered("stage", "stage", &row.stage),
        release_year: row.release_year,
        place: cards::place_links(&frame, ("", &row.city), &row.country_code),
        currency: currency.map(|currency| Currency {
            link: frame.link(&format!("/economy/{}", row.slug), currency.name),
            is_late: currency.is_late,
        }),
        ranks: ranks
            .iter()
            .map(|rank| boards::rank(&frame, rank))
            .collect(),
        trailer: trailer.map(|href| Trailer {
            host: cards::host(&href),
            href,
        }),
        screenshots: screenshots.collect(),
        links: cards::outside(&frame, &game.links),
        credits: game
            .credits
            .into_iter()
            .map(|credit| self::credit(&frame, credit))
            .collect(),
        listed: frame.texts.date(row.created_at.0.date()),
        updated: frame.texts.date(game.updated_at.0.date()),
        actions: visitor_actions(&frame, ListingKind::Game, &row.slug),
        creator: cards::creator_link(&frame, row.creator),
        title: row.title,
        tagline: row.tagline,
        is_featured: row.featured,
        description: game.description,
        frame,
    })
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
