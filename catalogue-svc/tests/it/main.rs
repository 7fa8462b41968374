//! Tests of catalogue-svc as a whole: its lists against SQL, its boards against a naive model, its responses, its follower, and the relevance of its
//! search.

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
