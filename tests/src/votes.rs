//! Votes at catalogue-svc.

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use contracts::catalogue::v1::votes_service_client::VotesServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use uuid::Uuid;

/// Votes as a new voter for the first game of a drawn pair; returns the id of the voter, which no
/// account has. By its id the account was created in 1970, so that its votes do not count in their
/// network.
pub async fn cast_vote(catalogue: Client) -> Result<Uuid, Fault> {
    let id = Uuid::from_u128(kit::ids::row_id().as_u128() % (1 << 80));
    let voter = Some(proto::Voter {
        voter: Some(proto::voter::Voter::AccountId(id.to_string())),
        other_account_ids: Vec::new(),
        address: "192.0.2.1".to_owned(),
    });
    let mut votes = VotesServiceClient::new(catalogue);
    let draw =
        proto::DrawPairRequest { voter: voter.clone(), kind: "games".to_owned(), at_least: None };
    let pair = votes.draw_pair(draw).await?.into_inner();
    let slug = |candidate: Option<proto::Candidate>| match candidate?.name_in_address? {
        NameInAddress::Slug(slug) => Some(slug),
        NameInAddress::Handle(_) => None,
    };
    let vote = proto::CastVoteRequest {
        voter,
        kind: "games".to_owned(),
        winner: slug(pair.first).unwrap(),
        loser: slug(pair.second).unwrap(),
        draw: pair.draw,
        neither: false,
    };
    votes.cast_vote(vote).await?;
    Ok(id)
}
