//! Asks a signed-in person for the password again before a change of address, password or second factor, and before a deletion.

use kit::Fault;
use pages::{Fields, Language};

use crate::english::say;
use crate::limits;
use crate::render::FormState;
use crate::request::PersonRequest;

/// Checks the password of a signed-in person in this field of a form. Tries have limits of their own: others can use up the tries of
/// sign-in and of codes.
pub(super) async fn confirm_password(
    request: &PersonRequest,
    field: &'static str,
    password: &str,
) -> Result<FormState, Fault> {
    let (app, person) = (&request.app, request.person());
    let (session, id) = (request.viewer.token.hash().hex(), person.id.to_string());
    let tries =
        [(limits::CONFIRMATIONS, session.as_str()), (limits::CONFIRMATIONS_OF_PERSON, id.as_str())];
    let now = app.clock.now();
    let admitted = app.limits.admit_hash(&app.passwords, &tries, now).await?;
    let permit = match admitted {
        Ok(permit) => permit,
        Err(reached) => {
            let fault = reached.too_many_in(Language::English, "limit-tries");
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
