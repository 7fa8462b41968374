//! Studios and people: the list, and the page of one.

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public::{self, CREATOR_KINDS};
use futures::future::{join, try_join};
use pages::site::creators::CreatorPage;
use pages::site::list::Rows;
use pages::{ApiCall, Frame, Head};

use super::cards::AVATAR;
use super::filters::{FilteredList, FixedFilter, ListRequest, RowNames};
use super::response::respond;
use super::{boards, cards, or_sample, structured_data, visitor_actions};
use crate::app::Web;
use crate::domain::listing_kind::ListingKind;
use crate::page_error::PageResult;
use crate::query::address;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;

const PATH: &str = "/creators";
/// Games on the page of a creator; the others are in the list of games.
const GAMES: u32 = 24;

pub const FILTERS: [&str; 5] = ["kind", "country", "role", "city", "q"];
const LIST: FilteredList = FilteredList {
    path: PATH,
    filters: &FILTERS,
    title: "creators-title",
    description: "creators-description",
};
const KIND: FixedFilter = FixedFilter {
    name: "kind",
    label: "filter-kind",
    group: "creators-kind",
    values: &CREATOR_KINDS,
};

pub async fn list(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let list = ListRequest::new(LIST, query);
    let request = proto::ListCreatorsRequest {
        page: Some(list.page()),
        kind: list.text("kind"),
        role: list.text("role"),
        country: list.text("country"),
        city: list.text("city"),
        q: list.text("q"),
        ..proto::ListCreatorsRequest::default()
    };
    let reads = try_join(catalogue.creators(request), catalogue.countries(false));
    let (creators, countries) = reads.await?;
    respond(app, visit, |frame| {
        let choices = vec![list.fixed(&frame, KIND), list.countries(&frame, &countries)?];
        let rows: Vec<public::CreatorRow> = creators.parse()?;
        let first = rows.first();
        let names = RowNames {
            creator: None,
            city: first.map(|row| cards::city_name(frame.texts(), &row.city, &row.country_code)),
        };
        let cards = rows.into_iter().map(|row| cards::creator(&frame, row)).collect();
        Ok(list.list_page(frame, choices, &names, &creators, Rows::Creators(cards)))
    })
}

pub async fn show(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
    Path(handle): Path<String>,
) -> PageResult {
    let read = catalogue.creator(&handle, GAMES);
    let ranks = boards::ranks(&catalogue, "creators", &handle);
    let (read, ranks) = join(read, ranks).await;
    let (creator, total) = match read {
        Ok(read) => read,
        Err(fault) => return or_sample(&app, &visit, &handle, fault),
    };
    respond(&app, &visit, |frame| {
        let mut page = creator_page(&app, frame, creator.parse()?, total);
        page.frame.head.is_indexed = ranks.is_ok();
        page.ranks = ranks.ok().map(|it| boards::shown(&page.frame, &it));
        Ok(page)
    })
}

/// `total` is the number of all games.
fn creator_page(app: &Web, mut frame: Frame, creator: public::Creator, total: u64) -> CreatorPage {
    let row = &creator.row;
    frame.path = format!("{PATH}/{}", row.handle);
    let description = match row.tagline.as_str() {
        "" => frame.say_of("creator-description", &row.name),
        tagline => tagline.to_owned(),
    };
    frame.head = Head::new(row.name.clone(), description);
    frame.api_call = Some(ApiCall::same(format!("GET /v1/creators/{}", row.handle)));
    frame.share.is_profile = true;
    frame.share.image = cards::picture(&frame, row.avatar_url.as_deref(), AVATAR, &row.name);
    frame.share.structured_data = Some(structured_data::listing(&frame, PATH, "nav-creators"));
    let row = creator.row;
    let texts = frame.texts();
    let roles = row.roles.iter().map(|role| texts.value("role", role, role).to_owned());
    let all = address("/games", &[("creator", Some(&row.handle))]);
    let games = creator.games.into_iter();
    CreatorPage {
        kind: texts.value("creator-kind", &row.kind, &row.kind).to_owned(),
        avatar: cards::avatar(&frame, &row),
        roles: roles.collect(),
        place: cards::place_links(&frame, &row.city_slug, &row.city, &row.country_code),
        links: cards::outside(&frame, &creator.links),
        asks_for_links: creator.links.is_empty(),
        games: games.map(|row| cards::game(&frame, row)).collect(),
        games_total: total,
        all_games: (total > GAMES.into()).then(|| frame.href(&all)),
        ranks: None,
        share: frame.canonical(),
        actions: visitor_actions(app, &frame, ListingKind::Page, &row.handle),
        name: row.name,
        tagline: row.tagline,
        is_verified: row.verified,
        bio: creator.bio,
        frame,
    }
}
