//! `staff picture …`

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use clap::{Args, Subcommand, ValueEnum};
use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_upload::Message;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::rpc::client::Client;
use tonic::{IntoStreamingRequest as _, Request};

use crate::arguments::picture_place;
use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::name::ListingMode;
use crate::output::{Output, progress_bar};
use crate::table::{Column, table};

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
    /// Remove a picture from a listing
    Remove {
        kind: PictureKind,
        /// The slug of the game, or the handle of the page
        name: String,
        /// The address of a screenshot, or the last part of it
        #[arg(
            long,
            required_if_eq("kind", "screenshot"),
            default_value = "",
            hide_default_value = true
        )]
        url: String,
        /// A real listing or a sample
        #[arg(long, default_value = "live")]
        mode: ListingMode,
    },
    /// Save a picture as a file, also one of a submission, which the public does not see
    Save {
        /// The address of the picture, or the last part of it
        url: String,
        /// Where the JPEG file is written
        file: PathBuf,
    },
    /// Delete a picture for good, in all its sizes: from every listing that has it, and its files
    ///
    /// It is not served from then on, and cannot be uploaded again. Browsers keep the copies that they have. A takedown of the listing is
    /// enough to hide its pictures, and can be reversed.
    Purge {
        /// The address of the picture in any size, or the last part of it
        url: String,
        /// The reason, for the record; up to 500 characters
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        confirmation: Confirmation,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[repr(i32)]
pub(crate) enum PictureKind {
    Cover = proto::PictureKind::Cover as i32,
    Avatar = proto::PictureKind::Avatar as i32,
    Screenshot = proto::PictureKind::Screenshot as i32,
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
    let header = |name: &str, upload: &Upload| proto::PictureHeader {
        mode: upload.mode.into(),
        name: name.to_owned(),
        alt: String::new(),
        place: None,
    };
    match command {
        Command::SetCover { game, upload } => {
            let header = header(&game, &upload);
            let file = &upload.file;
            send_file(&mut pictures, PictureKind::Cover, header, file, output).await
        }
        Command::SetAvatar { page, upload } => {
            let header = header(&page, &upload);
            let file = &upload.file;
            send_file(&mut pictures, PictureKind::Avatar, header, file, output).await
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
            send_file(&mut pictures, kind, header, file, output).await
        }
        Command::Remove {
            kind,
            name,
            url,
            mode,
        } => {
            let request = proto::RemovePictureRequest {
                kind: kind as i32,
                mode: mode.into(),
                name,
                url,
            };
            let response = pictures.remove_picture(request).await?.into_inner();
            let listing = response.listing.unwrap_or_default();
            let document = serde_json::json!({ "revision": listing.revision });
            let columns: [Column<proto::Listing>; 2] = [
                ("title", |it| it.title.clone()),
                ("revision", |it| it.revision.to_string()),
            ];
            output.answer(&document, || table(&[listing], &columns))
        }
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

async fn send_file(
    pictures: &mut StaffPictureServiceClient<Client>,
    kind: PictureKind,
    header: proto::PictureHeader,
    path: &Path,
    output: Output,
) -> Result<(), Error> {
    let file = std::fs::read(path)
        .map_err(|error| Error::usage(format!("{} cannot be read: {error}", path.display())))?;
    let bar = progress_bar(file.len() as u64, "{msg} {wide_bar} {bytes}/{total_bytes}");
    bar.set_message(path.display().to_string());
    let counter = bar.clone();
    let chunks: Vec<Bytes> = file.chunks(CHUNK).map(Bytes::copy_from_slice).collect();
    let chunks = chunks.into_iter().map(move |chunk| {
        counter.inc(chunk.len() as u64);
        Message::Chunk(chunk)
    });
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
    bar.finish_and_clear();
    let response = response?.into_inner();
    let revision = response.listing.unwrap_or_default().revision;
    let [picture, small] = [response.picture, response.small].map(Option::unwrap_or_default);
    let document = serde_json::json!({ "revision": revision, "picture": picture, "small": small });
    let columns: [Column<proto::Picture>; 4] = [
        ("address", |it| it.url.clone()),
        ("width", |it| it.width.to_string()),
        ("height", |it| it.height.to_string()),
        ("bytes", |it| it.size.to_string()),
    ];
    output.answer(&document, || table(&[picture, small], &columns))
}
