//! The page where people vote: they pick one of two listings, or neither. catalogue-svc checks votes and limits their number.

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use futures::future::try_join;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, StatusCode};
use kit::{Code, Fault};
use pages::site::vote::{BallotPage, Candidate, Pair};
use pages::{Frame, Head, Tab};
use serde::Deserialize;

use super::cards;
use super::response::uncached;
use super::voter::{self, Voter};
use crate::app::Web;
use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::see_other;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::visit::Visit;

const HOUR: u32 = 3_600;

/// The kind of listings: the name of its boards, and the path of its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    name: &'static str,
    path: &'static str,
}

const GAMES: Kind = Kind { name: "games", path: "/vote" };
const CREATORS: Kind = Kind { name: "creators", path: "/vote/creators" };

/// The form. An absent field counts as empty, and then the vote is not counted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Ballot {
    draw: String,
    /// The names of the two listings in their addresses.
    first: String,
    second: String,
    /// `first`, `second` or `neither`.
    pick: String,
}

impl Kind {
    /// The kind whose page is at this path.
    fn at(path: &str) -> Self {
        if path.starts_with(CREATORS.path) { CREATORS } else { GAMES }
    }
}

pub async fn show(request: PublicRequest, catalogue: Catalogue, headers: HeaderMap) -> PageResult {
    let (app, client, mut visit) = (&request.app, &request.client, request.visit);
    let kind = Kind::at(&visit.path);
    let (voter, issued) = if let Some(voter) = Voter::find(app, &headers).await {
        (voter, None)
    } else {
        let (voter, value) = Voter::issue(app);
        (voter, Some(value))
    };
    let done = request.query.get("done");
    kind.path.clone_into(&mut visit.path);
    let page = async { Ok(page(app, &visit, kind, &voter).await) };
    let (drawn, mut page) = try_join(draw(&catalogue, voter.message(client), kind), page).await?;
    // From a fixed list, so that a link cannot put words into the page.
    let (notice, refusal) = match done {
        Some("voted") => (Some("vote-counted"), None),
        Some("repeated") => (Some("vote-repeated"), None),
        Some("refused") => (None, Some("vote-refused")),
        Some("unknown") => (None, Some("vote-unknown")),
        Some("closed") => (None, Some("vote-closed")),
        _ => (None, None),
    };
    page.notice = notice.map(|key| page.frame.say(key).to_owned());
    page.refusal = refusal.map(|key| page.frame.say(key).to_owned());
    match drawn {
        Some(drawn) => page.pair = Some(pair(&page.frame, kind, drawn)?),
        None => page.problem = Some(page.frame.say("vote-none-left").to_owned()),
    }
    let mut response = uncached(&visit, StatusCode::OK, &page);
    if let Some(value) = issued {
        voter::remember(app, &value, &mut response);
    }
    Ok(response)
}

pub async fn cast(
    request: PublicRequest,
    catalogue: Catalogue,
    headers: HeaderMap,
    FormBody(ballot): FormBody<Ballot>,
) -> PageResult {
    let (app, client, mut visit) = (&request.app, &request.client, request.visit);
    let kind = Kind::at(&visit.path);
    let next = |done: &str| see_other(&format!("{}{}?done={done}", visit.prefix, kind.path));
    let Some(voter) = Voter::find(app, &headers).await else {
        return Ok(next("unknown"));
    };
    if app.gateway.read_only().await.is_some() {
        return Ok(next("closed"));
    }
    let (winner, loser) = match ballot.pick.as_str() {
        // The order has no meaning for `neither`.
        "first" | "neither" => (ballot.first, ballot.second),
        "second" => (ballot.second, ballot.first),
        _ => return Ok(next("refused")),
    };
    let is_neither = ballot.pick == "neither";
    let vote = proto::CastVoteRequest {
        voter: Some(voter.message(client)),
        kind: kind.name.to_owned(),
        winner,
        loser,
        draw: ballot.draw,
        neither: is_neither,
    };
    match catalogue.cast_vote(vote).await {
        Ok(cast) if !cast.repeated_today && is_neither => Ok(next("skipped")),
        Ok(cast) if cast.repeated_today => Ok(next("repeated")),
        Ok(_counted) => Ok(next("voted")),
        Err(fault) if fault.code == Code::Invalid => Ok(next("refused")),
        Err(fault) if fault.code == Code::RateLimited => {
            kind.path.clone_into(&mut visit.path);
            let seconds = fault.retry_after.unwrap_or(HOUR).max(1);
            let mut page = page(app, &visit, kind, &voter).await;
            page.problem = Some(limit(&page.frame, seconds));
            let mut response = uncached(&visit, StatusCode::TOO_MANY_REQUESTS, &page);
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
            Ok(response)
        }
        Err(fault) => Err(fault.into()),
    }
}

/// Says that votes are not counted for this many seconds.
fn limit(frame: &Frame, seconds: u32) -> String {
    let again = if seconds > HOUR {
        frame.count("vote-again-hours", &seconds.div_ceil(HOUR).into())
    } else {
        frame.count("vote-again-minutes", &seconds.div_ceil(60).into())
    };
    format!("{} {again}", frame.say("vote-limit"))
}

/// The page without a pair.
async fn page(app: &Web, visit: &Visit, kind: Kind, voter: &Voter) -> BallotPage {
    let mut frame = visit.frame(&app.public_url);
    frame.head =
        Head::new(frame.texts().value("vote-title", kind.name, ""), frame.say("vote-description"))
            .unindexed();
    let tab = |it: Kind| Tab {
        link: frame.link(it.path, frame.texts().value("nav-kind", it.name, it.name)),
        is_current: it == kind,
    };
    BallotPage {
        tabs: [GAMES, CREATORS].map(tab).into(),
        notice: None,
        refusal: None,
        problem: None,
        pair: None,
        account: account_name(app, &frame, voter).await,
        sign_in: frame.href(&format!("/sign-in?next={}", frame.href(kind.path))),
        board: frame.link(&format!("/rankings/{}/week", kind.name), frame.say("vote-board")),
        frame,
    }
}

/// The name of the account that votes.
async fn account_name(app: &Web, frame: &Frame, voter: &Voter) -> Option<String> {
    let Voter::Account(id, _) = voter else {
        return None;
    };
    let name = app.gateway.account_name(*id).await;
    // People can vote while the gateway is unavailable, without the account's name.
    Some(name.unwrap_or_else(|| frame.say("vote-your-account").to_owned()))
}

fn pair(frame: &Frame, kind: Kind, drawn: proto::DrawPairResponse) -> Result<Pair, Fault> {
    let (Some(first), Some(second)) = (drawn.first, drawn.second) else {
        let error = std::io::Error::other("a draw has two listings");
        return Err(Fault::internal(&error));
    };
    Ok(Pair {
        path: frame.href(kind.path),
        draw: drawn.draw,
        candidates: [("first", first), ("second", second)]
            .map(|(pick, listing)| candidate(frame, kind, pick, listing)),
    })
}

fn candidate(
    frame: &Frame,
    kind: Kind,
    pick: &'static str,
    listing: proto::Candidate,
) -> Candidate {
    let (NameInAddress::Slug(slug) | NameInAddress::Handle(slug)) =
        listing.name_in_address.unwrap_or_else(|| NameInAddress::Slug(String::new()));
    let url = listing.picture_url.as_deref();
    Candidate {
        pick,
        picture: cards::listing_picture(frame, kind.name, url, &listing.country_code, &slug),
        key: if pick == "first" { "ArrowLeft" } else { "ArrowRight" },
        link: frame.link(&format!("/{}/{slug}", kind.name), listing.name),
        tagline: listing.tagline,
        country: cards::country(frame.texts(), &listing.country_code),
        slug,
    }
}

/// A pair for the voter, if one is left.
async fn draw(
    catalogue: &Catalogue,
    voter: proto::Voter,
    kind: Kind,
) -> Result<Option<proto::DrawPairResponse>, Fault> {
    match catalogue.draw_pair(voter, kind.name).await {
        Ok(drawn) => Ok(Some(drawn)),
        Err(fault) if fault.code == Code::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}
