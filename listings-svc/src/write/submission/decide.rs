//! The decision on a submission (§4.3), in the order of §7.1: the fields (`invalid`), which [`load`](super::load) reads, then, in
//! [`decide`], the page (`not_yours`), the limits of the account (`too_many_pending`, `limit`), and the precondition. Pure.

use kit::{Code, Fault};
use uuid::Uuid;

use super::load::Loaded;
use super::{Submission, Target};
use crate::domain::entity::Entity;
use crate::domain::game;
use crate::domain::listing::{Content, Listing};
use crate::domain::page::hidden_note;
use crate::domain::state::ListingState;
use crate::store::page_owners::OwnedPage;
use crate::write::absent::no_own_listing;
use crate::write::limits;
use crate::write::pictures::with_pictures;

/// An accepted submission.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// The listing after it. A new listing without a name gets one that is free.
    pub(super) listing: Listing,
    pub(super) is_changed: bool,
    /// Whether it is one of the day's writes that is not counted yet.
    pub(super) is_uncounted_write: bool,
    /// Why the page of a game hides it.
    pub(super) note: Option<String>,
}

pub(super) fn decide(
    submission: &Submission,
    loaded: &Loaded,
    max_pending: i64,
) -> Result<Accepted, Fault> {
    let Some(before) = &loaded.before else {
        return create(submission, loaded, max_pending);
    };
    match &submission.target {
        Target::New(entity) => Err(no_own_listing(*entity)),
        Target::Change(..) => update(submission, loaded, before, max_pending),
        Target::Pictures(_, _, operation) => {
            // A change of a rejected game is a submission (§3).
            if let (ListingState::Rejected, Some(page)) = (before.state, &loaded.page) {
                check_not_taken_down(page)?;
            }
            let content = with_pictures(&before.content, operation)?;
            let is_under_public_page = !before.hidden_by_page;
            change(submission, loaded, max_pending, before, (content, is_under_public_page))
        }
    }
}

/// A new listing: a game under a page of the account, a page, or an event.
fn create(submission: &Submission, loaded: &Loaded, max_pending: i64) -> Result<Accepted, Fault> {
    let (entity, author) = (submission.target.entity(), submission.author.account);
    let mut content = loaded.content.clone();
    let mut is_under_public_page = true;
    if let Content::Game(game) = &mut content {
        let handle = game::creator(&submission.body).unwrap_or_default();
        let page = named_page(loaded, handle)?;
        game.page_id = page.id;
        is_under_public_page = page.state == ListingState::Published;
    }
    if loaded.is_handle_taken {
        let reason = "It is taken: choose another.";
        return Err(Fault::invalid_field("handle", reason));
    }
    check_pending(submission, loaded, max_pending, author)?;
    if entity == Entity::Page {
        limits::check_unpublished_pages(loaded.unpublished_pages)?;
    } else {
        check_daily_limit(submission, loaded, loaded.writes_today)?;
    }
    let listing = Listing::submitted(loaded.new_id, author, content, loaded.now);
    Ok(Accepted {
        listing: listing.under_page(is_under_public_page, loaded.now),
        is_changed: true,
        is_uncounted_write: false,
        note: None,
    })
}

/// A change of fields, which may move a game to another page.
fn update(
    submission: &Submission,
    loaded: &Loaded,
    before: &Listing,
    max_pending: i64,
) -> Result<Accepted, Fault> {
    let page = loaded.page.as_ref();
    let mut content = loaded.content.clone();
    let (mut is_under_public_page, mut note) = (!before.hidden_by_page, None);
    if let (Content::Game(game), Some(page)) = (&mut content, page) {
        let page = page_after(submission, loaded, before, page)?;
        if page.id != game.page_id {
            game.page_id = page.id;
            is_under_public_page = page.state == ListingState::Published;
        }
        note = hidden_note(&page.handle, page.state);
    }
    let changed = change(submission, loaded, max_pending, before, (content, is_under_public_page));
    Ok(Accepted { note, ..changed? })
}

/// The page of a game after a change.
fn page_after<'a>(
    submission: &Submission,
    loaded: &'a Loaded,
    before: &Listing,
    page: &'a OwnedPage,
) -> Result<&'a OwnedPage, Fault> {
    match game::creator(&submission.body) {
        Some(handle) if handle != page.handle => {
            // A game that was taken down with its page does not return by a move.
            if before.state == ListingState::Published {
                check_not_taken_down(page)?;
            }
            named_page(loaded, handle)
        }
        Some(_) | None => {
            if before.state == ListingState::Rejected {
                check_not_taken_down(page)?;
            }
            Ok(page)
        }
    }
}

/// The page of the account with this handle, for a game under it (§4.3): pending or public.
fn named_page<'a>(loaded: &'a Loaded, handle: &str) -> Result<&'a OwnedPage, Fault> {
    match &loaded.named_page {
        Some(page) if page.state == ListingState::Removed => Err(limits::taken_down(handle)),
        Some(page) if page.state != ListingState::Rejected => Ok(page),
        Some(_) | None => Err(limits::not_yours(handle)),
    }
}

/// Refuses to submit a game under a page that was taken down.
fn check_not_taken_down(page: &OwnedPage) -> Result<(), Fault> {
    if page.state == ListingState::Removed {
        return Err(limits::taken_down(&page.handle));
    }
    Ok(())
}

/// A change within the limits of the account. A rejected listing becomes pending again, and counts as a submission.
fn change(
    submission: &Submission,
    loaded: &Loaded,
    max_pending: i64,
    before: &Listing,
    (content, is_under_public_page): (Content, bool),
) -> Result<Accepted, Fault> {
    let after = before.apply_account_edit(content, submission.author.account, loaded.now);
    let after = after.map(|after| after.under_page(is_under_public_page, loaded.now));
    if after.is_some() && before.state == ListingState::Rejected {
        let submitter = before.submitter.unwrap_or(submission.author.account);
        check_pending(submission, loaded, max_pending, submitter)?;
    }
    let always_counts = submission.target.always_counts();
    let is_uncounted_write = !always_counts && after.is_some() && before.is_visible();
    if always_counts || is_uncounted_write {
        let writes = loaded.writes_today + i32::from(is_uncounted_write);
        check_daily_limit(submission, loaded, writes)?;
    }
    // The last check: a change that is refused anyway is refused for that reason.
    if let Some(revisions) = &submission.precondition
        && !revisions.contains(&before.revision)
    {
        return Err(precondition_failed());
    }
    Ok(Accepted {
        is_changed: after.is_some(),
        listing: after.unwrap_or_else(|| before.clone()),
        is_uncounted_write,
        note: None,
    })
}

/// Refuses a submission beyond the limit of pending ones of `submitter`, the account for which it counts.
fn check_pending(
    submission: &Submission,
    loaded: &Loaded,
    max_pending: i64,
    submitter: Uuid,
) -> Result<(), Fault> {
    let whose = if submitter == submission.author.account {
        "of your submissions"
    } else {
        "submissions of the account that submitted this listing"
    };
    limits::check_pending_limit(loaded.pending, max_pending, whose)
}

/// Refuses a write beyond the daily limit of the plan.
fn check_daily_limit(submission: &Submission, loaded: &Loaded, writes: i32) -> Result<(), Fault> {
    limits::check_daily_limit(writes, submission.author.writes_per_day, loaded.now)
}

fn precondition_failed() -> Fault {
    Fault::new(
        Code::PreconditionFailed,
        "The listing is not at a revision that If-Match names: it has changed since, or the tag is a weak one (`W/`), which never matches. \
         Read it again and send the change with its new ETag.",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::OffsetDateTime;

    use super::super::load::read_content;
    use super::*;
    use crate::domain::game::Game;
    use crate::domain::mode::Mode;
    use crate::domain::reference_data::ReferenceData;
    use crate::feed::PublicUrl;
    use crate::write::submission::Author;

    const MAX_PENDING: i64 = 10;

    fn page(state: ListingState) -> OwnedPage {
        OwnedPage {
            id: Uuid::from_u128(7),
            handle: "studio".to_owned(),
            country_code: "NG".to_owned(),
            city: String::new(),
            state,
        }
    }

    fn submission(target: Target, body: &serde_json::Value) -> Submission {
        Submission {
            author: Author {
                account: Uuid::from_u128(1),
                mode: Mode::Live,
                writes_per_day: Some(5),
            },
            target,
            body: body.as_object().cloned().unwrap_or_default(),
            idempotency_key: None,
            precondition: None,
        }
    }

    /// Everything is wrong with the account: its page was taken down, and it has reached its limits.
    fn full() -> Loaded {
        Loaded {
            now: OffsetDateTime::UNIX_EPOCH,
            new_id: Uuid::from_u128(9),
            before: None,
            page: None,
            named_page: Some(page(ListingState::Removed)),
            content: Content::Game(Game::default()),
            is_handle_taken: false,
            writes_today: 6,
            pending: MAX_PENDING,
            unpublished_pages: 0,
        }
    }

    fn code(submission: &Submission, loaded: &Loaded) -> Result<(), Code> {
        let mut loaded = loaded.clone();
        let content = read_content(
            submission,
            loaded.before.as_ref(),
            loaded.page.as_ref(),
            &ReferenceData::at(OffsetDateTime::UNIX_EPOCH),
            &PublicUrl::new("https://mchezo.example"),
        );
        loaded.content = content.map_err(|fault| fault.code)?;
        let decided = decide(submission, &loaded, MAX_PENDING);
        decided.map(drop).map_err(|fault| fault.code)
    }

    #[test]
    fn a_new_listing_is_refused_for_the_first_reason_of_the_order() {
        let body = json!({
            "title": "A Game", "creator": "studio", "genres": ["puzzle"], "platforms": ["web"], "stage": "in_development",
            "release_year": 1970, "links": {"play": "https://play.example/a"},
        });
        let new = submission(Target::New(Entity::Game), &body);
        let invalid = submission(Target::New(Entity::Game), &json!({"creator": "studio"}));
        let mut loaded = full();
        assert_eq!(code(&invalid, &loaded), Err(Code::Invalid));
        assert_eq!(code(&new, &loaded), Err(Code::NotYours));
        loaded.named_page = Some(page(ListingState::Pending));
        assert_eq!(code(&new, &loaded), Err(Code::TooManyPending));
        loaded.pending -= 1;
        assert_eq!(code(&new, &loaded), Err(Code::Limit));
        loaded.writes_today -= 1;
        assert_eq!(code(&new, &loaded), Ok(()));
    }

    #[test]
    fn a_change_is_refused_for_the_first_reason_of_the_order() {
        let game = Game {
            slug: "a-game".to_owned(),
            title: "A Game".to_owned(),
            page_id: Uuid::from_u128(7),
            ..Game::default()
        };
        let author = Uuid::from_u128(1);
        let now = OffsetDateTime::UNIX_EPOCH;
        let submitted = Listing::submitted(Uuid::nil(), author, Content::Game(game), now);
        let target = || Target::Change(Entity::Game, "a-game".to_owned());
        let invalid = submission(target(), &json!({"stage": "done"}));
        let mut change = submission(target(), &json!({"tagline": "New"}));
        change.precondition = Some(vec![1]);
        let mut loaded = Loaded {
            before: submitted.with_state(
                ListingState::Rejected,
                crate::domain::state::StateCause::staff(now, ""),
            ),
            page: Some(page(ListingState::Removed)),
            ..full()
        };
        assert_eq!(code(&invalid, &loaded), Err(Code::Invalid));
        assert_eq!(code(&change, &loaded), Err(Code::NotYours));
        loaded.page = Some(page(ListingState::Published));
        assert_eq!(code(&change, &loaded), Err(Code::TooManyPending));
        loaded.pending -= 1;
        assert_eq!(code(&change, &loaded), Err(Code::Limit));
        loaded.writes_today -= 1;
        assert_eq!(code(&change, &loaded), Err(Code::PreconditionFailed));
        change.precondition = Some(vec![2]);
        assert_eq!(code(&change, &loaded), Ok(()));
    }
}
