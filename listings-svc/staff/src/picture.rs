//! `staff picture …`

use std::path::PathBuf;

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;

/// Bytes per read of a file.
const PART: u32 = 256 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Saves a picture as a file, even one that only a submission names
    Save {
        /// The address of the picture, or the last part of it
        url: String,
        /// Where the JPEG file is written
        file: PathBuf,
    },
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let Command::Save { url, file: path } = command;
    let mut pictures = StaffPictureServiceClient::new(fleet.listings().await?);
    let name = url.rsplit('/').next().unwrap_or_default();
    let mut file = Vec::new();
    loop {
        let request = proto::ReadPictureRequest {
            name: name.to_owned(),
            offset: u64::try_from(file.len()).unwrap_or(u64::MAX),
            most: PART,
        };
        let part = pictures.read_picture(request).await?.into_inner().part;
        if part.is_empty() {
            break;
        }
        file.extend_from_slice(&part);
    }
    std::fs::write(&path, &file)
        .map_err(|error| Error::usage(format!("{} cannot be written: {error}", path.display())))?;
    let document = serde_json::json!({ "file": path, "bytes": file.len() });
    let line = format!("{}: {} bytes", path.display(), file.len());
    output.line(&document, &line)
}
