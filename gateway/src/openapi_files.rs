//! The OpenAPI document in each form, as it is served (§10.16).

use crate::coding::YearlyFile;

/// [`crate::openapi::files`] makes them.
#[derive(Debug)]
pub struct OpenApiFiles {
    pub full: YearlyFile,
    /// For generators of clients.
    pub clients: YearlyFile,
    pub version_3_0: YearlyFile,
}
