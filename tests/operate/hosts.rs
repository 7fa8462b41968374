//! The fleet on two hosts: latency, loss and partitions.
