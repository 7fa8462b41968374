//! Suggests the known name that is closest to an unknown one, for messages.

/// Characters of the unknown name that are compared. No field name is this long.
const MAX_CHARS: usize = 40;

/// The name with the smallest edit distance to `unknown`, ignoring case; `None` when the distance is more than one edit per three
/// characters.
///
/// An edit inserts, removes or replaces a character, or swaps two neighbours. The beginning of a name is one edit away from it.
pub fn closest<'n>(unknown: &str, names: &[&'n str]) -> Option<&'n str> {
    #[cfg(test)]
    tests::LOOKUPS.with(|lookups| lookups.set(lookups.get() + 1));
    let unknown: String = unknown.chars().take(MAX_CHARS).collect();
    let unknown = unknown.to_lowercase();
    let distance = |name: &&&str| {
        let name = name.to_lowercase();
        if unknown.len() >= 3 && name.starts_with(&unknown) {
            return usize::from(unknown.len() < name.len());
        }
        strsim::osa_distance(&unknown, &name)
    };
    let max_edits = unknown.chars().count().max(3) / 3;
    let (edits, name) = names.iter().map(|name| (distance(&name), *name)).min()?;
    (edits <= max_edits).then_some(name)
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// The number of suggestions looked up on this thread.
        pub(in super::super) static LOOKUPS: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn the_closest_name_is_found() {
        let names = ["title", "tagline", "release_year", "trailer_url"];
        assert_eq!(closest("titel", &names), Some("title"));
        assert_eq!(closest("releaseYear", &names), Some("release_year"));
        assert_eq!(closest("trailer", &names), Some("trailer_url"));
        assert_eq!(closest("Title", &names), Some("title"));
        assert_eq!(closest("nmae", &["note", "name"]), Some("name"));
        assert_eq!(closest("x", &[]), None);
        for other in ["x", "slug", "stage", "foobar"] {
            assert_eq!(closest(other, &names), None, "{other}");
        }
    }
}
