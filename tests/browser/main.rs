//! The site and the dashboard in Chromium, mostly on the fleet that the tests share.
//!
//! `SCREENSHOTS=FOLDER` writes a screenshot of each page, in each view, to that folder.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod axe;
mod browser;
mod journey;
mod layout;
mod pages;
mod paint;
mod scripts;
mod vote;
