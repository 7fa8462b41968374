//! How many deliveries to an endpoint are in flight at once: more while it answers, fewer while it fails, like TCP's congestion window.

/// At first.
const START: usize = 8;

/// The window of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    size: usize,
    most: usize,
}

impl Window {
    /// A window that grows up to `most`.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            size: START.min(most),
            most,
        }
    }

    /// How many are in flight at once.
    pub fn size(self) -> usize {
        self.size
    }

    /// The endpoint took a delivery.
    pub fn grow(&mut self) {
        self.size = (self.size + 1).min(self.most);
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
        fn a_window_stays_within_its_bounds(most in 0..300_usize, answers: Vec<bool>) {
            let mut window = Window::new(most);
            for took in answers {
                if took { window.grow() } else { window.shrink() }
                prop_assert!((1..=most.max(1)).contains(&window.size()));
            }
        }
    }

    #[test]
    fn three_failures_leave_one_in_flight() {
        let mut window = Window::new(64);
        for _ in 0..3 {
            window.shrink();
        }
        assert_eq!(window.size(), 1);
    }
}
