//! A change of a listing as JSON (§10.15).

use contracts::public::SearchAddress;
use kit::Fault;
use serde::Serialize;

use crate::domain::changes::ListingKind;
use crate::index::ListingChange;

/// The fields before the row.
#[derive(Serialize)]
struct Head<'a> {
    r#type: &'a str,
    #[serde(flatten)]
    address: SearchAddress,
    change: &'a str,
}

/// Changes as a JSON array.
pub(super) fn array(changes: &[&ListingChange]) -> Result<Vec<u8>, Fault> {
    let mut json = vec![b'['];
    for (place, changed) in changes.iter().enumerate() {
        if place > 0 {
            json.push(b',');
        }
        push(&mut json, changed)?;
    }
    json.push(b']');
    Ok(json)
}

/// Appends a change as a JSON object ([`contracts::public::ListingChange`]). Its row is as it was rendered.
pub(super) fn push(json: &mut Vec<u8>, changed: &ListingChange) -> Result<(), Fault> {
    let name = changed.address.as_ref().to_owned();
    let head = Head {
        r#type: changed.kind.as_str(),
        address: match changed.kind {
            ListingKind::Creators => SearchAddress::Handle(name),
            ListingKind::Games | ListingKind::Events => SearchAddress::Slug(name),
        },
        change: changed.change(),
    };
    serde_json::to_writer(&mut *json, &head).map_err(|error| Fault::internal(&error))?;
    // The brace that closes the head.
    json.pop();
    json.extend_from_slice(br#","row":"#);
    match changed.text() {
        Some(text) => text.push_row(json),
        None => json.extend_from_slice(b"null"),
    }
    json.push(b'}');
    Ok(())
}
