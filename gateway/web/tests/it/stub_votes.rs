//! The votes of the catalogue stub: it draws the same two listings each time, and records votes.

use std::sync::{Arc, Mutex};

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::candidate::NameInAddress;
use contracts::catalogue::v1::votes_service_server::VotesService;
use contracts::catalogue::v1::{CastVoteRequest, DrawPairRequest};
use contracts::common::v1::Position;
use kit::{Code, Fault};
use tonic::{Request, Response, Status};

use crate::stub_pictures;

#[derive(Debug, Clone, Default)]
pub(crate) struct StubVotes {
    /// The counted votes.
    pub(crate) cast: Arc<Mutex<Vec<CastVoteRequest>>>,
    /// The voters of all draws.
    pub(crate) drawn_for: Arc<Mutex<Vec<proto::Voter>>>,
    /// The positions of draws, together with those of other reads.
    pub(crate) positions: Arc<Mutex<Vec<Option<Position>>>>,
    /// The text of every field that a studio fills.
    pub(crate) words: Arc<Mutex<Option<String>>>,
    pub(crate) state: Arc<Mutex<State>>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Open,
    NoPairs,
    /// No more votes for this many seconds.
    Limited(u32),
    Away,
    /// Counts the next vote and loses the response.
    LosesAnswer,
}

impl StubVotes {
    pub(crate) fn set(&self, state: State) {
        *self.state.lock().unwrap() = state;
    }

    fn check(&self) -> Result<(), Status> {
        match self.state.lock().unwrap().clone() {
            State::Away => Err(Fault::unavailable("a test").into()),
            State::Open | State::NoPairs | State::Limited(_) | State::LosesAnswer => Ok(()),
        }
    }

    fn candidate(&self, name: NameInAddress, title: &str) -> proto::Candidate {
        let words = self.words.lock().unwrap().clone();
        proto::Candidate {
            name_in_address: Some(name),
            name: words.clone().unwrap_or_else(|| title.to_owned()),
            tagline: words.unwrap_or_default(),
            country_code: "NG".to_owned(),
            url: "https://mchezo.example/games/okoto".to_owned(),
            picture_url: Some(format!("https://mchezo.example/pictures/{}", stub_pictures::file())),
        }
    }
}

/// A draw starts with its voter; the service's signed draw contains the voter too.
fn voter_of(voter: &proto::Voter) -> String {
    match voter.voter.as_ref().unwrap() {
        proto::voter::Voter::AccountId(id) | proto::voter::Voter::CookieId(id) => {
            format!("draw-{id}-")
        }
    }
}

#[tonic::async_trait]
impl VotesService for StubVotes {
    async fn draw_pair(
        &self,
        request: Request<DrawPairRequest>,
    ) -> Result<Response<proto::DrawPairResponse>, Status> {
        let request = request.into_inner();
        self.positions.lock().unwrap().push(request.at_least);
        self.check()?;
        let voter = request.voter.unwrap();
        let draws = {
            let mut drawn_for = self.drawn_for.lock().unwrap();
            drawn_for.push(voter.clone());
            drawn_for.len()
        };
        if *self.state.lock().unwrap() == State::NoPairs {
            return Err(Fault::not_found("No two listings are left.").into());
        }
        let name = |name: &str| match request.kind.as_str() {
            "games" => NameInAddress::Slug(name.to_owned()),
            _ => NameInAddress::Handle(name.to_owned()),
        };
        Ok(Response::new(proto::DrawPairResponse {
            first: Some(self.candidate(name("okoto"), "Okoto <b>")),
            second: Some(self.candidate(name("gone"), "Gone")),
            draw: format!("{}{draws}", voter_of(&voter)),
        }))
    }

    async fn cast_vote(
        &self,
        request: Request<CastVoteRequest>,
    ) -> Result<Response<proto::CastVoteResponse>, Status> {
        self.check()?;
        let vote = request.into_inner();
        if let State::Limited(seconds) = *self.state.lock().unwrap() {
            let fault =
                Fault { retry_after: Some(seconds), ..Fault::new(Code::RateLimited, "Too many.") };
            return Err(fault.into());
        }
        let voter = voter_of(vote.voter.as_ref().unwrap());
        if !vote.draw.starts_with(&voter) {
            let reason = "Another voter was shown this pair. Draw a pair for this voter.";
            return Err(Fault::invalid_field("draw", reason).into());
        }
        let mut cast = self.cast.lock().unwrap();
        let repeated_today = cast.iter().any(|it| it.draw == vote.draw);
        if !repeated_today {
            cast.push(vote);
        }
        let mut state = self.state.lock().unwrap();
        if *state == State::LosesAnswer {
            *state = State::Open;
            // A proxy says so when the connection behind it breaks.
            return Err(Status::new(tonic::Code::Unavailable, "the connection broke"));
        }
        Ok(Response::new(proto::CastVoteResponse { repeated_today }))
    }
}
