//! Tests of catalogue-svc as a whole: its lists compared with plain SQL, its boards with a plain model, its answers, its follower, and whether
//! searches find what people mean.

#[cfg(test)]
mod boards;
#[cfg(test)]
mod build;
#[cfg(test)]
mod follow;
#[cfg(test)]
mod index;
#[cfg(test)]
mod property;
#[cfg(test)]
mod relevance;
#[cfg(test)]
mod service;
#[cfg(test)]
mod universe;
