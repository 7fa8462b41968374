//! `staff picture …`

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use clap::{Args, Subcommand};
use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_upload::Message;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::rpc::client::Client;
use tonic::{IntoStreamingRequest as _, Request};

use crate::arguments::picture_place;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::ListingMode;
use crate::output::Output;
use crate::rpc::{answer, dynamic};

const DEADLINE: Duration = Duration::from_mins(3);
/// Bytes per message of an upload.
const CHUNK: usize = 128 * 1024;
/// Bytes per read of a file.
const PART: u32 = 256 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set the cover of a game (1200 by 675)
    SetCover {
        /// The slug of the game
        game: String,
        #[command(flatten)]
        upload: Upload,
    },
    /// Set the avatar of a page (512 by 512)
    SetAvatar {
        /// The handle of the page
        page: String,
        #[command(flatten)]
        upload: Upload,
    },
    /// Add a screenshot to a game, or move one that the game has (within 1600 by 1600)
    AddScreenshot {
        /// The slug of the game
        game: String,
        #[command(flatten)]
        upload: Upload,
        /// A description for people who cannot see the picture
        #[arg(long)]
        alt: String,
        /// The position among the screenshots, from 0 [default: after the last]
        #[arg(long, value_parser = picture_place)]
        place: Option<u32>,
    },
    /// Save a picture as a file, also one of a submission, which the public does not see
    Save {
        /// The address of the picture, or the last part of it
        url: String,
        /// Where the JPEG file is written
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Upload {
    /// A JPEG, PNG or WebP file
    file: PathBuf,
    /// A real listing or a sample
    #[arg(long, default_value = "live")]
    mode: ListingMode,
}

#[derive(Debug, Clone, Copy)]
enum PictureKind {
    Cover,
    Avatar,
    Screenshot,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut pictures = StaffPictureServiceClient::new(fleet.listings().await?);
    let header = |name: &str, upload: &Upload| proto::PictureHeader {
        mode: upload.mode.into(),
        name: name.to_owned(),
        alt: String::new(),
        place: None,
    };
    let response = match command {
        Command::SetCover { game, upload } => {
            let header = header(&game, &upload);
            let file = &upload.file;
            send_file(&mut pictures, PictureKind::Cover, header, file).await
        }
        Command::SetAvatar { page, upload } => {
            let header = header(&page, &upload);
            let file = &upload.file;
            send_file(&mut pictures, PictureKind::Avatar, header, file).await
        }
        Command::AddScreenshot {
            game,
            upload,
            alt,
            place,
        } => {
            let header = proto::PictureHeader {
                alt,
                place,
                ..header(&game, &upload)
            };
            let (kind, file) = (PictureKind::Screenshot, &upload.file);
            send_file(&mut pictures, kind, header, file).await
        }
        Command::Save { url, file } => {
            return save_file(&mut pictures, &url, &file, output).await;
        }
    };
    let response = dynamic("listings.v1.PictureResponse", &response?)?;
    answer::print_message(response, fleet, output).await
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
    let line = format!("{}: {} bytes", path.display(), file.len());
    output.line(&document, &line)
}

async fn send_file(
    pictures: &mut StaffPictureServiceClient<Client>,
    kind: PictureKind,
    header: proto::PictureHeader,
    path: &Path,
) -> Result<proto::PictureResponse, Error> {
    let file = std::fs::read(path)
        .map_err(|error| Error::usage(format!("{} cannot be read: {error}", path.display())))?;
    let chunks: Vec<Bytes> = file.chunks(CHUNK).map(Bytes::copy_from_slice).collect();
    let chunks = chunks.into_iter().map(Message::Chunk);
    let messages = std::iter::once(Message::Header(header))
        .chain(chunks)
        .chain(std::iter::once(Message::End(proto::PictureEnd {})))
        .map(|message| proto::PictureUpload {
            message: Some(message),
        });
    let mut request: Request<_> = tokio_stream::iter(messages).into_streaming_request();
    request.set_timeout(DEADLINE);
    let response = match kind {
        PictureKind::Cover => pictures.set_cover(request).await,
        PictureKind::Avatar => pictures.set_avatar(request).await,
        PictureKind::Screenshot => pictures.add_screenshot(request).await,
    };
    Ok(response?.into_inner())
}
