//! catalogue-svc: votes and boards.

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::rankings_service_client::RankingsServiceClient;
use contracts::catalogue::v1::votes_service_client::VotesServiceClient;
use kit::Fault;

use super::catalogue::{Catalogue, MODE, Rows, page};

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
        };
        let call = async |client, request| VotesServiceClient::new(client).draw_pair(request).await;
        self.read(request, call).await
    }

    /// Casts a vote. A second call changes nothing, and says that the voter has judged the pair already.
    pub async fn cast_vote(
        &self,
        vote: proto::CastVoteRequest,
    ) -> Result<proto::CastVoteResponse, Fault> {
        let call = async |client, request| VotesServiceClient::new(client).cast_vote(request).await;
        self.read(vote, call).await
    }

    /// A page of a board; `not_found` without such a board.
    pub async fn board(
        &self,
        (kind, board): (&str, &str),
        limit: u32,
        cursor: Option<&str>,
    ) -> Result<Rows, Fault> {
        let request = proto::ListRankingRequest {
            mode: MODE,
            page: Some(page(limit, cursor)),
            at_least: None,
            kind: kind.to_owned(),
            board: board.to_owned(),
        };
        let call = async |client, request| {
            RankingsServiceClient::new(client)
                .list_ranking(request)
                .await
        };
        let answer = self.read(request, call).await?;
        Ok(Rows::new(answer.json, answer.page))
    }

    /// The ranks of a listing on the boards.
    pub async fn ranks(&self, kind: &str, name: &str) -> Result<Vec<proto::BoardRank>, Fault> {
        let request = proto::GetRanksRequest {
            mode: MODE,
            kind: kind.to_owned(),
            name: name.to_owned(),
            at_least: None,
        };
        let call =
            async |client, request| RankingsServiceClient::new(client).get_ranks(request).await;
        Ok(self.read(request, call).await?.ranks)
    }
}
