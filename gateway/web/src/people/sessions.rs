//! Ends sessions of a person.

use axum::extract::Path;
use http::HeaderMap;

use crate::domain::action::Action;
use crate::domain::session_token::TokenHash;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::see_other;
use crate::request::PersonRequest;
use crate::store::sessions;

/// Ends one session. The end of the current one signs the person out.
pub async fn end(
    request: PersonRequest,
    headers: HeaderMap,
    Path(session): Path<String>,
) -> PageResult {
    let (app, viewer) = (&request.app, &request.viewer);
    let hash = TokenHash::from_hex(&session).ok_or_else(PageError::not_found)?;
    sessions::end_of(&app.pool, viewer.person.id, hash).await?;
    if hash != viewer.token.hash() {
        return Ok(see_other("/you?done=session"));
    }
    let language = PageLanguage::from_person(&viewer.person);
    let mut response = language.redirect_signed_out(&headers, "signed-out");
    app.cookie.clear(response.headers_mut());
    Ok(response)
}

pub async fn end_others(request: PersonRequest) -> PageResult {
    let app = &request.app;
    let mut transaction = kit::pg::begin(&app.pool).await?;
    request.lock(&mut transaction).await?;
    request.record_own(&mut *transaction, Action::SessionsEnded).await?;
    // This session gets another token, so that a copy of its cookie stops working as well.
    let session = request.renew_session(&mut transaction).await?;
    transaction.commit().await?;
    let mut response = see_other("/you?done=sessions");
    session.add_cookies(app, &mut response);
    Ok(response)
}
