//! Giving pictures to listings and taking them out, inside the writer's transaction.

use kit::Fault;
use kit::feed::Applied;
use kit::rpc::staff::Member;
use serde::Serialize;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::moderate::none;
use super::record_change::{StaffAction, by_staff};
use crate::domain::deed::Deed;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::lists::{MOST, Screenshot};
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::picture::{Name, Pair};
use crate::domain::state::State;
use crate::feed::{Happened, PublicUrl, Publish};
use crate::store::pictures;
use crate::store::{Changed, Stored as _};

/// A change of the pictures of one listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Illustration {
    /// Which world the listing belongs to.
    pub mode: Mode,
    /// Its slug or handle.
    pub name: String,
    /// What becomes of its pictures.
    pub change: Change,
    /// Who of the staff changes them.
    pub by: Member,
}

/// What becomes of the pictures of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// This is a game's cover.
    Cover(Pair),
    /// This is a page's avatar.
    Avatar(Pair),
    /// This is one of a game's screenshots.
    Screenshot {
        /// The picture.
        picture: Pair,
        /// What it shows.
        alt: String,
        /// Its place among the others; behind the last when there is none.
        place: Option<usize>,
    },
    /// A game has no cover.
    NoCover,
    /// A page has no avatar.
    NoAvatar,
    /// A game does not have the screenshot of this address, as listings keep it.
    NoScreenshot(String),
}

impl Change {
    /// The files that the listing names with it.
    fn files(&self) -> Vec<Name> {
        match self {
            Self::Cover(pair) | Self::Avatar(pair) | Self::Screenshot { picture: pair, .. } => {
                vec![pair.large.name.clone(), pair.small.name.clone()]
            }
            Self::NoCover | Self::NoAvatar | Self::NoScreenshot(_) => Vec::new(),
        }
    }
}

/// Content that has pictures.
trait Illustrated: Clone {
    /// The content after a change.
    ///
    /// # Errors
    /// There is no room.
    fn illustrated(&self, change: &Change) -> Result<Self, Fault>;
}

impl Illustrated for Page {
    fn illustrated(&self, change: &Change) -> Result<Self, Fault> {
        let mut page = self.clone();
        match change {
            Change::Avatar(pair) => page.avatar_url = Some(pair.large.name.address()),
            Change::NoAvatar => page.avatar_url = None,
            _ => {}
        }
        Ok(page)
    }
}

impl Illustrated for Game {
    fn illustrated(&self, change: &Change) -> Result<Self, Fault> {
        let mut game = self.clone();
        match change {
            Change::Cover(pair) => game.cover_url = Some(pair.large.name.address()),
            Change::NoCover => game.cover_url = None,
            Change::Screenshot {
                picture,
                alt,
                place,
            } => {
                let shown = Screenshot {
                    url: picture.large.name.address(),
                    width: picture.large.width,
                    height: picture.large.height,
                    alt: alt.clone(),
                };
                place_screenshot(&mut game.screenshots, shown, *place)?;
            }
            Change::NoScreenshot(url) => game.screenshots.retain(|shown| shown.url != *url),
            Change::Avatar(_) | Change::NoAvatar => {}
        }
        Ok(game)
    }
}

/// Puts a screenshot at its place. One that is there already moves; without a place it stays where it is.
fn place_screenshot(
    screenshots: &mut Vec<Screenshot>,
    shown: Screenshot,
    place: Option<usize>,
) -> Result<(), Fault> {
    let before = screenshots.iter().position(|it| it.url == shown.url);
    if let Some(at) = before {
        screenshots.remove(at);
    }
    if screenshots.len() >= MOST {
        return Err(Fault::invalid_field(
            "name",
            format!("This game has {MOST} screenshots, which are the most: take one out first."),
        ));
    }
    let at = place.or(before).unwrap_or(screenshots.len());
    screenshots.insert(at.min(screenshots.len()), shown);
    Ok(())
}

/// Changes the pictures of a listing.
pub async fn apply(
    connection: &mut PgConnection,
    wanted: &Illustration,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error> {
    match wanted.change {
        Change::Avatar(_) | Change::NoAvatar => {
            change::<Page>(connection, wanted, addresses, now).await
        }
        _ => change::<Game>(connection, wanted, addresses, now).await,
    }
}

async fn change<C>(
    connection: &mut PgConnection,
    wanted: &Illustration,
    addresses: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Applied<()>, sqlx::Error>
where
    C: Illustrated + PartialEq,
    Listing<C>: Changed + Publish + Serialize,
{
    let names = std::slice::from_ref(&wanted.name);
    let locked = Listing::<C>::lock(connection, wanted.mode, names).await?;
    let Some(held) = locked.whole() else {
        return Ok(Applied::Busy);
    };
    // What was taken down is gone until it is restored, for pictures too.
    let standing = held.into_iter().find(|it| it.state != State::Removed);
    let Some(before) = standing else {
        return Ok(Applied::Refused(none()));
    };
    let content = match before.content.illustrated(&wanted.change) {
        Ok(content) => content,
        Err(fault) => return Ok(Applied::Refused(fault)),
    };
    let Some(after) = before.revised(content, now) else {
        return Ok(Applied::Done((), Vec::new()));
    };
    match pictures::mark_used(connection, &wanted.change.files()).await? {
        Some(true) => {}
        Some(false) => return Ok(Applied::Refused(swept())),
        None => return Ok(Applied::Busy),
    }
    let action = StaffAction {
        by: &wanted.by,
        deed: Deed::Edit,
        reason: "",
        now,
    };
    by_staff(connection, (&before, &after), action).await?;
    let announced = after.state == State::Published;
    let change = after.change(Happened::Updated, announced, addresses);
    Ok(Applied::Done((), vec![change]))
}

/// An upload that took so long that its files are gone again.
fn swept() -> Fault {
    Fault::unavailable("the files of an upload, which were swept away")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, alt: &str) -> Screenshot {
        Screenshot {
            url: name.to_owned(),
            width: 640,
            height: 480,
            alt: alt.to_owned(),
        }
    }

    fn order(screenshots: &[Screenshot]) -> String {
        screenshots.iter().map(|it| it.url.as_str()).collect()
    }

    #[test]
    fn a_screenshot_has_its_place_and_is_there_once() {
        let mut screenshots = Vec::new();
        for (name, place, expected) in [
            ("a", None, "a"),
            ("b", None, "ab"),
            ("c", Some(0), "cab"),
            ("d", Some(99), "cabd"),
            ("a", None, "cabd"),
            ("d", Some(1), "cdab"),
        ] {
            place_screenshot(&mut screenshots, shown(name, ""), place).unwrap();
            assert_eq!(order(&screenshots), expected);
        }
        place_screenshot(&mut screenshots, shown("b", "A hill"), None).unwrap();
        assert_eq!(screenshots[3], shown("b", "A hill"));
    }

    #[test]
    fn a_game_has_only_so_many() {
        let mut screenshots: Vec<Screenshot> =
            (0..MOST).map(|n| shown(&n.to_string(), "")).collect();
        assert!(place_screenshot(&mut screenshots, shown("one more", ""), None).is_err());
        assert!(place_screenshot(&mut screenshots, shown("7", "Again"), None).is_ok());
    }
}
