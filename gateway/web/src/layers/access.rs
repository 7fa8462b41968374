//! Access control of the dashboard: counts pages and forms, and enforces the [`Access`] of a path before its handler runs.

use axum::RequestExt as _;
use axum::extract::{Query, RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Method;
use pages::Language;
use uuid::Uuid;

use super::form_person;
use super::typed_form::{self, CapturedForm};
use crate::admission::PageKind;
use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::next_page::{self, NextPage};
use crate::domain::percent::encoded;
use crate::domain::role::Permission;
use crate::form_body;
use crate::page_error::PageError;
use crate::page_language::{ErrorLanguage, PageLanguage};
use crate::render::see_other;
use crate::request::{AccountScope, Viewer, added};
use crate::store::activity;

/// Who may open a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Anyone,
    /// Password accepted, second factor pending.
    SecondFactor,
    SignedIn,
    /// A member of the account that the path names, with a role that has this permission.
    Member(Permission),
}

/// The forms of an account that work while everything is read-only: a leaked key can be revoked, a member can be removed, and everybody may
/// leave.
const ALWAYS_OPEN: [&str; 3] = [
    "/accounts/{account}/keys/{key}/revoke",
    "/accounts/{account}/team/{person}/remove",
    "/accounts/{account}/team/leave",
];

/// The forms by which a person gives up an account, and what they record. When the person, now a
/// former member, sends one again, it redirects to `/accounts`, as it did the first time.
const ENDS_OF_MEMBERSHIP: [(&str, Action); 2] = [
    ("/accounts/{account}/close", Action::AccountClosed),
    ("/accounts/{account}/team/leave", Action::Left),
];

/// The state of the layer.
#[derive(Clone)]
pub struct Guard {
    pub app: App,
    pub access: Access,
    /// The path of the route.
    pub path: &'static str,
    /// The longest body of a form.
    pub body_limit: usize,
}

pub async fn check(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    if request.method() == Method::POST {
        // Read the body before the checks. A client could otherwise hold the last byte back, and act with a password or a role that has
        // ended in between.
        request = match form_body::buffer(request, guard.body_limit).await {
            Ok(request) => request,
            Err(error) => return error.into_response(),
        };
        // If PostgreSQL or a service fails, the error page can send the typed fields again.
        typed_form::capture(&mut request).await;
    }
    let language = PageLanguage::from_request(request.uri(), request.headers());
    set_language(&mut request, language);
    let admitted = admit(&guard, &mut request).await;
    let person = request.extensions().get::<Viewer>().map(|viewer| viewer.person.id);
    match admitted {
        Ok(None) => {
            let response = next.run(request).await;
            match person {
                Some(person) => form_person::add_to_page(response, person).await,
                None => response,
            }
        }
        Ok(Some(elsewhere)) => elsewhere,
        Err(error) => error.into_response(),
    }
}

/// Sets the language of the page, and of the error in its place.
fn set_language(request: &mut Request, language: PageLanguage) {
    if let Some(of_error) = request.extensions().get::<ErrorLanguage>() {
        of_error.set(language);
    }
    request.extensions_mut().insert(language);
}

/// Adds the [`Viewer`], the [`AccountScope`] and the language of the page to the request, or returns the response that ends it.
async fn admit(guard: &Guard, request: &mut Request) -> Result<Option<Response>, PageError> {
    let client: ClientInfo = added(request.extensions())?;
    let is_form = request.method() == Method::POST;
    let kind = if is_form { PageKind::Form } else { PageKind::Dashboard };
    // Before the first statement: sessions and links of mails can be made up.
    let counted = guard.app.admission.page(kind, &client, guard.app.clock.now());
    counted.map_err(PageError::too_many_pages)?;
    match guard.access {
        Access::Anyone => admit_anyone(&guard.app, &client, request).await.map(|()| None),
        access => authorize(guard, access, &client, request).await,
    }
}

/// Finds the person, if anybody is signed in. Visitors need no session for these pages, so the pages work without PostgreSQL.
async fn admit_anyone(
    app: &App,
    client: &ClientInfo,
    request: &mut Request,
) -> Result<(), PageError> {
    let now = app.clock.now();
    let viewer = Viewer::find(app, request.headers(), now).await.ok().flatten();
    if let Some(viewer) = &viewer {
        let counted = app.admission.session_page(viewer.subject(), client, now);
        counted.map_err(PageError::too_many_pages)?;
    }
    let viewer = viewer.filter(Viewer::is_signed_in);
    if let Some(viewer) = &viewer {
        prefer_language_of(viewer, request);
    }
    request.extensions_mut().insert(viewer);
    Ok(())
}

/// Finds the person, counts the request, and checks the access.
async fn authorize(
    guard: &Guard,
    access: Access,
    client: &ClientInfo,
    request: &mut Request,
) -> Result<Option<Response>, PageError> {
    let (app, now) = (&guard.app, guard.app.clock.now());
    let account = match access {
        Access::Member(_) => account_of(request).await,
        _ => None,
    };
    let found = Viewer::find_with_role(app, request.headers(), account, now).await?;
    let (viewer, role) = match found {
        Some(found) if found.0.is_signed_in() != (access == Access::SecondFactor) => found,
        // The person has entered the code before: on this page or in another tab.
        Some(found) if found.0.is_signed_in() => return Ok(Some(signed_in_already(request).await)),
        _ => return sign_in_first(request).map(Some),
    };
    if access == Access::SecondFactor {
        prefer_language_of(&viewer, request);
    } else {
        // The dashboard is in English.
        set_language(request, PageLanguage::default());
    }
    if request.method() == Method::POST {
        let counted = app.admission.session_form(viewer.subject(), now).await?;
        counted.map_err(PageError::too_many_forms)?;
        let form = request.extensions().get::<CapturedForm>();
        form_person::check(&viewer, form.and_then(|form| form.value(form_person::FIELD)))?;
    } else {
        let counted = app.admission.session_page(viewer.subject(), client, now);
        counted.map_err(PageError::too_many_pages)?;
    }
    if let Access::Member(permission) = access {
        // Hides whether the account exists from people who are not its members.
        let Some(id) = account else { return Err(PageError::not_found()) };
        let Some(role) = role else {
            let end = ENDS_OF_MEMBERSHIP.iter().find(|(path, _)| *path == guard.path);
            let (person, pool) = (viewer.person.id, &app.pool);
            return match end {
                Some((_, action)) if activity::has_done(pool, id, person, *action).await? => {
                    Ok(Some(see_other("/accounts")))
                }
                _ => Err(PageError::not_found()),
            };
        };
        if !role.may(permission) {
            return Err(PageError::forbidden(permission));
        }
        if request.method() == Method::POST && !ALWAYS_OPEN.contains(&guard.path) {
            app.gateway.admit_change().await?;
        }
        request.extensions_mut().insert(AccountScope { id, role });
    }
    request.extensions_mut().insert(viewer);
    Ok(None)
}

/// At an address that names no language, the page has that of the person.
fn prefer_language_of(viewer: &Viewer, request: &mut Request) {
    let named = request.extensions().get::<PageLanguage>();
    if named.is_none_or(|named| named.prefix.is_empty()) {
        set_language(request, PageLanguage::from_person(&viewer.person));
    }
}

/// The account in the path.
async fn account_of(request: &mut Request) -> Option<Uuid> {
    let params = request.extract_parts::<RawPathParams>().await.ok()?;
    let (_, value) = params.iter().find(|(name, _)| *name == "account")?;
    value.parse().ok()
}

/// Redirects to the page that follows the second factor.
async fn signed_in_already(request: &mut Request) -> Response {
    let query = request.extract_parts::<Query<NextPage>>().await;
    let next = query.map(|query| query.0.next).unwrap_or_default();
    see_other(next_page::path(&next))
}

/// Redirects to the sign-in page in the language of the address, which leads back to the requested page: without the language, since the
/// dashboard has that of the person. The answer to a form is a page, which keeps the typed fields.
fn sign_in_first(request: &Request) -> Result<Response, PageError> {
    if request.method() == Method::POST {
        return Err(PageError::signed_out());
    }
    let path = request.uri().path_and_query();
    let (named, next) = Language::split(path.map_or("/accounts", |path| path.as_str()));
    let prefix = named.map_or("", Language::prefix);
    let next = encoded(next);
    Ok(see_other(&format!("{prefix}/sign-in?next={next}")))
}
