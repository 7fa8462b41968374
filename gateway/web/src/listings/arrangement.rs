//! The order and the texts of screenshots, as a form has them.

/// A screenshot as the form of the order has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arranged {
    pub(super) url: String,
    pub(super) alt: String,
}

/// The name of the field in a service's error about the text of a screenshot.
pub(super) fn alt_path(index: usize) -> String {
    format!("screenshots.{index}.alt")
}

/// Sorts the screenshots by their typed places. A screenshot that moves up comes before the one whose place it takes; one that moves down
/// comes after it.
pub(super) fn arrangement(pairs: &[(String, String)]) -> Vec<Arranged> {
    let all = |name: &str| -> Vec<&str> {
        let values = pairs.iter().filter(|(it, _)| it == name);
        values.map(|(_, value)| value.as_str()).collect()
    };
    let (urls, alts, places) = (all("url"), all("alt"), all("place"));
    let mut rows: Vec<(i64, Arranged)> = Vec::new();
    for (before, (index, url)) in (1_i64..).zip(urls.iter().enumerate()) {
        let alt = alts.get(index).copied().unwrap_or_default();
        let place = places.get(index).and_then(|place| place.parse().ok());
        let place: i64 = place.filter(|place| (1..=1_000).contains(place)).unwrap_or(before);
        let arranged = Arranged { url: (*url).to_owned(), alt: alt.to_owned() };
        rows.push((2 * place + (place - before).signum(), arranged));
    }
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, arranged)| arranged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(places: &[i64]) -> String {
        let mut pairs = Vec::new();
        for (name, place) in ["a", "b", "c", "d"].iter().zip(places) {
            pairs.push(("url".to_owned(), (*name).to_owned()));
            pairs.push(("alt".to_owned(), format!("text of {name}")));
            pairs.push(("place".to_owned(), place.to_string()));
        }
        let rows = arrangement(&pairs);
        assert!(rows.iter().all(|it| it.alt == format!("text of {}", it.url)));
        rows.into_iter().map(|it| it.url).collect()
    }

    #[test]
    fn a_screenshot_moves_to_the_typed_place() {
        for (places, order) in [
            ([1, 2, 3, 4], "abcd"),
            ([1, 2, 1, 4], "cabd"),
            ([3, 2, 3, 4], "bcad"),
            ([4, 3, 2, 1], "dcba"),
            ([2, 1, 3, 4], "bacd"),
            ([0, -5, 9_999, 4], "abcd"),
        ] {
            assert_eq!(arranged(&places), order, "{places:?}");
        }
    }
}
