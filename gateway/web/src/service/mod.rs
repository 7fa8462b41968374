//! The gRPC services of the internal port.

pub mod staff;
