//! The congestion window of an endpoint: the number of its deliveries in flight grows with each success and halves with each failure.

/// Initial size.
const INITIAL: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    size: usize,
    max: usize,
}

impl Window {
    /// A window that grows up to `max`.
    pub fn new(max: usize) -> Self {
        let max = max.max(1);
        Self { size: INITIAL.min(max), max }
    }

    /// Maximum deliveries in flight.
    pub fn size(self) -> usize {
        self.size
    }

    /// A delivery succeeded.
    pub fn grow(&mut self) {
        self.size = (self.size + 1).min(self.max);
    }

    /// A delivery failed.
    pub fn shrink(&mut self) {
        self.size = (self.size / 2).max(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_window_stays_within_its_bounds(max in 0..300_usize, answers: Vec<bool>) {
            let mut window = Window::new(max);
            for took in answers {
                if took { window.grow() } else { window.shrink() }
                prop_assert!((1..=max.max(1)).contains(&window.size()));
            }
        }
    }

    #[test]
    fn three_failures_shrink_the_window_to_one() {
        let mut window = Window::new(64);
        for _ in 0..3 {
            window.shrink();
        }
        assert_eq!(window.size(), 1);
    }
}
