//! A change of a listing: the form, a preview of what changes, and the change.

use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use contracts::listings::v1 as proto;
use http::StatusCode;
use kit::{Code, Fault};
use pages::ApiCall;
use pages::listings::form::{ListingFormPage, PreviewPage};
use serde_json::Value;
use uuid::Uuid;

use super::changes::changed_fields;
use super::choices::Choices;
use super::facts::Summary;
use super::form::FormContext;
use super::typed::{TypedListing, with_errors_of_service};
use super::words;
use crate::account::member_request::MemberRequest;
use crate::account::page_frame::AccountFrame;
use crate::domain::action::Action;
use crate::domain::curl;
use crate::domain::listing_kind::ListingKind;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::{FormState, html, ok, see_other};
use crate::upstream::listings::{ListingRef, Submission};
use crate::viewer::Section;

/// A form that was sent, and the page that answers it.
struct Edit<'a> {
    request: &'a MemberRequest,
    listing: ListingRef<'a>,
    frame: AccountFrame,
    typed: TypedListing,
}

/// The outcome of a form.
enum Outcome {
    /// `again`: the listing was as the form wants it before.
    Saved { again: bool },
    Preview {
        written: proto::Written,
        body: String,
        writes_today: u32,
    },
}

pub async fn show(
    request: MemberRequest,
    Path((_, of_kind, name)): Path<(Uuid, String, String)>,
) -> PageResult {
    let listing = request.listing(&of_kind, &name)?;
    let (frame, found) = futures::join!(
        request.frame(Section::Listings),
        request.app.listings.get(listing)
    );
    let found = found?;
    let content = found.listing.as_ref().ok_or_else(PageError::not_found)?;
    let mut typed = TypedListing::of(content, &found.creator);
    let texts = request.language().texts();
    let summary = Summary::of(texts, content, &found.creator);
    if summary.state == proto::State::Removed {
        return Err(taken_down(&request.listing_path(listing.kind, &name)));
    }
    typed.remember(&typed.clone());
    typed.set("revision", &summary.revision.to_string());
    let edit = Edit {
        request: &request,
        listing,
        frame,
        typed,
    };
    edit.fresh_form().await
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
        frame: request.frame(Section::Listings).await,
        typed: TypedListing::new(pairs),
    };
    if edit.typed.get("step") == "edit" {
        return edit.fresh_form().await;
    }
    let is_saved = edit.typed.get("step") == "save";
    match edit.run(is_saved).await {
        Ok(Outcome::Saved { again }) => {
            if !again {
                request.record(Action::ListingChanged, &name).await;
            }
            let shown = request.listing_path(listing.kind, &name);
            Ok(see_other(&format!("{shown}?done=listing-changed")))
        }
        Ok(Outcome::Preview {
            written,
            body,
            writes_today,
        }) => Ok(edit.preview(&written, &body, writes_today)),
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let fault = edit.after_conflict(fault).await;
            let choices = Choices::load(&request);
            let choices = edit.frame.read_after(&fault, choices).await;
            let choices = choices.unwrap_or_default();
            let refused = choices.refusal(request.language(), listing.kind, fault);
            Ok(edit.form(&choices, refused))
        }
    }
}

impl Edit<'_> {
    /// Saves the change, or only checks it.
    async fn run(&mut self, is_saved: bool) -> Result<Outcome, Fault> {
        let language = self.request.language();
        self.frame.admit(None)?;
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
        if is_saved && changes.is_empty() && prepared.is_ok() {
            return Ok(Outcome::Saved { again: true });
        }
        let body = Value::Object(changes).to_string();
        let submission = Submission {
            account: self.request.scope.id,
            writes_per_day: self.frame.writes_per_day()?,
            body: body.clone().into(),
            dry_run: !is_saved || prepared.is_err(),
        };
        let written = listings.update(self.listing, submission, revision).await;
        if let Err(found) = prepared {
            return Err(with_errors_of_service(found, written));
        }
        let written = written?;
        if is_saved {
            return Ok(Outcome::Saved { again: false });
        }
        if written.differences.is_empty() {
            return Err(Fault::invalid_field("*", language.say("listing-edit-same")));
        }
        Ok(Outcome::Preview {
            written,
            body,
            writes_today: found.writes_today,
        })
    }

    /// If somebody else has changed the listing meanwhile, the form applies to the new revision. It shows that person's fields, except those
    /// that this person has changed as well.
    async fn after_conflict(&mut self, fault: Fault) -> Fault {
        if fault.code != Code::PreconditionFailed {
            return fault;
        }
        let language = self.request.language();
        let mut changed_by_both = Vec::new();
        if let Ok(found) = self.request.app.listings.get(self.listing).await
            && let Some(content) = &found.listing
        {
            let newest = TypedListing::of(content, &found.creator);
            changed_by_both = self.typed.update_unchanged(&newest);
            let revision = Summary::of(language.texts(), content, &found.creator).revision;
            self.typed.set("revision", &revision.to_string());
        }
        let text = language.say("listing-edit-conflict");
        let reason = language.say("listing-edit-both");
        let both = changed_by_both.into_iter();
        let mut fields: BTreeMap<String, String> =
            both.map(|name| (name, reason.to_owned())).collect();
        fields.insert("*".to_owned(), text.to_owned());
        Fault::invalid(fields)
    }

    async fn fresh_form(self) -> PageResult {
        let choices = Choices::load(self.request).await?;
        Ok(self.form(&choices, FormState::default()))
    }

    fn form(self, choices: &Choices, state: FormState) -> Response {
        let language = self.request.language();
        let FormState { status, errors } = state.in_language(language.language);
        let (kind, name) = (self.listing.kind, self.listing.name);
        let context = FormContext {
            language,
            kind,
            typed: &self.typed,
            choices,
            is_new: false,
            had_file: false,
            errors: &errors,
        };
        let shown = self.request.listing_path(kind, name);
        let field = if kind == ListingKind::Page {
            "name"
        } else {
            "title"
        };
        let title = Some(self.typed.get(field)).filter(|title| !title.is_empty());
        let closed = self.frame.closed();
        let per_day = self.frame.writes_per_day().ok().flatten();
        let api_call = api_call(kind, name);
        let page = ListingFormPage {
            heading: "listing-edit-title",
            title: title.unwrap_or(name).to_owned(),
            text: language.say("listing-edit-lead"),
            note: choices.writes_left(language.texts(), kind, Some(name), per_day),
            action: format!("{shown}/edit"),
            hidden: self.typed.hidden(),
            parts: context.form_parts(),
            button: language.say("listing-edit-button"),
            back: shown,
            closed,
            shell: pages::Shell {
                api_call,
                ..self.frame.shell
            },
            errors,
        };
        html(status, &page)
    }

    fn preview(self, written: &proto::Written, body: &str, writes_today: u32) -> Response {
        let (kind, name) = (self.listing.kind, self.listing.name);
        let language = self.request.language();
        let texts = language.texts();
        let state = match written.state() {
            proto::State::Pending => language.say("listing-preview-waits"),
            _ => language.say("listing-preview-public"),
        };
        let is_write = kind != ListingKind::Page || written.state() == proto::State::Published;
        let per_day = self.frame.writes_per_day().ok().flatten();
        let per_day = per_day.filter(|_| is_write);
        let left = words::writes_left(texts, writes_today, per_day);
        let notes = [state.to_owned(), written.note.clone(), left];
        let call = match kind {
            ListingKind::Page => String::new(),
            kind => shell_command(&self.request.app.api_url, kind, name, body),
        };
        ok(&PreviewPage {
            heading: texts.say_of("listing-preview-title", name),
            action: format!("{}/edit", self.request.listing_path(kind, name)),
            typed: self.typed.without("step"),
            changes: words::changes(texts, &written.differences),
            notes: (notes.into_iter())
                .filter(|note| !note.is_empty())
                .collect(),
            call,
            shell: pages::Shell {
                api_call: api_call(kind, name),
                ..self.frame.shell
            },
        })
    }
}

/// The API call that makes the same change; there is none for a page.
fn api_call(kind: ListingKind, name: &str) -> Option<ApiCall> {
    let call = || ApiCall::same(format!("PATCH /v1/{}/{name}", kind.api_list()));
    (kind != ListingKind::Page).then(call)
}

/// A call as a shell command.
fn shell_command(api_url: &str, kind: ListingKind, name: &str, body: &str) -> String {
    format!(
        "curl -X PATCH '{api_url}/{}/{name}' -H \"Authorization: Bearer $SERVICE_WRITE_KEY\" -H 'Content-Type: application/json' --data {}",
        kind.api_list(),
        curl::quoted(body)
    )
}

fn taken_down(listing: &str) -> PageError {
    let keys = &("listing-taken-down-title", "listing-taken-down");
    PageError::translated(StatusCode::CONFLICT, keys).way_out(listing, "listing-the-listing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_safe_to_paste() {
        let body = r#"{"title":"It's; $(rm -rf /)"}"#;
        let call = shell_command(
            "https://mchezo.example/v1",
            ListingKind::Game,
            "okoto",
            body,
        );
        assert!(
            call.ends_with(r#"--data '{"title":"It'\''s; $(rm -rf /)"}'"#),
            "{call}"
        );
    }
}
