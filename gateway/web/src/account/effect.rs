//! The forms of an account: each calls a service, and either has an effect or is shown again.

use axum::response::Response;
use kit::Fault;

use super::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::page_error::PageResult;
use crate::render::{FormState, see_other};

/// What a form did: its entry in the activity, and the answer.
pub struct Effect {
    action: Action,
    subject: String,
    response: Response,
}

impl Effect {
    pub fn new(action: Action, subject: impl Into<String>, response: Response) -> Self {
        let subject = subject.into();
        Self {
            action,
            subject,
            response,
        }
    }

    /// An effect that the page at `path` shows.
    pub fn shown_at(action: Action, subject: impl Into<String>, path: &str) -> Self {
        Self::new(action, subject, see_other(path))
    }
}

/// Why a form has no effect.
pub enum FormError {
    /// It has none, because it was sent before. This answer shows what it did then.
    SentBefore(Response),
    Fault(Fault),
}

impl From<Fault> for FormError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl MemberRequest {
    /// Does the work of a form, and records its effect. If a service refuses the form, the answer is `page`, which has these fields.
    pub async fn answer(
        &self,
        work: impl Future<Output = Result<Effect, FormError>>,
        fields: &[&str],
        page: impl AsyncFnOnce(FormState) -> PageResult,
    ) -> PageResult {
        match work.await {
            Ok(effect) => {
                self.record(effect.action, &effect.subject).await;
                Ok(effect.response)
            }
            Err(FormError::SentBefore(response)) => Ok(response),
            Err(FormError::Fault(fault)) => page(self.refused(fault, fields)?).await,
        }
    }
}
