//! A change of a listing.

use axum::extract::Path;
use axum::response::Response;
use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use pages::ApiCall;
use pages::listings::form::ListingFormPage;
use serde_json::Value;
use uuid::Uuid;

use super::changes::{BASE, changed_fields};
use super::choices::Choices;
use super::conflict::conflict;
use super::facts::{self, Summary};
use super::form::FormContext;
use super::typed::{TypedListing, with_errors_of_service};
use crate::account::member_request::MemberRequest;
use crate::account::page_context::AccountContext;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::english::say;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult, refusal};
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::listings::{ListingRef, Submission};

/// How often a change is made again because somebody else has changed the listing at the same moment.
const ATTEMPTS: u32 = 4;

/// A form that was sent, and the page that answers it.
struct Edit<'a> {
    request: &'a MemberRequest,
    listing: ListingRef<'a>,
    context: AccountContext,
    typed: TypedListing,
    /// The fields that both the person and somebody else have changed, with what to say about them.
    conflicts: Vec<(String, String)>,
}

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let (context, found) =
        futures::join!(request.context(Section::Listings), request.app.listings.get(listing));
    let found = found?;
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let mut typed = TypedListing::of(content, &found.creator);
    let site = &request.app.public_url;
    let summary = Summary::of(site, content, &found.creator);
    // It cannot be changed. Its page says who has taken it down.
    if summary.state == proto::State::Removed {
        return Ok(see_other(&request.listing_path(listing.kind, &name)));
    }
    let stored = typed.clone();
    typed.set_base(&stored, listing.kind);
    let edit = Edit { request: &request, listing, context, typed, conflicts: Vec::new() };
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
        conflicts: Vec::new(),
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
            let fault = refusal(fault)?;
            let choices = Choices::load(&request).await?;
            let mut refused = choices.refusal(listing.kind, fault)?;
            for (name, reason) in &edit.conflicts {
                refused.errors.add(name, reason.clone());
            }
            Ok(edit.form(&choices, refused))
        }
    }
}

impl Edit<'_> {
    /// Saves the change. Returns false if nothing changed.
    async fn run(&mut self) -> Result<bool, Fault> {
        if self.typed.get(BASE).is_empty() {
            return Err(Fault::invalid_field(BASE, say("listing-edit-reopen")));
        }
        for _ in 0..ATTEMPTS {
            match self.save().await {
                Err(fault) if fault.code == Code::PreconditionFailed => {}
                saved => return saved,
            }
        }
        Err(Fault::invalid_field("*", say("listing-edit-busy")))
    }

    /// Saves what the person has changed, as a change of the listing's newest revision.
    async fn save(&mut self) -> Result<bool, Fault> {
        let kind = self.listing.kind;
        let listings = &self.request.app.listings;
        let found = listings.get(self.listing).await?;
        let not_found = || Fault::not_found("There is no such listing.");
        let content = found.listing.as_ref().ok_or_else(not_found)?;
        let summary = Summary::of(&self.request.app.public_url, content, &found.creator);
        let stored = TypedListing::of(content, &found.creator);
        let conflicts = self.typed.merge(&stored, kind).into_iter().map(|name| {
            let theirs = facts::value(content, &found.creator, &name);
            (name, conflict(&theirs))
        });
        self.conflicts = conflicts.collect();
        if !self.conflicts.is_empty() {
            return Err(Fault::invalid(self.conflicts.iter().cloned().collect()));
        }
        self.typed.take_credits_of(&stored);
        let prepared = self.typed.prepare(kind);
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
        let written = listings.update(self.listing, submission, summary.revision).await;
        if let Err(found) = prepared {
            return Err(with_errors_of_service(found, written));
        }
        written?;
        Ok(true)
    }

    fn form(self, choices: &Choices, state: FormState) -> Response {
        let FormState { status, errors } = state;
        let (kind, name) = (self.listing.kind, self.listing.name);
        let context =
            FormContext { kind, typed: &self.typed, choices, is_new: false, errors: &errors };
        let shown = self.request.listing_path(kind, name);
        let field = if kind == ListingKind::Page { "name" } else { "title" };
        let title = Some(self.typed.get(field)).filter(|title| !title.is_empty());
        let per_day = self.context.writes_per_day().ok().flatten();
        let api_call = api_call(kind, name);
        let page = ListingFormPage {
            heading: "listing-edit-title",
            title: title.unwrap_or(name).to_owned(),
            text: say("listing-edit-lead"),
            note: choices.writes_left(kind, Some(name), per_day),
            action: format!("{shown}/edit"),
            hidden: vec![(BASE.to_owned(), self.typed.get(BASE).to_owned())],
            parts: context.form_parts(),
            button: say("listing-edit-button"),
            back: shown,
            frame: pages::Frame { api_call, ..self.context.frame },
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
