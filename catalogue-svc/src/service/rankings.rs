//! Ranking boards (§2.5, §4.2).

use std::sync::Arc;

use contracts::catalogue::v1::rankings_service_server::RankingsService;
use contracts::catalogue::v1::{
    BoardRank, GetRanksRequest, GetRanksResponse, ListRankingRequest, ListRankingResponse,
};
use contracts::public::RankingRow;
use kit::Fault;
use kit::cursor::Binding;
use tonic::{Request, Response, Status};

use super::answer;
use super::query_params::Fields;
use crate::boards::{Boards, Place, View, Votable};
use crate::domain::listing::Mode;
use crate::domain::order::BoardKey;
use crate::domain::rankings::{BoardKind, Window};
use crate::index::{Catalogue, Creator, Game, Snapshot};

/// Answers calls about boards.
#[derive(Debug)]
pub struct Rankings {
    catalogue: Arc<Catalogue>,
    boards: Arc<Boards>,
}

/// A request for a page of a board.
struct BoardQuery {
    mode: Mode,
    kind: BoardKind,
    window: Window,
    after: Option<BoardKey<'static>>,
    limit: usize,
    binding: Binding,
}

/// A page of a board.
struct BoardPage {
    rows: Vec<RankingRow>,
    total: u64,
    /// The last row's place, when more rows follow.
    next: Option<BoardKey<'static>>,
}

impl Rankings {
    /// Answers from `boards`, with the listings of `catalogue`.
    pub fn new(catalogue: Arc<Catalogue>, boards: Arc<Boards>) -> Self {
        Self { catalogue, boards }
    }

    fn list(
        &self,
        snapshot: &Snapshot,
        request: ListRankingRequest,
    ) -> Result<ListRankingResponse, Fault> {
        let query = read(request)?;
        let view = self.boards.view()?;
        let page = match query.kind {
            BoardKind::Games => page::<Game>(&view, snapshot, &query),
            BoardKind::Creators => page::<Creator>(&view, snapshot, &query),
        };
        let page = page.map_err(|error| answer::broken(&error))?;
        Ok(ListRankingResponse {
            json: answer::json(&page.rows)?.into(),
            page: Some(answer::info(page.total, page.next.as_ref(), query.binding)?),
            position: Some(snapshot.position.into()),
        })
    }
}

/// Where a listing stands on the boards.
fn ranks<L: Votable>(
    view: &View,
    snapshot: &Snapshot,
    (mode, name): (Mode, &str),
) -> Option<Vec<BoardRank>> {
    L::index(snapshot.dataset(mode)).get(name)?;
    let previous = view.dataset(mode).previous();
    let ranks = Window::ALL.into_iter().filter_map(|window| {
        let (rank, place) = view.rank::<L>((mode, window), snapshot, name)?;
        let previous = previous.of(L::KIND, window);
        Some(BoardRank {
            board: window.as_str().to_owned(),
            rank: u64::try_from(rank).ok()?,
            previous_rank: previous.get(*place.row.id()).into(),
            wins: place.record.wins.into(),
        })
    });
    Some(ranks.collect())
}

#[tonic::async_trait]
impl RankingsService for Rankings {
    async fn list_ranking(
        &self,
        request: Request<ListRankingRequest>,
    ) -> Result<Response<ListRankingResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self
            .catalogue
            .snapshot_at(request.at_least.as_ref())
            .await?;
        Ok(Response::new(self.list(&snapshot, request)?))
    }

    async fn get_ranks(
        &self,
        request: Request<GetRanksRequest>,
    ) -> Result<Response<GetRanksResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self
            .catalogue
            .snapshot_at(request.at_least.as_ref())
            .await?;
        let kind = BoardKind::parse(&request.kind).ok_or_else(unknown_kind)?;
        let mut fields = Fields::default();
        let listing = (fields.mode(request.mode), request.name.as_str());
        fields.finish()?;
        let view = self.boards.view()?;
        let ranks = match kind {
            BoardKind::Games => ranks::<Game>(&view, &snapshot, listing),
            BoardKind::Creators => ranks::<Creator>(&view, &snapshot, listing),
        };
        let ranks = ranks.ok_or_else(|| Fault::not_found("No published listing has this name."))?;
        Ok(Response::new(GetRanksResponse { ranks }))
    }
}

fn unknown_kind() -> Fault {
    Fault::not_found("Rankings are of `games` or of `creators`.")
}

fn read(request: ListRankingRequest) -> Result<BoardQuery, Fault> {
    let kind = BoardKind::parse(&request.kind);
    let kind = kind.ok_or_else(unknown_kind)?;
    let window = Window::parse(&request.board);
    let window =
        window.ok_or_else(|| Fault::not_found("The boards are `week`, `month` and `all`."))?;
    let mut fields = Fields::default();
    let mode = fields.mode(request.mode);
    let binding = Binding::new(
        "rankings",
        [mode.as_str(), kind.as_str(), window.as_str()].map(Some),
    );
    let (limit, after) = fields.page(request.page, binding);
    fields.finish()?;
    Ok(BoardQuery {
        mode,
        kind,
        window,
        after,
        limit,
        binding,
    })
}

fn page<L: Votable>(
    view: &View,
    snapshot: &Snapshot,
    query: &BoardQuery,
) -> anyhow::Result<BoardPage> {
    let board = view.board::<L>(query.mode, query.window, snapshot);
    let previous = view.dataset(query.mode).previous();
    let previous = previous.of(L::KIND, query.window);
    let (before, places) = board.after(query.after.as_ref());
    let places: Vec<&Place<L>> = places.take(query.limit).collect();
    let ranks = (1..).skip(before);
    let rows = places.iter().zip(ranks).map(|(place, rank)| {
        let previous_rank = previous.get(*place.row.id());
        let card = place.row.card()?;
        Ok(card.into_row(rank, previous_rank.into(), place.record.wins.into()))
    });
    let last = places.last();
    let more = before + places.len() < board.total();
    Ok(BoardPage {
        rows: rows.collect::<anyhow::Result<_>>()?,
        total: u64::try_from(board.total())?,
        next: last.filter(|_| more).map(|place| place.key().into_owned()),
    })
}
