//! `staff dead-letter …`: changes that a service could not apply

use std::collections::BTreeSet;
use std::num::NonZeroI64;

use clap::Subcommand;
use contracts::common::v1 as proto;
use contracts::common::v1::staff_dead_letter_service_client::StaffDeadLetterServiceClient;
use kit::rpc::client::Client;
use serde::Serialize;
use strum::VariantArray as _;

use crate::error::{Error, UnreachableService};
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::service::Service;
use crate::table::Column;

/// Rows of a service at most.
const LIMIT: i32 = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List changes of other services that a service could not apply, the oldest first, at most 100 a service
    ///
    /// A service puts such a change aside and goes on. It retries the change when it starts, and every ten seconds to ten minutes.
    List {
        /// Only those of this service
        #[arg(long)]
        service: Option<Service>,
    },
    /// Apply changes now that were put aside, after their cause is gone
    Retry {
        service: Service,
        /// Their numbers, from `staff dead-letter list`; all, when none is given
        numbers: Vec<NonZeroI64>,
    },
}

/// Whether a service follows others. Only then it has dead letters.
fn follows(service: Service) -> bool {
    service.has_feeds() && service != Service::Listings
}

pub(crate) async fn client(
    service: Service,
    fleet: &Fleet,
) -> Result<StaffDeadLetterServiceClient<Client>, Error> {
    let client = fleet.client(service).await?;
    Ok(StaffDeadLetterServiceClient::new(client))
}

/// A dead letter of a service.
#[derive(Debug, Serialize)]
struct DeadLetter {
    service: &'static str,
    #[serde(flatten)]
    letter: proto::DeadLetter,
}

const COLUMNS: &[Column<DeadLetter>] = &[
    ("at", |it| output::format_time(it.letter.put_aside_at)),
    ("service", |it| it.service.to_owned()),
    ("number", |it| it.letter.number.to_string()),
    ("change", |DeadLetter { letter, .. }| {
        format!("{} {}", letter.producer, letter.seq)
    }),
    ("entity", |DeadLetter { letter, .. }| {
        format!("{} {}", letter.entity, letter.id)
    }),
    ("event", |it| it.letter.event.clone()),
    ("reason", |it| it.letter.reason.clone()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    match command {
        Command::List { service } => list(service, fleet, output).await,
        Command::Retry { service, numbers } => {
            let numbers: BTreeSet<i64> = numbers.into_iter().map(NonZeroI64::get).collect();
            let asked = numbers.len() as u64;
            let request = proto::RetryDeadLettersRequest {
                numbers: numbers.into_iter().collect(),
            };
            let mut client = client(service, fleet).await?;
            let response = client.retry_dead_letters(request).await?.into_inner();
            let (applied, refused) = (response.applied, response.refused);
            if applied + refused < asked {
                output::note(
                    "some of these numbers are no dead letters of the service: see `staff dead-letter list`",
                );
            }
            let document = serde_json::json!({ "applied": applied, "refused": refused });
            output.line(
                &document,
                &format!("applied: {applied}, refused again: {refused}"),
            )
        }
    }
}

async fn list(only: Option<Service>, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let (mut letters, mut unreachable) = (Vec::new(), UnreachableService::default());
    let services = Service::VARIANTS.iter().copied();
    let services = services.filter(|it| follows(*it));
    for service in services.filter(|service| only.is_none_or(|only| only == *service)) {
        let request = proto::ListDeadLettersRequest {
            after: 0,
            limit: LIMIT,
        };
        let read = async {
            let mut client = client(service, fleet).await?;
            let listed = client.list_dead_letters(request).await?;
            Ok(listed.into_inner().dead_letters)
        };
        let found = unreachable.skip(service, read.await)?.unwrap_or_default();
        letters.extend(found.into_iter().map(|letter| DeadLetter {
            service: service.as_str(),
            letter,
        }));
    }
    if letters.is_empty() && !output.is_json() {
        unreachable.result()?;
        return output.line(&(), "no change is put aside");
    }
    output.rows("dead_letters", &letters, COLUMNS)?;
    unreachable.result()
}
