//! The tables of schema `economy`.

pub(crate) mod games;
