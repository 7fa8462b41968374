//! The dashboard in Chromium, on the fleet that the tests share.
//!
//! `SCREENSHOTS=FOLDER` writes a picture of each page there, wide and narrow, light and dark.

mod axe;
mod browser;
mod journey;
mod pages;
