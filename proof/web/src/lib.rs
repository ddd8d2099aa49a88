//! The self-test for programs without a native backend.
