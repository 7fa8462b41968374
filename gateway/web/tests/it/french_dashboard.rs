//! Every page of the dashboard for a person who reads French: no English is left, except in code, in data, and in what is marked as
//! English, such as the sentences of services.

use std::sync::atomic::Ordering;

use http::Method;
use sqlx::PgPool;
use uuid::Uuid;
use web::domain::role::Role;
use web::layers::access::Access;
use web::router::routes;

use crate::browser::{Browser, Page};
use crate::full_account::{FullAccount, person_id};
use crate::support::{ADA, BOB, Site};
use crate::typed_forms::{NEW_ACCOUNT, OF_ACCOUNTS};

/// Frequent words of English that French has not.
const ENGLISH: [&str; 62] = [
    "the", "of", "and", "is", "are", "was", "were", "not", "this", "that", "these", "those",
    "with", "without", "for", "from", "to", "it", "its", "they", "their", "you", "your", "has",
    "have", "when", "what", "which", "who", "how", "by", "at", "be", "been", "can", "cannot",
    "will", "nothing", "nobody", "none", "never", "only", "optional", "save", "back", "remove",
    "revoke", "created", "expires", "works", "copy", "show", "yes", "day", "days", "hours",
    "until", "since", "earlier", "older", "error", "errors",
];
/// Frequent words of French that English has not.
const FRENCH: [&str; 14] = [
    "les", "une", "des", "est", "sont", "vous", "votre", "vos", "dans", "avec", "pas", "cette",
    "qui", "elle",
];
/// What people wrote, in their language.
const DATA: [&str; 2] = ["The <b>year is wrong.", "Not ours"];
/// Elements whose text is no sentence of a page.
const CODE: [&str; 5] = ["code", "pre", "textarea", "script", "style"];
/// Elements without an end tag.
const VOID: [&str; 5] = ["meta", "link", "br", "input", "img"];
/// Attributes with texts.
const SPOKEN: [&str; 4] = ["aria-label", "alt", "placeholder", "title"];

/// A text that a person reads or hears.
#[derive(Debug)]
struct Text {
    text: String,
    is_english: bool,
}

/// An open element.
#[derive(Debug, Clone, Copy, Default)]
struct Element<'a> {
    name: &'a str,
    is_english: bool,
    is_code: bool,
}

impl<'a> Element<'a> {
    /// The element of a start tag inside another one.
    fn inside(outer: Self, tag: &'a str) -> Self {
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next();
        let name = name.unwrap_or_default();
        Self {
            name,
            is_english: attribute(tag, "lang").map_or(outer.is_english, |lang| lang == "en"),
            is_code: outer.is_code || CODE.contains(&name),
        }
    }

    fn text(self, text: &str) -> Option<Text> {
        (!self.is_code).then(|| Text {
            text: unescaped(text),
            is_english: self.is_english,
        })
    }
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&#60;", "<").replace("&#62;", ">");
    text.replace("&#39;", "'").replace("&#38;", "&")
}

/// The texts of a page of our templates.
fn texts(html: &str) -> Vec<Text> {
    let mut open: Vec<Element<'_>> = Vec::new();
    let mut found = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        if let Some(name) = tag.strip_prefix('/') {
            let start = open.iter().rposition(|element| element.name == name);
            open.truncate(start.unwrap_or(open.len()));
        } else if !tag.starts_with('!') {
            let outer = open.last().copied().unwrap_or_default();
            let element = Element::inside(outer, tag);
            let spoken = SPOKEN.iter().filter_map(|name| attribute(tag, name));
            found.extend(spoken.filter_map(|text| element.text(text)));
            if !VOID.contains(&element.name) && !tag.ends_with('/') {
                open.push(element);
            }
        }
        let inner = open.last().copied().unwrap_or_default();
        found.extend(inner.text(text));
    }
    found
}

/// The first word of the wrong language in a text.
fn wrong_word(text: &Text) -> Option<String> {
    let mut rest = text.text.clone();
    for data in DATA {
        rest = rest.replace(data, " ");
    }
    let wrong = if text.is_english {
        &FRENCH[..]
    } else {
        &ENGLISH[..]
    };
    let words = rest.split_whitespace();
    let mut words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let found = words.find(|word| wrong.contains(&word.to_lowercase().as_str()));
    found.map(ToOwned::to_owned)
}

/// What is wrong with a page: a text with a word of the wrong language.
fn problems(page: &Page, path: &str) -> Vec<String> {
    let html = &page.text;
    assert!(html.contains("<html lang=\"fr\">"), "{path}: {html}");
    let texts = texts(html).into_iter();
    let wrong = texts.filter_map(|text| Some((wrong_word(&text)?, text.text)));
    wrong
        .map(|(word, text)| format!("{path}: `{word}` in `{}`", text.trim()))
        .collect()
}

fn is_html(page: &Page) -> bool {
    let media_type = page.headers.get("content-type");
    page.status.is_success() && media_type.is_some_and(|it| it == "text/html; charset=utf-8")
}

async fn speak_french(browser: &mut Browser) {
    let settings = [("language", "fr")];
    browser.post("/you/settings", &settings).await.location();
}

#[test]
fn a_word_of_another_language_is_found_unless_it_is_marked() {
    let wrong = |html: &str| {
        let texts = texts(html).into_iter();
        texts
            .filter_map(|text| wrong_word(&text))
            .collect::<Vec<_>>()
    };
    for (html, words) in [
        ("<p>Nothing yet.</p>", &["Nothing"][..]),
        ("<p>Rien.<br>Send it</p>", &["it"]),
        ("<p lang=\"en\">Send it</p> the", &["the"]),
        ("<p>Voir <a hreflang=\"en\">the docs</a></p>", &["the"]),
        ("<p lang=\"en\">Vous <b>êtes</b></p>", &["Vous"]),
        ("<p><code>the</code> <svg><path/></svg>of</p>", &["of"]),
        ("<button aria-label=\"Yes, send\">Oui</button>", &["Yes"]),
        ("<input value=\"the\" name=\"it\"> rien", &[]),
        ("<p>Note : The &#60;b&#62;year is wrong.</p>", &[]),
    ] {
        assert_eq!(wrong(html), words, "{html}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn no_page_of_the_dashboard_has_english_left(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    speak_french(&mut owner).await;
    let of_person = |access| matches!(access, Access::Member(_) | Access::SignedIn);
    let pages = routes().into_iter();
    let pages = pages.filter(|it| of_person(it.access) && it.methods.contains(&Method::GET));
    let mut paths: Vec<String> = pages.map(|route| full.own(route.path)).collect();
    let others = ["/listings/new/page", "/listings/new/event"];
    paths.extend(others.map(|rest| format!("/accounts/{}{rest}", full.account)));
    let (mut found, mut pages) = (Vec::new(), 0);
    for path in &paths {
        let page = owner.get(path).await;
        if is_html(&page) {
            found.extend(problems(&page, path));
            pages += 1;
        }
    }
    assert!(pages > 30, "{pages}");
    // While everything is read-only, pages say so.
    let switched = &full.hooks.site.gateway.switched;
    switched.lock().unwrap().insert("read_only");
    for new in ["/keys/new", "/webhooks/new", "/listings/new/game"] {
        let path = format!("/accounts/{}{new}", full.account);
        let page = owner.get(&path).await;
        page.assert(200, "Tout est en lecture seule");
        found.extend(problems(&page, &path));
    }
    // Pages on which a person chooses one of several accounts.
    let ada = person_id(&full.hooks.site.pool, ADA).await;
    full.hooks
        .site
        .account(ada.parse().unwrap(), Role::Owner)
        .await;
    for path in ["/accounts", "/add-game", "/claim/maliyo"] {
        let page = owner.get(path).await;
        page.assert(200, "Savanna");
        found.extend(problems(&page, path));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_form_marks_the_sentences_of_services(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    speak_french(&mut owner).await;
    let mut found = Vec::new();
    for form in OF_ACCOUNTS {
        let page = form.send(&mut owner, &full, true).await;
        assert_eq!(page.status, 422, "{}: {}", form.action, page.text);
        let has_title = ["<title>Erreur\u{a0}: ", " erreurs\u{a0}: "];
        let has_title = has_title.iter().any(|title| page.text.contains(title));
        assert!(has_title, "{}: {}", form.action, page.text);
        found.extend(problems(&page, form.action));
    }
    let name = "x".repeat(81);
    let form = owner.get("/accounts/new").await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("name", name.as_str())];
    let page = owner.post(NEW_ACCOUNT.action, &fields).await;
    page.assert(422, "id=\"name-error\" lang=\"en\">Shorten it.</p>");
    found.extend(problems(&page, NEW_ACCOUNT.action));
    let old = owner.post(NEW_ACCOUNT.action, &[("name", "x")]).await;
    old.assert(422, "<p>Rouvrez la page, et envoyez le formulaire");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[testing::database_test(web::MIGRATOR)]
async fn errors_of_the_dashboard_are_in_french(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Editor).await;
    let mut editor = site.signed_in(BOB).await;
    speak_french(&mut editor).await;
    let own = |rest: &str| format!("/accounts/{account}{rest}");
    let mut found = Vec::new();
    let mut expect = |page: Page, status: u16, text: &str| {
        page.assert(status, text);
        found.extend(problems(&page, text));
    };
    let page = editor.get(&own("/keys/new")).await;
    expect(page, 403, "Il faut être propriétaire ou développeur");
    let stranger = format!("/accounts/{}", Uuid::nil());
    expect(editor.get(&stranger).await, 404, "Page introuvable");
    site.gateway.switched.lock().unwrap().insert("read_only");
    let closed = editor.post(&own("/team/leave"), &[]).await;
    expect(closed, 503, "Tout est en lecture seule");
    site.gateway.is_down.store(true, Ordering::Relaxed);
    let away = editor.get(&own("/usage")).await;
    expect(away, 503, "Une partie du site ne répond pas");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[testing::database_test(web::MIGRATOR)]
async fn the_team_and_its_activity_are_in_french(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    speak_french(&mut owner).await;
    let team = full.own("/accounts/{account}/team");
    let page = owner.get(&team).await;
    page.assert(200, "<option value=\"editor\">éditeur</option>");
    page.assert(200, "éditeur, jusqu’au ");
    let role = full.own("/accounts/{account}/team/{person}/role");
    let last = owner.post(&role, &[("role", "editor")]).await;
    last.assert(422, "<p>Un compte garde au moins un propriétaire");
    let activity = full.own("/accounts/{account}/activity");
    let page = owner.get(&activity).await;
    page.assert(200, "a ajouté un webhook à l’adresse ");
    page.assert(200, "novembre 2026, ");
    let webhooks = full.own("/accounts/{account}/webhooks?done=webhook-removed");
    let page = owner.get(&webhooks).await;
    page.assert(200, "role=\"status\">L’adresse est supprimée.</p>");
}
