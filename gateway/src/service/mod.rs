//! The gRPC services of the internal port. `operations` implements the operations that staff and the people of an account share; `staff`
//! and `accounts` authorize their callers.

pub mod accounts;
pub mod change_tasks;
pub mod operations;
pub mod staff;
