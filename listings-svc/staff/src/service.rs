//! The services that staff call.

use strum::{IntoStaticStr, VariantArray};

/// A service with staff RPCs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Service {
    Gateway,
    Listings,
    Economy,
    Catalogue,
    Webhook,
    Web,
}

impl Service {
    /// The name in a profile; the feed of the service has the same name.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// The service with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut services = Self::VARIANTS.iter().copied();
        services.find(|service| service.as_str() == name)
    }

    /// The DNS name of its certificate.
    pub(crate) const fn dns_name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Listings => "listings-svc",
            Self::Economy => "economy-svc",
            Self::Catalogue => "catalogue-svc",
            Self::Webhook => "webhook-svc",
            Self::Web => "web",
        }
    }
}
