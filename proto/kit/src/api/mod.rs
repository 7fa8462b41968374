//! The rules of the API, the same in every service: codes and faults (§7), bad fields, strict JSON, texts, times, modes, pages and cursors.

pub mod bad_fields;
mod code;
pub mod cursor;
pub mod fault;
pub mod json_object;
pub mod mode;
pub mod page;
pub mod text;
pub mod timestamp;

pub use code::Code;
pub use fault::Fault;
pub use mode::Mode;
