//! Listings: pages, games and events. What they have in common, and their changes.

use serde::Serialize;
use serde_json::Value;
use strum::IntoStaticStr;
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use super::array_fields::{keep_rest_of_credits, keep_rest_of_screenshots};
use super::entity::Entity;
use super::event::Event;
use super::game::Game;
use super::mode::Mode;
use super::page::Page;
use super::pictures::FileName;
use super::state::{ListingState, OwnAction, Recipients, StateCause};

/// The fields of a listing, by its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "entity", content = "content", rename_all = "snake_case")]
pub enum Content {
    Page(Page),
    Game(Game),
    Event(Event),
}

impl Content {
    /// Reads the stored fields of a listing.
    pub fn read(entity: Entity, fields: Value) -> Result<Self, serde_json::Error> {
        Ok(match entity {
            Entity::Page => Self::Page(serde_json::from_value(fields)?),
            Entity::Game => Self::Game(serde_json::from_value(fields)?),
            Entity::Event => Self::Event(serde_json::from_value(fields)?),
        })
    }

    pub const fn entity(&self) -> Entity {
        match self {
            Self::Page(_) => Entity::Page,
            Self::Game(_) => Entity::Game,
            Self::Event(_) => Entity::Event,
        }
    }

    /// The slug or the handle, which never changes.
    pub fn name(&self) -> &str {
        match self {
            Self::Page(page) => &page.handle,
            Self::Game(game) => &game.slug,
            Self::Event(event) => &event.slug,
        }
    }

    /// Names a new listing.
    pub fn set_name(&mut self, name: String) {
        *match self {
            Self::Page(page) => &mut page.handle,
            Self::Game(game) => &mut game.slug,
            Self::Event(event) => &mut event.slug,
        } = name;
    }

    /// The title of a game or an event, the name of a page.
    pub fn title(&self) -> &str {
        match self {
            Self::Page(page) => &page.name,
            Self::Game(game) => &game.title,
            Self::Event(event) => &event.title,
        }
    }

    /// The uploaded pictures that it names, with repetitions.
    pub fn pictures(&self) -> impl Iterator<Item = FileName> {
        self.picture_fields().map(|(_, name)| name)
    }

    /// The uploaded pictures that it names, each with the path of its field.
    pub fn picture_fields(&self) -> impl Iterator<Item = (String, FileName)> {
        let (field, picture, screenshots) = match self {
            Self::Page(page) => ("avatar_url", page.avatar_url.as_deref(), &[][..]),
            Self::Game(game) => ("cover_url", game.cover_url.as_deref(), &game.screenshots[..]),
            Self::Event(_) => ("", None, &[][..]),
        };
        let picture = picture.map(|url| (field.to_owned(), url));
        let screenshots = screenshots.iter().enumerate();
        let screenshots =
            screenshots.map(|(at, shot)| (format!("screenshots.{at}.url"), shot.url.as_str()));
        let fields = picture.into_iter().chain(screenshots);
        fields.filter_map(|(path, url)| Some((path, FileName::from_address(url)?)))
    }

    /// The content that a row states, for a listing that has `stored`: what only a later version
    /// knows stays.
    fn replacing(mut self, stored: &Self) -> Self {
        match (&mut self, stored) {
            (Self::Page(page), Self::Page(stored)) => {
                page.set_place(page.place().replacing(stored.place()));
            }
            (Self::Event(event), Self::Event(stored)) => {
                event.set_place(event.place().replacing(stored.place()));
            }
            (Self::Game(game), Self::Game(stored)) => {
                keep_rest_of_credits(&mut game.credits, &stored.credits);
                keep_rest_of_screenshots(&mut game.screenshots, &stored.screenshots);
            }
            _ => {}
        }
        self
    }

    pub const fn page(&self) -> Option<&Page> {
        match self {
            Self::Page(page) => Some(page),
            _ => None,
        }
    }

    pub const fn game(&self) -> Option<&Game> {
        match self {
            Self::Game(game) => Some(game),
            _ => None,
        }
    }

    pub const fn event(&self) -> Option<&Event> {
        match self {
            Self::Event(event) => Some(event),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Never public.
    pub id: Uuid,
    pub mode: Mode,
    pub state: ListingState,
    #[serde(flatten)]
    pub cause: StateCause,
    /// Starts at 1 and grows by 1 with each change.
    pub revision: i64,
    /// The account that submitted the listing; `None` for an imported listing.
    pub submitter: Option<Uuid>,
    /// Start of the wait for a review, while the listing is pending.
    #[serde(with = "rfc3339::option")]
    pub waiting_since: Option<OffsetDateTime>,
    /// When the listing was submitted; for an imported listing, when it was first listed.
    #[serde(with = "rfc3339")]
    pub created_at: OffsetDateTime,
    /// When the public saw the listing first; `None` before that.
    #[serde(with = "rfc3339::option")]
    pub first_published_at: Option<OffsetDateTime>,
    /// For a game: whether its page is not public. Always false for pages and events.
    pub hidden_by_page: bool,
    #[serde(with = "rfc3339")]
    pub updated_at: OffsetDateTime,
    #[serde(flatten)]
    pub content: Content,
}

/// The content and the times of a listing, as an import row states them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowContent {
    /// The whole content: a field that the row leaves out is empty.
    pub content: Content,
    pub created_at: Option<OffsetDateTime>,
    pub updated_at: Option<OffsetDateTime>,
    /// For a game: whether its page is not public.
    pub hidden_by_page: bool,
}

impl Listing {
    /// Whether the public sees the listing: it is published, and its page is too. The one place where this is decided.
    pub const fn is_visible(&self) -> bool {
        matches!(self.state, ListingState::Published) && !self.hidden_by_page
    }

    /// Who rejected, withdrew or took down the listing; `None` in every other state.
    pub fn ended(&self) -> Option<&StateCause> {
        self.state.is_ended().then_some(&self.cause)
    }

    pub const fn entity(&self) -> Entity {
        self.content.entity()
    }

    /// The slug or the handle.
    pub fn name(&self) -> &str {
        self.content.name()
    }

    /// What subscribers learn of a change from `before` to this listing (§6). The first time that the public sees a listing is its
    /// publication, whatever made it visible.
    pub fn announcement(&self, before: Option<&Self>) -> Option<Announcement> {
        if !self.is_visible() {
            return None;
        }
        if let Some(seen) = before.filter(|before| before.first_published_at.is_some()) {
            // The state, and the account of an event, are no content.
            return (seen.content != self.content).then_some(Announcement::Updated);
        }
        // What an import brought in is not announced.
        self.submitter.map(|_| Announcement::Published)
    }
}

/// An event that tells subscribers of a listing (§6). The feed has these names as events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Announcement {
    /// The public sees the listing for the first time.
    Published,
    Updated,
}

impl Listing {
    /// A new imported listing, which is published at once.
    pub fn imported(id: Uuid, mode: Mode, row: RowContent, now: OffsetDateTime) -> Self {
        let created_at = row.created_at.unwrap_or(now);
        Self {
            id,
            mode,
            state: ListingState::Published,
            cause: StateCause::staff(now, ""),
            revision: 1,
            submitter: None,
            waiting_since: None,
            created_at,
            first_published_at: (!row.hidden_by_page).then_some(created_at),
            hidden_by_page: row.hidden_by_page,
            updated_at: row.updated_at.unwrap_or(created_at),
            content: row.content,
        }
    }

    /// The sample with the content and the times of a row, in its state; `None` when the row changes nothing. Real listings are not replaced.
    pub fn replaced_by(&self, row: &RowContent, now: OffsetDateTime) -> Option<Self> {
        let created_at = row.created_at.unwrap_or(self.created_at);
        let content = row.content.clone().replacing(&self.content);
        let same = content == self.content
            && created_at == self.created_at
            && row.updated_at.is_none_or(|at| at == self.updated_at);
        (!same).then(|| {
            Self {
                revision: self.revision + 1,
                created_at,
                first_published_at: self.first_published_at.map(|_| created_at),
                hidden_by_page: row.hidden_by_page,
                updated_at: row.updated_at.unwrap_or(now),
                content,
                ..self.clone()
            }
            .with_first_publication(created_at)
        })
    }

    /// The listing under a page that is public or not. This is no revision: the listing itself does not change.
    #[must_use]
    pub fn under_page(self, is_public: bool, now: OffsetDateTime) -> Self {
        Self { hidden_by_page: !is_public, ..self }.with_first_publication(now)
    }

    /// Dates the first publication of a listing that is visible now.
    fn with_first_publication(mut self, now: OffsetDateTime) -> Self {
        if self.is_visible() {
            self.first_published_at.get_or_insert(now);
        }
        self
    }

    /// The listing in another state; `None` when it is in that state already. Content and `updated_at` stay. The listing no longer waits
    /// for a review.
    pub fn with_state(&self, state: ListingState, cause: StateCause) -> Option<Self> {
        (state != self.state).then(|| self.clone().moved_to(state, cause))
    }

    /// The listing after its account did `action`, and who gets a mail; `None` when the action is
    /// refused in this state. A rejected listing that its account withdraws stays rejected, and is
    /// from then on withdrawn by its account.
    pub fn after_own_action(
        &self,
        action: OwnAction,
        account: Uuid,
        now: OffsetDateTime,
    ) -> Option<(Self, Recipients)> {
        let (state, recipients) = action.rule().after(self.state)?;
        Some((self.clone().moved_to(state, StateCause::account(account, now)), recipients))
    }

    fn moved_to(self, state: ListingState, cause: StateCause) -> Self {
        let now = cause.at;
        Self { state, cause, waiting_since: None, revision: self.revision + 1, ..self }
            .with_first_publication(now)
    }

    /// The listing with content that staff edited; `None` when nothing differs. The state stays.
    pub fn apply_staff_edit(&self, content: Content, now: OffsetDateTime) -> Option<Self> {
        (content != self.content).then(|| Self {
            revision: self.revision + 1,
            updated_at: now,
            ..self.with_content(content)
        })
    }

    /// A new listing of an account, which is pending.
    pub fn submitted(id: Uuid, account: Uuid, content: Content, now: OffsetDateTime) -> Self {
        Self {
            id,
            mode: Mode::Live,
            state: ListingState::Pending,
            cause: StateCause::account(account, now),
            revision: 1,
            submitter: Some(account),
            waiting_since: Some(now),
            created_at: now,
            first_published_at: None,
            hidden_by_page: false,
            updated_at: now,
            content,
        }
    }

    /// The listing with content that an account edited; `None` when nothing differs, or the account
    /// cannot edit it in this state.
    pub fn apply_account_edit(
        &self,
        content: Content,
        account: Uuid,
        now: OffsetDateTime,
    ) -> Option<Self> {
        if content == self.content {
            return None;
        }
        let (state, _) = OwnAction::Edit.rule().after(self.state)?;
        let waits = state == ListingState::Pending;
        let cause = if state == self.state {
            self.cause.clone()
        } else {
            StateCause::account(account, now)
        };
        Some(Self {
            state,
            cause,
            waiting_since: waits.then(|| self.waiting_since.unwrap_or(now)),
            revision: self.revision + 1,
            updated_at: now,
            ..self.with_content(content)
        })
    }

    fn with_content(&self, content: Content) -> Self {
        Self { content, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-05-01 12:00 UTC);
    const LATER: OffsetDateTime = datetime!(2026-06-01 12:00 UTC);

    const ACCOUNT: Uuid = Uuid::max();

    fn staff() -> StateCause {
        StateCause::staff(LATER, "")
    }

    fn named(name: &str) -> Content {
        Content::Page(Page { name: name.to_owned(), ..Page::default() })
    }

    fn row(name: &str) -> RowContent {
        RowContent {
            content: named(name),
            created_at: None,
            updated_at: None,
            hidden_by_page: false,
        }
    }

    #[test]
    fn a_sample_is_replaced_by_a_row_that_differs() {
        let sample = Listing::imported(Uuid::nil(), Mode::Test, row("a"), NOW);
        assert_eq!(sample.created_at, NOW);
        assert_eq!(sample.replaced_by(&row("a"), LATER), None);
        let replaced = sample.replaced_by(&row("b"), LATER).unwrap();
        let expected = Listing { revision: 2, updated_at: LATER, content: named("b"), ..sample };
        assert_eq!(replaced, expected);
    }

    #[test]
    fn a_transition_is_a_revision_and_not_an_edit() {
        let listing = Listing::imported(Uuid::nil(), Mode::Live, row("a"), NOW);
        assert_eq!(listing.with_state(ListingState::Published, staff()), None);
        let removed = listing.with_state(ListingState::Removed, staff()).unwrap();
        assert_eq!((removed.state, removed.revision), (ListingState::Removed, 2));
        let restored = removed.with_state(ListingState::Published, staff()).unwrap();
        assert_eq!(restored, Listing { revision: 3, cause: staff(), ..listing });
    }

    #[test]
    fn a_staff_edit_keeps_the_state() {
        let submitted = Listing::submitted(Uuid::nil(), Uuid::max(), named("a"), NOW);
        let rejected = submitted.with_state(ListingState::Rejected, staff()).unwrap();
        assert_eq!(rejected.apply_staff_edit(named("a"), LATER), None);
        let apply_staff_edit = rejected.apply_staff_edit(named("b"), LATER).unwrap();
        assert_eq!(
            (apply_staff_edit.state, apply_staff_edit.revision, apply_staff_edit.updated_at),
            (ListingState::Rejected, 3, LATER)
        );
    }

    #[test]
    fn a_submission_is_pending_until_staff_decide() {
        let account = Uuid::max();
        let submitted = Listing::submitted(Uuid::nil(), account, named("a"), NOW);
        assert_eq!((submitted.state, submitted.waiting_since), (ListingState::Pending, Some(NOW)));
        assert_eq!(submitted.apply_account_edit(named("a"), ACCOUNT, LATER), None);
        let edited = submitted.apply_account_edit(named("b"), ACCOUNT, LATER).unwrap();
        assert_eq!((edited.state, edited.waiting_since), (ListingState::Pending, Some(NOW)));
        let rejected = edited.with_state(ListingState::Rejected, staff()).unwrap();
        assert_eq!(rejected.waiting_since, None);
        assert_eq!(rejected.apply_account_edit(named("b"), ACCOUNT, LATER), None);
        let again = rejected.apply_account_edit(named("c"), ACCOUNT, LATER).unwrap();
        assert_eq!((again.state, again.waiting_since), (ListingState::Pending, Some(LATER)));
        assert_eq!((again.submitter, again.revision), (Some(account), 4));
        let public = again.with_state(ListingState::Published, staff()).unwrap();
        let changed = public.apply_account_edit(named("d"), ACCOUNT, LATER).unwrap();
        assert_eq!((changed.state, changed.waiting_since), (ListingState::Published, None));
    }

    /// What an account does to a listing never looks like a decision of staff, nor the reverse.
    #[test]
    fn a_listing_says_who_ended_it_and_why() {
        let submitted = Listing::submitted(Uuid::nil(), ACCOUNT, named("a"), NOW);
        assert_eq!(submitted.ended(), None);
        let own = StateCause::account(ACCOUNT, LATER);
        let withdraw =
            |it: &Listing| it.after_own_action(OwnAction::Withdraw, ACCOUNT, LATER).unwrap().0;
        let withdrawn = withdraw(&submitted);
        assert_eq!((withdrawn.state, withdrawn.waiting_since), (ListingState::Rejected, None));
        assert_eq!((withdrawn.revision, withdrawn.ended()), (2, Some(&own)));
        let by_staff = StateCause::staff(NOW, "Too dark");
        let rejected = submitted.with_state(ListingState::Rejected, by_staff.clone()).unwrap();
        assert_eq!(rejected.ended(), Some(&by_staff));
        let put_away = withdraw(&rejected);
        assert_eq!((put_away.state, put_away.revision), (ListingState::Rejected, 3));
        assert_eq!(put_away.ended(), Some(&own));
        let edited = put_away.apply_account_edit(named("b"), ACCOUNT, LATER).unwrap();
        assert_eq!((edited.state, edited.ended()), (ListingState::Pending, None));
        let public = edited.with_state(ListingState::Published, staff()).unwrap();
        assert_eq!(public.after_own_action(OwnAction::Withdraw, ACCOUNT, LATER), None);
        let (removed, _) = public.after_own_action(OwnAction::TakeDown, ACCOUNT, LATER).unwrap();
        assert_eq!((removed.state, removed.ended()), (ListingState::Removed, Some(&own)));
    }

    #[test]
    fn the_time_of_first_publication_is_that_of_the_approval() {
        let much_later = datetime!(2027-01-01 12:00 UTC);
        let submitted = Listing::submitted(Uuid::nil(), Uuid::max(), named("a"), NOW);
        assert_eq!(submitted.first_published_at, None);
        let rejected = submitted.with_state(ListingState::Rejected, staff()).unwrap();
        assert_eq!(rejected.first_published_at, None);
        let public = submitted.with_state(ListingState::Published, staff()).unwrap();
        let removed =
            public.with_state(ListingState::Removed, StateCause::staff(much_later, "")).unwrap();
        let restored =
            removed.with_state(ListingState::Published, StateCause::staff(much_later, "")).unwrap();
        for listing in [public, removed, restored] {
            assert_eq!(listing.first_published_at, Some(LATER));
        }
        // An imported listing counts as public since the `created_at` of its row.
        let imported = Listing::imported(Uuid::nil(), Mode::Live, row("a"), LATER);
        assert_eq!(imported.first_published_at, Some(LATER));
        let corrected = RowContent { created_at: Some(NOW), ..row("a") };
        let corrected = imported.replaced_by(&corrected, much_later).unwrap();
        assert_eq!(corrected.first_published_at, Some(NOW));
    }

    #[test]
    fn times_that_a_row_gives_are_kept() {
        let stated = RowContent { created_at: Some(NOW), ..row("a") };
        let listing = Listing::imported(Uuid::nil(), Mode::Test, stated.clone(), LATER);
        assert_eq!((listing.created_at, listing.updated_at), (NOW, NOW));
        assert_eq!(listing.replaced_by(&stated, LATER), None);
    }
}
