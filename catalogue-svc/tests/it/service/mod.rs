//! Responses and errors of the RPCs.

mod behind;
mod creators;
mod events;
mod games;
mod places;
mod search;
mod site;

use std::sync::Arc;

use catalogue::index::{Catalogue, IndexWriter};
use contracts::common::v1::Change;
use serde::de::DeserializeOwned;

use crate::build::writer;

/// A catalogue that has applied `changes`.
fn catalogue(changes: &[Change]) -> Arc<Catalogue> {
    published(&writer(changes))
}

/// The catalogue of a writer.
fn published(writer: &IndexWriter) -> Arc<Catalogue> {
    let catalogue = Catalogue::default();
    catalogue.publish(writer.snapshot());
    Arc::new(catalogue)
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> T {
    serde_json::from_slice(json).unwrap()
}
