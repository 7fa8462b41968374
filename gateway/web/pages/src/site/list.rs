//! Filters and pages of lists.

/// A filter of a list, as a choice.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The parameter of the address.
    pub name: &'static str,
    pub label: String,
    pub options: Vec<FilterOption>,
}

#[derive(Debug, Clone)]
pub struct FilterOption {
    pub value: String,
    pub label: String,
    pub is_chosen: bool,
}

/// The form of the filters of a list.
#[derive(Debug, Clone)]
pub struct Filters {
    /// The path of the list.
    pub action: String,
    pub choices: Vec<Filter>,
    /// Parameters that no choice changes.
    pub hidden: Vec<(&'static str, String)>,
    /// Whether one is set.
    pub is_filtered: bool,
}

/// The ways to other pages of a list.
#[derive(Debug, Default, Clone)]
pub struct Pager {
    /// Absent on the first page.
    pub first: Option<String>,
    /// Absent on the last page.
    pub next: Option<String>,
}
