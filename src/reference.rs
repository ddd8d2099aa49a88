//! The CPU twin of the shaders.
