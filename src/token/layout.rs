//! The form of a token's payload: fields of a fixed length, big-endian, in a fixed order. [`layout!`] states the order once, and length, writing and
//! reading follow from it. Whoever changes a field or the order changes what stands in visitors' cookies.

use super::codec::Reader;
use facts::holder::Key;
use facts::units::{AccountId, Edition, Fence, LobbyId, Number, Version, VisitorId};
use facts::voucher::{CodeHash, SheetId};

/// A value of one fixed length.
pub trait Field: Copy + Sized {
    /// Its length in bytes.
    const BYTES: usize;
    /// Appends exactly [`Field::BYTES`] bytes.
    fn write(self, out: &mut Vec<u8>);
    /// Takes as many bytes off the front; `None` if there are too few, or if they mean nothing.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
}

/// A payload. Only the modules of `token` can name this trait, so nobody else makes a token.
pub trait Layout: Sized {
    /// Its length in bytes.
    const BYTES: usize;
    /// Appends exactly [`Layout::BYTES`] bytes.
    fn write(&self, out: &mut Vec<u8>);
    /// Takes as many bytes off the front; `None` if there are too few, or if they mean nothing.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
}

/// Makes a struct a payload: all its fields with their types, in the order in which they are written.
macro_rules! layout {
    ($token:ty { $($field:ident: $kind:ty),+ $(,)? }) => {
        impl $crate::layout::Layout for $token {
            const BYTES: usize = 0 $(+ <$kind as $crate::layout::Field>::BYTES)+;
            fn write(&self, out: &mut Vec<u8>) {
                $(<$kind as $crate::layout::Field>::write(self.$field, out);)+
            }
            fn read(reader: &mut $crate::codec::Reader<'_>) -> Option<Self> {
                $(let $field = <$kind as $crate::layout::Field>::read(reader)?;)+
                Some(Self { $($field),+ })
            }
        }
    };
}
pub(super) use layout;

/// Makes a type a field of `$bytes` bytes, with its conversions from and to bytes.
macro_rules! field {
    ($kind:ty, $bytes:literal, $from:expr, $to:expr) => {
        impl Field for $kind {
            const BYTES: usize = $bytes;
            fn write(self, out: &mut Vec<u8>) {
                let bytes: [u8; $bytes] = $to(self);
                out.extend_from_slice(&bytes);
            }
            fn read(reader: &mut Reader<'_>) -> Option<Self> {
                reader.take::<$bytes>().map($from)
            }
        }
    };
}

field!(u64, 8, Self::from_be_bytes, Self::to_be_bytes);
field!(CodeHash, 8, Self::from, <[u8; 8]>::from);
field!(Key, 8, Self::from, <[u8; 8]>::from);
field!([u8; 4], 4, |b| b, |b: Self| b);
field!([u8; 8], 8, |b| b, |b: Self| b);
field!(u32, 4, Self::from_be_bytes, Self::to_be_bytes);
field!(SheetId, 4, |b| Self(u32::from_be_bytes(b)), |s: Self| s.0.to_be_bytes());
field!([u8; 32], 32, |b| b, |b: Self| b);
field!(AccountId, 16, AccountId, |id: Self| id.0);
field!(VisitorId, 16, VisitorId, |id: Self| id.0);
field!(Number, 8, |b| Self(u64::from_be_bytes(b)), |n: Self| n.0.to_be_bytes());
field!(Fence, 8, |b| Self(u64::from_be_bytes(b)), |f: Self| f.0.to_be_bytes());
field!(Version, 8, |b| Self(u64::from_be_bytes(b)), |v: Self| v.0.to_be_bytes());
field!(Edition, 4, |b| Self(u32::from_be_bytes(b)), |e: Self| e.0.to_be_bytes());
field!(LobbyId, 2, |b| Self(u16::from_be_bytes(b)), |l: Self| l.0.to_be_bytes());
