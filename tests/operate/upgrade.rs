//! Every process is replaced under load.
