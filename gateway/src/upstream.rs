//! The services behind the gateway: typed clients, with a deadline.

use std::future::Future;
use std::time::Duration;

use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use kit::Fault;
use kit::rpc::client::Client;
use tonic::{Code, Request, Response, Status};

/// The services behind the gateway.
pub struct Upstream {
    games: GamesServiceClient<Client>,
    deadline: Duration,
}

impl Upstream {
    /// Clients on a channel to catalogue-svc. Whatever takes longer than `deadline` counts as away.
    pub fn new(catalogue: Client, deadline: Duration) -> Self {
        Self {
            games: GamesServiceClient::new(catalogue),
            deadline,
        }
    }

    /// A page of games.
    pub async fn list_games(&self, message: ListGamesRequest) -> Result<ListGamesResponse, Fault> {
        self.read(message, |request| {
            let mut games = self.games.clone();
            async move { games.list_games(request).await }
        })
        .await
    }

    /// One game.
    pub async fn get_game(&self, message: GetGameRequest) -> Result<GetGameResponse, Fault> {
        self.read(message, |request| {
            let mut games = self.games.clone();
            async move { games.get_game(request).await }
        })
        .await
    }

    /// Makes a call that changes nothing. When the way fails, it is made once more: the channel then goes to another replica.
    async fn read<M: Clone, A, F>(
        &self,
        message: M,
        call: impl Fn(Request<M>) -> F,
    ) -> Result<A, Fault>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let request = || {
            let mut request = Request::new(message.clone());
            request.set_timeout(self.deadline);
            request
        };
        let calls = async {
            match call(request()).await {
                Err(status) if is_lost(&status) => {
                    metrics::counter!("upstream_retries_total").increment(1);
                    call(request()).await
                }
                outcome => outcome,
            }
        };
        match tokio::time::timeout(self.deadline, calls).await {
            Ok(outcome) => Ok(outcome?.into_inner()),
            Err(_) => Err(Fault::unavailable("a service did not answer in time")),
        }
    }
}

/// Whether the call was lost on its way, rather than refused by the service: then the status carries no fault.
fn is_lost(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Cancelled) && status.details().is_empty()
}
