//! The language of a person's mails and pages for signing in, and whether the person gets notices.

use pages::Language;
use serde::Deserialize;

use crate::form_body::FormBody;
use crate::page_error::PageResult;
use crate::render::see_other;
use crate::request::PersonRequest;
use crate::store::people;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input {
    language: Option<String>,
    /// Browsers do not send a box that is not ticked.
    notices: String,
}

pub async fn send(request: PersonRequest, FormBody(form): FormBody<Input>) -> PageResult {
    let own = request.person().language();
    let language = form.language.map_or(own, |code| Language::from_code(&code));
    let wants_notices = !form.notices.is_empty();
    let (pool, person) = (&request.app.pool, request.person().id);
    people::set_preferences(pool, person, language, wants_notices).await?;
    Ok(see_other("/you?done=settings"))
}
