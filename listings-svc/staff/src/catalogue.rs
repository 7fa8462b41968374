//! `staff catalogue …`

use clap::{Subcommand, ValueEnum};
use contracts::catalogue::v1::dump_catalogue_response::Part;
use contracts::catalogue::v1::staff_dump_service_client::StaffDumpServiceClient;
use contracts::catalogue::v1::{DumpCatalogueRequest, DumpCatalogueResponse};
use serde::Serialize;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write all public listings of one moment, one JSON object a line, as GET /changes has them
    ///
    /// The last line has no `type`: `{"rows": …, "next_cursor": …}`. A dump without it was broken off. A mirror that starts from the
    /// dump goes on with GET /changes from that cursor, with a live key.
    Dump {
        /// Only listings of this type
        #[arg(long = "type")]
        kind: Option<Kind>,
    },
}

/// A type of listings.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Kind {
    Games,
    Creators,
    Events,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Creators => "creators",
            Self::Events => "events",
        }
    }
}

/// The last line.
#[derive(Debug, Serialize)]
struct End {
    rows: u64,
    next_cursor: String,
}

/// It writes JSON with and without `--json`.
pub(crate) async fn run(command: Command, fleet: &Fleet, _output: Output) -> Result<(), Problem> {
    let Command::Dump { kind } = command;
    let mut catalogue = StaffDumpServiceClient::new(fleet.catalogue().await?);
    let request = DumpCatalogueRequest {
        r#type: kind.map(|kind| kind.as_str().to_owned()),
    };
    let mut parts = catalogue.dump_catalogue(request).await?.into_inner();
    while let Some(DumpCatalogueResponse { part }) = parts.message().await? {
        match part {
            Some(Part::Lines(lines)) => output::bytes(&lines)?,
            Some(Part::End(end)) => {
                let (rows, next_cursor) = (end.rows, end.next_cursor);
                output::note(&format!(
                    "{rows} listings; GET /changes goes on from the cursor in the last line"
                ));
                return Output::new(true).line(&End { rows, next_cursor }, "");
            }
            None => {}
        }
    }
    Err(Problem::Unreachable(
        "the dump was broken off: it is not whole, so make it again".to_owned(),
    ))
}
