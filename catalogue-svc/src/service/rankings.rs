//! Ranking boards (§2.5, §4.2).

use contracts::catalogue::v1::rankings_service_server::RankingsService;
use contracts::catalogue::v1::{
    BoardRank, BoardRowDetails, GetRanksRequest, GetRanksResponse, ListRankingRequest,
    ListRankingResponse,
};
use contracts::public::RankingRow;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use crate::boards::DatasetBoards;
use crate::domain::order::BoardKey;
use crate::domain::rankings::{BoardKind, Window};
use crate::index::{Dataset, Snapshot};
use kit::Mode;

/// A request for a page of a board.
struct BoardQuery {
    mode: Mode,
    kind: BoardKind,
    window: Window,
    after: Option<BoardKey<'static>>,
    limit: usize,
    binding: Binding,
}

/// The ranks of a listing on the boards of its kind; `None` if there is no such listing.
fn ranks(
    boards: &DatasetBoards,
    listings: &Dataset,
    kind: BoardKind,
    name: &str,
) -> Option<Vec<BoardRank>> {
    let listing = listings.votable(kind, name)?;
    let records = boards.votes.tallies.records(kind, &listing.id());
    let ranks = records.into_iter().flat_map(|records| {
        Window::ALL.into_iter().filter_map(move |window| {
            let record = records[window.index()];
            let board = boards.board(kind, window);
            let rank = board.rank(&listing.board_key(record))?;
            let previous = boards.votes.previous.get(kind, window);
            Some(BoardRank {
                board: window.as_str().to_owned(),
                rank,
                previous_rank: previous.get(&listing.id()).into(),
                wins: record.wins.into(),
                losses: record.losses.into(),
            })
        })
    });
    Some(ranks.collect())
}

fn unknown_listing() -> Fault {
    Fault::not_found("No published listing has this name.")
}

fn unknown_board() -> Fault {
    Fault::not_found("The boards are `week`, `month` and `all`.")
}

#[tonic::async_trait]
impl RankingsService for Reads {
    async fn list_ranking(
        &self,
        request: Request<ListRankingRequest>,
    ) -> Result<Response<ListRankingResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let query = read(request)?;
        let boards = self.boards.get(query.mode)?;
        Ok(Response::new(page(&boards, &snapshot, &query)?))
    }

    async fn get_ranks(
        &self,
        request: Request<GetRanksRequest>,
    ) -> Result<Response<GetRanksResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let kind = BoardKind::parse(&request.kind).ok_or_else(unknown_kind)?;
        let mode = Mode::try_from(request.mode)?;
        let boards = self.boards.get(mode)?;
        let ranks = ranks(&boards, snapshot.dataset(mode), kind, &request.name)
            .ok_or_else(unknown_listing)?;
        Ok(Response::new(GetRanksResponse { ranks }))
    }
}

fn unknown_kind() -> Fault {
    Fault::not_found("Rankings are of `games` or of `creators`.")
}

fn read(request: ListRankingRequest) -> Result<BoardQuery, Fault> {
    let kind = BoardKind::parse(&request.kind).ok_or_else(unknown_kind)?;
    let window = Window::parse(&request.board).ok_or_else(unknown_board)?;
    let mut bad = BadFields::default();
    let mode = bad.mode(request.mode);
    let binding =
        Binding::new("rankings", [mode.as_str(), kind.as_str(), window.as_str()].map(Some));
    let page = bad.read_public_page(binding, request.page);
    bad.check()?;
    Ok(BoardQuery { mode, kind, window, after: page.after, limit: page.limit, binding })
}

fn page(
    boards: &DatasetBoards,
    snapshot: &Snapshot,
    query: &BoardQuery,
) -> Result<ListRankingResponse, Fault> {
    let listings = snapshot.dataset(query.mode);
    let board = boards.board(query.kind, query.window);
    let previous = boards.votes.previous.get(query.kind, query.window);
    let ranked = board.after(query.after.as_ref());
    // The listings as they are now; those that are not public any more are left out.
    let mut ranked = ranked.filter_map(|(rank, row)| {
        let listing = listings.votable(query.kind, &row.address);
        let listing = listing.filter(|listing| listing.id() == row.id)?;
        Some((rank, row, listing))
    });
    let (mut rows, mut details, mut last) = (Vec::<RankingRow>::new(), Vec::new(), None);
    for (rank, row, listing) in ranked.by_ref().take(query.limit) {
        let previous_rank = previous.get(&row.id);
        let card = listing.card().map_err(|error| answer::broken(&error))?;
        details.push(BoardRowDetails {
            picture_url: card.picture_url.clone(),
            losses: row.record.losses.into(),
        });
        rows.push(card.into_row(rank, previous_rank.into(), row.record.wins.into()));
        last = Some(row.key());
    }
    let has_more = ranked.next().is_some();
    let last = last.filter(|_| has_more);
    Ok(ListRankingResponse {
        json: answer::json(&rows)?.into(),
        page: Some(answer::page_info_after(board.total() as u64, last.as_ref(), query.binding)?),
        position: Some(snapshot.position.into()),
        details,
    })
}
