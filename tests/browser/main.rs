//! The site and the dashboard in Chromium, most of it on the fleet that the tests share.
//!
//! `SCREENSHOTS=FOLDER` writes a picture of each page there, in each view.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod axe;
mod browser;
mod journey;
mod layout;
mod pages;
mod paint;
mod scripts;
mod vote;
