//! The forms of an account: each calls a service, and either has an effect or is shown again.

use axum::response::Response;
use kit::Fault;
use uuid::Uuid;

use super::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::page_error::{PageError, PageResult, refusal};
use crate::render::{FormState, see_other};

/// What a form did: its entry in the activity, and the answer.
pub struct Effect {
    entry: Option<FormEntry>,
    response: Response,
}

struct FormEntry {
    action: Action,
    subject: String,
    /// The id of what the form has made.
    id: Option<Uuid>,
}

impl Effect {
    pub fn new(action: Action, subject: impl Into<String>, response: Response) -> Self {
        let entry = FormEntry { action, subject: subject.into(), id: None };
        Self { entry: Some(entry), response }
    }

    /// An effect that the page at `path` shows.
    pub fn shown_at(action: Action, subject: impl Into<String>, path: &str) -> Self {
        Self::new(action, subject, see_other(path))
    }

    /// No effect: what the form wants is so already.
    pub fn none(response: Response) -> Self {
        Self { entry: None, response }
    }

    /// The effect of a form that has made the thing with this id. If it is sent again, the effect is recorded if the first answer was lost
    /// before it was. Without an id, each answer is recorded.
    #[must_use]
    pub fn once(mut self, id: Option<Uuid>) -> Self {
        if let Some(entry) = &mut self.entry {
            entry.id = id;
        }
        self
    }
}

/// A form with these fields that a service refused.
///
/// # Errors
/// That of [`refusal`].
pub fn refused_form(fault: Fault, fields: &[&str]) -> Result<FormState, PageError> {
    let fault = refusal(fault)?;
    Ok(FormState::refused(&fault, fields))
}

impl MemberRequest {
    /// Does the work of a form, and records its effect. If a service refuses the form, the answer is `page`, which has these fields.
    pub async fn answer(
        &self,
        work: impl Future<Output = Result<Effect, Fault>>,
        fields: &[&str],
        page: impl AsyncFnOnce(FormState) -> PageResult,
    ) -> PageResult {
        match work.await {
            Ok(effect) => {
                if let Some(entry) = effect.entry {
                    self.record_once(entry.action, &entry.subject, entry.id).await;
                }
                Ok(effect.response)
            }
            Err(fault) => page(refused_form(fault, fields)?).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use kit::Code;

    use super::*;

    #[test]
    fn only_a_refused_form_is_shown_again() {
        for (code, answer) in [
            (Code::Invalid, None),
            (Code::PlanRequired, None),
            (Code::RateLimited, None),
            (Code::NotFound, Some(StatusCode::NOT_FOUND)),
            (Code::Closed, Some(StatusCode::SERVICE_UNAVAILABLE)),
            (Code::Unavailable, Some(StatusCode::SERVICE_UNAVAILABLE)),
            (Code::OutcomeUnknown, Some(StatusCode::SERVICE_UNAVAILABLE)),
            (Code::Internal, Some(StatusCode::INTERNAL_SERVER_ERROR)),
        ] {
            let fault = Fault::new(code, "No.");
            let refused = refused_form(fault, &[]);
            assert_eq!(refused.err().map(|error| error.status), answer, "{code:?}");
        }
    }
}
