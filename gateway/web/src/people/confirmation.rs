//! Asks a signed-in person for the password again before a change of address, password or second factor, and before a deletion.

use kit::Fault;
use pages::{Fields, Language};

use crate::english::say;
use crate::render::FormState;
use crate::request::PersonRequest;

/// Checks the password of a signed-in person in this field of a form. Attempts have limits of their own: others can use up those of
/// sign-in and of codes.
pub(super) async fn confirm_password(
    request: &PersonRequest,
    field: &'static str,
    password: &str,
) -> Result<FormState, Fault> {
    let (app, person) = (&request.app, request.person());
    let now = app.clock.now();
    let session = (person.id, request.viewer.token.hash());
    let admitted = app.admission.confirmation(&request.client, session, now).await?;
    let permit = match admitted {
        Ok(permit) => permit,
        Err(reached) => {
            let fault = reached.too_many_in(Language::English, "limit-attempts");
            return Ok(FormState::refused_here(&fault));
        }
    };
    let checked = permit.check(password, Some(&person.password_hash)).await?;
    if checked.is_right {
        Ok(FormState::default())
    } else {
        let errors = Fields::one(field, say("password-wrong"));
        Ok(FormState::invalid(errors))
    }
}
