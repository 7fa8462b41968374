//! The form of a new or changed endpoint. webhook-svc checks the rules.

use futures::TryFutureExt as _;
use kit::{Code, Fault};
use pages::Field;
use pages::webhooks::endpoints::{EndpointFormPage, EventChoice, NoMoreEndpointsPage};
use uuid::Uuid;

use super::{EndpointId, list, origin, signing_secret, words};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::once_form::{self, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html, ok};
use crate::request::Section;
use crate::upstream::webhook::EndpointChoices;

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

/// Shows no form if the plan includes no more addresses: it would be refused once it is filled in.
pub async fn show_new(request: MemberRequest) -> PageResult {
    let listed = request.app.webhooks.endpoints(request.scope.id).await.ok();
    if let Some(full) = listed.filter(|listed| !list::has_room(listed)) {
        let text = if full.endpoints.is_empty() {
            "webhook-plan-none"
        } else {
            "webhook-plan-used-up"
        };
        return Ok(ok(&NoMoreEndpointsPage {
            frame: request.frame(Section::Webhooks).await,
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
        let added = request.app.webhooks.add(request.scope.id, form.choices());
        let added = added.map_err(|fault| match fault.code {
            // In the words of the other pages: the API calls an address an endpoint.
            Code::PlanRequired => Fault {
                message: request.language().say("webhook-plan-used-up").into(),
                ..fault
            },
            _ => fault,
        });
        let added = request.once(sent, &request.webhooks(), added).await?;
        Ok(signing_secret::shown_once(&request, Action::WebhookAdded, added).await)
    };
    let page = async |state| page(&request, None, &form, state).await;
    request.answer(work, &FIELDS, page).await
}

pub async fn show_change(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let endpoint = request.app.webhooks.endpoint(request.scope.id, id).await?;
    let form = EndpointForm {
        url: endpoint.url,
        events: Some(endpoint.events),
    };
    page(&request, Some(id), &form, FormState::default()).await
}

pub async fn change(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    FormBody(pairs): FormBody<Pairs>,
) -> PageResult {
    let form = EndpointForm::from(pairs);
    let webhooks = &request.app.webhooks;
    let work = async {
        webhooks
            .change(request.scope.id, id, form.choices())
            .await?;
        let path = format!("{}?done=webhook-changed", request.webhook(id));
        let (action, subject) = (Action::WebhookChanged, origin(&form.url));
        Ok(Effect::shown_at(action, subject, &path))
    };
    let page = async |state| page(&request, Some(id), &form, state).await;
    request.answer(work, &FIELDS, page).await
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
    let (types, frame) = futures::join!(types, request.frame(Section::Webhooks));
    let types = types?;
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
    let events = names.map(|event| EventChoice {
        is_ticked: is_ticked(&event.name),
        event: words::event_row(event),
    });
    let page = EndpointFormPage {
        frame,
        heading: language.say(heading),
        action: path
            .as_ref()
            .map_or_else(|| base.clone(), |path| format!("{path}/change")),
        back: path.unwrap_or(base),
        button: language.say(button),
        form: once_form::new_id(),
        url: Field::text("url", language.say("webhook-address"))
            .url()
            .hint(language.say("webhook-url-hint"))
            .value(&form.url)
            .error_in(&errors),
        events: events.collect(),
        errors,
    };
    Ok(html(status, &page))
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
