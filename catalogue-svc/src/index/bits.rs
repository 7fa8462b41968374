//! A bit for each row of a chunk.

/// A set of rows of one chunk, by their offset in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits(Box<[u64]>);

impl Bits {
    /// The empty set for a chunk of `capacity` rows.
    pub(super) fn none(capacity: usize) -> Self {
        Self(vec![0; capacity.div_ceil(64)].into_boxed_slice())
    }

    pub(super) fn has(&self, offset: u16) -> bool {
        let (word, bit) = position(offset);
        self.0[word] & bit != 0
    }

    pub(super) fn add(&mut self, offset: u16) {
        let (word, bit) = position(offset);
        self.0[word] |= bit;
    }

    pub(super) fn remove(&mut self, offset: u16) {
        let (word, bit) = position(offset);
        self.0[word] &= !bit;
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }

    /// Keeps the rows that are in `other` too.
    pub(super) fn retain(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The offsets in the set, in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> {
        let words = self.0.iter().zip((0_u16..).step_by(64));
        words.flat_map(|(word, first)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = u16::try_from(left.trailing_zeros())
                    .ok()
                    .filter(|bit| *bit < 64)?;
                left &= left - 1;
                Some(first + bit)
            })
        })
    }

    /// The lowest offset that is not in the set; it may be beyond the capacity.
    pub(super) fn first_free(&self) -> usize {
        let full = self.0.iter().take_while(|word| **word == u64::MAX).count();
        let ones = self.0.get(full).map_or(0, |word| word.trailing_ones());
        full * 64 + ones as usize
    }
}

fn position(offset: u16) -> (usize, u64) {
    (usize::from(offset / 64), 1 << (offset % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_set() {
        let mut bits = Bits::none(130);
        assert_eq!(bits.first_free(), 0);
        bits.add(0);
        bits.add(129);
        bits.add(0);
        assert_eq!((bits.count(), bits.first_free()), (2, 1));
        let mut both = bits.clone();
        bits.remove(0);
        bits.remove(0);
        assert!(both.iter().eq([0, 129]));
        both.retain(&bits);
        assert!(both.has(129) && !both.has(0));
        for place in 0..192 {
            bits.add(place);
        }
        assert_eq!(bits.first_free(), 192);
    }
}
