//! Concurrent callers. Counts the answered calls.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures::future::join_all;
use tokio::time::Instant;

use crate::{Client, Fleet, KeyRequest, Staff, eventually};

/// The number of callers at each gateway.
const CALLERS: usize = 4;

/// Callers with keys of one account, whose plan has no limits.
#[derive(Debug)]
pub struct Load {
    callers: Vec<Client>,
    /// A client with a test key of the same account, whose calls do not count towards the month.
    looker: Client,
    answered: RefCell<Vec<Instant>>,
    flows: Cell<bool>,
}

impl Load {
    /// Callers at each gateway. Every call must be answered 200.
    pub async fn new(fleet: &Fleet) -> Self {
        let mut staff = Staff::new(fleet).await;
        let account = staff.account("unlimited").await;
        let mut callers = Vec::new();
        for gateway in fleet.by_gateway() {
            for _ in 0..CALLERS {
                let (_, secret) = staff.key(&account, KeyRequest::live()).await;
                callers.push(Client::new(&gateway, &secret));
            }
        }
        let (_, looker) = staff.key(&account, KeyRequest::default()).await;
        Self {
            callers,
            looker: Client::new(fleet, &looker),
            answered: RefCell::default(),
            flows: Cell::new(false),
        }
    }

    /// Sends calls until [`Load::stop`], then waits for the calls in flight.
    pub async fn flow(&self) {
        self.flows.set(true);
        let callers = self.callers.iter().map(async |caller| {
            while self.flows.get() {
                let answer = caller.get("/games?limit=1").await;
                assert_eq!(answer.status, 200, "{}", answer.text);
                self.answered.borrow_mut().push(Instant::now());
            }
        });
        join_all(callers).await;
    }

    /// Ends [`Load::flow`].
    pub fn stop(&self) {
        self.flows.set(false);
    }

    /// Waits until `more` further calls have been answered.
    pub async fn answers(&self, more: usize) {
        let wanted = self.answered.borrow().len() + more;
        eventually("calls are answered", async || {
            (self.answered.borrow().len() >= wanted).then_some(())
        })
        .await;
    }

    pub fn answered(&self) -> usize {
        self.answered.borrow().len()
    }

    pub fn answered_between(&self, from: Instant, to: Instant) -> usize {
        let answered = self.answered.borrow();
        answered.iter().filter(|at| (from..=to).contains(at)).count()
    }

    /// The longest time without an answered call since `from`.
    pub fn longest_pause(&self, from: Instant) -> Duration {
        longest_pause(&self.answered.borrow(), from)
    }

    /// The use of the month according to `GET /me`. `None` while the gateway cannot read it.
    pub async fn month_used(&self) -> Option<usize> {
        let me = self.looker.get("/me").await;
        let used = me.data()["month"]["used"].as_u64()?;
        usize::try_from(used).ok()
    }
}

/// The longest interval between two of the sorted `times`, since `from`.
pub(crate) fn longest_pause(times: &[Instant], from: Instant) -> Duration {
    let since = times.iter().copied().filter(|at| *at >= from);
    let since: Vec<Instant> = std::iter::once(from).chain(since).collect();
    let pauses = since.windows(2).map(|pair| pair[1].duration_since(pair[0]));
    pauses.max().unwrap_or_default()
}
