//! The WGSL files of `shaders/`, and Rust structs with the layout of WGSL structs. A shader module is several files,
//! concatenated.

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

/// The layout of a struct that has a twin in WGSL.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twin {
    /// Name, offset and size of each member, in bytes; padding included.
    all: &'static [(&'static str, usize, usize)],
    /// In bytes.
    pub(crate) size: usize,
}

#[cfg(test)]
impl Twin {
    pub(crate) const fn new(all: &'static [(&'static str, usize, usize)], size: usize) -> Self {
        Self { all, size }
    }

    /// Name, offset and size of each member, in bytes. Leaves out padding, since WGSL pads without members.
    pub(crate) fn members(self) -> impl Iterator<Item = &'static (&'static str, usize, usize)> {
        self.all.iter().filter(|(name, ..)| *name != "padding")
    }
}

/// A struct that has a twin in WGSL.
#[cfg(test)]
pub(crate) trait Mirror: bytemuck::Pod {
    const TWIN: Twin;
}

/// The bytes of structs that have twins in WGSL, at most `CAPACITY`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MirrorBytes<const CAPACITY: usize> {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl<const CAPACITY: usize> MirrorBytes<CAPACITY> {
    pub(crate) const CAPACITY: usize = CAPACITY;

    pub(crate) fn of(part: &impl bytemuck::Pod) -> Self {
        let (mut bytes, part) = ([0; CAPACITY], bytemuck::bytes_of(part));
        bytes[..part.len()].copy_from_slice(part);
        Self { bytes, len: part.len() }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Declares structs that have twins in WGSL: same members, order and offsets. `src/shader/tests.rs` compares them.
macro_rules! mirrors {
    ($($(#[$about:meta])* struct $name:ident { $($(#[$of_member:meta])* $member:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub(crate) struct $name {
            $($(#[$of_member])* pub(crate) $member: $type,)*
        }

        #[cfg(test)]
        impl $crate::fragment::Mirror for $name {
            const TWIN: $crate::fragment::Twin = $crate::fragment::Twin::new(
                &[$((stringify!($member), std::mem::offset_of!($name, $member), size_of::<$type>())),*],
                size_of::<$name>(),
            );
        }
    )*};
}

pub(crate) use mirrors;
