//! The image, the compose file and the Kubernetes manifests.
