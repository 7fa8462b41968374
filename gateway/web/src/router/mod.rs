//! Every path of the site, with its access.

mod member;
mod site;

use std::collections::HashSet;
use std::sync::LazyLock;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse as _;
use axum::{Extension, Router};
use pages::Language;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http_csrf::csrf::{CsrfLayer, ProtectionError};

use crate::account::list;
use crate::app::App;
use crate::assets;
use crate::docs::guides;
use crate::docs::reference;
use crate::form_body;
use crate::layers::access::{self, Access, Guard};
use crate::layers::error_page::{self, IsPublic};
use crate::layers::{client, coding, deadline, headers, log, path, public};
use crate::listings::entry;
use crate::page_error::PageError;
use crate::people::{
    delete, email, links, password, recovery_codes, reset, second_factor as code, sessions,
    settings as own_settings, sign_in, sign_up, totp, you,
};
use crate::route::{PathKind, Route};
use crate::site::sitemap::FixedPages;
use crate::well_known;

/// The longest body of a form.
const MAX_BODY: usize = form_body::DEFAULT_LIMIT;

/// The table of all paths.
pub fn routes() -> Vec<Route> {
    [site::routes(), site::docs_routes(), people_routes(), member::routes()]
        .into_iter()
        .flatten()
        .collect()
}

fn people_routes() -> Vec<Route> {
    use PathKind::{Asset, Dashboard};
    let [anyone, second_factor, signed_in] =
        [Access::Anyone, Access::SecondFactor, Access::SignedIn].map(Dashboard);
    vec![
        Asset.page("/assets/{name}", assets::show),
        Asset.page("/favicon.ico", assets::favicon),
        Asset.page("/apple-touch-icon.png", assets::touch_icon),
        Asset.page("/.well-known/security.txt", well_known::security_contact),
        Asset.page("/.well-known/change-password", well_known::change_password),
        anyone.form("/sign-up", sign_up::show, sign_up::send),
        anyone.form("/sign-in", sign_in::show, sign_in::send),
        second_factor.form("/sign-in/code", code::show, code::send),
        anyone.action("/sign-out", sign_in::sign_out),
        anyone.form("/reset", reset::show, reset::send),
        anyone.form("/link/{token}", links::show, links::send),
        signed_in.page("/you", you::show),
        signed_in.action("/you/sessions/end-others", sessions::end_others),
        signed_in.action("/you/sessions/{session}/end", sessions::end),
        signed_in.form("/you/password", password::show, password::send),
        signed_in.form("/you/email", email::show, email::send),
        signed_in.form("/you/totp", totp::show, totp::turn_on),
        signed_in.form("/you/totp/codes", recovery_codes::show, recovery_codes::send),
        signed_in.action("/you/settings", own_settings::send),
        signed_in.form("/you/totp/off", totp::show_off, totp::turn_off),
        signed_in.form("/you/delete", delete::show, delete::send),
        signed_in.form("/accounts", list::show, list::create),
        signed_in.page("/accounts/new", list::show_new),
        signed_in.page("/claim/{handle}", entry::claim),
        signed_in.page("/add-game", entry::add_game),
    ]
}

/// The first segments of the paths of the dashboard. Every other path belongs to the public site.
static DASHBOARD: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let routes = people_routes().into_iter().chain(member::routes());
    routes.map(|route| first_part(route.path)).collect()
});

fn first_part(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    path.split('/').nth(1).unwrap_or_default()
}

/// Whether the path also exists below each language: a public page, and one that people see before they sign in or reach from a public page,
/// whose language the sign-in keeps.
fn is_in_each_language(route: &Route) -> bool {
    matches!(route.kind, PathKind::Public | PathKind::Dashboard(Access::Anyone))
        || matches!(route.path, "/claim/{handle}" | "/add-game")
}

/// The site.
pub fn router(app: &App) -> Router {
    let mut router = site::add_docs_of_languages(Router::new());
    for route in routes() {
        let (path, kind, is_translated) = (route.path, route.kind, is_in_each_language(&route));
        let mut handlers = match kind {
            PathKind::Asset => route.handlers,
            PathKind::Picture => {
                route.handlers.layer(from_fn_with_state(App::clone(app), public::admit_picture))
            }
            PathKind::Public | PathKind::File | PathKind::Docs => site::counted(route, app),
            PathKind::Dashboard(access) => {
                let (app, body_limit) = (App::clone(app), route.body_limit);
                let guard = Guard { app, access, path, body_limit };
                route.handlers.layer(from_fn_with_state(guard, access::check))
            }
        };
        // Nothing limits requests of other files, and of error pages, which outer layers render.
        // Compressing those for each request would let anybody keep the processor busy.
        //
        // Pages with secrets are compressed too, such as that of a new key. The length of a
        // compressed page tells a secret only to a site that makes the browser load it again and
        // again with other texts in it (BREACH). No site can: secrets are in answers to forms,
        // which `csrf` refuses when they come from elsewhere, the cookie of a session is
        // `SameSite=Lax`, and what pages have in their forms is no secret (`form_person`).
        if kind != PathKind::Asset {
            handlers = handlers.layer(CompressionLayer::new());
        }
        for language in Language::ALL.into_iter().filter(|_| is_translated) {
            let path = format!("{}{}", language.prefix(), path.trim_end_matches('/'));
            router = router.route(&path, handlers.clone());
        }
        router = router.route(path, handlers);
    }
    let reject = |_: ProtectionError| PageError::cross_site().into_response();
    let is_public: IsPublic = |path| !DASHBOARD.contains(first_part(path));
    let public = routes().into_iter().filter(|route| route.kind == PathKind::Public);
    let docs = guides::PATHS.iter().copied().chain([reference::PATH]);
    let fixed = FixedPages::new(public.map(|route| route.path).chain(docs));
    // Forms of the site itself, also behind a proxy that sends another `Host`. The settings have checked the address.
    let csrf = CsrfLayer::new()
        .add_trusted_origin(&app.public_url)
        .unwrap_or_default()
        .with_rejection_response(reject);
    router
        .layer(Extension(fixed))
        .layer(from_fn(log::name_route))
        .fallback(async || PageError::not_found())
        .method_not_allowed_fallback(async || PageError::method_not_allowed())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(coding::check))
        .layer(from_fn(path::check))
        .layer(csrf)
        .layer(from_fn_with_state(App::clone(app), client::identify))
        .layer(CatchPanicLayer::custom(error_page::panicked))
        .layer(from_fn_with_state(App::clone(app), deadline::limit))
        .layer(from_fn_with_state(is_public, error_page::render))
        .layer(from_fn(log::record))
        .layer(from_fn_with_state(App::clone(app), headers::add))
        .with_state(App::clone(app))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method};

    use super::*;
    use crate::domain::role::Permission;
    use crate::visit::Visit;

    #[test]
    fn every_page_of_an_account_needs_a_membership() {
        for route in routes() {
            let is_member = matches!(route.kind, PathKind::Dashboard(Access::Member(_)));
            assert_eq!(is_member, route.path.contains("{account}"), "{}", route.path);
        }
    }

    #[test]
    fn public_paths_and_dashboard_paths_do_not_overlap() {
        for route in site::routes().into_iter().chain(site::docs_routes()) {
            let is_dashboard = DASHBOARD.contains(first_part(route.path));
            assert!(!is_dashboard, "{}", route.path);
        }
    }

    #[test]
    fn errors_of_untranslated_pages_offer_no_other_language() {
        for route in routes() {
            if matches!(route.kind, PathKind::Public | PathKind::Docs) {
                let uri = route.path.replace(['{', '}'], "").parse().unwrap();
                let frame = Visit::from_request(&uri, &HeaderMap::new()).frame("");
                let is_translated = route.kind == PathKind::Public;
                assert_eq!(frame.is_translated, is_translated, "{}", route.path);
            }
        }
    }

    #[test]
    fn only_readers_see_and_only_forms_change() {
        for route in routes() {
            let only_reads = route.kind == PathKind::Dashboard(Access::Member(Permission::Read));
            let changes = route.methods.contains(&Method::POST);
            // Every member may leave an account.
            let is_open = route.path.ends_with("/team/leave");
            assert!(!only_reads || !changes || is_open, "{}", route.path);
        }
    }
}
