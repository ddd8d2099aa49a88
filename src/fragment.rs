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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twin {
    /// Name, offset and size of each member, in bytes; padding included.
    all: &'static [(&'static str, usize, usize)],
    /// The type of each member in Rust.
    types: &'static [&'static str],
    /// In bytes.
    pub(crate) size: usize,
}

impl Twin {
    pub(crate) const fn new(
        all: &'static [(&'static str, usize, usize)],
        types: &'static [&'static str],
        size: usize,
    ) -> Self {
        Self { all, types, size }
    }

    /// The WGSL expression of the struct `name`, each word of which is `word(its index)`. Its first word has index
    /// `first`.
    pub(crate) fn of_words(self, name: &str, first: usize, word: impl Fn(usize) -> String) -> String {
        let member = |(&(name, offset, _), ty): (&(&str, usize, usize), &&str)| {
            let at = first + offset / 4;
            let words = |count: usize| (at..at + count).map(&word).collect::<Vec<_>>().join(", ");
            match *ty {
                _ if name == "padding" => None,
                "u32" => Some(word(at)),
                "i32" | "f32" => Some(format!("bitcast<{ty}>({})", word(at))),
                "f64" => Some(format!("bitcast<f64>(u64({}) | (u64({}) << 32u))", word(at), word(at + 1))),
                "[u32; 2]" => Some(format!("vec2<u32>({})", words(2))),
                "[u32; 4]" => Some(format!("vec4<u32>({})", words(4))),
                other => unreachable!("a member of type {other}"),
            }
        };
        let members: Vec<_> = self.all.iter().zip(self.types).filter_map(member).collect();
        format!("{name}({})", members.join(", "))
    }

    /// Name, offset and size of each member, in bytes. Leaves out padding, since WGSL pads without members.
    pub(crate) fn members(self) -> impl Iterator<Item = &'static (&'static str, usize, usize)> {
        self.all.iter().filter(|(name, ..)| *name != "padding")
    }

    /// The alignment in a storage buffer, in bytes: the size of the largest member, since scalars and vectors are
    /// aligned to their size.
    pub(crate) fn alignment(self) -> usize {
        let sizes = self.members().map(|&(_, _, size)| size);
        sizes.inspect(|size| debug_assert!(matches!(size, 4 | 8 | 16), "{size} bytes")).max().unwrap_or(1)
    }
}

/// A struct that has a twin in WGSL.
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
        let mut all = Self { bytes: [0; CAPACITY], len: 0 };
        all.push(bytemuck::bytes_of(part));
        all
    }

    pub(crate) fn push(&mut self, part: &[u8]) {
        self.bytes[self.len..][..part.len()].copy_from_slice(part);
        self.len += part.len();
    }

    /// Appends zeros up to a multiple of 16 bytes.
    pub(crate) fn pad(&mut self) {
        self.len = self.len.next_multiple_of(16);
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

        impl $crate::fragment::Mirror for $name {
            const TWIN: $crate::fragment::Twin = $crate::fragment::Twin::new(
                &[$((stringify!($member), std::mem::offset_of!($name, $member), size_of::<$type>())),*],
                &[$(stringify!($type)),*],
                size_of::<$name>(),
            );
        }
    )*};
}

pub(crate) use mirrors;
