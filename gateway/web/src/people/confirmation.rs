//! Asks a signed-in person for the password again before a change of address, password or second factor, and before a deletion.

use kit::Fault;

use crate::person_request::PersonRequest;
use crate::session::limits;

/// Checks the password of a signed-in person; the error is a sentence. Tries have limits of their own: others can use up the tries of
/// sign-in and of codes.
pub(super) async fn confirm_password(
    request: &PersonRequest,
    password: &str,
) -> Result<Result<(), String>, Fault> {
    let (web, person) = (&request.app, request.person());
    let now = web.clock.now();
    let (session, id) = (request.viewer.token.hash().hex(), person.id.to_string());
    for (limit, subject) in [
        (limits::CONFIRMATIONS, session),
        (limits::CONFIRMATIONS_OF_PERSON, id),
    ] {
        if let Err(reached) = web.limits.count(limit, &subject, now).await? {
            return Ok(Err(reached.too_many("tries")));
        }
    }
    let checked = web.passwords.check(password, Some(&person.password_hash));
    if checked.await?.is_right {
        Ok(Ok(()))
    } else {
        Ok(Err("This is not your password.".to_owned()))
    }
}
