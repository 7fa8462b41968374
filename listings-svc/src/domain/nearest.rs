//! The nearest of a few names, for messages that point to what was meant.

/// The one of `names` that is fewest edits away from `wrong`.
pub fn nearest<'n>(wrong: &str, names: &[&'n str]) -> Option<&'n str> {
    // Nobody means a field by a name of this length.
    let wrong: Vec<char> = wrong.to_lowercase().chars().take(40).collect();
    names
        .iter()
        .min_by_key(|name| distance(&wrong, name))
        .copied()
}

/// Edits (a character put in, taken out or replaced, or two neighbours exchanged) from one text to the other, without regard to case.
/// A name that was only begun is one edit away.
fn distance(wrong: &[char], name: &str) -> usize {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    if wrong.len() >= 3 && name.starts_with(wrong) {
        return usize::from(wrong.len() < name.len());
    }
    // rows[i][j]: edits from the first i characters of the one to the first j of the other.
    let mut rows = vec![vec![0; name.len() + 1]; wrong.len() + 1];
    for i in 0..=wrong.len() {
        for j in 0..=name.len() {
            rows[i][j] = match (i, j) {
                (0, n) | (n, 0) => n,
                _ => {
                    let replaced = rows[i - 1][j - 1] + usize::from(wrong[i - 1] != name[j - 1]);
                    replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
                }
            };
            if i > 1 && j > 1 && wrong[i - 1] == name[j - 2] && wrong[i - 2] == name[j - 1] {
                rows[i][j] = rows[i][j].min(rows[i - 2][j - 2] + 1);
            }
        }
    }
    rows[wrong.len()][name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["title", "tagline", "release_year", "trailer_url"];
        assert_eq!(nearest("titel", &names), Some("title"));
        assert_eq!(nearest("releaseYear", &names), Some("release_year"));
        assert_eq!(nearest("trailer", &names), Some("trailer_url"));
        assert_eq!(nearest("Title", &names), Some("title"));
        assert_eq!(nearest("nmae", &["note", "name"]), Some("name"));
        assert_eq!(nearest("x", &[]), None);
    }
}
