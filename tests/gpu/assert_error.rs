//! Asserts the variant and the whole message of an error.

/// `assert_error!(error, Overlap, "dst: …")` takes the variant and the message of an [`Error`](wgpu_clamp::Error).
macro_rules! assert_error {
    ($error:expr, $variant:ident, $message:expr $(,)?) => {{
        let error: wgpu_clamp::Error = $error;
        assert!(matches!(error, wgpu_clamp::Error::$variant { .. }), "{error:?}");
        assert_eq!(error.to_string(), $message);
    }};
}

pub(crate) use assert_error;
