//! Cities: those that public creators name as theirs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use contracts::public;

use crate::domain::keyword::Keyword;
use crate::domain::listing::Mode;
use crate::index::cities::City;
use crate::index::creators::CreatorSummary;
use crate::index::document::Document;
use crate::index::listing_index::Index;
use crate::index::postings::DocSet;
use crate::index::snapshot::Snapshot;

/// How creators spell cities, and which cities must be counted again.
#[derive(Debug, Default)]
pub(super) struct Cities {
    /// For each city, how many creators use each spelling.
    spellings: HashMap<Slug, BTreeMap<Spelling, u64>>,
    changed: HashSet<Slug>,
}

/// A city of one mode.
type Slug = (Mode, Arc<str>);

/// Name of a city and code of its country, as a page has them.
type Spelling = (Box<str>, Box<str>);

impl Cities {
    /// A creator is public now.
    pub(super) fn add_creator(&mut self, mode: Mode, creator: &CreatorSummary) {
        if let Some(slug) = self.mark_changed(mode, creator) {
            let spellings = self.spellings.entry(slug).or_default();
            *spellings.entry(spelling(creator)).or_default() += 1;
        }
    }

    /// A creator that was public has gone, or changed.
    pub(super) fn remove_creator(&mut self, mode: Mode, creator: &CreatorSummary) {
        if let Some(slug) = self.mark_changed(mode, creator)
            && let Some(spellings) = self.spellings.get_mut(&slug)
            && let Some(count) = spellings.get_mut(&spelling(creator))
        {
            *count -= 1;
            spellings.retain(|_, count| *count > 0);
            if spellings.is_empty() {
                self.spellings.remove(&slug);
            }
        }
    }

    /// Marks the city of a creator as changed, since the creator or one of its games has. Returns the city.
    pub(super) fn mark_changed(&mut self, mode: Mode, creator: &CreatorSummary) -> Option<Slug> {
        if creator.city_slug.is_empty() {
            return None;
        }
        let slug = (mode, Arc::clone(&creator.city_slug));
        self.changed.insert(slug.clone());
        Some(slug)
    }

    /// Updates the rows of the cities that were marked as changed.
    pub(super) fn recount(&mut self, snapshot: &mut Snapshot) -> anyhow::Result<()> {
        for slug in std::mem::take(&mut self.changed) {
            let dataset = snapshot.dataset_mut(slug.0);
            let old = dataset.cities.get(&slug.1).cloned();
            let Some((name, country_code)) = self.spelling_of(&slug) else {
                if let Some(old) = old {
                    dataset.cities.remove(&old);
                }
                continue;
            };
            let keyword = Keyword::City(Arc::clone(&slug.1));
            let city = City::new(&public::CityRow {
                slug: slug.1.as_ref().to_owned(),
                name: name.clone().into(),
                country_code: country_code.clone().into(),
                creators: count(&dataset.creators, &keyword),
                games: count(&dataset.games, &keyword),
            })?;
            match old {
                Some(old) => dataset.cities.update(&old, Arc::new(city)),
                None => dataset.cities.insert(Arc::new(city)),
            }
        }
        Ok(())
    }

    /// The most frequent spelling of a city; of equally frequent ones the first in the alphabet. `None`: no creator is there.
    fn spelling_of(&self, slug: &Slug) -> Option<&Spelling> {
        let spellings = self.spellings.get(slug)?.iter();
        let most = spellings
            .max_by(|(a, a_count), (b, b_count)| a_count.cmp(b_count).then_with(|| b.cmp(a)));
        most.map(|(spelling, _)| spelling)
    }
}

fn spelling(creator: &CreatorSummary) -> Spelling {
    (creator.city.clone(), creator.country_code.clone())
}

fn count<L: Document>(index: &Index<L>, keyword: &Keyword) -> u64 {
    index.docs_with(keyword).map_or(0, DocSet::len)
}
