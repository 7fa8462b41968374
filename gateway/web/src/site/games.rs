//! Games: the list, and the page of one.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use contracts::catalogue::v1 as proto;
use contracts::public::{self, PLATFORMS, STAGES};
use futures::future::{join, try_join, try_join3};
use kit::Fault;
use pages::site::cards::Link;
use pages::site::games::{Credit, Currency, GamePage, Trailer};
use pages::site::list::GamesPage;
use pages::site::{Frame, Head};
use time::OffsetDateTime;

use super::cached::{Version, respond};
use super::query::{Query, address};
use super::{
    ROWS, boards, cards, feeds, filters, oembed, share_card, structured_data, visitor_actions,
};
use crate::app::{App, Web};
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::upstream::catalogue::{One, page};
use crate::upstream::currencies::CurrencyName;
use crate::visit::Visit;

const LIST: &str = "/games";

pub async fn list(
    State(app): State<App>,
    Extension(mut visit): Extension<Visit>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = Query::parse(query.as_deref());
    let names = ["genre", "platform", "country", "stage", "creator", "q"];
    let set = names.map(|name| (name, query.get(name)));
    let cursor = query.get("cursor");
    let request = proto::ListGamesRequest {
        page: Some(page(ROWS, cursor)),
        genre: query.text("genre"),
        platform: query.text("platform"),
        country: query.text("country"),
        stage: query.text("stage"),
        creator: query.text("creator"),
        q: query.text("q"),
        ..proto::ListGamesRequest::default()
    };
    let catalogue = &app.catalogue;
    let reads = try_join3(
        catalogue.games(request),
        catalogue.genres(),
        catalogue.countries(),
    );
    let (games, genres, countries) = reads.await?;
    let path = [&set[..], &[("cursor", cursor)]].concat();
    visit.path = address(LIST, &path);
    let version = Version::new(&app, &visit)
        .rows(&games)
        .rows(&genres)
        .rows(&countries);
    respond(&app, &visit, &version, |mut frame| {
        let say = |key: &'static str| frame.texts.say(key);
        let title = match query.get("country") {
            Some(code) => frame.say_of("games-in", &cards::country(frame.texts, code)),
            None => say("games-title").to_owned(),
        };
        frame.head = Head {
            title,
            description: say("games-description").to_owned(),
            is_indexed: filters::is_indexed(&set, cursor),
        };
        frame.api_call = Some(format!("GET /v1{}", address(LIST, &set)));
        frame.share.documents = feeds::of_games(&frame);
        let choices = vec![
            filters::genres(&frame, &genres, query.get("genre"))?,
            filters::choice(
                &frame,
                ("platform", "filter-platform"),
                filters::fixed(&frame, "platform", &PLATFORMS),
                query.get("platform"),
            ),
            filters::countries(&frame, &countries, query.get("country"))?,
            filters::choice(
                &frame,
                ("stage", "filter-stage"),
                filters::fixed(&frame, "stage", &STAGES),
                query.get("stage"),
            ),
        ];
        let rows: Vec<public::GameRow> = games.parse()?;
        Ok(GamesPage {
            filters: filters::form(&frame, LIST, choices, &set),
            total: games.page.total,
            games: rows
                .into_iter()
                .map(|row| cards::game(&frame, row))
                .collect(),
            pager: filters::pager(&frame, LIST, &set, cursor, &games),
            frame,
        })
    })
}

pub async fn show(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(slug): Path<String>,
) -> PageResult {
    let now = app.clock.now();
    let catalogue = &app.catalogue;
    // Show the page without ranks and currency if these calls fail.
    let beyond = async {
        let ranks = catalogue.ranks("games", &slug);
        Ok(join(ranks, app.currencies.of_game(&slug, now)).await)
    };
    let read = async {
        let game = catalogue.game_or_sample(&slug).await?;
        let kind = creator_kind(&app, &game, now).await?;
        Ok::<_, Fault>((game, kind))
    };
    let ((game, creator_kind), (ranks, currency)) = try_join(read, beyond).await?;
    let ranks = ranks.unwrap_or_default();
    let mut version = Version::new(&app, &visit).one(&game);
    version = version.text(creator_kind.as_deref().unwrap_or_default());
    for rank in &ranks {
        version = version.message(rank);
    }
    if let Some(currency) = &currency {
        version = version.text(&currency.name).flag(currency.is_late);
    }
    respond(&app, &visit, &version, |frame| {
        let creator_kind = creator_kind.as_deref();
        let mut page = game_page(frame, game.parse()?, creator_kind, &ranks, currency)?;
        if game.is_sample {
            page.frame.mark_sample();
        }
        Ok(page)
    })
}

/// The kind of a game's creator, for structured data; a sample has none.
async fn creator_kind(
    web: &Web,
    game: &One,
    now: OffsetDateTime,
) -> Result<Option<Arc<str>>, Fault> {
    if game.is_sample {
        return Ok(None);
    }
    let row: public::GameRow = game.parse()?;
    web.creator_kinds.of(&row.creator.handle, now).await
}

fn game_page(
    mut frame: Frame,
    game: public::Game,
    creator_kind: Option<&str>,
    ranks: &[proto::BoardRank],
    currency: Option<CurrencyName>,
) -> Result<GamePage, Fault> {
    let row = &game.row;
    frame.path = format!("{LIST}/{}", row.slug);
    let description = match row.tagline.as_str() {
        "" => frame.say_of("game-description", &row.title),
        tagline => tagline.to_owned(),
    };
    frame.head = Head {
        title: format!("{} – {}", row.title, row.creator.name),
        description,
        is_indexed: true,
    };
    frame.api_call = Some(format!("GET /v1/games/{}", row.slug));
    frame.share.image = share_card::of_game(&frame.site, row)?;
    frame.share.documents = oembed::of_game(&frame.site, &frame.canonical(), &row.title);
    frame.share.structured_data = Some(structured_data::game(&frame, &game, creator_kind));
    let row = game.row;
    let filtered = |group: &str, name: &'static str, value: &String| Link {
        href: frame.href(&address(LIST, &[(name, Some(value))])),
        label: frame.texts.value(group, value, value).to_owned(),
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
        cover: cards::picture(&frame, row.cover_url.as_deref(), cards::COVER, ""),
        genres: genres.collect(),
        platforms: platforms.collect(),
        stage: filtered("stage", "stage", &row.stage),
        release_year: row.release_year,
        place: cards::place_links(&frame, ("", &row.city), &row.country_code),
        currency: currency.map(|currency| Currency {
            link: Link {
                href: frame.href(&format!("/economy/{}", row.slug)),
                label: currency.name,
            },
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
