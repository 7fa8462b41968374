//! The language of a person's pages and mails, and the mails that the person wants.

use axum::body::Bytes;
use pages::site::Language;
use strum::VariantArray as _;
use url::form_urlencoded;

use crate::domain::mail_kind::MailKind;
use crate::page_error::PageResult;
use crate::person_request::PersonRequest;
use crate::render::see_other;
use crate::store::people;

/// Stores the form. A kind of mails whose box is not ticked is switched off.
pub async fn send(request: PersonRequest, body: Bytes) -> PageResult {
    let mut language = request.language().language;
    let mut wanted = Vec::new();
    for (name, value) in form_urlencoded::parse(&body) {
        match &*name {
            "language" => language = Language::of_code(&value),
            "notice" => wanted.push(value.into_owned()),
            _ => {}
        }
    }
    let kinds = MailKind::VARIANTS.iter().map(|kind| kind.name());
    let muted: Vec<String> = kinds
        .filter(|name| !wanted.iter().any(|it| it == name))
        .map(ToOwned::to_owned)
        .collect();
    let (pool, person) = (&request.app.pool, request.person().id);
    people::set_preferences(pool, person, language, &muted).await?;
    Ok(see_other("/you?done=settings"))
}
