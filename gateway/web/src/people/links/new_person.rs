//! Makes the person of a link, as a member of an account.

use uuid::Uuid;

use super::{Input, LinkRequest};
use crate::domain::action::Action;
use crate::domain::link::Purpose;
use crate::domain::password;
use crate::domain::role::Role;
use crate::page_error::{PageError, PageResult};
use crate::people::password_problem;
use crate::render::FormState;
use crate::store::activity::{self, NewEntry};
use crate::store::people::{self, NewPerson};
use crate::store::sessions::Stage;
use crate::store::{is_taken, members};

/// The membership of the new person, and how the person got it.
pub(super) struct NewMember {
    pub(super) person: Uuid,
    pub(super) account: Uuid,
    pub(super) role: Role,
    pub(super) action: Action,
}

/// Checks the password before it is hashed, since a hash costs a core for a while.
pub(super) fn check(request: &LinkRequest, input: &Input) -> FormState {
    let mut state = FormState::default();
    let known = [request.link.email.as_str(), input.account_name.as_str()];
    if let Err(problem) = password::check(&input.password, &known) {
        state.add("password", password_problem(problem, request.language));
    }
    state
}

/// Stores the person with this hash of the password, and signs the person in.
pub(super) async fn insert(request: &LinkRequest, member: &NewMember, hash: &str) -> PageResult {
    let NewMember { person, account, role, action } = *member;
    let (app, now, email) = (&request.app, request.app.clock.now(), &*request.link.email);
    let mut transaction = kit::pg::begin(&app.pool).await?;
    // Lock the account before the link's row, in the same order as a deletion, which removes the invitations of the person.
    members::lock(&mut transaction, account).await?;
    request.consume(&mut transaction).await?;
    let new =
        NewPerson { id: person, email, password_hash: hash, language: request.language.language };
    if let Err(error) = people::insert(&mut *transaction, new).await {
        // Another link has created the person since the page was sent.
        return Err(if is_taken(&error) {
            PageError::link_used(Purpose::SignUp)
        } else {
            error.into()
        });
    }
    request.record_use(&mut transaction, person, Some(account)).await?;
    members::insert(&mut *transaction, account, person, role, now).await?;
    let entry =
        NewEntry::new(person, email, &request.client, action).in_account(account, role.as_str());
    activity::insert(&mut *transaction, entry, now).await?;
    let start = format!("/accounts/{account}");
    let path = request.next().unwrap_or(&start);
    request.sign_in(transaction, (person, Stage::SignedIn), path).await
}
