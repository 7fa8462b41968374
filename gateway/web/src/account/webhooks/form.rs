//! The form of a new or changed endpoint. webhook-svc checks the rules.

use axum::extract::Path;
use http::StatusCode;
use kit::{Code, Fault};
use pages::webhooks::EventRow;
use pages::webhooks::endpoints::{EndpointFormPage, EventChoice, NoMoreEndpointsPage};
use pages::{Field, Fields};
use uuid::Uuid;

use super::signing_secret::ShownSecret;
use super::{endpoint_id, list, origin, words};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::once_form::OnceForm;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, ok, see_other};
use crate::session::once;
use crate::upstream::webhook::EndpointChoices;
use crate::viewer::Section;

const FIELDS: [&str; 2] = ["url", "events"];

/// The names and values of a form; `events` may be there several times.
type Pairs = Vec<(String, String)>;

#[derive(Debug, Default)]
struct EndpointForm {
    url: String,
    /// `None` stands for all events, in a form that nobody has filled in yet.
    events: Option<Vec<String>>,
}

impl From<Pairs> for EndpointForm {
    fn from(pairs: Pairs) -> Self {
        let mut form = Self::default();
        let mut events = Vec::new();
        for (name, value) in pairs {
            match name.as_str() {
                // A pasted address may have spaces around it.
                "url" => value.trim().clone_into(&mut form.url),
                "events" => events.push(value),
                _ => {}
            }
        }
        form.events = Some(events);
        form
    }
}

impl EndpointForm {
    fn choices(&self) -> EndpointChoices {
        EndpointChoices {
            url: self.url.clone(),
            events: self.events.clone().unwrap_or_default(),
        }
    }
}

/// An account whose plan includes no more addresses gets no form, which would be refused once it is filled in.
pub async fn show_new(request: MemberRequest) -> PageResult {
    let listed = request.app.webhooks.endpoints(request.scope.id).await.ok();
    if let Some(full) = listed.filter(|listed| !list::has_room(listed)) {
        let text = if full.endpoints.is_empty() {
            "webhook-plan-none"
        } else {
            "webhook-plan-used-up"
        };
        return Ok(ok(&NoMoreEndpointsPage {
            shell: request.shell(Section::Webhooks).await,
            base: request.webhooks(),
            text: request.language().say(text),
            plans: request.path("/plans"),
        }));
    }
    page(
        &request,
        None,
        &EndpointForm::default(),
        FormState::default(),
    )
    .await
}

pub async fn add(request: MemberRequest, OnceForm(pairs, sent): OnceForm<Pairs>) -> PageResult {
    let form = EndpointForm::from(pairs);
    let work = async {
        request.app.gateway.admit_change().await?;
        let added = request.app.webhooks.add(request.scope.id, form.choices());
        let (endpoint, secret) = added.await?;
        let subject = origin(&endpoint.url);
        request.record(Action::WebhookAdded, &subject).await;
        let texts = request.language().texts();
        Ok(ShownSecret::new(texts, endpoint, secret))
    };
    match request.once(&sent, &request.webhooks(), work).await? {
        Ok(shown) => Ok(ok(&shown.page(&request).await)),
        Err(fault) => {
            let language = request.language();
            let mut refused = language.refused(&fault, &FIELDS, &[]);
            if fault.code == Code::PlanRequired {
                // In the words of the other pages: the API calls an address an endpoint.
                refused
                    .errors
                    .set_general(language.say("webhook-plan-used-up"));
            }
            page(&request, None, &form, refused).await
        }
    }
}

pub async fn show_change(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
) -> PageResult {
    let id = endpoint_id(&id)?;
    let endpoint = request.app.webhooks.endpoint(request.scope.id, id).await?;
    let form = EndpointForm {
        url: endpoint.url,
        events: Some(endpoint.events),
    };
    page(&request, Some(id), &form, FormState::default()).await
}

pub async fn change(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    FormBody(pairs): FormBody<Pairs>,
) -> PageResult {
    let (id, form) = (endpoint_id(&id)?, EndpointForm::from(pairs));
    let change = async {
        request.app.gateway.admit_change().await?;
        let webhooks = &request.app.webhooks;
        webhooks.change(request.scope.id, id, form.choices()).await
    };
    match change.await {
        Ok(()) => {
            let subject = origin(&form.url);
            request.record(Action::WebhookChanged, &subject).await;
            let path = request.webhook(id);
            Ok(see_other(&format!("{path}?done=webhook-changed")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(fault.into()),
        Err(fault) => {
            let refused = request.language().refused(&fault, &FIELDS, &[]);
            page(&request, Some(id), &form, refused).await
        }
    }
}

/// The form of a new endpoint, or of the one with this id.
async fn page(
    request: &MemberRequest,
    id: Option<Uuid>,
    form: &EndpointForm,
    state: FormState,
) -> PageResult {
    let language = request.language();
    let FormState { status, errors } = state;
    let types = request.app.webhooks.event_types();
    let (types, shell) = futures::join!(types, request.shell(Section::Webhooks));
    let (types, errors) = match types {
        Ok(types) => (types, errors),
        // The page shows the typed text again.
        Err(fault) if status.code != StatusCode::OK => {
            (Vec::new(), with_fault(errors, &fault, language))
        }
        Err(fault) => return Err(fault.into()),
    };
    let (base, path) = (request.webhooks(), id.map(|id| request.webhook(id)));
    let (heading, button) = match path {
        None => ("webhook-add", "webhook-add-button"),
        Some(_) => ("webhook-change-title", "you-save"),
    };
    let is_ticked = |name: &String| match &form.events {
        Some(events) => events.contains(name),
        None => true,
    };
    let names = types.iter().filter(|it| it.is_selectable);
    let mut events: Vec<EventChoice> = names
        .map(|event| EventChoice {
            is_ticked: is_ticked(&event.name),
            event: words::event_row(event),
        })
        .collect();
    if events.is_empty() {
        events = typed_events(form);
    }
    let page = EndpointFormPage {
        shell,
        heading: language.say(heading),
        action: path
            .as_ref()
            .map_or_else(|| base.clone(), |path| format!("{path}/change")),
        back: path.unwrap_or(base),
        button: language.say(button),
        form: once::new_id(),
        url: Field::text("url", language.say("webhook-address"))
            .url()
            .hint(language.say("webhook-url-hint"))
            .value(&form.url)
            .error_in(&errors),
        events,
        errors,
    };
    Ok(html(status, &page))
}

fn with_fault(errors: Fields, fault: &Fault, language: PageLanguage) -> Fields {
    if errors.general.is_some() {
        return errors;
    }
    let refused = language.refused(fault, &[], &[]).errors;
    Fields {
        general: refused.general,
        ..errors
    }
}

/// The events that were ticked, while webhook-svc is away.
fn typed_events(form: &EndpointForm) -> Vec<EventChoice> {
    let names = form.events.iter().flatten();
    let choice = |name: &String| EventChoice {
        event: EventRow {
            name: name.clone(),
            description: String::new(),
        },
        is_ticked: true,
    };
    names.map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_may_name_several_events() {
        let pairs = [
            ("url", " https://hooks.example/ "),
            ("events", "tip.paid"),
            ("events", "listing.updated"),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let choices = EndpointForm::from(Vec::from(pairs)).choices();
        assert_eq!(choices.url, "https://hooks.example/");
        assert_eq!(choices.events, ["tip.paid", "listing.updated"]);
    }
}
