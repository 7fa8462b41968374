//! Pictures of listings, by staff (`listings/v1/staff_picture.proto`).

use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_upload::Message;
use contracts::listings::v1::staff_picture_service_server::StaffPictureService;
use kit::audit::Audit;
use kit::feed::Writer;
use kit::overload::ConcurrencyLimit;
use kit::rpc::staff::Member;
use kit::{Code, Fault};
use sqlx::PgPool;
use tokio::time::timeout;
use tonic::{Request, Response, Status, Streaming};

use super::listing::find;
use super::names::{Name as Named, Problems, read_mode};
use crate::domain::deed::Deed;
use crate::domain::entity::Entity;
use crate::domain::lists::{ALT, MOST};
use crate::domain::mode::Mode;
use crate::domain::picture::{Kind, Made, Name, Pair};
use crate::domain::text;
use crate::feed::PublicUrl;
use crate::pictures::{FIELD, Pictures};
use crate::write::pictures::{Change, Illustration};
use crate::write::{Listings, Write};

/// Uploads at once: each holds its file in memory.
const UPLOADS: usize = 8;
/// How long a file may be on its way.
const PATIENCE: Duration = Duration::from_mins(2);

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    writer: Writer<Listings>,
    pictures: Pictures,
    addresses: PublicUrl,
    uploads: ConcurrencyLimit,
    audit: Audit,
}

/// What the header of an upload says.
struct Header {
    mode: Mode,
    /// A slug, or a handle.
    name: String,
    alt: String,
    place: Option<usize>,
}

#[tonic::async_trait]
impl StaffPictureService for Service {
    async fn set_cover(
        &self,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        Ok(self.upload(Kind::Cover, request).await?)
    }

    async fn set_avatar(
        &self,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        Ok(self.upload(Kind::Avatar, request).await?)
    }

    async fn add_screenshot(
        &self,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        Ok(self.upload(Kind::Screenshot, request).await?)
    }

    async fn remove_picture(
        &self,
        request: Request<proto::RemovePictureRequest>,
    ) -> Result<Response<proto::RemovePictureResponse>, Status> {
        let on = ("picture", request.get_ref().name.as_str());
        let member = self.audit.admit(&request, Deed::Edit, on).await?.member;
        let request = request.into_inner();
        let mut problems = Problems::new();
        let mode = read_mode(request.mode(), &mut problems);
        let change = match request.kind() {
            proto::PictureKind::Cover => Some(Change::NoCover),
            proto::PictureKind::Avatar => Some(Change::NoAvatar),
            proto::PictureKind::Screenshot if request.url.is_empty() => {
                let reason = "Give the address of the screenshot, or the last part of it.";
                problems.insert("url".to_owned(), reason.to_owned());
                None
            }
            proto::PictureKind::Screenshot => {
                Some(Change::NoScreenshot(self.kept_as(&request.url)))
            }
            proto::PictureKind::Unspecified => {
                problems.insert("kind".to_owned(), "cover, avatar or screenshot".to_owned());
                None
            }
        };
        let (Some(mode), Some(change)) = (mode, change) else {
            return Err(Fault::invalid(problems).into());
        };
        let listing = self.illustrate(member, mode, request.name, change).await?;
        Ok(Response::new(proto::RemovePictureResponse {
            listing: Some(listing),
        }))
    }
}

impl Service {
    /// The service that reads from `pool` and writes through `writer`; its answers name public pages below `addresses`.
    pub fn new(
        pool: PgPool,
        writer: Writer<Listings>,
        pictures: Pictures,
        addresses: PublicUrl,
        audit: Audit,
    ) -> Self {
        Self {
            pool,
            writer,
            pictures,
            addresses,
            uploads: ConcurrencyLimit::new("uploads", UPLOADS),
            audit,
        }
    }

    async fn upload(
        &self,
        kind: Kind,
        request: Request<Streaming<proto::PictureUpload>>,
    ) -> Result<Response<proto::PictureResponse>, Status> {
        let on = (entity(kind).as_str(), "");
        let member = self.audit.admit(&request, Deed::Edit, on).await?.member;
        let _permit = self.uploads.try_acquire()?;
        let mut stream = request.into_inner();
        let received = timeout(PATIENCE, self.receive(kind, &mut stream)).await;
        let (header, file) = received.unwrap_or_else(|_| Err(broken_off().into()))?;
        // Before the work, so that it is not done for nothing. Whether it still stands is seen when it is changed.
        let entity = entity(kind);
        let named = Named {
            entity,
            mode: header.mode,
            key: header.name.clone(),
        };
        find(&self.pool, &named).await?;
        let pair = self.pictures.keep(file, kind).await?;
        let (picture, small) = (self.picture(&pair.large), self.picture(&pair.small));
        let change = change(kind, pair, &header);
        let listing = self
            .illustrate(member, header.mode, header.name, change)
            .await?;
        Ok(Response::new(proto::PictureResponse {
            listing: Some(listing),
            picture: Some(picture),
            small: Some(small),
        }))
    }

    /// The header and the whole file.
    async fn receive(
        &self,
        kind: Kind,
        stream: &mut Streaming<proto::PictureUpload>,
    ) -> Result<(Header, Vec<u8>), Status> {
        let first = stream.message().await?.and_then(|it| it.message);
        let Some(Message::Header(first)) = first else {
            return Err(misplaced().into());
        };
        let header = header(kind, first)?;
        let mut file = Vec::new();
        let mut ended = false;
        while let Some(message) = stream.message().await? {
            match message.message {
                Some(Message::Chunk(chunk)) if !ended => {
                    if file.len() + chunk.len() > self.pictures.most() {
                        return Err(too_large(self.pictures.most()).into());
                    }
                    file.extend_from_slice(&chunk);
                }
                Some(Message::End(_)) if !ended => ended = true,
                _ => return Err(misplaced().into()),
            }
        }
        // A client that is cut off may well close its stream in good order.
        if !ended {
            return Err(broken_off().into());
        }
        Ok((header, file))
    }

    async fn illustrate(
        &self,
        by: Member,
        mode: Mode,
        name: String,
        change: Change,
    ) -> Result<proto::Listing, Fault> {
        let entity = match change {
            Change::Avatar(_) | Change::NoAvatar => Entity::Page,
            _ => Entity::Game,
        };
        let wanted = Illustration {
            mode,
            name: name.clone(),
            change,
            by,
        };
        self.writer
            .write(Write::Illustrate(Box::new(wanted)))
            .await?;
        let key = name;
        find(&self.pool, &Named { entity, mode, key }).await
    }

    fn picture(&self, made: &Made) -> proto::Picture {
        proto::Picture {
            url: self.addresses.picture(&made.name.address()),
            width: made.width,
            height: made.height,
            size: u64::try_from(made.bytes.len()).unwrap_or(u64::MAX),
        }
    }

    /// The address of a picture as listings keep it, of one that is public or only the last part of it.
    fn kept_as(&self, url: &str) -> String {
        let ours = url.strip_prefix(self.addresses.as_str());
        let name = Name::parse(url).or_else(|| Name::in_address(ours.unwrap_or(url)));
        name.map_or_else(|| url.to_owned(), |name| name.address())
    }
}

const fn entity(kind: Kind) -> Entity {
    match kind {
        Kind::Cover | Kind::Screenshot => Entity::Game,
        Kind::Avatar => Entity::Page,
    }
}

fn change(kind: Kind, picture: Pair, header: &Header) -> Change {
    match kind {
        Kind::Cover => Change::Cover(picture),
        Kind::Avatar => Change::Avatar(picture),
        Kind::Screenshot => Change::Screenshot {
            picture,
            alt: header.alt.clone(),
            place: header.place,
        },
    }
}

/// Reads a header. Only screenshots have a text and a place.
fn header(kind: Kind, header: proto::PictureHeader) -> Result<Header, Fault> {
    let mut problems = Problems::new();
    let mode = read_mode(header.mode(), &mut problems);
    let alt = text::line(&header.alt, ALT).unwrap_or_else(|reason| {
        problems.insert("alt".to_owned(), reason);
        String::new()
    });
    let place = header
        .place
        .map(|place| usize::try_from(place).unwrap_or(MOST));
    if kind != Kind::Screenshot {
        let only = || "Only a screenshot has it.".to_owned();
        if !alt.is_empty() {
            problems.insert("alt".to_owned(), only());
        }
        if place.is_some() {
            problems.insert("place".to_owned(), only());
        }
    }
    match mode {
        Some(mode) if problems.is_empty() => Ok(Header {
            mode,
            name: header.name,
            alt,
            place,
        }),
        _ => Err(Fault::invalid(problems)),
    }
}

fn misplaced() -> Fault {
    Fault::invalid_field(
        "message",
        "a stream is one header, then the file in parts, then the end",
    )
}

fn too_large(most: usize) -> Fault {
    let megabytes = most / (1024 * 1024);
    Fault::invalid_field(
        FIELD,
        format!("Make it smaller: a file has {megabytes} MB at most."),
    )
}

fn broken_off() -> Fault {
    Fault {
        retry_after: Some(1),
        ..Fault::new(
            Code::Unavailable,
            "the stream ended before the file did; send it again",
        )
    }
}
