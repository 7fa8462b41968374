//! `staff review`: an interactive review of the queue

mod session;

use clap::Args;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;

use crate::account::AccountNames;
use crate::command_hint;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::ListingKind;
use crate::output::Output;
use crate::prompt;

/// Reviews pending listings one by one, oldest first
///
/// Each listing is shown on the terminal with its position in the queue and its changes since it was rejected, or else with all fields. Then
/// a line of input decides: a (approve), r (reject; the reason is on the next line), s (skip), b (back to the previous listing), o (open:
/// show all of it), q (quit), ? (help). Each decision takes effect at once.
#[derive(Debug, Args)]
pub(crate) struct Review {
    /// Only these listings, by their slugs or handles, in this order
    #[arg(requires = "kind")]
    slugs: Vec<String>,
    /// Only listings of this kind
    #[arg(long)]
    kind: Option<ListingKind>,
}

type Service = StaffReviewServiceClient<Client>;

pub(crate) async fn run(review: Review, fleet: &Fleet, output: Output) -> Result<(), Error> {
    // Nobody has seen the listings that a pipe would approve.
    if output.is_json() || !prompt::is_terminal() {
        return Err(Error::usage(format!(
            "nothing was changed: `staff review` shows each listing on a terminal and asks. Programs use {} and {}",
            command_hint::staff("review list --json"),
            command_hint::staff("game approve SLUG --revision N")
        )));
    }
    let service = StaffReviewServiceClient::new(fleet.listings().await?);
    let names = AccountNames::new(fleet).await;
    session::run(service, names, review, output).await
}
