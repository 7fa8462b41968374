//! The boards: all six with their first rows, and each in full.

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public::RankingRow;
use futures::future::try_join_all;
use kit::{Code, Fault};
use pages::site::boards::{Board, BoardPage, BoardRow, Direction, OverviewPage};
use pages::site::games::BoardRank;
use pages::{ApiCall, Frame, Head, Tab, Texts};

use super::response::respond;
use super::{ROWS, cards, filters};
use crate::page_error::PageResult;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::votes::BoardRows;

const PATH: &str = "/rankings";
const KINDS: [&str; 2] = ["games", "creators"];
const WINDOWS: [&str; 3] = ["week", "month", "all"];
/// Rows of each board on the page of all.
const FIRST: u32 = 5;

/// The paths of the boards.
pub(super) fn paths() -> impl Iterator<Item = String> {
    all().map(BoardName::path)
}

fn all() -> impl Iterator<Item = BoardName<'static>> {
    let boards = |kind| WINDOWS.into_iter().map(move |window| BoardName { kind, window });
    KINDS.into_iter().flat_map(boards)
}

/// A board by the kind of its listings and the window of its votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BoardName<'a> {
    kind: &'a str,
    window: &'a str,
}

impl BoardName<'_> {
    fn path(self) -> String {
        format!("{PATH}/{}/{}", self.kind, self.window)
    }

    fn title(self, texts: &Texts) -> String {
        let kind = texts.value("nav-kind", self.kind, self.kind);
        let window = texts.value("board", self.window, self.window);
        format!("{kind} – {window}")
    }
}

/// The six boards.
pub async fn list(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
) -> PageResult {
    let reads = all().map(|it| catalogue.board(it.kind, it.window, FIRST, None));
    let boards = try_join_all(reads).await?;
    respond(&app, &visit, |mut frame| {
        frame.head = Head::new(frame.say("boards-title"), frame.say("boards-description"));
        let mut shown: Vec<Board> = Vec::new();
        for (board, rows) in all().zip(&boards) {
            let rows = self::rows(&frame, board.kind, rows)?;
            // In the first week of a directory, all votes are of this week.
            let shorter = shown.last().filter(|_| board.window != WINDOWS[0]);
            let is_same = shorter.is_some_and(|it| it.has_same_rows(&rows));
            shown.push(Board {
                link: frame.link(&board.path(), board.title(frame.texts())),
                is_repeated: is_same && !rows.is_empty(),
                rows,
            });
        }
        Ok(OverviewPage { boards: shown, frame })
    })
}

/// A board in full.
pub async fn show(
    request: PublicRequest,
    catalogue: Catalogue,
    Path((kind, window)): Path<(String, String)>,
) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let cursor = query.get("cursor");
    let (kind, window) = (kind.as_str(), window.as_str());
    let rows = catalogue.board(kind, window, ROWS, cursor).await?;
    let board = BoardName { kind, window };
    let path = board.path();
    respond(app, visit, |mut frame| {
        frame.head = Head::new(board.title(frame.texts()), frame.say("boards-description"))
            .indexed_if(filters::is_indexed(&[], cursor));
        frame.api_call = Some(ApiCall::same(format!("GET /v1{path}")));
        let (vote, count) = match kind {
            "creators" => ("/vote/creators", "creators-count"),
            _ => ("/vote", "games-count"),
        };
        Ok(BoardPage {
            kinds: KINDS
                .map(|kind| {
                    let label = frame.texts().value("nav-kind", kind, kind);
                    tab(&frame, BoardName { kind, ..board }, label, board)
                })
                .into(),
            windows: WINDOWS
                .map(|window| {
                    let label = frame.texts().value("board", window, window);
                    tab(&frame, BoardName { window, ..board }, label, board)
                })
                .into(),
            vote: frame.href(vote),
            count: frame.count(count, &rows.rows.page.total),
            rows: self::rows(&frame, kind, &rows)?,
            pager: filters::pager(&frame, &path, &[], cursor, &rows.rows),
            frame,
        })
    })
}

/// A tab that leads to a board.
fn tab(frame: &Frame, to: BoardName<'_>, label: &str, current: BoardName<'_>) -> Tab {
    Tab { link: frame.link(&to.path(), label), is_current: to == current }
}

fn rows(frame: &Frame, kind: &str, rows: &BoardRows) -> Result<Vec<BoardRow>, Fault> {
    let parsed = rows.parse()?;
    Ok(parsed.map(|(row, details)| self::row(frame, kind, row, details)).collect())
}

fn row(frame: &Frame, kind: &str, row: RankingRow, details: &proto::BoardRowDetails) -> BoardRow {
    let texts = frame.texts();
    let group = if kind == "games" { "genre" } else { "role" };
    let tags = row.tags.iter().map(|tag| texts.value(group, tag, tag));
    let country = cards::country(texts, &row.country_code);
    let facts: Vec<&str> = tags.chain([country.as_str()]).collect();
    let url = details.picture_url.as_deref();
    // The last part of the address, whatever its site.
    let name = row.url.rsplit('/').next().unwrap_or_default();
    BoardRow {
        rank: texts.number(row.rank),
        link: frame.link(&format!("/{kind}/{name}"), &row.name),
        picture: cards::listing_picture(frame, kind, url, &row.country_code, name),
        facts: facts.join(" · "),
        wins: texts.count("board-wins", row.wins),
        share: share(texts, row.wins, details.losses),
        direction: Direction::of(row.rank, row.previous_rank),
        moved: moved(texts, row.rank, row.previous_rank),
        tagline: row.tagline,
    }
}

/// The ranks of a listing on the boards, for its page.
pub(super) async fn ranks(
    catalogue: &Catalogue,
    kind: &str,
    name: &str,
) -> Result<Vec<proto::BoardRank>, Fault> {
    match catalogue.ranks(kind, name).await {
        // The listing is no longer public.
        Err(fault) if fault.code == Code::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// The ranks of a listing.
pub(super) fn shown(frame: &Frame, ranks: &[proto::BoardRank]) -> Vec<BoardRank> {
    let texts = frame.texts();
    let shown = ranks.iter().map(|rank| BoardRank {
        board: texts.value("board", &rank.board, &rank.board).to_owned(),
        rank: texts.say_of("board-rank", &texts.number(rank.rank)),
        wins: texts.count("board-wins", rank.wins),
        share: share(texts, rank.wins, rank.losses),
        moved: moved(texts, rank.rank, rank.previous_rank),
    });
    shown.collect()
}

/// The share of won votes, rounded to percent.
fn share(texts: &Texts, wins: u64, losses: u64) -> String {
    let votes = wins.saturating_add(losses).max(1);
    let percent = wins.saturating_mul(100).saturating_add(votes / 2) / votes;
    texts.say_of("board-share", &percent.to_string())
}

/// How a rank compares with the one before, which is 0 without one.
fn moved(texts: &Texts, rank: u64, previous: u64) -> String {
    let before = texts.number(previous);
    match previous {
        0 => texts.say("board-new").to_owned(),
        previous if previous > rank => texts.say_of("board-up", &before),
        previous if previous < rank => texts.say_of("board-down", &before),
        _ => texts.say("board-same").to_owned(),
    }
}
