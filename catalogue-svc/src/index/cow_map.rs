//! A persistent map from names (slugs, handles, tags) to what is found under them.

use std::borrow::Borrow;
use std::hash::{BuildHasher as _, Hash, RandomState};

use super::cow_vec::CowVec;

/// Buckets of a map: sixty names in each when there are a million.
const BUCKETS: u32 = 1 << 14;

type Bucket<N, V> = Vec<(N, V)>;

/// Values by name. Clones share their buckets; a change copies one.
#[derive(Debug, Clone)]
pub(super) struct CowMap<N, V> {
    buckets: CowVec<Bucket<N, V>>,
    hasher: RandomState,
}

impl<N, V> Default for CowMap<N, V> {
    fn default() -> Self {
        Self {
            buckets: CowVec::default(),
            hasher: RandomState::new(),
        }
    }
}

impl<N: Clone + Eq + Hash, V: Clone> CowMap<N, V> {
    fn bucket(&self, name: &(impl Hash + ?Sized)) -> u32 {
        // The remainder is below BUCKETS, so it fits.
        u32::try_from(self.hasher.hash_one(name) % u64::from(BUCKETS)).unwrap_or_default()
    }

    pub(super) fn get<Q>(&self, name: &Q) -> Option<&V>
    where
        N: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let bucket = self.buckets.get(self.bucket(name))?;
        let (_, value) = bucket.iter().find(|(held, _)| held.borrow() == name)?;
        Some(value)
    }

    pub(super) fn insert(&mut self, name: &N, value: V) {
        let bucket = self.buckets.make(self.bucket(name));
        match bucket.iter_mut().find(|(held, _)| held == name) {
            Some((_, held)) => *held = value,
            None => bucket.push((name.clone(), value)),
        }
    }

    /// The value, made when there is none, to be changed.
    pub(super) fn make(&mut self, name: &N) -> &mut V
    where
        V: Default,
    {
        let bucket = self.buckets.make(self.bucket(name));
        let place = bucket.iter().position(|(held, _)| held == name);
        let place = place.unwrap_or_else(|| {
            bucket.push((name.clone(), V::default()));
            bucket.len() - 1
        });
        &mut bucket[place].1
    }

    pub(super) fn remove(&mut self, name: &N) {
        let bucket = self.buckets.make(self.bucket(name));
        bucket.retain(|(held, _)| held != name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn finds_by_name() {
        let mut named = CowMap::default();
        let names: Vec<Arc<str>> = (0..50_000).map(|n| format!("game-{n}").into()).collect();
        for (name, value) in names.iter().zip(0_u32..) {
            named.insert(name, value);
        }
        let before = named.clone();
        *named.make(&names[7]) += 1;
        named.remove(&names[9]);
        assert_eq!(named.get("game-7"), Some(&8));
        assert_eq!(named.get("game-9"), None);
        assert_eq!(named.get("game-49999"), Some(&49_999));
        assert_eq!(before.get("game-7"), Some(&7));
        assert_eq!(before.get("game-9"), Some(&9));
        assert_eq!(before.get("game-x"), None);
    }
}
