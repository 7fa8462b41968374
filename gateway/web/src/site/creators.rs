//! Studios and people: the list, and the page of one.

use axum::Extension;
use axum::extract::{Path, RawQuery, State};
use contracts::catalogue::v1 as proto;
use contracts::public::{self, CREATOR_KINDS};
use futures::future::try_join;
use kit::Fault;
use pages::site::creators::CreatorPage;
use pages::site::list::CreatorsPage;
use pages::site::{Frame, Head};

use super::cached::{Version, respond};
use super::query::{Query, address};
use super::{ROWS, cards, filters, share_card, structured_data, visitor_actions};
use crate::app::App;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::upstream::catalogue::page;
use crate::visit::Visit;

const LIST: &str = "/creators";
/// Games on the page of a creator; the others are in the list of games.
const GAMES: u32 = 24;

pub async fn list(
    State(app): State<App>,
    Extension(mut visit): Extension<Visit>,
    RawQuery(query): RawQuery,
) -> PageResult {
    let query = Query::parse(query.as_deref());
    let set = ["kind", "country", "role", "city", "q"].map(|name| (name, query.get(name)));
    let cursor = query.get("cursor");
    let request = proto::ListCreatorsRequest {
        page: Some(page(ROWS, cursor)),
        kind: query.text("kind"),
        role: query.text("role"),
        country: query.text("country"),
        city: query.text("city"),
        q: query.text("q"),
        ..proto::ListCreatorsRequest::default()
    };
    let catalogue = &app.catalogue;
    let reads = try_join(catalogue.creators(request), catalogue.countries());
    let (creators, countries) = reads.await?;
    visit.path = address(LIST, &[&set[..], &[("cursor", cursor)]].concat());
    let version = Version::new(&app, &visit).rows(&creators).rows(&countries);
    respond(&app, &visit, &version, |mut frame| {
        let title = match query.get("country") {
            Some(code) => frame.say_of("creators-in", &cards::country(frame.texts, code)),
            None => frame.texts.say("creators-title").to_owned(),
        };
        frame.head = Head {
            title,
            description: frame.texts.say("creators-description").to_owned(),
            is_indexed: filters::is_indexed(&set, cursor),
        };
        frame.api_call = Some(format!("GET /v1{}", address(LIST, &set)));
        let kinds = filters::fixed(&frame, "creators-kind", &CREATOR_KINDS);
        let choices = vec![
            filters::choice(&frame, ("kind", "filter-kind"), kinds, query.get("kind")),
            filters::countries(&frame, &countries, query.get("country"))?,
        ];
        let rows: Vec<public::CreatorRow> = creators.parse()?;
        let cards = rows.into_iter().map(|row| cards::creator(&frame, row));
        Ok(CreatorsPage {
            filters: filters::form(&frame, LIST, choices, &set),
            total: creators.page.total,
            creators: cards.collect(),
            pager: filters::pager(&frame, LIST, &set, cursor, &creators),
            frame,
        })
    })
}

pub async fn show(
    State(app): State<App>,
    Extension(visit): Extension<Visit>,
    Path(handle): Path<String>,
) -> PageResult {
    let read = app.catalogue.creator_or_sample(&handle, GAMES);
    let (creator, total) = read.await?;
    let version = Version::new(&app, &visit).one(&creator);
    let version = version.text(&total.to_string());
    respond(&app, &visit, &version, |frame| {
        let mut page = creator_page(frame, creator.parse()?, total)?;
        if creator.is_sample {
            page.frame.mark_sample();
        }
        Ok(page)
    })
}

/// `total` is the number of all games.
fn creator_page(
    mut frame: Frame,
    creator: public::Creator,
    total: u64,
) -> Result<CreatorPage, Fault> {
    let row = &creator.row;
    frame.path = format!("{LIST}/{}", row.handle);
    let description = match row.tagline.as_str() {
        "" => frame.say_of("creator-description", &row.name),
        tagline => tagline.to_owned(),
    };
    frame.head = Head {
        title: row.name.clone(),
        description,
        is_indexed: true,
    };
    frame.api_call = Some(format!("GET /v1/creators/{}", row.handle));
    frame.share.is_profile = true;
    frame.share.image = share_card::of_creator(&frame.site, row)?;
    frame.share.structured_data = Some(structured_data::creator(&frame, &creator));
    let row = creator.row;
    let texts = frame.texts;
    let roles = row.roles.iter();
    let roles = roles.map(|role| texts.value("role", role, role).to_owned());
    let all = address("/games", &[("creator", Some(&row.handle))]);
    let games = creator.games.into_iter();
    Ok(CreatorPage {
        kind: texts.value("creator-kind", &row.kind, &row.kind).to_owned(),
        avatar: cards::picture(&frame, row.avatar_url.as_deref(), cards::AVATAR, ""),
        roles: roles.collect(),
        place: cards::place_links(&frame, (&row.city_slug, &row.city), &row.country_code),
        links: cards::outside(&frame, &creator.links),
        games: games.map(|row| cards::game(&frame, row)).collect(),
        games_total: total,
        all_games: (total > GAMES.into()).then(|| frame.href(&all)),
        actions: visitor_actions(&frame, ListingKind::Page, &row.handle),
        name: row.name,
        tagline: row.tagline,
        is_verified: row.verified,
        bio: creator.bio,
        frame,
    })
}
