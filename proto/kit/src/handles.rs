//! Handles of metrics, kept by their labels: to find one by its name and labels costs more than to count with it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// The handles of one metric that a thread has used. Make it a `thread_local!`; labels must come from a bounded set, as for any
/// metric.
#[derive(Debug)]
pub struct Handles<L, M>(RefCell<HashMap<L, M>>);

impl<L, M> Default for Handles<L, M> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<L: Hash + Eq, M> Handles<L, M> {
    /// Uses the handle for `labels`, which is made when there is none.
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
    fn a_handle_is_made_once_for_its_labels() {
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
