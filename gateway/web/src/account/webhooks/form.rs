//! The form of a new or changed endpoint. webhook-svc checks the rules.

use contracts::webhook::v1 as proto;
use kit::{Code, Fault};
use pages::Field;
use pages::webhooks::endpoints::{EndpointFormPage, EventChoice, NoMoreEndpointsPage};
use uuid::Uuid;

use super::{EndpointId, list, signing_secret, words};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::{say, say_of};
use crate::form_body::FormBody;
use crate::once_form::{self, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html, ok, see_other};
use crate::request::Section;
use crate::upstream::webhook::EndpointChoices;
use crate::upstream::webhook::origin;

const FIELDS: [&str; 2] = ["url", "events"];

/// How often a change is made again because somebody else has changed the endpoint at the same moment.
const ATTEMPTS: u32 = 4;
/// The hidden fields of a change: what the endpoint was when the form was opened. The events have spaces between them.
const BASE_URL: &str = "base_url";
const BASE_EVENTS: &str = "base_events";

/// The names and values of a form; `events` may be there several times.
type Pairs = Vec<(String, String)>;

#[derive(Debug, Default)]
struct EndpointForm {
    typed: EndpointChoices,
    /// What the endpoint was when the form was opened; `None` in the form of a new endpoint.
    base: Option<EndpointChoices>,
}

impl From<Pairs> for EndpointForm {
    fn from(pairs: Pairs) -> Self {
        let (mut typed, mut base) = (EndpointChoices::default(), EndpointChoices::default());
        let mut has_base = false;
        for (name, value) in pairs {
            match name.as_str() {
                // A pasted address may have spaces around it.
                "url" => value.trim().clone_into(&mut typed.url),
                "events" => typed.events.push(value),
                BASE_URL => (base.url, has_base) = (value, true),
                BASE_EVENTS => base.events = value.split(' ').map(ToOwned::to_owned).collect(),
                _ => {}
            }
        }
        let base = has_base.then_some(base);
        Self { typed, base }
    }
}

impl From<proto::Endpoint> for EndpointChoices {
    fn from(endpoint: proto::Endpoint) -> Self {
        Self { url: endpoint.url, events: endpoint.events }
    }
}

impl EndpointForm {
    /// The form of an endpoint as it is.
    fn of(endpoint: proto::Endpoint) -> Self {
        let typed = EndpointChoices::from(endpoint);
        let base = Some(typed.clone());
        Self { typed, base }
    }

    /// Takes over what somebody else has changed since the form was opened: the address, unless the person has changed it too, and each event
    /// that the person has neither ticked nor unticked. `newest` is then the form's base. False if both have changed the address.
    fn merge(&mut self, newest: &EndpointChoices) -> bool {
        let base = self.base.replace(newest.clone()).unwrap_or_default();
        let (typed, before) = (&mut self.typed, &base.events);
        let is_kept = |event: &String| typed.events.contains(event) || !before.contains(event);
        let mut events: Vec<String> =
            newest.events.iter().filter(|it| is_kept(it)).cloned().collect();
        let is_ticked = |event: &&String| !before.contains(event) && !newest.events.contains(event);
        events.extend(typed.events.iter().filter(is_ticked).cloned());
        typed.events = events;
        if typed.url == base.url {
            typed.url.clone_from(&newest.url);
        }
        typed.url == newest.url || newest.url == base.url
    }
}

/// Shows no form if the plan includes no more addresses: it would be refused once it is filled in.
pub async fn show_new(request: MemberRequest) -> PageResult {
    let listed = request.app.webhooks.endpoints(request.scope.id).await.ok();
    if let Some(full) = listed.filter(|listed| !list::has_room(listed)) {
        let text =
            if full.endpoints.is_empty() { "webhook-plan-none" } else { "webhook-plan-used-up" };
        return Ok(ok(&NoMoreEndpointsPage {
            frame: request.frame(Section::Webhooks).await,
            base: request.webhooks(),
            text: say(text),
            plans: request.path("/plans"),
        }));
    }
    page(&request, None, None, FormState::default()).await
}

pub async fn add(request: MemberRequest, OnceForm(pairs, sent): OnceForm<Pairs>) -> PageResult {
    let form = EndpointForm::from(pairs);
    let work = async {
        let added =
            request.app.webhooks.add(request.scope.id, form.typed.clone(), request.sent_form(sent));
        let (action, added) = (Action::WebhookAdded, added.await?);
        Ok(signing_secret::shown_once(&request, action, added).await)
    };
    let page = async |state| page(&request, None, Some(&form), state).await;
    request.answer(work, &FIELDS, page).await
}

pub async fn show_change(request: MemberRequest, EndpointId(id): EndpointId) -> PageResult {
    let endpoint = request.app.webhooks.endpoint(request.scope.id, id).await?;
    let form = EndpointForm::of(endpoint);
    page(&request, Some(id), Some(&form), FormState::default()).await
}

pub async fn change(
    request: MemberRequest,
    EndpointId(id): EndpointId,
    FormBody(pairs): FormBody<Pairs>,
) -> PageResult {
    let mut form = EndpointForm::from(pairs);
    let saved = save(&request, id, &mut form).await;
    let work = async {
        let path = format!("{}?done=webhook-changed", request.webhook(id));
        if !saved? {
            return Ok(Effect::none(see_other(&path)));
        }
        let (action, subject) = (Action::WebhookChanged, origin(&form.typed.url));
        Ok(Effect::shown_at(action, subject, &path))
    };
    let page = async |state| page(&request, Some(id), Some(&form), state).await;
    request.answer(work, &FIELDS, page).await
}

/// Saves what the person has changed, as a change of the newest state of the endpoint. Returns
/// false if the endpoint is so already.
async fn save(request: &MemberRequest, id: Uuid, form: &mut EndpointForm) -> Result<bool, Fault> {
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    for _ in 0..ATTEMPTS {
        let newest = EndpointChoices::from(webhooks.endpoint(account, id).await?);
        if form.base.is_none() {
            return Err(Fault::invalid_field("*", say("webhook-change-reopen")));
        }
        if !form.merge(&newest) {
            let reason = say_of("webhook-change-both", &newest.url);
            return Err(Fault::invalid_field("url", reason));
        }
        if form.typed == newest {
            return Ok(false);
        }
        match webhooks.change(account, id, newest, form.typed.clone()).await {
            Err(fault) if fault.code == Code::PreconditionFailed => {}
            changed => return changed.map(|()| true),
        }
    }
    Err(Fault::invalid_field("*", say("webhook-change-busy")))
}

/// The form of a new endpoint, or of the one with this id. Without a form, nobody has filled it in yet.
async fn page(
    request: &MemberRequest,
    id: Option<Uuid>,
    form: Option<&EndpointForm>,
    state: FormState,
) -> PageResult {
    let FormState { status, errors } = state;
    let types = request.app.webhooks.event_types();
    let (types, frame) = futures::join!(types, request.frame(Section::Webhooks));
    let types = types?;
    let (base, path) = (request.webhooks(), id.map(|id| request.webhook(id)));
    let (heading, button) = match path {
        None => ("webhook-add", "webhook-add-button"),
        Some(_) => ("webhook-change-title", "you-save"),
    };
    let is_ticked = |name| form.is_none_or(|form| form.typed.events.contains(name));
    let hidden = match form.and_then(|form| form.base.as_ref()) {
        Some(base) => vec![(BASE_URL, base.url.clone()), (BASE_EVENTS, base.events.join(" "))],
        None => vec![("form", once_form::new_id())],
    };
    let names = types.iter().filter(|it| it.is_selectable);
    let events = names.map(|event| EventChoice {
        is_ticked: is_ticked(&event.name),
        event: words::event_row(event),
    });
    let page = EndpointFormPage {
        frame,
        heading: say(heading),
        action: path.as_ref().map_or_else(|| base.clone(), |path| format!("{path}/change")),
        back: path.unwrap_or(base),
        button: say(button),
        hidden,
        url: Field::url("url", say("webhook-address"))
            .hint(say("webhook-url-hint"))
            .value(form.map_or("", |form| &form.typed.url))
            .error_in(&errors),
        events: events.collect(),
        errors,
    };
    Ok(html(status, &page))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(url: &str, events: &[&str]) -> EndpointChoices {
        EndpointChoices {
            url: url.to_owned(),
            events: events.iter().map(|&event| event.to_owned()).collect(),
        }
    }

    #[test]
    fn a_form_may_name_several_events() {
        let pairs = [
            ("url", " https://hooks.example/ "),
            ("events", "tip.paid"),
            ("events", "listing.updated"),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let form = EndpointForm::from(Vec::from(pairs));
        let events = ["tip.paid", "listing.updated"];
        assert_eq!(form.typed, choices("https://hooks.example/", &events));
        assert_eq!(form.base, None);
    }

    #[test]
    fn two_developers_who_change_one_endpoint_keep_the_changes_of_both() {
        let form = |url, events: &[&str]| EndpointForm {
            typed: choices(url, events),
            base: Some(choices("a", &["one", "two"])),
        };
        // Somebody else has ticked `three` and unticked `two`.
        let mut corrects_the_path = form("b", &["one", "two"]);
        assert!(corrects_the_path.merge(&choices("a", &["one", "three"])));
        assert_eq!(corrects_the_path.typed, choices("b", &["one", "three"]));
        let mut ticks_an_event = form("a", &["one", "two", "four"]);
        assert!(ticks_an_event.merge(&choices("b", &["one", "two", "three"])));
        let all = choices("b", &["one", "two", "three", "four"]);
        assert_eq!(ticks_an_event.typed, all);
        let mut unticks = form("a", &["two"]);
        assert!(unticks.merge(&choices("a", &["one", "two", "three"])));
        assert_eq!(unticks.typed, choices("a", &["two", "three"]));
        // Both have changed the address: the form asks once, and sent again it wins.
        let mut late = form("c", &["one", "two"]);
        assert!(!late.merge(&choices("b", &["one", "two"])));
        assert_eq!(late.typed.url, "c");
        assert!(late.merge(&choices("b", &["one", "two"])));
        let mut same = form("b", &["one", "two"]);
        assert!(same.merge(&choices("b", &["one", "two"])));
    }
}
