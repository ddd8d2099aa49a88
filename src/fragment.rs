//! The files of `shaders/`: a module is some of them, one after the other.

/// One file of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fragment {
    /// Its path below `shaders/`, without the ending.
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// The fragment in `shaders/NAME.wgsl`, of which the name may be in parts.
macro_rules! fragment {
    ($($name:literal),+) => {
        $crate::fragment::Fragment {
            name: concat!($($name),+),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $($name,)+ ".wgsl")),
        }
    };
}

pub(crate) use fragment;
