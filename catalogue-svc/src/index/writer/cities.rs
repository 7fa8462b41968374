//! Cities: those that public creators name as theirs.

use std::collections::HashSet;
use std::sync::Arc;

use contracts::public;

use crate::domain::facet::Facet;
use crate::index::cities::City;
use crate::index::creators::CreatorSummary;
use crate::index::list::Query;
use crate::index::snapshot::Snapshot;
use kit::Mode;

/// The cities that must be counted again.
#[derive(Debug, Default)]
pub(super) struct Cities {
    changed: HashSet<(Mode, Arc<str>)>,
}

impl Cities {
    /// Marks the city of a creator as changed, since the creator or one of its games has.
    pub(super) fn mark_changed(&mut self, mode: Mode, creator: &CreatorSummary) {
        if !creator.city_slug.is_empty() {
            self.changed.insert((mode, Arc::clone(&creator.city_slug)));
        }
    }

    /// Updates the rows of the cities that were marked as changed. A city has the name that its first creator gives it.
    pub(super) fn recount(&mut self, snapshot: &mut Snapshot) -> anyhow::Result<()> {
        for (mode, slug) in std::mem::take(&mut self.changed) {
            let dataset = snapshot.dataset_mut(mode);
            let old = dataset.cities.get(&slug).cloned();
            let city = Facet::City(Arc::clone(&slug));
            let games = dataset.games.count(&city);
            let creators = dataset.creators.search(&Query {
                facets: vec![city],
                backwards: true,
                limit: 1,
                ..Query::default()
            });
            let Some(first) = creators.rows.first() else {
                if let Some(old) = old {
                    dataset.cities.remove(&old);
                }
                continue;
            };
            let city = City::new(&public::CityRow {
                slug: slug.as_ref().to_owned(),
                name: first.summary.city.clone().into(),
                country_code: first.summary.country_code.clone().into(),
                creators: creators.total,
                games,
            })?;
            match old {
                Some(old) => dataset.cities.update(&old, Arc::new(city)),
                None => dataset.cities.insert(Arc::new(city)),
            }
        }
        Ok(())
    }
}
