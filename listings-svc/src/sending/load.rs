//! Loads what decisions are made on: with its rows locked for those that are written, or just as it is for those that are not.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use sqlx::PgConnection;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::desk::{Account, Desk, Shelf};
use super::{Rules, Sent, Target};
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::record::Record as _;
use crate::domain::state::State;
use crate::domain::{slug, text};
use crate::store::accounts::{self, Writes};
use crate::store::idempotency::{self, Name};
use crate::store::owners::{self, Owned};
use crate::store::{Found, Locked, Stored as _, pages};

/// Slugs with the same base that are looked for at first; twice as many each further time.
const WINDOW: usize = 8;

/// For calls that are written: accounts and listings are locked, in this order.
pub(super) async fn locked(
    connection: &mut PgConnection,
    sent: &[&Sent],
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<Desk, sqlx::Error> {
    let known = rules.vocabulary.now(connection, sent, now).await?;
    let authors: BTreeSet<Uuid> = sent.iter().map(|one| one.author.account).collect();
    let authors: Vec<Uuid> = authors.into_iter().collect();
    let writes = accounts::lock(connection, &authors, now.date()).await?;
    // Those that are not locked are left for later, and nothing is locked for them.
    let sent: Vec<&Sent> = (sent.iter().copied())
        .filter(|one| writes.contains_key(&one.author.account))
        .collect();
    let names: Vec<Name> = (sent.iter())
        .filter_map(|one| one.once.as_ref().map(|once| once.name.clone()))
        .collect();
    let kept = if names.is_empty() {
        Vec::new()
    } else {
        idempotency::find(connection, &names, now).await?
    };
    let mut shelves = Shelves::default();
    let wanted = Wanted::of(&sent);
    if !wanted.games.is_empty() {
        let found = Listing::<Game>::lock(connection, Mode::Live, &wanted.games).await?;
        shelves.games.put_locked(found);
    }
    if !wanted.events.is_empty() {
        let found = Listing::<Event>::lock(connection, Mode::Live, &wanted.events).await?;
        shelves.events.put_locked(found);
    }
    if !wanted.pages.is_empty() {
        let found = Listing::<Page>::lock(connection, Mode::Live, &wanted.pages).await?;
        shelves.sheets.put_locked(found);
    }
    let own = owned(connection, &authors, &shelves, &wanted).await?;
    shelves.find_slugs(connection, &wanted).await?;
    let waiting = waiting(connection, &sent, &shelves).await?;
    let accounts = (writes.into_iter())
        .map(|(id, writes)| (id, account(writes, waiting.get(&id))))
        .collect();
    Ok(Desk {
        now,
        addresses: rules.addresses.clone(),
        most_waiting: rules.most_waiting,
        known,
        samples: false,
        accounts,
        pages: own,
        new_owners: Vec::new(),
        sheets: shelves.sheets,
        games: shelves.games,
        events: shelves.events,
        kept: kept.into_iter().collect(),
        to_keep: Vec::new(),
    })
}

/// For a call that shall write nothing.
pub(super) async fn looked_at(
    connection: &mut PgConnection,
    sent: &Sent,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<Desk, sqlx::Error> {
    let known = rules.vocabulary.now(connection, &[sent], now).await?;
    let (author, mode) = (sent.author.account, sent.author.mode);
    let samples = mode == Mode::Test;
    let wanted = Wanted::of(&[sent]);
    let mut shelves = Shelves::default();
    let found = Listing::<Game>::find(connection, mode, &wanted.games).await?;
    shelves.games.put(found);
    let found = Listing::<Event>::find(connection, mode, &wanted.events).await?;
    shelves.events.put(found);
    let found = Listing::<Page>::find(connection, mode, &wanted.pages).await?;
    shelves.sheets.put(found);
    shelves.find_slugs(connection, &wanted).await?;
    let mut own = owned(connection, &[author], &shelves, &wanted).await?;
    let (writes, waiting) = if samples {
        let mut everybodys = Listing::<Page>::find(connection, mode, &wanted.handles).await?;
        everybodys.extend(pages::with_ids(connection, &shelves.page_ids()).await?);
        own.extend(everybodys.into_iter().map(|page| page.owned_by(author)));
        (None, HashMap::new())
    } else {
        let writes = accounts::find(connection, author).await?;
        let waiting = accounts::waiting(connection, &[author]).await?;
        (writes, waiting)
    };
    let writes = writes.unwrap_or_else(|| nothing_on(now.date()));
    Ok(Desk {
        now,
        addresses: rules.addresses.clone(),
        most_waiting: rules.most_waiting,
        known,
        samples,
        accounts: [(author, account(writes, waiting.get(&author)))].into(),
        pages: own,
        new_owners: Vec::new(),
        sheets: shelves.sheets,
        games: shelves.games,
        events: shelves.events,
        kept: HashMap::new(),
        to_keep: Vec::new(),
    })
}

/// What bodies and paths name.
#[derive(Debug, Default)]
struct Wanted {
    games: Vec<String>,
    events: Vec<String>,
    /// Handles of pages that are to be changed.
    pages: Vec<String>,
    /// Handles of all pages that are named.
    handles: Vec<String>,
    /// Bases of the slugs of new games and events, with how many there are of each.
    new_games: HashMap<String, usize>,
    new_events: HashMap<String, usize>,
    new_pages: HashMap<String, usize>,
}

impl Wanted {
    fn of(sent: &[&Sent]) -> Self {
        let (mut games, mut events) = (BTreeSet::new(), BTreeSet::new());
        let (mut pages, mut handles) = (BTreeSet::new(), BTreeSet::new());
        let mut wanted = Self::default();
        for one in sent {
            let base = |field: &str, nothing: &str| {
                let title = one.body.get(field).and_then(|title| title.as_str());
                let title = title.and_then(|raw| text::line(raw, text::TITLE).ok());
                let slug = title.and_then(|title| slug::from_title(&title));
                slug.unwrap_or_else(|| nothing.to_owned())
            };
            let new = match &one.target {
                Target::NewGame => Some((&mut wanted.new_games, base("title", "game"))),
                Target::NewEvent => Some((&mut wanted.new_events, base("title", "event"))),
                Target::NewPage => {
                    let handle = one.body.get("handle").and_then(|handle| handle.as_str());
                    let handle = handle.filter(|handle| slug::is_valid(handle));
                    let base = handle.map_or_else(|| base("name", "page"), ToOwned::to_owned);
                    Some((&mut wanted.new_pages, base))
                }
                Target::Game(_) | Target::Event(_) | Target::Page(_) => None,
            };
            if let Some((bases, base)) = new {
                *bases.entry(base).or_default() += 1;
            }
            let known = match &one.target {
                Target::Game(slug) => Some((&mut games, slug)),
                Target::Event(slug) => Some((&mut events, slug)),
                Target::Page(handle) => Some((&mut pages, handle)),
                Target::NewGame | Target::NewEvent | Target::NewPage => None,
            };
            // What is no slug names nothing; and PostgreSQL takes no text with a NUL in it.
            if let Some((names, name)) = known
                && slug::is_valid(name)
            {
                names.insert(name.clone());
            }
            let creator = one.body.get("creator");
            let creator = creator.map(|creator| creator.get("handle").unwrap_or(creator));
            let handle = creator.and_then(|handle| handle.as_str()).map(str::trim);
            let handle = handle.filter(|handle| slug::is_valid(handle));
            handles.extend(handle.map(ToOwned::to_owned));
        }
        wanted.games = games.into_iter().collect();
        wanted.events = events.into_iter().collect();
        handles.extend(pages.iter().cloned());
        wanted.pages = pages.into_iter().collect();
        wanted.handles = handles.into_iter().collect();
        wanted
    }
}

#[derive(Debug, Default)]
struct Shelves {
    sheets: Shelf<Page>,
    games: Shelf<Game>,
    events: Shelf<Event>,
}

impl Shelves {
    fn page_ids(&self) -> Vec<Uuid> {
        let ids: HashSet<Uuid> = (self.games.held.values())
            .map(|game| game.content.page_id)
            .collect();
        ids.into_iter().collect()
    }

    /// Finds out which slugs are free for what is new.
    async fn find_slugs(
        &mut self,
        connection: &mut PgConnection,
        wanted: &Wanted,
    ) -> Result<(), sqlx::Error> {
        free(connection, &mut self.sheets, &wanted.new_pages).await?;
        free(connection, &mut self.games, &wanted.new_games).await?;
        free(connection, &mut self.events, &wanted.new_events).await
    }
}

/// Notes which slugs are taken, until there are as many free ones of each base as are wanted.
async fn free<C>(
    connection: &mut PgConnection,
    shelf: &mut Shelf<C>,
    wanted: &HashMap<String, usize>,
) -> Result<(), sqlx::Error>
where
    Listing<C>: Found,
{
    let mut open = wanted.clone();
    let mut window = (1, WINDOW);
    while let Some((names, next)) = candidates(&open, window) {
        let taken = Listing::<C>::taken(connection, &names).await?;
        settle(&mut open, &mut shelf.taken, taken, window);
        window = next;
    }
    Ok(())
}

/// The slugs of a window, and the window after it; `None` when all bases have their free ones.
fn candidates(
    open: &HashMap<String, usize>,
    (first, length): (usize, usize),
) -> Option<(Vec<String>, (usize, usize))> {
    let numbers = first..first + length;
    let names: Vec<String> = (open.keys())
        .flat_map(|base| numbers.clone().map(move |n| slug::numbered(base, n)))
        .collect();
    (!names.is_empty()).then_some((names, (first + length, length * 2)))
}

/// Takes note of what is taken, and leaves the bases that want more than the window has.
fn settle(
    open: &mut HashMap<String, usize>,
    all: &mut HashSet<String>,
    taken: Vec<String>,
    (first, length): (usize, usize),
) {
    all.extend(taken);
    open.retain(|base, wanted| {
        let names = (first..first + length).map(|n| slug::numbered(base, n));
        let free = names.filter(|name| !all.contains(name)).count();
        *wanted = wanted.saturating_sub(free);
        *wanted > 0
    });
}

impl<C> Shelf<C>
where
    Listing<C>: crate::domain::record::Record,
{
    fn put(&mut self, found: Vec<Listing<C>>) {
        let named = found
            .into_iter()
            .map(|listing| (listing.key().to_owned(), Arc::new(listing)));
        self.held.extend(named);
    }

    fn put_locked(&mut self, found: Locked<Listing<C>>) {
        self.put(found.held);
        self.elsewhere.extend(found.elsewhere);
    }
}

async fn owned(
    connection: &mut PgConnection,
    authors: &[Uuid],
    shelves: &Shelves,
    wanted: &Wanted,
) -> Result<Vec<Owned>, sqlx::Error> {
    let ids = shelves.page_ids();
    if ids.is_empty() && wanted.handles.is_empty() {
        return Ok(Vec::new());
    }
    owners::find(connection, authors, &ids, &wanted.handles).await
}

/// How much waits, of the accounts for which that matters: those that send something in, or change what was rejected.
async fn waiting(
    connection: &mut PgConnection,
    sent: &[&Sent],
    shelves: &Shelves,
) -> Result<HashMap<Uuid, i64>, sqlx::Error> {
    let submits = |one: &&&Sent| match &one.target {
        Target::NewGame | Target::NewEvent | Target::NewPage => true,
        Target::Page(handle) => shelves
            .sheets
            .held
            .get(handle)
            .is_some_and(|page| page.state == State::Rejected),
        Target::Game(slug) => shelves
            .games
            .held
            .get(slug)
            .is_some_and(|game| game.state == State::Rejected),
        Target::Event(slug) => shelves
            .events
            .held
            .get(slug)
            .is_some_and(|event| event.state == State::Rejected),
    };
    let accounts: HashSet<Uuid> = (sent.iter().filter(submits))
        .map(|one| one.author.account)
        .collect();
    if accounts.is_empty() {
        return Ok(HashMap::new());
    }
    let accounts: Vec<Uuid> = accounts.into_iter().collect();
    accounts::waiting(connection, &accounts).await
}

impl Listing<Page> {
    /// A sample, as if it were the account's own.
    fn owned_by(self, account: Uuid) -> Owned {
        Owned {
            account,
            id: self.id,
            handle: self.content.handle,
            name: self.content.name,
            country_code: self.content.country_code,
            city: self.content.city,
            rejected: self.state == State::Rejected,
        }
    }
}

fn account(writes: Writes, waiting: Option<&i64>) -> Account {
    Account {
        writes,
        wrote: false,
        waiting: waiting.copied().unwrap_or_default(),
    }
}

const fn nothing_on(day: Date) -> Writes {
    Writes { day, count: 0 }
}
