//! The order and the texts of screenshots, as a form has them.
//!
//! The form carries the screenshots as they were when it was opened: fingerprints of each URL and
//! text, in their order, in the hidden field [`BASE`]. What differs from that was changed by the
//! person. Everything else is taken from the newest game, so that two people may describe different
//! screenshots, and a screenshot that was added or removed meanwhile does not stop the form.

use contracts::listings::v1::Screenshot;
use sha2::{Digest as _, Sha256};

use super::changes::BASE;

/// The most characters of a text, as listings-svc accepts it.
const MAX_ALT: usize = 300;

/// The screenshots of a form, in their typed order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Arrangement {
    pub(super) rows: Vec<ArrangedRow>,
    /// The screenshots when the form was opened.
    base: Vec<BaseRow>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrangedRow {
    pub(super) url: String,
    pub(super) alt: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct BaseRow {
    url_mark: String,
    alt_mark: String,
}

impl BaseRow {
    fn of(screenshot: &Screenshot) -> Self {
        Self { url_mark: mark(&screenshot.url), alt_mark: mark(&normalized(&screenshot.alt)) }
    }
}

/// What both the person and somebody else have changed since the form was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Conflicts {
    /// The index of a row, and the text that somebody else saved.
    pub(super) texts: Vec<(usize, String)>,
    /// Texts that the person has typed for screenshots that somebody else has removed.
    pub(super) lost: Vec<String>,
    pub(super) order: bool,
}

impl Conflicts {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.lost.is_empty() && !self.order
    }
}

/// The name of the field in a service's error about the text of a screenshot.
pub(super) fn alt_path(index: usize) -> String {
    format!("screenshots.{index}.alt")
}

impl Arrangement {
    /// The form of the stored screenshots.
    pub(super) fn of(stored: &[Screenshot]) -> Self {
        let row = |it: &Screenshot| ArrangedRow { url: it.url.clone(), alt: it.alt.clone() };
        Self {
            rows: stored.iter().map(row).collect(),
            base: stored.iter().map(BaseRow::of).collect(),
        }
    }

    /// Reads a sent form, and sorts its screenshots by their typed places. A screenshot that moves
    /// up comes before the one whose place it takes; one that moves down comes after it.
    pub(super) fn read(pairs: &[(String, String)]) -> Self {
        let all = |name: &str| -> Vec<&str> {
            let values = pairs.iter().filter(|(it, _)| it == name);
            values.map(|(_, value)| value.as_str()).collect()
        };
        let (urls, alts, places) = (all("url"), all("alt"), all("place"));
        let mut rows: Vec<(i64, ArrangedRow)> = Vec::new();
        for (before, (index, url)) in (1_i64..).zip(urls.iter().enumerate()) {
            let alt = alts.get(index).copied().unwrap_or_default();
            let place = places.get(index).and_then(|place| place.parse().ok());
            let place: i64 = place.filter(|place| (1..=1_000).contains(place)).unwrap_or(before);
            let row = ArrangedRow { url: (*url).to_owned(), alt: alt.to_owned() };
            rows.push((2 * place + (place - before).signum(), row));
        }
        rows.sort_by_key(|(place, _)| *place);
        let base = all(BASE).first().copied().unwrap_or_default();
        let base = base.split(' ').filter_map(|row| row.split_once('='));
        Self {
            rows: rows.into_iter().map(|(_, row)| row).collect(),
            base: base
                .map(|(url, alt)| BaseRow { url_mark: url.to_owned(), alt_mark: alt.to_owned() })
                .collect(),
        }
    }

    /// The value of the field [`BASE`].
    pub(super) fn base(&self) -> String {
        let rows = self.base.iter().map(|row| format!("{}={}", row.url_mark, row.alt_mark));
        rows.collect::<Vec<_>>().join(" ")
    }

    /// Whether the form has an order or a text that its person has changed.
    pub(super) fn is_edited(&self) -> bool {
        let opened = self.base_places();
        let is_text_edited = self.rows.iter().zip(&opened).any(|(row, place)| {
            place.is_none_or(|place| self.base[place].alt_mark != mark(&normalized(&row.alt)))
        });
        is_text_edited || !opened.is_sorted()
    }

    /// Leaves out the first screenshot with this URL, which is removed.
    pub(super) fn remove(&mut self, url: &str) {
        if let Some(index) = self.rows.iter().position(|row| row.url == url) {
            self.rows.remove(index);
        }
    }

    /// Whether the game has other texts, or another order, than the form. It is asked after a
    /// merge.
    pub(super) fn differs_from(&self, newest: &[Screenshot]) -> bool {
        !self
            .rows
            .iter()
            .map(|row| (&*row.url, normalized(&row.alt)))
            .eq(newest.iter().map(|it| (&*it.url, normalized(&it.alt))))
    }

    /// Takes from the newest game what the person has not changed since the form was opened.
    ///
    /// Screenshots that are gone are left out, with the texts that were typed for them, and those
    /// that were added come last. A text or an order that both have changed stays as it was typed,
    /// and keeps its base until [`Self::rebase`].
    pub(super) fn merge(&mut self, newest: &[Screenshot]) -> Conflicts {
        let mut left: Vec<usize> = (0..newest.len()).collect();
        let opened = self.base_places();
        let typed = std::mem::take(&mut self.rows);
        // The rows that still exist, with their places in the base and in the newest game.
        let mut rows: Vec<(ArrangedRow, Option<usize>, usize)> = Vec::new();
        let mut lost = Vec::new();
        for (row, opened) in typed.into_iter().zip(opened) {
            let found = left.iter().position(|index| newest[*index].url == row.url);
            if let Some(found) = found {
                rows.push((row, opened, left.remove(found)));
            } else if opened.is_some_and(|it| self.base[it].alt_mark != mark(&normalized(&row.alt)))
            {
                lost.push(row.alt);
            }
        }
        let is_moved = !rows.iter().map(|(_, opened, _)| *opened).is_sorted();
        let mut by_base: Vec<_> =
            rows.iter().map(|(_, opened, stored)| (*opened, *stored)).collect();
        by_base.sort_by_key(|(opened, _)| *opened);
        let is_moved_by_others = !by_base.iter().map(|(_, stored)| stored).is_sorted();
        let is_same_order = rows.iter().map(|(.., stored)| stored).is_sorted();
        let mut conflicts = Conflicts {
            lost,
            order: is_moved && is_moved_by_others && !is_same_order,
            ..Conflicts::default()
        };
        for index in left {
            let row =
                ArrangedRow { url: newest[index].url.clone(), alt: newest[index].alt.clone() };
            rows.push((row, None, index));
        }
        if !is_moved {
            rows.sort_by_key(|(.., stored)| *stored);
        }
        let mut base: Vec<BaseRow> = newest.iter().map(BaseRow::of).collect();
        for (index, (row, opened, stored)) in rows.iter_mut().enumerate() {
            let theirs = &newest[*stored].alt;
            let opened = opened.map_or_else(|| mark(""), |it| self.base[it].alt_mark.clone());
            let (typed, now) = (mark(&normalized(&row.alt)), mark(&normalized(theirs)));
            if typed == opened {
                row.alt.clone_from(theirs);
            } else if now != opened && now != typed {
                conflicts.texts.push((index, theirs.clone()));
                base[*stored].alt_mark = opened;
            }
        }
        if conflicts.order {
            // The order of the old base, with what was added meanwhile last.
            let mut places: Vec<_> = rows
                .iter()
                .map(|(_, opened, stored)| (opened.unwrap_or(usize::MAX), *stored))
                .collect();
            places.sort_unstable();
            base = places.into_iter().map(|(_, stored)| base[stored].clone()).collect();
        }
        self.base = base;
        self.rows = rows.into_iter().map(|(row, ..)| row).collect();
        conflicts
    }

    /// Makes the newest game the base: the person has been shown what others have changed.
    pub(super) fn rebase(&mut self, newest: &[Screenshot]) {
        self.base = newest.iter().map(BaseRow::of).collect();
    }

    /// The place of each row in the base; `None`: the form was opened without it.
    fn base_places(&self) -> Vec<Option<usize>> {
        let mut left: Vec<usize> = (0..self.base.len()).collect();
        let place = |row: &ArrangedRow| {
            let url = mark(&row.url);
            let found = left.iter().position(|place| self.base[*place].url_mark == url)?;
            Some(left.remove(found))
        };
        self.rows.iter().map(place).collect()
    }
}

/// The text as listings-svc stores it.
fn normalized(alt: &str) -> String {
    kit::api::text::line(alt, MAX_ALT).unwrap_or_else(|_invalid| alt.to_owned())
}

/// Tells texts apart.
fn mark(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(rows: &[(&str, &str)]) -> Vec<Screenshot> {
        let row = |(url, alt): &(&str, &str)| Screenshot {
            url: (*url).to_owned(),
            alt: (*alt).to_owned(),
            ..Screenshot::default()
        };
        rows.iter().map(row).collect()
    }

    /// The form as a browser sends it: URLs, texts and places of the rows of `form`.
    fn sent(form: &Arrangement, rows: &[(&str, &str, usize)]) -> Arrangement {
        let mut pairs = vec![(BASE.to_owned(), form.base())];
        for (url, alt, place) in rows {
            pairs.push(("url".to_owned(), (*url).to_owned()));
            pairs.push(("alt".to_owned(), (*alt).to_owned()));
            pairs.push(("place".to_owned(), place.to_string()));
        }
        Arrangement::read(&pairs)
    }

    fn rows(form: &Arrangement) -> Vec<(&str, &str)> {
        form.rows.iter().map(|row| (row.url.as_str(), row.alt.as_str())).collect()
    }

    #[test]
    fn a_screenshot_moves_to_the_typed_place() {
        let stored = game(&[("a", ""), ("b", ""), ("c", ""), ("d", "")]);
        let form = Arrangement::of(&stored);
        for (places, order) in [
            ([1, 2, 3, 4], "abcd"),
            ([1, 2, 1, 4], "cabd"),
            ([3, 2, 3, 4], "bcad"),
            ([4, 3, 2, 1], "dcba"),
            ([2, 1, 3, 4], "bacd"),
            ([0, 2, 9_999, 4], "abcd"),
        ] {
            let typed: Vec<_> = ["a", "b", "c", "d"]
                .iter()
                .zip(places)
                .map(|(url, place)| (*url, *url, place))
                .collect();
            let read = sent(&form, &typed);
            assert!(read.rows.iter().all(|row| row.url == row.alt));
            let found: String = read.rows.iter().map(|row| row.url.as_str()).collect();
            assert_eq!(found, order, "{places:?}");
        }
    }

    #[test]
    fn two_people_who_describe_different_screenshots_keep_both_texts() {
        let opened = Arrangement::of(&game(&[("a", ""), ("b", "")]));
        let mut mine = sent(&opened, &[("a", "", 1), ("b", "A road", 2)]);
        assert!(mine.is_edited());
        let newest = game(&[("a", "A hill"), ("b", "")]);
        assert_eq!(mine.merge(&newest), Conflicts::default());
        assert_eq!(rows(&mine), [("a", "A hill"), ("b", "A road")]);
        assert!(mine.differs_from(&newest));
        // The same form again, once it is saved.
        let saved = game(&[("a", "A hill"), ("b", "A road")]);
        let mut again = sent(&opened, &[("a", "", 1), ("b", " A road ", 2)]);
        assert_eq!(again.merge(&saved), Conflicts::default());
        assert!(!again.differs_from(&saved));
    }

    #[test]
    fn what_was_added_comes_last_and_what_is_gone_is_left_out() {
        let opened = Arrangement::of(&game(&[("a", ""), ("b", ""), ("c", "")]));
        let mut mine = sent(&opened, &[("a", "A", 3), ("b", "B", 2), ("c", "", 3)]);
        let newest = game(&[("a", ""), ("c", ""), ("d", "Dawn")]);
        let lost = vec!["B".to_owned()];
        assert_eq!(mine.merge(&newest), Conflicts { lost, ..Conflicts::default() });
        assert_eq!(rows(&mine), [("c", ""), ("a", "A"), ("d", "Dawn")]);
        // Without an order of this person, that of the game holds.
        let mut unmoved = sent(&opened, &[("a", "", 1), ("b", "", 2), ("c", "C", 3)]);
        assert_eq!(unmoved.merge(&game(&[("d", ""), ("c", ""), ("a", "")])), Conflicts::default());
        assert_eq!(rows(&unmoved), [("d", ""), ("c", "C"), ("a", "")]);
    }

    #[test]
    fn a_text_that_both_have_changed_is_named_until_it_was_shown() {
        let opened = Arrangement::of(&game(&[("a", "Old"), ("b", "")]));
        let newest = game(&[("a", "Theirs"), ("b", "")]);
        let mut mine = sent(&opened, &[("a", "Mine", 1), ("b", "", 2)]);
        let conflicts = Conflicts { texts: vec![(0, "Theirs".to_owned())], ..Conflicts::default() };
        // Shown again for another reason, such as an upload, the form still knows its base.
        assert_eq!(mine.merge(&newest), conflicts);
        assert_eq!(mine.merge(&newest), conflicts);
        assert_eq!(rows(&mine), [("a", "Mine"), ("b", "")]);
        mine.rebase(&newest);
        let mut again = sent(&mine, &[("a", "Mine", 1), ("b", "", 2)]);
        assert!(again.merge(&newest).is_empty());
        assert!(again.differs_from(&newest));
        let mut same = sent(&opened, &[("a", "Theirs", 1), ("b", "", 2)]);
        assert!(same.merge(&newest).is_empty());
        assert!(!same.differs_from(&newest));
    }

    #[test]
    fn an_order_that_both_have_changed_is_named_until_it_was_shown() {
        let opened = Arrangement::of(&game(&[("a", ""), ("b", ""), ("c", "")]));
        let newest = game(&[("b", ""), ("a", ""), ("c", ""), ("d", "")]);
        let mut mine = sent(&opened, &[("a", "", 1), ("b", "", 3), ("c", "", 3)]);
        for _ in 0..2 {
            let conflicts = mine.merge(&newest);
            assert_eq!(conflicts, Conflicts { order: true, ..Conflicts::default() });
            assert_eq!(rows(&mine), [("a", ""), ("c", ""), ("b", ""), ("d", "")]);
        }
        mine.rebase(&newest);
        assert!(mine.merge(&newest).is_empty());
        assert!(mine.differs_from(&newest));
        let mut same = sent(&opened, &[("a", "", 2), ("b", "", 1), ("c", "", 3)]);
        assert!(same.merge(&newest).is_empty());
        assert!(!same.differs_from(&newest));
    }

    #[test]
    fn a_form_that_nobody_edited_has_nothing_to_save() {
        let stored = game(&[("a", "Same"), ("a", "Same"), ("b", "")]);
        let form = Arrangement::of(&stored);
        let mut read = sent(&form, &[("a", "Same", 1), ("a", "Same", 2), ("b", "", 3)]);
        assert!(!read.is_edited());
        assert!(read.merge(&stored).is_empty());
        assert!(!read.differs_from(&stored));
        read.remove("b");
        assert!(!read.is_edited());
        assert!(Arrangement::default().merge(&stored).is_empty());
        let mut without_base = Arrangement::read(&[("url".to_owned(), "b".to_owned())]);
        assert!(without_base.merge(&stored).is_empty());
        assert_eq!(without_base.rows.len(), stored.len());
    }
}
