//! The pictures of the listings stub.

use contracts::listings::v1 as proto;
use contracts::listings::v1::own_pictures_service_server::OwnPicturesService;
use contracts::listings::v1::picture_service_server::PictureService;
use kit::{Code, Fault};
use tonic::Request;

use crate::stub_listings::{Answer, StubListings};

/// The name of a file that only members of its account may see.
pub(crate) fn pending_file() -> String {
    format!("{}.jpg", "0c".repeat(32))
}

/// The name of the only public picture; [`small_file`] is its small size.
pub(crate) fn file() -> String {
    format!("{}.jpg", "0a".repeat(32))
}

pub(crate) fn small_file() -> String {
    file().replace(".jpg", "-small.jpg")
}

/// The URL of the screenshot with this file.
pub(crate) fn screenshot_url(file: &[u8]) -> String {
    let length = u8::try_from(file.len() % 256).unwrap();
    format!("https://mchezo.example/pictures/{}.jpg", format!("{length:02x}").repeat(32))
}

impl StubListings {
    /// Gives a game a screenshot without a text, after the others; one that it has stays.
    pub(crate) fn add_screenshot(&self, account: &str, slug: &str, url: &str) {
        self.change(account, slug, |game| {
            if game.screenshots.iter().all(|shot| shot.url != url) {
                let url = url.to_owned();
                game.screenshots.push(proto::Screenshot { url, ..proto::Screenshot::default() });
                game.revision += 1;
            }
        });
    }
}

#[tonic::async_trait]
impl OwnPicturesService for StubListings {
    async fn add_own_picture(
        &self,
        request: Request<proto::AddOwnPictureRequest>,
    ) -> Answer<proto::AddOwnPictureResponse> {
        let request = request.into_inner();
        self.find(&request.account_id, &request.name)?;
        // As in the service, the limit is checked before the file is read.
        let wait = *self.upload_wait.lock().unwrap();
        if let Some(seconds) = wait {
            let fault = Fault::new(Code::Limit, "These were all pictures of the day.");
            return Err(fault.with_retry_after(seconds).into());
        }
        let file = &request.file;
        if !file.starts_with(b"JPEG") {
            return Err(Fault::invalid_field("picture", "Send a JPEG.").into());
        }
        self.record(format!("add {:?} {} {}", request.kind(), request.name, file.len()));
        if request.kind() == proto::PictureKind::Screenshot {
            self.add_screenshot(&request.account_id, &request.name, &screenshot_url(file));
        }
        Ok(tonic::Response::new(proto::AddOwnPictureResponse::default()))
    }

    async fn remove_own_picture(
        &self,
        request: Request<proto::RemoveOwnPictureRequest>,
    ) -> Answer<proto::RemoveOwnPictureResponse> {
        let request = request.into_inner();
        self.find(&request.account_id, &request.name)?;
        self.record(format!("remove {:?} {}", request.kind(), request.url));
        if request.kind() == proto::PictureKind::Screenshot {
            self.change(&request.account_id, &request.name, |game| {
                game.screenshots.retain(|shot| shot.url != request.url);
                game.revision += 1;
            });
        }
        Ok(tonic::Response::new(proto::RemoveOwnPictureResponse::default()))
    }

    async fn arrange_screenshots(
        &self,
        request: Request<proto::ArrangeScreenshotsRequest>,
    ) -> Answer<proto::ArrangeScreenshotsResponse> {
        let request = request.into_inner();
        let game = self.find(&request.account_id, &request.name)?;
        let bad = request.screenshots.iter().position(|it| it.alt == "bad");
        if let Some(index) = bad {
            let field = format!("screenshots.{index}.alt");
            return Err(Fault::invalid_field(&field, "Write another text.").into());
        }
        let sorted = |mut urls: Vec<String>| {
            urls.sort_unstable();
            urls
        };
        let named = request.screenshots.iter().map(|it| it.url.clone()).collect();
        let stored = game.screenshots.iter().map(|it| it.url.clone()).collect();
        if sorted(named) != sorted(stored) || request.revision != game.revision {
            return Err(Fault::new(Code::PreconditionFailed, "It has changed.").into());
        }
        self.change(&request.account_id, &request.name, |game| {
            game.screenshots = (request.screenshots.iter())
                .map(|it| proto::Screenshot {
                    url: it.url.clone(),
                    alt: it.alt.trim().to_owned(),
                    ..proto::Screenshot::default()
                })
                .collect();
            game.revision += 1;
        });
        let order: Vec<&str> = request.screenshots.iter().map(|it| it.alt.as_str()).collect();
        self.record(format!("arrange {}", order.join(",")));
        Ok(tonic::Response::new(proto::ArrangeScreenshotsResponse::default()))
    }
}

#[tonic::async_trait]
impl PictureService for StubListings {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Answer<proto::GetPictureResponse> {
        let request = request.into_inner();
        self.pictures_read.lock().unwrap().push(request.clone());
        // Access is checked at the first part.
        let may_see = request.offset > 0 || !request.account_id.is_empty();
        let is_pending = request.name == pending_file() && may_see;
        if request.name == small_file() {
            return Ok(tonic::Response::new(proto::GetPictureResponse {
                size: 5,
                part: "small".into(),
            }));
        }
        if request.name != file() && !is_pending {
            return Err(Fault::not_found("There is no picture of this name.").into());
        }
        let whole = "x".repeat(600_000);
        let from = usize::try_from(request.offset).unwrap();
        let end = whole.len().min(from + usize::try_from(request.most).unwrap());
        Ok(tonic::Response::new(proto::GetPictureResponse {
            size: 600_000,
            part: whole[from..end].to_owned().into(),
        }))
    }
}
