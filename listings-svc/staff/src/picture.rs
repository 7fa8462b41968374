//! `staff picture …`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::rpc::client::Client;

use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;
use crate::table::{Column, table};

/// Bytes per read of a file.
const PART: u32 = 256 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Save a picture as a file, also one of a submission, which the public does not see
    Save {
        /// The address of the picture, or the last part of it
        url: String,
        /// Where the JPEG file is written
        file: PathBuf,
    },
    /// Delete a picture for good, in both sizes: from every listing that has it, and its files
    ///
    /// It is not served from then on, and cannot be uploaded again. Browsers keep the copies that they have. A takedown of the listing is
    /// enough to hide its pictures, and can be reversed.
    Purge {
        /// The address of the picture in either size, or the last part of it
        url: String,
        /// The reason, for the record; up to 500 characters
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    if let Command::Purge {
        url, confirmation, ..
    } = &command
    {
        let question = format!(
            "Purge {url}? Every listing loses the picture, and its files are deleted for good."
        );
        confirmation.ask(&question).await?;
    }
    let mut pictures = StaffPictureServiceClient::new(fleet.listings().await?);
    match command {
        Command::Save { url, file } => save_file(&mut pictures, &url, &file, output).await,
        Command::Purge { url, reason, .. } => {
            let request = proto::PurgePictureRequest { url, reason };
            let response = pictures.purge_picture(request).await?.into_inner();
            print_purge(&response, output)
        }
    }
}

/// Saves a picture as a file. It is read in parts.
async fn save_file(
    pictures: &mut StaffPictureServiceClient<Client>,
    url: &str,
    path: &Path,
    output: Output,
) -> Result<(), Error> {
    let name = url.rsplit('/').next().unwrap_or_default();
    let mut file = Vec::new();
    loop {
        let request = proto::GetPictureRequest {
            name: name.to_owned(),
            offset: u64::try_from(file.len()).unwrap_or(u64::MAX),
            most: PART,
            ..proto::GetPictureRequest::default()
        };
        let part = pictures.read_picture(request).await?.into_inner().part;
        if part.is_empty() {
            break;
        }
        file.extend_from_slice(&part);
    }
    std::fs::write(path, &file)
        .map_err(|error| Error::usage(format!("{} cannot be written: {error}", path.display())))?;
    let document = serde_json::json!({ "file": path, "bytes": file.len() });
    let columns: [Column<(String, usize)>; 2] = [
        ("file", |(path, _)| path.clone()),
        ("bytes", |(_, bytes)| bytes.to_string()),
    ];
    let row = (path.display().to_string(), file.len());
    output.answer(&document, || table(&[row], &columns))
}

/// Prints the files that a purge has deleted and the listings that it has changed.
fn print_purge(response: &proto::PurgePictureResponse, output: Output) -> Result<(), Error> {
    let listings: Vec<_> = response
        .listings
        .iter()
        .map(|listing| serde_json::json!({ "kind": listing.kind, "name": listing.name }))
        .collect();
    let document = serde_json::json!({ "files": response.files, "listings": listings });
    output.answer(&document, || {
        let files = response.files.iter();
        let files = files.map(|it| ["deleted file", it.as_str()]);
        let listings = response.listings.iter();
        let listings = listings.map(|it| ["changed listing", it.name.as_str()]);
        let rows: Vec<[&str; 2]> = files.chain(listings).collect();
        let columns: [Column<[&str; 2]>; 2] = [
            ("what", |[what, _]| (*what).to_owned()),
            ("name", |[_, name]| (*name).to_owned()),
        ];
        table(&rows, &columns)
    })
}
