//! The games of a page change with it: a game is hidden while its page is not public.

use kit::Fault;
use kit::feed::NewChange;

use super::CommandContext;
use crate::domain::entity::Entity;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::record::Importable as _;
use crate::feed::{ChangeKind, Publish, listing_change};
use crate::store::{ListingTable, RecordTable as _, games, to_json_row};

/// The changes to publish of a listing, which is locked. Hides or shows the games of a page that the public no longer sees, or sees again.
pub(super) async fn changes<C>(
    context: &mut CommandContext,
    before: &Listing<C>,
    after: &Listing<C>,
    change_kind: ChangeKind,
) -> Result<Vec<NewChange>, Fault>
where
    Listing<C>: ListingTable + Publish,
{
    let mut changes = vec![listing_change(Some(before), after, change_kind)];
    let is_public = after.is_visible();
    if Listing::<C>::ENTITY != Entity::Page || before.is_visible() == is_public {
        return Ok(changes);
    }
    let change_kind = if is_public {
        ChangeKind::Shown
    } else {
        ChangeKind::Hidden
    };
    let mut rows = Vec::new();
    for before in games::lock_of_page(&mut context.connection, after.id).await? {
        let after = before.clone().under_page(is_public, context.now);
        rows.push(to_json_row(&after)?);
        changes.push(listing_change(Some(&before), &after, change_kind));
    }
    Listing::<Game>::save(&mut context.connection, &rows.into()).await?;
    Ok(changes)
}
