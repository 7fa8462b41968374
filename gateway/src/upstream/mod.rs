//! The services behind the gateway: typed calls, with a deadline.

mod catalogue;

pub use catalogue::Question;

use std::time::Duration;

use kit::Fault;
use kit::rpc::client::Client;
use tonic::{Code, Request, Status};

use catalogue::Catalogue;

/// The services behind the gateway.
pub struct Upstream {
    catalogue: Catalogue,
    deadline: Duration,
}

impl Upstream {
    /// Clients on a channel to catalogue-svc. Whatever takes longer than `deadline` counts as away.
    pub fn new(catalogue: Client, deadline: Duration) -> Self {
        Self {
            catalogue: Catalogue::new(catalogue),
            deadline,
        }
    }

    /// Asks catalogue-svc, which changes nothing. When the way fails, it is asked once more: the channel then goes to another
    /// replica.
    pub async fn read<Q: Question>(&self, question: Q) -> Result<Q::Answer, Fault> {
        let request = || {
            let mut request = Request::new(question.clone());
            request.set_timeout(self.deadline);
            request
        };
        let calls = async {
            match Q::ask(&self.catalogue, request()).await {
                Err(status) if is_lost(&status) => {
                    metrics::counter!("upstream_retries_total").increment(1);
                    Q::ask(&self.catalogue, request()).await
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
