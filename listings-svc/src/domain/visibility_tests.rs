//! After any steps, a game is visible exactly while the game and its page are published, and it is announced once.

use proptest::prelude::*;
use proptest::sample::select;
use strum::VariantArray as _;
use time::OffsetDateTime;
use uuid::Uuid;

use super::listing::{Announcement, Content, Listing, RowContent};
use super::mode::Mode;
use super::page::Page;
use super::state::{ListingState, OwnAction, StateCause, Transition};

/// A step of the game or of its page.
#[derive(Debug, Clone, Copy)]
enum Step {
    Page(Transition),
    Game(Transition),
    EditByAccount(u8),
    EndByAccount(OwnAction),
    EditByStaff(u8),
    /// Moves the game to a page that is public or not.
    Move(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let transition = || select(Transition::VARIANTS);
    prop_oneof![
        transition().prop_map(Step::Page),
        transition().prop_map(Step::Game),
        any::<u8>().prop_map(Step::EditByAccount),
        select(&[OwnAction::Withdraw, OwnAction::TakeDown][..]).prop_map(Step::EndByAccount),
        any::<u8>().prop_map(Step::EditByStaff),
        any::<bool>().prop_map(Step::Move),
    ]
}

/// Different content for each number.
fn content(number: u8) -> Content {
    Content::Page(Page { name: number.to_string(), ..Page::default() })
}

/// The game after a step, and whether the step is an edit; `None` if the step changes nothing.
fn after(
    game: &Listing,
    page: &mut ListingState,
    step: Step,
    now: OffsetDateTime,
) -> Option<(Listing, bool)> {
    match step {
        Step::Page(transition) => {
            *page = transition.rule().after(*page)?.0;
            let is_public = *page == ListingState::Published;
            Some((game.clone().under_page(is_public, now), false))
        }
        Step::Game(transition) => {
            let state = transition.rule().after(game.state)?.0;
            Some((game.with_state(state, StateCause::staff(now, ""))?, false))
        }
        Step::EditByAccount(number) => {
            let edited = game.apply_account_edit(content(number), Uuid::max(), now)?;
            let is_edit = edited.state == game.state;
            Some((edited, is_edit))
        }
        Step::EndByAccount(action) => {
            Some((game.after_own_action(action, Uuid::max(), now)?.0, false))
        }
        Step::EditByStaff(number) => Some((game.apply_staff_edit(content(number), now)?, true)),
        Step::Move(is_public) => {
            *page = if is_public { ListingState::Published } else { ListingState::Pending };
            let other = content(u8::from(game.content == content(0)));
            let moved = game.apply_staff_edit(other, now)?;
            Some((moved.under_page(is_public, now), true))
        }
    }
}

proptest! {
    #[test]
    fn a_game_is_visible_with_its_page_and_announced_once(
        is_imported: bool,
        page_is_public: bool,
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let mut now = OffsetDateTime::UNIX_EPOCH;
        let mut page = if page_is_public { ListingState::Published } else { ListingState::Pending };
        let mut game = if is_imported {
            let row = RowContent {
                content: content(0),
                created_at: None,
                updated_at: None,
                hidden_by_page: !page_is_public,
            };
            Listing::imported(Uuid::nil(), Mode::Live, row, now)
        } else {
            Listing::submitted(Uuid::nil(), Uuid::max(), content(0), now).under_page(page_is_public, now)
        };
        let mut first_seen = game.is_visible().then_some(now);
        let mut publications = 0;
        for step in steps {
            now += time::Duration::HOUR;
            let Some((after, is_edit)) = after(&game, &mut page, step, now) else {
                continue;
            };
            let announcement = after.announcement(Some(&game));
            let is_visible = after.state == ListingState::Published && page == ListingState::Published;
            prop_assert_eq!(after.is_visible(), is_visible);
            let expected = match (is_visible, first_seen) {
                (false, _) => None,
                (true, None) if is_imported => None,
                (true, None) => Some(Announcement::Published),
                (true, Some(_)) => is_edit.then_some(Announcement::Updated),
            };
            prop_assert_eq!(announcement, expected);
            publications += usize::from(announcement == Some(Announcement::Published));
            if is_visible {
                first_seen.get_or_insert(now);
            }
            prop_assert_eq!(after.first_published_at, first_seen);
            game = after;
        }
        prop_assert_eq!(publications, usize::from(!is_imported && first_seen.is_some()));
    }
}
