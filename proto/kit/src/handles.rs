//! A cache of metric handles by their labels: looking a handle up by name and labels costs more than using it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// The handles of a metric, cached by label values. Use it as a `thread_local!`. The set of label values must be bounded, as for any metric.
#[derive(Debug)]
pub struct Handles<L, M>(RefCell<HashMap<L, M>>);

impl<L, M> Default for Handles<L, M> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<L: Hash + Eq, M> Handles<L, M> {
    /// Calls `work` with the handle for `labels`; `make` creates it on first use.
    pub fn with(&self, labels: L, make: impl FnOnce(&L) -> M, work: impl FnOnce(&M)) {
        let mut handles = self.0.borrow_mut();
        let handle = handles.entry(labels).or_insert_with_key(make);
        work(handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_created_once_per_label() {
        let handles = Handles::default();
        let mut made = 0;
        for label in ["games", "events", "games"] {
            handles.with(
                label,
                |label| {
                    made += 1;
                    label.len()
                },
                |handle| assert_eq!(*handle, label.len()),
            );
        }
        assert_eq!(made, 2);
    }
}
