//! A signing secret that is shown once.

use pages::webhooks::endpoints::SigningSecretPage;
use pages::when;

use super::words;
use crate::account::effect::{Effect, FormError};
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
    NewSecret {
        endpoint,
        secret,
        is_new,
    }: NewSecret,
) -> Result<Effect, FormError> {
    if secret.is_empty() {
        let page = format!("{}/{}", request.webhooks(), endpoint.id);
        let page = see_other(&format!("{page}?done=webhook-secret-before"));
        return Err(FormError::SentBefore(page));
    }
    let old_until = time_of(endpoint.rotating_until).map(|at| when::minute(texts(), at));
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
        heading: say(heading),
        secret,
        old_until,
        address_check,
        form: once_form::new_id(),
    };
    if !is_new {
        return Err(FormError::SentBefore(ok(&page)));
    }
    Ok(Effect::new(action, origin(&page.url), ok(&page)))
}
