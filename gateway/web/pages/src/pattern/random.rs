//! Numbers that follow from a text, the same on every machine: the hash FNV-1a, and `SplitMix64`.

/// The numbers of a text.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn of(text: &str) -> Self {
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash)
    }

    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) >> 33
    }

    /// One of 0, 1, … `count` − 1.
    pub(super) fn below(&mut self, count: i16) -> i16 {
        let count = u64::from(count.unsigned_abs().max(1));
        i16::try_from(self.number() % count).unwrap_or_default()
    }

    /// One of these; there is at least one.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let number = usize::try_from(self.number()).unwrap_or_default();
        from[number % from.len()]
    }

    /// The same in another order.
    pub(super) fn shuffled<T, const N: usize>(&mut self, mut all: [T; N]) -> [T; N] {
        for at in (1..N).rev() {
            let number = usize::try_from(self.number()).unwrap_or_default();
            all.swap(at, number % (at + 1));
        }
        all
    }
}
