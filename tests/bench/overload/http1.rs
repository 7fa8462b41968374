//! HTTP/1.1: one connection per request in flight, which later requests reuse.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::Result;

use futures::future::join_all;

use super::generator::Wire;
use crate::http1::{Connection, Target};

/// The most connections of an open loop: the gateway's limit (4,096) plus the kernel's backlog (1,024). Requests beyond that are not sent.
const MOST: usize = 5_120;

/// A pool with as many connections as requests in flight.
pub(super) struct Http1 {
    target: Target,
    /// The longest idle connection is used first, so that none reaches its idle timeout.
    idle: RefCell<VecDeque<Connection>>,
    /// The number of connections, idle or not.
    open: Cell<usize>,
}

impl Http1 {
    /// Opens the first `connections`.
    pub(super) async fn open(target: &Target, connections: usize) -> Self {
        let idle =
            join_all((0..connections).map(async |_| Connection::open(target).await.unwrap()));
        Self {
            target: target.clone(),
            idle: RefCell::new(idle.await.into()),
            open: Cell::new(connections),
        }
    }

    /// Returns the status and, unless the server closes it, the connection.
    async fn try_exchange(&self, idle: Option<Connection>) -> Result<(u16, Option<Connection>)> {
        let mut connection = match idle {
            Some(connection) => connection,
            None => Connection::open(&self.target).await?,
        };
        connection.send(&self.target).await?;
        let head = connection.answer().await?;
        Ok((head.status, (!head.closes).then_some(connection)))
    }
}

impl Wire for Http1 {
    async fn exchange(&self) -> Option<u16> {
        let idle = self.idle.borrow_mut().pop_front();
        if idle.is_none() {
            if self.open.get() == MOST {
                return None;
            }
            self.open.update(|open| open + 1);
        }
        let (status, kept) = self.try_exchange(idle).await.ok().unzip();
        match kept.flatten() {
            Some(connection) => self.idle.borrow_mut().push_back(connection),
            None => self.open.update(|open| open - 1),
        }
        status
    }
}
