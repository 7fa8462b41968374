//! A signing secret that is shown once.

use contracts::webhook::v1 as proto;
use pages::webhooks::endpoints::SigningSecretPage;
use pages::when;

use super::{origin, words};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::once_form;
use crate::render::ok;
use crate::request::Section;
use crate::upstream::time_of;

/// The effect of a form that shows the secret of a new endpoint, or that of a rotation.
pub(super) async fn shown_once(
    request: &MemberRequest,
    action: Action,
    (endpoint, secret): (proto::Endpoint, String),
) -> Effect {
    let language = request.language();
    let old_until = time_of(endpoint.rotating_until).map(|at| when::minute(language.texts(), at));
    let (heading, address_check) = match old_until {
        // The page has shown the check when the address was added.
        Some(_) => ("webhook-secret-new-title", None),
        None => (
            "webhook-secret-title",
            words::address_check(&endpoint.address_check),
        ),
    };
    let page = SigningSecretPage {
        frame: request.frame(Section::Webhooks).await,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        heading: language.say(heading),
        secret,
        old_until,
        address_check,
        form: once_form::new_id(),
    };
    Effect::new(action, origin(&page.url), ok(&page))
}
