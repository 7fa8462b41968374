//! A new page, game or event.

use axum::extract::Path;
use axum::response::Response;
use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use pages::ApiCall;
use pages::listings::form::{ListingFormPage, PageFirstPage};
use serde_json::Value;
use uuid::Uuid;

use super::choices::Choices;
use super::form::FormContext;
use super::kind;
use super::typed::{TypedListing, with_errors_of_service};
use crate::account::member_request::MemberRequest;
use crate::account::page_context::AccountContext;
use crate::domain::action::Action;
use crate::domain::listing_kind::ListingKind;
use crate::english::say;
use crate::form_body::FormBody;
use crate::once_form;
use crate::page_error::{PageResult, refusal};
use crate::render::{FormState, html, ok, see_other};
use crate::request::Section;
use crate::upstream::listings::Submission;

/// The hidden field with the time at which the form was opened, in seconds: the same form may be sent twice.
const OPENED_AT: &str = "opened_at";
/// The hidden field with a title about which the form has asked.
const SAME_TITLE: &str = "same_title";

/// A form that was opened or sent, and its frame.
struct Create {
    request: MemberRequest,
    kind: ListingKind,
    context: AccountContext,
    typed: TypedListing,
}

pub async fn show(request: MemberRequest, Path((_, of_kind)): Path<(Uuid, String)>) -> PageResult {
    let kind = kind(&of_kind)?;
    let (choices, context) =
        futures::join!(Choices::load(&request), request.context(Section::Listings));
    let choices = choices?;
    let mut typed = TypedListing::default();
    typed.set("form", &once_form::new_id());
    let now = request.app.clock.now().unix_timestamp();
    typed.set(OPENED_AT, &now.to_string());
    match (kind, choices.creators.first()) {
        (ListingKind::Game, Some((handle, _))) => typed.set("creator", handle),
        (ListingKind::Game, None) => return Ok(page_first(&request, context)),
        // The first page is most often that of the studio which has signed up.
        (ListingKind::Page, None) => typed.set("name", account_name(&context)),
        _ => {}
    }
    let create = Create { request, kind, context, typed };
    Ok(create.page(&choices, FormState::default()))
}

pub async fn send(
    request: MemberRequest,
    Path((_, of_kind)): Path<(Uuid, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let mut create = Create {
        kind: kind(&of_kind)?,
        context: request.context(Section::Listings).await,
        typed: TypedListing::new(pairs),
        request,
    };
    match create.run().await {
        Ok(written) => {
            let name = written.slug.unwrap_or_default();
            let request = &create.request;
            let form: Option<Uuid> = create.typed.get("form").parse().ok();
            let id = form.map(|form| Uuid::new_v5(&form, name.as_bytes()));
            request.record_once(Action::ListingSubmitted, &name, id).await;
            let mut shown = request.listing_path(create.kind, &name);
            if create.kind != ListingKind::Event {
                shown.push_str("/pictures");
            }
            Ok(see_other(&format!("{shown}?done=listing-submitted")))
        }
        Err(fault) => {
            let mut fault = refusal(fault)?;
            if fault.code == Code::IdempotencyMismatch {
                // The service has used the form's id, so the page gets a new one.
                create.typed.set("form", &once_form::new_id());
                fault = Fault::invalid_field("*", say("listing-sent-before"));
            }
            let choices = Choices::load(&create.request).await?;
            let refused = choices.refusal(create.kind, fault)?;
            Ok(create.page(&choices, refused))
        }
    }
}

impl Create {
    async fn run(&mut self) -> Result<proto::Written, Fault> {
        if self.context.is_paused(self.kind)? {
            return Err(Fault::new(Code::Closed, say("account-paused")));
        }
        let prepared = self.typed.prepare(self.kind);
        // The service accepts one submission per form.
        let form = self.typed.get("form");
        if form.is_empty() {
            let text = say("listing-send-reopen");
            return Err(Fault::invalid_field("form", text));
        }
        let submission = Submission {
            account: self.request.scope.id,
            writes_per_day: self.context.writes_per_day()?,
            body: Value::Object(self.typed.body(self.kind)).to_string().into(),
            dry_run: prepared.is_err(),
        };
        let listings = &self.request.app.listings;
        if let Err(found) = prepared {
            let checked = listings.create(self.kind, submission, "").await;
            return Err(with_errors_of_service(found, checked));
        }
        if self.repeats_a_title().await? {
            let title = self.typed.get("title").to_owned();
            self.typed.set(SAME_TITLE, &title);
            let reason = say("listing-same-title");
            return Err(Fault::invalid_field("title", reason));
        }
        let form = self.typed.get("form");
        listings.create(self.kind, submission, form).await
    }

    /// Whether the account had a listing of this kind and title when the form was opened. The form says so once; sent again, it submits.
    async fn repeats_a_title(&self) -> Result<bool, Fault> {
        let title = self.typed.get("title");
        let opened = self.typed.get(OPENED_AT).parse::<i64>();
        let is_asked = self.kind == ListingKind::Page || self.typed.get(SAME_TITLE) == title;
        let Some(opened) = opened.ok().filter(|_| !is_asked) else {
            return Ok(false);
        };
        let listings = &self.request.app.listings;
        let (listed, _) = listings.list(self.request.scope.id, "").await?;
        let title = title.trim().to_lowercase();
        Ok(listed.iter().any(|own| {
            own.kind == self.kind.as_str()
                && own.title.to_lowercase() == title
                && own.created_at.0.unix_timestamp() < opened
        }))
    }

    fn page(self, choices: &Choices, state: FormState) -> Response {
        let (kind, typed) = (self.kind, &self.typed);
        let FormState { status, errors } = state;
        let context = FormContext { kind, typed, choices, is_new: true, errors: &errors };
        let call = match kind {
            ListingKind::Page => None,
            kind => Some(ApiCall::same(format!("POST /v1/{}", kind.api_list()))),
        };
        let heading = match kind {
            ListingKind::Page => "listing-submit-page",
            ListingKind::Game => "listing-submit-game",
            ListingKind::Event => "listing-submit-event",
        };
        let per_day = self.context.writes_per_day().ok().flatten();
        let list = self.request.path("/listings");
        let is_paused = self.context.is_paused(kind).unwrap_or(false);
        let paused = is_paused.then(|| say("account-paused"));
        let page = ListingFormPage {
            heading,
            title: String::new(),
            text: say("listing-reviewed"),
            note: choices.writes_left(kind, None, per_day),
            action: format!("{list}/new/{}", kind.as_str()),
            hidden: ["form", OPENED_AT, SAME_TITLE]
                .map(|name| (name.to_owned(), typed.get(name).to_owned()))
                .into(),
            parts: context.form_parts(),
            button: say("listing-submit-it"),
            back: list,
            frame: pages::Frame {
                api_call: call,
                closed: self.context.frame.closed.or(paused),
                ..self.context.frame
            },
            errors,
        };
        html(status, &page)
    }
}

/// The page that leads to the first page of the account.
fn page_first(request: &MemberRequest, context: AccountContext) -> Response {
    ok(&PageFirstPage {
        account: request.scope.id.to_string(),
        list: request.path("/listings"),
        frame: context.frame,
    })
}

/// The name that the account was given at sign-up; empty while the gateway is unavailable.
fn account_name(context: &AccountContext) -> &str {
    let found = context.account().ok();
    let account = found.and_then(|found| found.account.as_ref());
    account.map_or("", |account| account.name.as_str())
}
