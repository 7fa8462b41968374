//! catalogue-svc: votes and boards.

use contracts::catalogue::v1 as proto;
use contracts::public::RankingRow;
use kit::Fault;

use super::call::{incomplete, rpcs};
use super::catalogue::{Catalogue, MODE, Rows, page};

/// Rows of a board.
#[derive(Debug, Clone)]
pub struct BoardRows {
    pub rows: Rows,
    details: Vec<proto::BoardRowDetails>,
}

impl BoardRows {
    pub fn parse(
        &self,
    ) -> Result<impl Iterator<Item = (RankingRow, &proto::BoardRowDetails)>, Fault> {
        let rows: Vec<RankingRow> = self.rows.parse()?;
        if rows.len() != self.details.len() {
            return Err(incomplete());
        }
        Ok(rows.into_iter().zip(&self.details))
    }
}

impl Catalogue {
    /// Casts a vote. A second call changes nothing, and says that the voter has judged the pair already. It is therefore not repeated by
    /// itself: after a lost answer the repetition would say so of the vote that was just counted.
    pub async fn cast_vote(
        &self,
        vote: proto::CastVoteRequest,
    ) -> Result<proto::CastVoteResponse, Fault> {
        self.0.once(vote).await
    }
}

rpcs! { Catalogue:
    /// Draws two listings for a voter; `not_found` when none are left.
    idempotent draw_pair(voter: proto::Voter, kind: &str) -> proto::DrawPairResponse =
        proto::DrawPairRequest { voter, kind, at_least: None };

    /// A page of a board; `not_found` without such a board.
    idempotent board(kind: &str, board: &str, limit: u32, cursor: Option<&str>) -> BoardRows =
        proto::ListRankingRequest { mode: MODE, page: page(limit, cursor), at_least: None, kind, board }
        => |listed| BoardRows {
            rows: Rows::new(listed.json, listed.page),
            details: listed.details,
        };

    /// The ranks of a listing on the boards.
    idempotent ranks(kind: &str, name: &str) -> Vec<proto::BoardRank> =
        proto::GetRanksRequest { mode: MODE, kind, name, at_least: None }
        => |found| found.ranks;
}
