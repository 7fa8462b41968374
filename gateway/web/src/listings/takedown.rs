//! The request that staff take a listing down.

use axum::extract::Path;
use axum::response::Response;
use kit::{Code, Fault};
use pages::input::Area;
use pages::listings::form::TakedownPage;
use serde::Deserialize;
use uuid::Uuid;

use super::facts::Summary;
use super::refused;
use crate::account::member_request::MemberRequest;
use crate::account::page_frame::AccountFrame;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, see_other};
use crate::upstream::listings::ListingRef;
use crate::viewer::Section;

#[derive(Debug, Default, Deserialize)]
pub struct ReasonForm {
    #[serde(default)]
    reason: String,
}

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let (frame, title) = futures::join!(request.frame(Section::Listings), title(&request, listing));
    let takedown = Takedown {
        request: &request,
        listing,
        reason: "",
    };
    Ok(takedown.page(frame, &title?, FormState::default()))
}

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(form): FormBody<ReasonForm>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let frame = request.frame(Section::Listings).await;
    let reason = form.reason.replace("\r\n", "\n");
    let asked = async {
        frame.admit(None)?;
        let listings = &request.app.listings;
        listings.request_takedown(listing, &reason).await
    };
    match asked.await {
        Ok(()) => {
            request.record(Action::TakedownAsked, &name).await;
            let shown = request.listing_path(listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=takedown-asked")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let title = frame.read_after(&fault, title(&request, listing)).await;
            let title = title.unwrap_or_else(|_| name.clone());
            let takedown = Takedown {
                request: &request,
                listing,
                reason: &reason,
            };
            let refused = refused(request.language(), &fault, &["reason"]);
            Ok(takedown.page(frame, &title, refused))
        }
    }
}

async fn title(request: &MemberRequest, listing: ListingRef<'_>) -> Result<String, Fault> {
    let found = request.app.listings.get(listing).await?;
    let not_found = || Fault::not_found("There is no such listing.");
    let content = found.listing.as_ref().ok_or_else(not_found)?;
    let texts = request.language().texts();
    Ok(Summary::of(texts, content, &found.creator).title)
}

/// The request for a takedown, as typed.
struct Takedown<'a> {
    request: &'a MemberRequest,
    listing: ListingRef<'a>,
    reason: &'a str,
}

impl Takedown<'_> {
    fn page(&self, frame: AccountFrame, title: &str, state: FormState) -> Response {
        let (language, listing) = (self.request.language(), self.listing);
        let FormState { status, errors } = state.in_language(language.language);
        let shown = self.request.listing_path(listing.kind, listing.name);
        let area = Area::new("reason", language.say("takedown-why"));
        let page = TakedownPage {
            title: title.to_owned(),
            action: format!("{shown}/takedown"),
            reason: area.value(self.reason).error_in(&errors),
            back: shown,
            closed: frame.closed(),
            shell: frame.shell,
            errors,
        };
        html(status, &page)
    }
}
