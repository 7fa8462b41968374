//! A request of a person. `account` adds the account that it is about, and `site` has the request of a public page. The layers put the
//! parts into the extensions of the request.
#![expect(
    clippy::module_name_repetitions,
    reason = "http has a type `Request`, and each of these is one of a kind"
)]

mod person;
mod viewer;

pub use person::PersonRequest;
pub use viewer::{AccountScope, NewSession, Section, Viewer, begin_session, begin_session_with};

use http::Extensions;

use crate::page_error::PageError;

/// What a layer has added to the request.
///
/// # Errors
/// The path is not behind the layer.
pub(crate) fn added<T: Clone + Send + Sync + 'static>(
    extensions: &Extensions,
) -> Result<T, PageError> {
    extensions.get().cloned().ok_or_else(|| {
        let missing = std::any::type_name::<T>();
        tracing::error!(missing, "a path is not behind the layer that it needs");
        PageError::internal()
    })
}
