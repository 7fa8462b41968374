//! Redis Cluster, one of whose masters fails.
