//! `staff dead-letter …`: changes that a service could not apply

use std::collections::BTreeSet;
use std::num::NonZeroI64;

use clap::{Subcommand, ValueEnum};
use contracts::common::v1 as proto;
use contracts::common::v1::staff_dead_letter_service_client::StaffDeadLetterServiceClient;
use contracts::public::Timestamp;
use kit::rpc::client::Client;
use serde::Serialize;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

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

/// A service with feeds: its own, or those that it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    Gateway,
    Listings,
    Economy,
    Catalogue,
    Webhook,
}

impl Service {
    pub(crate) const ALL: [Self; 5] = [
        Self::Gateway,
        Self::Listings,
        Self::Economy,
        Self::Catalogue,
        Self::Webhook,
    ];

    /// The name of the service's feed, if it has one.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Listings => "listings",
            Self::Economy => "economy",
            Self::Catalogue => "catalogue",
            Self::Webhook => "webhook",
        }
    }

    /// Whether it follows other services. Only then it has dead letters.
    fn follows(self) -> bool {
        self != Self::Listings
    }

    pub(crate) async fn client(
        self,
        fleet: &Fleet,
    ) -> Result<StaffDeadLetterServiceClient<Client>, Error> {
        let client = match self {
            Self::Gateway => fleet.gateway().await,
            Self::Listings => fleet.listings().await,
            Self::Economy => fleet.economy().await,
            Self::Catalogue => fleet.catalogue().await,
            Self::Webhook => fleet.webhook().await,
        };
        client.map(StaffDeadLetterServiceClient::new)
    }
}

#[derive(Debug, Serialize)]
struct DeadLetter {
    service: &'static str,
    number: i64,
    producer: String,
    seq: i64,
    entity: String,
    id: String,
    event: String,
    reason: String,
    put_aside_at: Option<Timestamp>,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    match command {
        Command::List { service } => list(service, fleet, output).await,
        Command::Retry { service, numbers } => {
            let numbers: BTreeSet<i64> = numbers.into_iter().map(NonZeroI64::get).collect();
            let asked = numbers.len() as u64;
            let request = proto::RetryDeadLettersRequest {
                numbers: numbers.into_iter().collect(),
            };
            let mut client = service.client(fleet).await?;
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
    let mut letters = Vec::new();
    let services = Service::ALL.into_iter().filter(|it| it.follows());
    for service in services.filter(|service| only.is_none_or(|only| only == *service)) {
        let request = proto::ListDeadLettersRequest {
            after: 0,
            limit: LIMIT,
        };
        let mut client = service.client(fleet).await?;
        let found = client
            .list_dead_letters(request)
            .await?
            .into_inner()
            .dead_letters;
        letters.extend(found.into_iter().map(|letter| DeadLetter {
            service: service.as_str(),
            number: letter.number,
            producer: letter.producer,
            seq: letter.seq,
            entity: letter.entity,
            id: letter.id,
            event: letter.event,
            reason: letter.reason,
            put_aside_at: output::timestamp(letter.put_aside_at),
        }));
    }
    if letters.is_empty() && !output.is_json() {
        return output.line(&(), "no change is put aside");
    }
    let document = serde_json::json!({ "dead_letters": letters });
    output.answer(&document, || {
        let rows = letters.iter().map(|letter| {
            [
                output::format_time(letter.put_aside_at.as_ref()),
                letter.service.to_owned(),
                letter.number.to_string(),
                format!("{} {}", letter.producer, letter.seq),
                format!("{} {}", letter.entity, letter.id),
                letter.event.clone(),
                letter.reason.clone(),
            ]
        });
        table(
            [
                "at", "service", "number", "change", "entity", "event", "reason",
            ],
            rows,
        )
    })
}
