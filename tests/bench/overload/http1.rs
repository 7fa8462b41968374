//! Over HTTP/1.1: a connection for each request under way, kept for later ones.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::Result;

use futures::future::join_all;

use super::generator::Wire;
use crate::http1::{Connection, Target};

/// Connections that an open loop begins with.
const AT_FIRST: usize = 512;
/// Connections that it has at most: as many as the gateway takes (4,096) and as wait with the kernel (1,024). What others would ask
/// travels nowhere.
const MOST: usize = 5_120;

/// As many connections as there are requests under way.
pub(super) struct Http1 {
    target: Target,
    /// The one that has rested longest is taken first, so that none is closed for its idleness.
    idle: RefCell<VecDeque<Connection>>,
    /// Connections, idle or not.
    open: Cell<usize>,
}

impl Http1 {
    pub(super) async fn open(target: &Target) -> Self {
        let idle = join_all((0..AT_FIRST).map(async |_| Connection::open(target).await.unwrap()));
        Self {
            target: target.clone(),
            idle: RefCell::new(idle.await.into()),
            open: Cell::new(AT_FIRST),
        }
    }

    /// Returns the connection besides, unless the server closes it.
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
