//! Requests of pages and forms.

use kit::Fault;
use time::OffsetDateTime;

use super::limit::{Count, Limit};
use super::minute::MINUTE;
use super::{Admission, LimitReached, stored};
use crate::client_info::ClientInfo;
use crate::domain::subject::Subject;

/// Forms of a person, or of a session that waits for the second factor.
pub const FORMS: Limit = Limit::new("forms", 600, time::Duration::minutes(15));
/// The pictures of a client, as a multiple of its pages: a list shows 24, and browsers keep them.
const PICTURES_PER_PAGE: u32 = 10;

/// What a request is for. Each kind has its own counts: a scraper of the public site keeps nobody
/// from signing in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PageKind {
    /// A page of the public site.
    Site,
    /// A page of sign-in, of a mailed link or of the dashboard.
    Dashboard,
    Picture,
    /// A form, also one that votes.
    Form,
}

impl Admission {
    /// Counts a request in memory, before it costs a statement or a call; beyond the limit, returns
    /// the seconds until the minute ends.
    ///
    /// A browser in which somebody was signed in counts for that person. All others count for their
    /// browser and their network.
    pub fn page(
        &self,
        kind: PageKind,
        client: &ClientInfo,
        now: OffsetDateTime,
    ) -> Result<(), u32> {
        let visitor = per_minute(kind, self.pages_of_visitor);
        if let Some(person) = client.devices.person() {
            return self.minute.count(&[visitor.count(Subject::Person(person))], now);
        }
        let browser = Subject::Browser(client.network(), client.headers);
        let network = per_minute(kind, self.pages).count_network(client.network());
        let counts: Vec<Count> = std::iter::once(visitor.count(browser)).chain(network).collect();
        self.minute.count(&counts, now)
    }

    /// Counts a page of a session that was found.
    pub fn session_page(
        &self,
        session: Subject,
        client: &ClientInfo,
        now: OffsetDateTime,
    ) -> Result<(), u32> {
        // It was counted by its cookie.
        if client.devices.person().map(Subject::Person) == Some(session) {
            return Ok(());
        }
        let limit = per_minute(PageKind::Dashboard, self.pages_of_visitor);
        self.minute.count(&[limit.count(session)], now)
    }

    /// Counts a form of a session.
    pub async fn session_form(
        &self,
        session: Subject,
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        stored::count_in(&self.pool, &[FORMS.count(session)], now).await
    }
}

fn per_minute(kind: PageKind, pages: u32) -> Limit {
    let most = match kind {
        PageKind::Picture => pages.saturating_mul(PICTURES_PER_PAGE),
        PageKind::Site | PageKind::Dashboard | PageKind::Form => pages,
    };
    Limit::new(kind.into(), most, MINUTE)
}
