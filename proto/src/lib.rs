#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod addresses;
pub mod public;
pub mod reference_data;

/// Every contract's file descriptors, for gRPC reflection and the staff tool.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

/// The plans (§8) that are used without a file of one's own: TOML, which the gateway reads.
pub const BUILT_IN_PLANS: &str = include_str!("plans.toml");

/// A unary method, which the type of its request names. A request that several methods take is none.
pub trait Unary: prost::Message + Clone + 'static {
    /// The path of the method's calls.
    const PATH: &'static str;
    /// Its response.
    type Response: prost::Message + Default;
}

/// The unary methods.
#[rustfmt::skip]
mod unary {
    include!("generated/unary.rs");
}

macro_rules! package {
    ($(#[$doc:meta])* $name:ident, $package:literal) => {
        $(#[$doc])*
        pub mod $name {
            /// Version 1.
            #[expect(
                missing_docs,
                clippy::all,
                clippy::pedantic,
                clippy::allow_attributes,
                clippy::allow_attributes_without_reason,
                clippy::clone_on_ref_ptr,
                reason = "generated from the .proto files"
            )]
            pub mod v1 {
                include!(concat!("generated/", $package, ".rs"));
            }
        }
    };
}

package!(
    /// What every contract shares: faults, pages, modes, the change feed.
    common,
    "common.v1"
);
package!(
    /// Reads of the catalogue.
    catalogue,
    "catalogue.v1"
);
package!(
    /// Listings: their states on the feed, and staff's work on them.
    listings,
    "listings.v1"
);
package!(
    /// Accounts, plans and keys.
    gateway,
    "gateway.v1"
);
package!(
    /// The economy: reports, rates, currencies, swaps and tips.
    economy,
    "economy.v1"
);
package!(
    /// Webhooks: endpoints and deliveries.
    webhook,
    "webhook.v1"
);
package!(
    /// The people who sign in to the dashboard.
    web,
    "web.v1"
);
