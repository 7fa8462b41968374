//! A change of a listing.

use axum::extract::Path;
use axum::response::Response;
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault};
use pages::ApiCall;
use pages::listings::form::ListingFormPage;
use serde_json::Value;
use uuid::Uuid;

use super::changes::changed_fields;
use super::choices::Choices;
use super::facts::Summary;
use super::form::FormContext;
use super::typed::{TypedListing, with_errors_of_service};
use crate::account::member_request::MemberRequest;
use crate::account::page_context::AccountContext;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult, refusal};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::listings::{ListingRef, Submission};

/// A form that was sent, and the page that answers it.
struct Edit<'a> {
    request: &'a MemberRequest,
    listing: ListingRef<'a>,
    context: AccountContext,
    typed: TypedListing,
}

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let (context, found) = futures::join!(
        request.context(Section::Listings),
        request.app.listings.get(listing)
    );
    let found = found?;
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let mut typed = TypedListing::of(content, &found.creator);
    let texts = request.language().texts();
    let site = &request.app.public_url;
    let summary = Summary::of(site, texts, content, &found.creator);
    if summary.state == proto::State::Removed {
        return Err(taken_down(&request.listing_path(listing.kind, &name)));
    }
    typed.set("revision", &summary.revision.to_string());
    let edit = Edit {
        request: &request,
        listing,
        context,
        typed,
    };
    let choices = Choices::load(&request).await?;
    Ok(edit.form(&choices, FormState::default()))
}

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let mut edit = Edit {
        request: &request,
        listing,
        context: request.context(Section::Listings).await,
        typed: TypedListing::new(pairs),
    };
    match edit.run().await {
        Ok(is_new) => {
            if is_new {
                request.record(Action::ListingChanged, &name).await;
            }
            let shown = request.listing_path(listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=listing-changed")))
        }
        Err(fault) => {
            let fault = edit.after_conflict(refusal(fault)?).await;
            let choices = Choices::load(&request).await?;
            let refused = choices.refusal(request.language(), listing.kind, fault)?;
            Ok(edit.form(&choices, refused))
        }
    }
}

impl Edit<'_> {
    /// Saves the change. False if the listing was before as the form wants it.
    async fn run(&mut self) -> Result<bool, Fault> {
        let language = self.request.language();
        let revision = self.typed.get("revision").parse().map_err(|_no_number| {
            Fault::invalid_field("revision", language.say("listing-edit-reopen"))
        })?;
        let listings = &self.request.app.listings;
        let found = listings.get(self.listing).await?;
        let not_found = || Fault::not_found("There is no such listing.");
        let content = found.listing.as_ref().ok_or_else(not_found)?;
        let kind = self.listing.kind;
        let stored = TypedListing::of(content, &found.creator);
        self.typed.take_credits_of(&stored);
        let prepared = self.typed.prepare(language, kind);
        let changes = changed_fields(&stored.body(kind), self.typed.body(kind));
        // This form was sent twice, or somebody else has saved the same.
        if changes.is_empty() && prepared.is_ok() {
            return Ok(false);
        }
        let submission = Submission {
            account: self.request.scope.id,
            writes_per_day: self.context.writes_per_day()?,
            body: Value::Object(changes).to_string().into(),
            dry_run: prepared.is_err(),
        };
        let written = listings.update(self.listing, submission, revision).await;
        if let Err(found) = prepared {
            return Err(with_errors_of_service(found, written));
        }
        written?;
        Ok(true)
    }

    /// If somebody else has changed the listing meanwhile, the form says so and applies to the new revision.
    async fn after_conflict(&mut self, fault: Fault) -> Fault {
        if fault.code != Code::PreconditionFailed {
            return fault;
        }
        let language = self.request.language();
        if let Ok(found) = self.request.app.listings.get(self.listing).await
            && let Some(content) = &found.listing
        {
            let site = &self.request.app.public_url;
            let summary = Summary::of(site, language.texts(), content, &found.creator);
            let revision = summary.revision;
            self.typed.set("revision", &revision.to_string());
        }
        Fault::invalid_field("*", language.say("listing-edit-conflict"))
    }

    fn form(self, choices: &Choices, state: FormState) -> Response {
        let language = self.request.language();
        let FormState { status, errors } = state;
        let (kind, name) = (self.listing.kind, self.listing.name);
        let context = FormContext {
            language,
            kind,
            typed: &self.typed,
            choices,
            is_new: false,
            errors: &errors,
        };
        let shown = self.request.listing_path(kind, name);
        let field = if kind == ListingKind::Page {
            "name"
        } else {
            "title"
        };
        let title = Some(self.typed.get(field)).filter(|title| !title.is_empty());
        let per_day = self.context.writes_per_day().ok().flatten();
        let api_call = api_call(kind, name);
        let page = ListingFormPage {
            heading: "listing-edit-title",
            title: title.unwrap_or(name).to_owned(),
            text: language.say("listing-edit-lead"),
            note: choices.writes_left(language.texts(), kind, Some(name), per_day),
            action: format!("{shown}/edit"),
            hidden: vec![("revision".to_owned(), self.typed.get("revision").to_owned())],
            parts: context.form_parts(),
            button: language.say("listing-edit-button"),
            back: shown,
            frame: pages::Frame {
                api_call,
                ..self.context.frame
            },
            errors,
        };
        html(status, &page)
    }
}

/// The API call that makes the same change; there is none for a page.
fn api_call(kind: ListingKind, name: &str) -> Option<ApiCall> {
    let call = || ApiCall::same(format!("PATCH /v1/{}/{name}", kind.api_list()));
    (kind != ListingKind::Page).then(call)
}

fn taken_down(listing: &str) -> PageError {
    let keys = &("listing-taken-down-title", "listing-taken-down");
    PageError::translated(StatusCode::CONFLICT, keys).way_out(listing, "listing-the-listing")
}
