//! catalogue-svc: votes and boards.

use contracts::catalogue::v1 as proto;
use contracts::public::RankingRow;
use kit::{Fault, timestamp};
use time::OffsetDateTime;

use super::call::incomplete;
use super::catalogue::{Catalogue, MODE, Rows, page};
use super::clients::{Rankings, Votes};

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
    /// Draws two listings for a voter; `not_found` when none are left.
    pub async fn draw_pair(
        &self,
        voter: proto::Voter,
        kind: &str,
    ) -> Result<proto::DrawPairResponse, Fault> {
        let request = proto::DrawPairRequest {
            voter: Some(voter),
            kind: kind.to_owned(),
            at_least: None,
        };
        self.read(Votes::draw_pair, request).await
    }

    /// Casts a vote. A second call changes nothing, and says that the voter has judged the pair already. It is therefore not repeated by
    /// itself: after a lost answer the repetition would say so of the vote that was just counted.
    pub async fn cast_vote(
        &self,
        vote: proto::CastVoteRequest,
    ) -> Result<proto::CastVoteResponse, Fault> {
        self.write(Votes::cast_vote, vote).await
    }

    /// A page of a board; `not_found` without such a board.
    pub async fn board(
        &self,
        kind: &str,
        board: &str,
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<BoardRows, Fault> {
        let request = proto::ListRankingRequest {
            mode: MODE,
            page: Some(page(limit, cursor)),
            at_least: None,
            kind: kind.to_owned(),
            board: board.to_owned(),
        };
        let answer = self.read(Rankings::list_ranking, request).await?;
        Ok(BoardRows {
            rows: Rows::new(answer.json, answer.page),
            details: answer.details,
        })
    }

    /// The ranks of a listing on the boards.
    pub async fn ranks(&self, kind: &str, name: &str) -> Result<Vec<proto::BoardRank>, Fault> {
        let request = proto::GetRanksRequest {
            mode: MODE,
            kind: kind.to_owned(),
            name: name.to_owned(),
            at_least: None,
        };
        Ok(self.read(Rankings::get_ranks, request).await?.ranks)
    }

    /// The live listings with these names, 20 at most, with their ranks; without those that are not public.
    pub async fn ranks_of_each(
        &self,
        kind: &str,
        names: Vec<String>,
    ) -> Result<Vec<proto::ListingRanks>, Fault> {
        let request = proto::ListRanksRequest {
            kind: kind.to_owned(),
            names,
            at_least: None,
        };
        Ok(self.read(Rankings::list_ranks, request).await?.listings)
    }

    /// The ranks of a live listing on a board in the last weeks, oldest first.
    pub async fn rank_history(
        &self,
        kind: &str,
        name: &str,
        board: &str,
    ) -> Result<Vec<(OffsetDateTime, u32)>, Fault> {
        let request = proto::GetRankHistoryRequest {
            kind: kind.to_owned(),
            name: name.to_owned(),
            board: board.to_owned(),
            at_least: None,
        };
        let answer = self.read(Rankings::get_rank_history, request).await?;
        let ranks = answer.ranks.into_iter().filter_map(|past| {
            let at = timestamp::decode(past.at?)?;
            Some((at, u32::try_from(past.rank).ok()?))
        });
        Ok(ranks.collect())
    }
}
