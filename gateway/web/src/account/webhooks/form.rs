//! The form of a new or changed endpoint. webhook-svc checks the rules.

use axum::extract::Path;
use kit::Code;
use pages::Field;
use pages::webhooks::endpoints::{EndpointFormPage, EventChoice, NoMoreEndpointsPage};
use uuid::Uuid;

use super::{endpoint_id, list, origin, signing_secret, words};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::form_body::FormBody;
use crate::once_form::{self, OnceForm, sent_before};
use crate::page_error::PageResult;
use crate::render::{FormState, html, ok, see_other};
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
    let added = request.app.webhooks.add(request.scope.id, form.choices());
    match request.once(sent, added).await {
        Ok(None) => Ok(sent_before(&request.webhooks())),
        Ok(Some((endpoint, secret))) => {
            let subject = origin(&endpoint.url);
            request.record(Action::WebhookAdded, &subject).await;
            Ok(ok(&signing_secret::page(&request, endpoint, secret).await))
        }
        Err(fault) => {
            let is_full = fault.code == Code::PlanRequired;
            let mut refused = request.refused(fault, &FIELDS)?;
            if is_full {
                // In the words of the other pages: the API calls an address an endpoint.
                let text = request.language().say("webhook-plan-used-up");
                refused.errors.set_general(text);
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
    let webhooks = &request.app.webhooks;
    match webhooks.change(request.scope.id, id, form.choices()).await {
        Ok(()) => {
            let subject = origin(&form.url);
            request.record(Action::WebhookChanged, &subject).await;
            let path = request.webhook(id);
            Ok(see_other(&format!("{path}?done=webhook-changed")))
        }
        Err(fault) => page(&request, Some(id), &form, request.refused(fault, &FIELDS)?).await,
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
