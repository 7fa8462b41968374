//! A signing secret that is shown once.

use pages::webhooks::endpoints::SigningSecretPage;
use uuid::Uuid;

use super::words;
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::english::{say, texts};
use crate::once_form;
use crate::render::{ok, see_other};
use crate::request::Section;
use crate::upstream::time_of;
use crate::upstream::webhook::NewSecret;
use crate::upstream::webhook::origin;

/// The effect of a form that shows the secret of a new endpoint, or that of a rotation. A form that was sent before shows it again to the
/// person who has seen it.
pub(super) async fn shown_once(
    request: &MemberRequest,
    action: Action,
    NewSecret { endpoint, secret }: NewSecret,
) -> Effect {
    let (url, rotating_until) = (origin(&endpoint.url), time_of(endpoint.rotating_until));
    let id: Option<Uuid> = endpoint.id.parse().ok();
    let secret_id: Option<Uuid> = endpoint.next_secret_id.parse().ok();
    let effect = |response| match (action, secret_id) {
        (Action::WebhookSecretRotated, Some(secret)) => {
            Effect::new(action, url, response).once(Some(secret))
        }
        // The rotation has ended: the form was sent before.
        (Action::WebhookSecretRotated, None) => Effect::none(response),
        _ => Effect::new(action, url, response).once(id),
    };
    if secret.is_empty() {
        let page = format!("{}/{}", request.webhooks(), endpoint.id);
        let page = format!("{page}?done=webhook-secret-before");
        return effect(see_other(&page));
    }
    let old_until = rotating_until.map(|at| texts().minute(at));
    let (heading, address_check) = match old_until {
        // The page has shown the check when the address was added.
        Some(_) => ("webhook-secret-new-title", None),
        None => ("webhook-secret-title", Some(words::address_check(&endpoint))),
    };
    let page = SigningSecretPage {
        frame: request.frame(Section::Webhooks).await,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        heading: say(heading),
        secret,
        old_until,
        address_check,
        form: once_form::new_id(),
    };
    effect(ok(&page))
}
