//! The forms of an account: each calls a service, and either has an effect or is shown again.

use axum::response::Response;
use kit::{Code, Fault};
use uuid::Uuid;

use super::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::once_form::sent_before;
use crate::page_error::PageResult;
use crate::render::{FormState, see_other};
use crate::store::sent_forms;

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
    /// It was sent before. The page at this path shows what it did.
    SentBefore(String),
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
            Err(FormError::SentBefore(path)) => Ok(sent_before(&path)),
            Err(FormError::Fault(fault)) => page(self.refused(fault, fields)?).await,
        }
    }

    /// Makes the call of a form that takes effect once. The page at `path` shows the effect.
    ///
    /// The id of the form is stored before the call, and removed if the call certainly did nothing: the form can then be sent again. A form
    /// whose outcome nobody knows, because its service or this process died, is not sent a second time.
    pub async fn once<T>(
        &self,
        form: Uuid,
        path: &str,
        call: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, FormError> {
        let (pool, person) = (&self.app.pool, self.person().id);
        let inserted = sent_forms::insert(pool, person, form, self.app.clock.now());
        if !inserted.await.map_err(Fault::from)? {
            return Err(FormError::SentBefore(path.to_owned()));
        }
        let called = call.await;
        if let Err(fault) = &called
            && fault.code != Code::OutcomeUnknown
            && let Err(error) = sent_forms::remove(pool, person, form).await
        {
            tracing::warn!(%error, "a form without effect counts as sent");
        }
        Ok(called?)
    }
}
