//! The rank of a hit: the documents that a search finds, grade by grade.

use roaring::RoaringBitmap;

use crate::index::words::{Match, Terms, Union};

/// How many numbers of edits there are: none, one and two.
const EDITS: u8 = 3;
/// How many places there are at which a hit may have the words: all in the title, and those of [`places`].
const PLACES: usize = 6;
/// Whether each word is a whole word of the hit, or not.
const FITS: usize = 2;

/// How many grades there are. A hit that needs fewer edits comes first; of these, one that has the words in a better place; of these, one
/// that has them as whole words.
pub(crate) const GRADES: usize = EDITS as usize * PLACES * FITS;

/// The docs that a search finds, by grade. Each doc is in one grade. Grades are computed on demand, since a page seldom needs the last ones.
#[derive(Debug)]
pub(crate) struct Grades<'a> {
    terms: Terms<'a>,
    /// The docs of the grades that are computed already.
    known: Vec<RoaringBitmap>,
    /// The docs of all other grades.
    left: RoaringBitmap,
}

impl<'a> Grades<'a> {
    /// Grades these docs, each of which has all words.
    pub(crate) fn new(terms: Terms<'a>, docs: RoaringBitmap) -> Self {
        Self { terms, known: Vec::with_capacity(GRADES), left: docs }
    }

    /// The docs of a grade. Grade 0 is the best.
    pub(crate) fn get(&mut self, grade: usize) -> Option<&RoaringBitmap> {
        while self.known.len() <= grade && !self.left.is_empty() {
            self.advance();
        }
        self.known.get(grade).filter(|docs| !docs.is_empty())
    }

    /// Computes the next grades: for a number of edits, first those of docs with all words in the title, then those of all other places.
    fn advance(&mut self) {
        let step = self.known.len() / FITS;
        let edits = u8::try_from(step / PLACES).unwrap_or(EDITS);
        if step.is_multiple_of(PLACES) {
            let title = self.terms.in_title(edits, &self.left);
            self.left -= &title;
            self.push(title, edits);
        } else {
            let found = Found::new(&self.terms, edits, &self.left);
            self.left -= &found.every;
            for place in places(found) {
                self.push(place, edits);
            }
        }
    }

    /// Adds the grades of the docs that have the words at a place.
    fn push(&mut self, place: RoaringBitmap, edits: u8) {
        let whole = self.terms.whole(edits, &place);
        let beginning = place - &whole;
        self.known.extend([whole, beginning]);
    }
}

/// Docs by where they have the words of a query, without those that have all words in the title.
#[derive(Debug)]
struct Found {
    /// Docs with each word in any field.
    every: RoaringBitmap,
    /// Docs with at least one word in the title.
    any_title: RoaringBitmap,
    /// Docs with each word in the tagline.
    tagline: RoaringBitmap,
    /// Docs with at least one word in the tagline.
    any_tagline: RoaringBitmap,
    /// Docs with each word in the title, in the creator's name or in the city.
    names: RoaringBitmap,
}

impl Found {
    /// The docs of `within` that have all words, each with at most `edits` edits.
    fn new(terms: &Terms<'_>, edits: u8, within: &RoaringBitmap) -> Self {
        let mut found: Option<Self> = None;
        for matches in terms.within_edits(edits) {
            let word = Self::for_word(matches, within);
            found = Some(match found {
                None => word,
                Some(found) => Self {
                    every: found.every & word.every,
                    any_title: found.any_title | word.any_title,
                    tagline: found.tagline & word.tagline,
                    any_tagline: found.any_tagline | word.any_tagline,
                    names: found.names & word.names,
                },
            });
        }
        found.unwrap_or_else(|| Self::for_word(std::iter::empty(), within))
    }

    fn for_word<'a>(matches: impl Iterator<Item = &'a Match<'a>>, within: &RoaringBitmap) -> Self {
        let mut unions = [(); 3].map(|()| Union::new(Some(within)));
        let [title, tagline, associated] = &mut unions;
        for found in matches {
            title.add(found.docs.title());
            tagline.add(found.docs.tagline());
            associated.add(found.docs.associated());
        }
        let [title, tagline, associated] = unions.map(Union::finish);
        let names = &title | &associated;
        Self {
            every: &names | &tagline,
            names,
            any_title: title,
            any_tagline: tagline.clone(),
            tagline,
        }
    }
}

/// The docs by where they have the words, the best place first. The title is better than the tagline, and the tagline better than the
/// associated names. A word of the title together with an associated name is better than together with one of the tagline.
fn places(found: Found) -> [RoaringBitmap; PLACES - 1] {
    let titled = &found.every & &found.any_title;
    let untitled = found.every - found.any_title;
    let names = &titled & found.names;
    let tagline = &untitled & found.tagline;
    let partly = (&untitled & &found.any_tagline) - &tagline;
    [
        // In the title, and the others in the creator's name or the city.
        names.clone(),
        // In the title, and others in the tagline.
        titled - names,
        // All in the tagline.
        tagline,
        // In the tagline, and the others in the creator's name or the city.
        partly,
        // All in the creator's name or the city.
        untitled - found.any_tagline,
    ]
}
