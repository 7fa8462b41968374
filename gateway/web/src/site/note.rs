//! Notes about a listing: corrections and reports. No part of a note is public.

use axum::extract::{FromRequestParts, Path};
use contracts::listings::v1 as proto;
use http::StatusCode;
use http::request::Parts;
use kit::client_address::Network;
use kit::{Code, Fault};
use pages::input::{Area, Choice, Select};
use pages::site::cards::Link;
use pages::site::notes::{NotePage, NoteSentPage};
use pages::site::{Frame, Head};
use pages::{Field, Fields};
use serde::Deserialize;

use super::cached::uncached;
use super::query::address;
use super::request::SiteRequest;
use super::{correction_mail, listing_title};
use crate::app::{App, Web};
use crate::client_info::ClientInfo;
use crate::domain::listing_kind::{ListingKind, is_listing_name};
use crate::domain::session_token::Token;
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::render::see_other;
use crate::session::once;
use crate::visit::Visit;

/// The reasons of reports. listings-svc has the same list.
const REASONS: [&str; 5] = ["rights", "deception", "offence", "not_a_game", "other"];
/// The reason of a visitor who has rights in the listing.
const RIGHTS: &str = "rights";
const MAX_TEXT: u32 = 2_000;

/// The form. An absent field counts as empty, and listings-svc refuses it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    reason: String,
    text: String,
    email: String,
    form: String,
}

/// A form about a listing.
#[derive(Debug)]
pub struct FormSubject {
    note: proto::NoteKind,
    kind: ListingKind,
    /// The slug or the handle.
    name: String,
}

impl FromRequestParts<App> for FormSubject {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let path = Path::<(String, String)>::from_request_parts(parts, app).await;
        let Path((kind, name)) = path.map_err(|_no_text| PageError::not_found())?;
        let kind = kind.parse().ok().filter(|_| is_listing_name(&name));
        let kind = kind.ok_or_else(PageError::not_found)?;
        let visit = parts.extensions.get::<Visit>();
        let note = match visit {
            Some(visit) if visit.path.starts_with("/report/") => proto::NoteKind::Report,
            _ => proto::NoteKind::Correction,
        };
        Ok(Self { note, kind, name })
    }
}

impl FormSubject {
    fn is_report(&self) -> bool {
        self.note == proto::NoteKind::Report
    }

    fn path(&self) -> String {
        let action = if self.is_report() {
            "report"
        } else {
            "correct"
        };
        format!("/{action}/{}/{}", self.kind.as_str(), self.name)
    }
}

pub async fn show(request: SiteRequest, about: FormSubject) -> PageResult {
    let about = &about;
    let (app, query, mut visit) = (&request.app, &request.query, request.visit);
    let title = listing_title(app, about.kind, &about.name).await?;
    visit.path = about.path();
    // From a fixed list, so that a link cannot put words into the page.
    let done = match query.get("done") {
        Some("sent") => Some("note-sent"),
        Some("duplicate") => Some("note-duplicate"),
        _ => None,
    };
    let frame = frame(app, &visit, about, &title);
    if let Some(done) = done {
        let page = sent(frame, about, title, done);
        return Ok(uncached(&visit, StatusCode::OK, &page));
    }
    let input = Input {
        reason: query.text("reason").unwrap_or_default(),
        ..Input::default()
    };
    let form = NoteForm {
        about,
        title,
        input: &input,
        errors: Fields::default(),
    };
    Ok(uncached(&visit, StatusCode::OK, &form.page(frame)))
}

pub async fn send(
    request: SiteRequest,
    about: FormSubject,
    FormBody(input): FormBody<Input>,
) -> PageResult {
    let about = &about;
    let (app, client, mut visit) = (&request.app, &request.client, request.visit);
    let input = Input {
        text: input.text.replace("\r\n", "\n"),
        email: input.email.trim().to_owned(),
        ..input
    };
    let create = async {
        app.gateway.admit_change().await?;
        app.listings
            .create_note(message(client, about, &input))
            .await
    };
    match create.await {
        Ok(created) => {
            let done = if created.is_duplicate {
                "duplicate"
            } else {
                correction_mail::queue(app, about.kind, &about.name, &created).await;
                "sent"
            };
            let path = format!("{}{}?done={done}", visit.prefix, about.path());
            Ok(see_other(&path))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            visit.path = about.path();
            // The page shows the typed text again.
            let title = listing_title(app, about.kind, &about.name).await;
            let title = title.unwrap_or_else(|_| about.name.clone());
            let frame = frame(app, &visit, about, &title);
            let form = NoteForm {
                about,
                title,
                input: &input,
                errors: refusal(&frame, &fault),
            };
            Ok(uncached(&visit, &fault, &form.page(frame)))
        }
    }
}

fn message(client: &ClientInfo, about: &FormSubject, form: &Input) -> proto::CreateNoteRequest {
    // The id must be one of this site's forms.
    let form_id = Token::parse(&form.form).map(|token| token.hash().hex());
    proto::CreateNoteRequest {
        kind: about.kind.as_str().to_owned(),
        name: about.name.clone(),
        note: about.note.into(),
        reason: form.reason.clone(),
        text: form.text.clone(),
        email: form.email.clone(),
        network: Network::from(client.ip).address().to_string(),
        form: form_id.unwrap_or_default(),
    }
}

/// The errors of a refused note in the language of the page.
fn refusal(frame: &Frame, fault: &Fault) -> Fields {
    let mut errors = Fields::default();
    let say = |key: &'static str| Some(frame.texts.say(key).to_owned());
    errors.general = match fault.code {
        Code::Invalid => {
            for (field, key) in [
                ("reason", "note-reason-error"),
                ("text", "note-text-error"),
                ("email", "note-email-error"),
            ] {
                if fault.fields.contains_key(field) {
                    errors.add(field, frame.texts.say(key));
                }
            }
            errors.is_empty().then(|| say("note-form-error")).flatten()
        }
        Code::RateLimited => {
            let minutes = fault.retry_after.unwrap_or(60).div_ceil(60);
            Some(frame.texts.count("note-limit", minutes.into()))
        }
        Code::Closed => say("note-closed"),
        _ => say("note-unavailable"),
    };
    errors
}

/// Forms are not for search engines.
fn frame(app: &Web, visit: &Visit, about: &FormSubject, title: &str) -> Frame {
    let mut frame = visit.frame(&app.public_url);
    frame.head = Head::new(frame.say_of(heading(about), title), "").unindexed();
    frame
}

/// The key of the heading, a text around the title of the listing.
fn heading(about: &FormSubject) -> &'static str {
    if about.is_report() {
        "note-report-title"
    } else {
        "note-correct-title"
    }
}

fn listing(frame: &Frame, about: &FormSubject, title: String) -> Link {
    frame.link(&about.kind.public_path(&about.name), title)
}

fn sent(frame: Frame, about: &FormSubject, title: String, done: &'static str) -> NoteSentPage {
    NoteSentPage {
        heading: heading(about),
        text: frame.texts.say(done).to_owned(),
        listing: listing(&frame, about, title),
        frame,
    }
}

/// The form about a listing with this title, as typed.
struct NoteForm<'a> {
    about: &'a FormSubject,
    title: String,
    input: &'a Input,
    errors: Fields,
}

impl NoteForm<'_> {
    fn page(self, frame: Frame) -> NotePage {
        let Self {
            about,
            title,
            input,
            errors,
        } = self;
        let (texts, errors) = (frame.texts, errors.in_language(frame.texts.language()));
        let lead = if about.is_report() {
            "note-report-lead"
        } else {
            "note-correct-lead"
        };
        let choices = REASONS.iter().map(|reason| Choice {
            value: (*reason).to_owned(),
            label: texts.value("report-reason", reason, reason).to_owned(),
            is_chosen: *reason == input.reason,
        });
        let none = Choice {
            value: String::new(),
            label: texts.say("note-choose").to_owned(),
            is_chosen: !REASONS.contains(&input.reason.as_str()),
        };
        let choices = std::iter::once(none).chain(choices).collect();
        let reason = Select::new("reason", texts.say("note-reason-label"), choices);
        // The owner of a listing signs in, and requests the takedown in the dashboard.
        let (kind, name) = (about.kind.as_str(), &about.name);
        let owner = format!("/takedown/{kind}/{name}?language={}", frame.lang());
        let owner = frame.href(&address("/sign-in", &[("next", Some(&owner))]));
        NotePage {
            heading: heading(about),
            lead: texts.say(lead).to_owned(),
            action: frame.href(&about.path()),
            form: match Token::parse(&input.form) {
                Some(_) => input.form.clone(),
                None => once::new_id(),
            },
            reason: about.is_report().then(|| reason.error_in(&errors)),
            text: Area::new("text", texts.say("note-text-label"))
                .rows(6, MAX_TEXT)
                .value(&input.text)
                .error_in(&errors),
            email: Field::email("email", texts.say("note-email-label"))
                .autocomplete("email")
                .hint(texts.say("note-email-hint"))
                .optional()
                .value(&input.email)
                .error_in(&errors),
            problem: errors.general,
            owner: (input.reason == RIGHTS).then_some(owner),
            listing: listing(&frame, about, title),
            frame,
        }
    }
}
