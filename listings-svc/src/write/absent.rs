//! The refusals of calls about what does not exist.

use kit::Fault;

use crate::domain::entity::Entity;

/// For staff.
pub fn listing_not_found() -> Fault {
    Fault::not_found(
        "There is no listing of this kind and name. Check both, and whether it is live or a sample (--mode).",
    )
}

pub fn page_not_found() -> Fault {
    Fault::not_found("There is no page with this handle.")
}

/// No listing of the account has this name.
pub fn no_own_listing(entity: Entity) -> Fault {
    let (kind, name) = match entity {
        Entity::Page => ("page", "handle"),
        _ => (entity.as_str(), "slug"),
    };
    Fault::not_found(format!("No {kind} of yours has this {name}."))
}
