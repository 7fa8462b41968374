//! One trace through the fleet, and no secret in what it writes.
