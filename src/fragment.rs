//! The WGSL files of `shaders/`. A shader module is several of them, concatenated.

/// One file of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fragment {
    /// Path below `shaders/`, without the extension.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// The fragment in `shaders/NAME.wgsl`. Several literals are joined into one NAME.
macro_rules! fragment {
    ($($name:literal),+) => {
        $crate::fragment::Fragment {
            name: concat!($($name),+),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $($name,)+ ".wgsl")),
        }
    };
}

pub(crate) use fragment;
