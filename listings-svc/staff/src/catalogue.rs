//! `staff catalogue …`

use clap::{Subcommand, ValueEnum};
use contracts::catalogue::v1::dump_catalogue_response::Part;
use contracts::catalogue::v1::staff_dump_service_client::StaffDumpServiceClient;
use contracts::catalogue::v1::{DumpCatalogueRequest, DumpCatalogueResponse};
use serde::Serialize;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print a snapshot of all public listings, one JSON object a line, in the form of GET /changes
    ///
    /// The last line has no `type`: `{"rows": …, "next_cursor": …}`. A dump without this line is incomplete. A mirror that starts from
    /// the dump continues with GET /changes from that cursor, with a live key.
    Dump {
        /// Only listings of this type
        #[arg(long = "type")]
        kind: Option<ListingType>,
    },
}

/// A type of listing, as GET /changes names it.
#[derive(Debug, Clone, Copy, ValueEnum, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ListingType {
    Games,
    Creators,
    Events,
}

/// The last line of a dump.
#[derive(Debug, Serialize)]
struct LastLine {
    rows: u64,
    next_cursor: String,
}

/// A dump is JSON with and without `--json`.
pub(crate) async fn run(command: Command, fleet: &Fleet) -> Result<(), Error> {
    let Command::Dump { kind } = command;
    let mut catalogue = StaffDumpServiceClient::new(fleet.catalogue().await?);
    let request = DumpCatalogueRequest {
        r#type: kind.map(|kind| kind.to_string()),
    };
    let mut parts = catalogue.dump_catalogue(request).await?.into_inner();
    while let Some(DumpCatalogueResponse { part }) = parts.message().await? {
        match part {
            Some(Part::Lines(lines)) => output::bytes(&lines)?,
            Some(Part::End(end)) => {
                let (rows, next_cursor) = (end.rows, end.next_cursor);
                output::note(&format!(
                    "{rows} listings; GET /changes continues from the cursor in the last line"
                ));
                return Output::new(true).line(&LastLine { rows, next_cursor }, "");
            }
            None => {}
        }
    }
    Err(Error::Unreachable(
        "the connection failed before the end of the dump: run the command again".to_owned(),
    ))
}
