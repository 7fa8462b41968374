//! What every write to listings-svc and economy-svc needs (§4.3, §4.4).

use std::sync::Arc;

use bytes::Bytes;
use contracts::listings::v1::Precondition;
use http::Method;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use super::call::Call;
use super::{idempotency_key, if_match, json_body};
use crate::app::App;
use crate::domain::key::Caller;

/// A write with its body, which the service reads.
pub struct ServiceWrite {
    pub app: App,
    pub caller: Arc<Caller>,
    pub body: Bytes,
    /// The bad headers and parameters. The service checks the body even so, so that the error has
    /// all bad fields: join them with its response.
    pub bad: BadFields,
    /// Also if a header or a parameter is bad.
    pub dry_run: bool,
    /// Empty if none was sent, and for a PATCH, which takes none.
    pub idempotency_key: String,
    /// The revisions at which a PATCH may be applied; `None` for any.
    pub precondition: Option<Precondition>,
}

impl ServiceWrite {
    /// Reads the headers, the body and the parameters of a write.
    ///
    /// # Errors
    /// The body cannot be read or is not a JSON object.
    pub fn read(call: Call) -> Result<Self, Fault> {
        let mut query = call.params();
        let Call { app, caller, head, body, .. } = call;
        let (mut idempotency_key, mut precondition) = (None, None);
        match head.method {
            // A dry run ignores it as well, but says what the call would say of its form (§10.4).
            Method::POST => {
                idempotency_key = query.bad.take(idempotency_key::read(&head.headers));
            }
            Method::PATCH => precondition = query.bad.take(if_match::read(&head.headers)),
            _ => {}
        }
        let body = json_body::read(&head.headers, body)?;
        let dry_run = query.flag("dry_run");
        let bad = query.into_bad();
        Ok(Self {
            app,
            caller,
            body,
            dry_run: dry_run || !bad.is_empty(),
            bad,
            idempotency_key: idempotency_key.unwrap_or_default(),
            precondition: precondition.flatten(),
        })
    }
}
