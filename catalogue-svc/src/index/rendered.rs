//! The JSON of listings, rendered once when a listing changes.

use std::borrow::Cow;

use anyhow::Context as _;
use lz4_flex::block;
use serde::{Deserialize, Serialize};

/// The JSON of a listing: the fields of its list row, with which its single read begins, and those that only the single read has.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The list row without its closing brace.
    row: Box<str>,
    /// The rest of the single read without its closing brace, as an LZ4 block whose dictionary is the row: links repeat the slug.
    rest: Box<[u8]>,
}

impl Rendered {
    /// Renders a listing whose list row is its single read.
    pub(super) fn new(row: &impl Serialize) -> anyhow::Result<Self> {
        let mut json = serde_json::to_string(row)?;
        json.pop();
        Ok(Self { row: json.as_str().into(), rest: Box::default() })
    }

    /// A single read whose list row ends before the field `rest`.
    pub(super) fn with_rest(json: &str, rest: &str) -> anyhow::Result<Self> {
        let (_, row) = value_of(json, rest).context("a listing lacks a field")?;
        let (row, rest) = json.split_at(row);
        let rest = rest.strip_suffix('}').context("a listing is no JSON object")?;
        let rest = block::compress_prepend_size_with_dict(rest.as_bytes(), row.as_bytes());
        // A copy: the allocator leaves a buffer that shrinks where it is, up to twice as large.
        Ok(Self { row: row.into(), rest: rest.as_slice().into() })
    }

    /// The value of a field of the list row.
    ///
    /// # Errors
    /// The row has no such field, or it is no `T`.
    pub fn field<'a, T: Deserialize<'a>>(&'a self, name: &str) -> anyhow::Result<T> {
        let (value, _) = value_of(&self.row, name).context("a list row lacks a field")?;
        let value = T::deserialize(&mut serde_json::Deserializer::from_str(value));
        value.context("a rendered listing does not parse")
    }

    /// A text of the list row; empty if the row does not have it.
    pub fn text(&self, name: &str) -> Cow<'_, str> {
        match self.field(name) {
            Ok(text) => Cow::Borrowed(text),
            // A text with an escape cannot be borrowed.
            Err(_) => Cow::Owned(self.field(name).unwrap_or_default()),
        }
    }
}

/// The JSON from the value of a field on, and where the comma before the field is. The field is the first of this name.
fn value_of<'a>(json: &'a str, name: &str) -> Option<(&'a str, usize)> {
    json.match_indices(name).find_map(|(at, _)| {
        // Quotes in texts are escaped: what is between a quote and `":` is the name of a field.
        let value = json[at + name.len()..].strip_prefix("\":")?;
        let comma = json[..at].strip_suffix('"')?.len().checked_sub(1)?;
        Some((value, comma))
    })
}

/// The JSON of a listing as readers see it.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a> {
    rendered: &'a Rendered,
    /// Fields that the listing shares with others, and where they stand in its list row.
    shared: (usize, &'a str),
}

impl<'a> From<&'a Rendered> for Json<'a> {
    fn from(rendered: &'a Rendered) -> Self {
        Self::with_shared(rendered, 0, "")
    }
}

impl<'a> Json<'a> {
    /// The JSON with these fields at this offset of the list row.
    pub(super) fn with_shared(rendered: &'a Rendered, at: usize, fields: &'a str) -> Self {
        Self { rendered, shared: (at, fields) }
    }

    /// How many bytes [`Json::push_row`] appends.
    pub fn row_len(self) -> usize {
        self.rendered.row.len() + self.shared.1.len() + 1
    }

    /// Appends the list row.
    pub fn push_row(self, to: &mut Vec<u8>) {
        self.push_fields(to);
        to.push(b'}');
    }

    /// The single read.
    ///
    /// # Errors
    /// The rest cannot be decompressed.
    pub fn single(self) -> anyhow::Result<Vec<u8>> {
        let Rendered { row, rest } = self.rendered;
        let rest = match &**rest {
            [] => Vec::new(),
            rest => block::decompress_size_prepended_with_dict(rest, row.as_bytes())?,
        };
        let mut json = Vec::with_capacity(self.row_len() + rest.len());
        self.push_fields(&mut json);
        json.extend(rest);
        json.push(b'}');
        Ok(json)
    }

    /// Appends the list row without its closing brace, with the shared fields in it.
    fn push_fields(self, to: &mut Vec<u8>) {
        let (at, fields) = self.shared;
        let (before, after) = self.rendered.row.split_at(at);
        for part in [before, fields, after] {
            to.extend_from_slice(part.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_name_inside_a_string_is_not_taken_for_a_field() {
        let title = r#"""title":"rest": \ title"#;
        let listing = json!({ "a": "title", "b": ["title", "rest"], "subtitle": 1, "title": title, "zest": 2 });
        let json = serde_json::to_string(&listing).unwrap();
        let rendered = Rendered::with_rest(&json, "zest").unwrap();
        assert_eq!(rendered.text("title"), title);
        assert_eq!(rendered.field::<Vec<&str>>("b").unwrap(), ["title", "rest"]);
        assert_eq!((rendered.text("a"), rendered.text("z")), ("title".into(), "".into()));
        assert!(rendered.field::<u8>("zest").is_err() && rendered.field::<u8>("rest").is_err());
    }

    #[test]
    fn shared_fields_are_inserted_into_the_row() {
        let json = r#"{"slug":"a","url":"b","rest":1}"#;
        let rendered = Rendered::with_rest(json, "rest").unwrap();
        let shared = Json::with_shared(&rendered, 12, r#""city":"c","#);
        let mut row = Vec::new();
        shared.push_row(&mut row);
        assert_eq!(row, br#"{"slug":"a","city":"c","url":"b"}"#);
        assert_eq!(row.len(), shared.row_len());
        let single = r#"{"slug":"a","city":"c","url":"b","rest":1}"#;
        assert_eq!(shared.single().unwrap(), single.as_bytes());
    }

    #[test]
    fn a_long_text_comes_back_the_same_and_takes_less() {
        let text = "Une aventure à travers le Sahel, \"faite\" à Dakar. ".repeat(20);
        let listing = json!({ "address": "a", "rest": text, "updated_at": "b" });
        let json = serde_json::to_string(&listing).unwrap();
        let rendered = Rendered::with_rest(&json, "rest").unwrap();
        assert_eq!(&*rendered.row, r#"{"address":"a""#);
        assert!(rendered.rest.len() < text.len() / 2);
        assert_eq!(Json::from(&rendered).single().unwrap(), json.as_bytes());
        let row = Rendered::new(&listing).unwrap();
        assert_eq!(Json::from(&row).single().unwrap(), json.as_bytes());
    }
}
