//! The search over games, creators, events and cities.

use contracts::catalogue::v1 as proto;
use contracts::public::{SearchAddress, SearchResult};
use kit::Fault;
use pages::site::search::{Found, Kind, ResultPage, Row};
use pages::{ApiCall, Frame, Head};

use super::response::respond;
use super::{ROWS, cards, filters};
use crate::page_error::PageResult;
use crate::query::address;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::{Results, page};

const PATH: &str = "/search";
pub const PARAMETERS: [&str; 3] = ["q", "type", "country"];
/// The kinds of results, as in `type`.
const KINDS: [&str; 4] = ["games", "creators", "events", "cities"];

pub async fn show(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let set = PARAMETERS.map(|name| (name, query.get(name)));
    let cursor = query.get("cursor");
    let Some(words) = query.get("q") else {
        return respond(app, visit, |mut frame| {
            head(&mut frame, true);
            Ok(ResultPage { frame, found: None })
        });
    };
    let search = proto::SearchRequest {
        page: Some(page(ROWS, cursor)),
        q: words.to_owned(),
        r#type: query.text("type"),
        country: query.text("country"),
        ..proto::SearchRequest::default()
    };
    let results = catalogue.search(search).await?;
    respond(app, visit, |mut frame| {
        // Search engines should not list results of a search.
        head(&mut frame, false);
        words.clone_into(&mut frame.search);
        frame.api_call = Some(ApiCall::same(format!("GET /v1{}", address(PATH, &set))));
        let found = found(&frame, &results, set, cursor)?;
        Ok(ResultPage { found: Some(found), frame })
    })
}

fn head(frame: &mut Frame, is_indexed: bool) {
    frame.head = Head::new(frame.texts().say("search-title"), frame.texts().say("search-label"))
        .indexed_if(is_indexed);
}

fn found(
    frame: &Frame,
    results: &Results,
    set: [(&'static str, Option<&str>); 3],
    cursor: Option<&str>,
) -> Result<Found, Fault> {
    let [words, (_, current), country] = set;
    let kind = |value: Option<&str>| {
        let parameters = [words, ("type", value), country];
        let label = match value {
            Some(value) => frame.texts().value("nav-kind", value, value),
            None => frame.texts().say("search-all"),
        };
        Kind {
            link: frame.link(&address(PATH, &parameters), label),
            count: count(results, value).map(|count| frame.texts().number(count)),
            is_current: value == current,
        }
    };
    let rows: Vec<SearchResult> = results.rows.parse()?;
    // The visitor probably meant the best result.
    let nearest = rows.first().filter(|_| results.is_similar && cursor.is_none());
    let did_you_mean = nearest.map(|row| {
        let parameters = [("q", Some(row.name.as_str())), ("type", current), country];
        frame.link(&address(PATH, &parameters), row.name.clone())
    });
    Ok(Found {
        kinds: std::iter::once(None).chain(KINDS.map(Some)).map(kind).collect(),
        total: results.rows.page.total,
        is_similar: results.is_similar && !rows.is_empty(),
        did_you_mean,
        rows: rows
            .into_iter()
            .enumerate()
            .map(|(at, row)| {
                let picture = results.picture_urls.get(at);
                result(frame, row, picture.map(String::as_str))
            })
            .collect(),
        pager: filters::pager(frame, PATH, &set, cursor, &results.rows),
    })
}

/// The number of results of a kind, or of all; `None` if catalogue-svc does not count them.
fn count(results: &Results, kind: Option<&str>) -> Option<u64> {
    let totals = results.totals.iter();
    let of_kind = totals.filter(|it| kind.is_none_or(|kind| it.kind == kind));
    (!results.totals.is_empty()).then(|| of_kind.map(|it| it.total).sum())
}

/// A result, and the address of its picture.
fn result(frame: &Frame, row: SearchResult, picture: Option<&str>) -> Row {
    let texts = frame.texts();
    let (SearchAddress::Slug(name) | SearchAddress::Handle(name)) = row.address;
    let is_city = row.kind == "cities";
    let (kind, country) = (row.kind.as_str(), row.country_code.as_str());
    let picture = || cards::listing_picture(frame, kind, picture, country, &name);
    Row {
        picture: (!is_city).then(picture),
        link: frame.link(
            &format!("/{}/{name}", row.kind),
            if is_city { cards::city_name(texts, &row.name, country) } else { row.name },
        ),
        kind: texts.value("search-type", &row.kind, &row.kind).to_owned(),
        days: row.starts_at.map_or_else(String::new, |day| texts.days(&day, None)),
        tagline: row.tagline,
        place: cards::country(texts, &row.country_code),
    }
}
