//! The public port itself: what is hardly HTTP, and what is too much of it.

mod long;
mod refused_bodies;
mod smuggling;
