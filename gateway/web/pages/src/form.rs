//! The parts of a form that code composes: fields, and groups of them.

use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;

use crate::field::Field;

/// Fields that belong together.
#[derive(Debug, Default, Template)]
#[template(path = "part/group.html")]
pub struct Group {
    pub legend: &'static str,
    pub hint: &'static str,
    pub fields: Vec<Field>,
    /// Fields that few people need, which are folded.
    pub more: Vec<Field>,
    pub more_label: &'static str,
}

/// A part of a form.
#[derive(Debug)]
pub enum Part {
    Field(Field),
    Group(Group),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(it) => it.fmt(f),
            Self::Group(it) => it.fmt(f),
        }
    }
}

// Their templates escape every value.
impl HtmlSafe for Part {}
