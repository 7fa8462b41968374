//! The HTML of fields and of their errors.

use std::fs;
use std::path::Path;

use super::*;

/// Adds the values of `autocomplete` in the files below a folder: attributes of templates, and arguments in Rust code.
fn collect_autocompletes(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_autocompletes(&path, found);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for start in [" autocomplete=\"", ".autocomplete(\"", " autocomplete: \""] {
            let values = source.split(start).skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(values.map(ToOwned::to_owned));
        }
    }
}

#[test]
fn every_field_keeps_what_was_typed_when_a_person_comes_back() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["templates", "src", "../src"] {
        collect_autocompletes(&here.join(folder), &mut found);
    }
    found.retain(|value| value != "{{ autocomplete }}");
    assert!(found.len() > 5, "{found:?}");
    for value in &found {
        let known =
            ["on", "username", "organization", "current-password", "new-password", "one-time-code"];
        assert!(known.contains(&value.as_str()), "{value}");
    }
    for field in
        [Field::text("title", "Title"), Field::date("day", "Day"), Field::minute("since", "Since")]
    {
        let html = field.render().unwrap();
        assert!(html.contains(" autocomplete=\"on\""), "{html}");
    }
    let code = Field::code("code", "Code").render().unwrap();
    assert!(code.contains(" autocomplete=\"one-time-code\""), "{code}");
}

/// Whether a file below a folder has this text.
fn has_text(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return has_text(&path, text);
        }
        fs::read_to_string(&path).unwrap().contains(text)
    })
}

#[test]
fn no_browser_counts_or_cuts_what_is_typed() {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    assert!(has_text(&templates, "<textarea"));
    assert!(!has_text(&templates, "maxlength"));
}

#[test]
fn an_error_is_linked_to_its_field_by_aria() {
    let errors = Fields::one("email", "Write it as ada@studio.example.");
    let field = Field::email("email", "E-mail").value("<b>").error_in(&errors);
    let html = field.render().unwrap();
    assert!(html.contains("aria-invalid=\"true\""), "{html}");
    assert!(html.contains("aria-describedby=\"email-error\""), "{html}");
    assert!(html.contains("id=\"email-error\""), "{html}");
    assert!(!html.contains("<b>"), "{html}");
}

#[test]
fn text_has_automatic_direction_and_a_date_has_none() {
    let text = Field::text("title", "Title").render().unwrap();
    assert!(text.contains(" dir=\"auto\""), "{text}");
    let date = Field::date("day", "Day").render().unwrap();
    assert!(!date.contains("dir="), "{date}");
}

#[test]
fn errors_are_counted_in_the_title() {
    let mut errors = Fields::default();
    assert_eq!(errors.in_title(), "");
    errors.add("title", "Give a title.");
    assert_eq!(
        (errors.in_title().as_str(), errors.heading().as_str()),
        ("Error: ", "There is an error")
    );
    errors.general = Some("Try again.".to_owned());
    assert_eq!(
        (errors.in_title().as_str(), errors.heading().as_str()),
        ("2 errors: ", "There are 2 errors")
    );
}

#[test]
fn labels_and_errors_are_in_the_language_of_the_page() {
    let mut errors = Fields::one("email", "Indiquez une adresse.");
    errors.add("name", "Trop long.");
    let errors = errors.in_language(Language::French);
    assert_eq!(errors.in_title(), "2 erreurs\u{a0}: ");
    assert_eq!(errors.heading(), "Il y a 2 erreurs");
    let own = Field::email("email", "Adresse").optional().error_in(&errors).render().unwrap();
    assert!(own.contains("(facultatif)"), "{own}");
    assert!(own.contains("id=\"email-error\">Indiquez"), "{own}");
}

#[test]
fn a_password_is_never_shown_again() {
    let html = Field::new_password("password", "Password").value("hunter2").render();
    assert!(!html.unwrap().contains("hunter2"));
}

fn choices() -> Vec<Choice> {
    let choice = |value: &str, is_chosen| Choice {
        value: value.to_owned(),
        label: "<b>bold".to_owned(),
        is_chosen,
    };
    vec![choice("a", false), choice("\"b", true)]
}

#[test]
fn typed_text_cannot_end_its_element() {
    let html = Field::area("bio", "About", 4).value("</textarea><script>").render().unwrap();
    assert!(!html.contains("<script>"), "{html}");
    assert_eq!(html.matches("</textarea>").count(), 1);
}

#[test]
fn each_control_has_its_settings() {
    for (field, setting) in [
        (
            Field::digits("year", "Year"),
            " type=\"text\" autocomplete=\"on\" dir=\"auto\" inputmode=\"numeric\"",
        ),
        (Field::url("url", "Address"), " dir=\"auto\" inputmode=\"url\""),
        (
            Field::app_code("code", "Code"),
            " autocomplete=\"one-time-code\" dir=\"auto\" inputmode=\"numeric\"",
        ),
        (Field::area("bio", "About", 8), " rows=\"8\" dir=\"auto\""),
        (Field::checks("kind", "Kind", choices(), 3), "<fieldset data-most=\"3\">"),
        (Field::checks("kind", "Kind", choices(), 0), "<fieldset><legend>"),
        (Field::select("kind", "Kind", choices()), "<option value=\"a\">"),
    ] {
        let html = field.render().unwrap();
        assert!(html.contains(setting), "{setting} in {html}");
    }
}

#[test]
fn optional_checkboxes_are_marked_as_optional() {
    let checks = || Field::checks("kind", "Kind", choices(), 0);
    let html = checks().optional().hint("Any.").render().unwrap();
    assert!(html.contains("Kind <span class=\"optional\">(optional)</span></legend>"), "{html}");
    assert!(html.contains("aria-describedby=\"kind-hint\""), "{html}");
    let html = checks().render().unwrap();
    assert!(html.contains("<legend>Kind</legend>"), "{html}");
}

#[test]
fn choices_are_escaped_and_linked_to_their_error() {
    let errors = Fields::one("kind", "Choose one.");
    for html in [
        Field::select("kind", "Kind", choices()).error_in(&errors).render(),
        Field::checks("kind", "Kind", choices(), 0).error_in(&errors).render(),
    ] {
        let html = html.unwrap();
        assert!(!html.contains("<b>") && html.contains("Choose one."), "{html}");
        assert!(html.contains("aria-describedby=\"kind-error\""), "{html}");
    }
}
