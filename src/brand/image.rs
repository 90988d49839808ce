//! Decides whether bytes are a picture that a page may show. The type follows from the bytes, never from the name or the type that somebody
//! gave them. This module walks the whole container from the first byte to the last. It refuses a file with anything after its end, and a
//! file that is two things at once. It never decodes pixels. SVG is not accepted, because an SVG can hold scripts and load from elsewhere.

use sha2::{Digest, Sha256};
use std::fmt;

/// The most bytes of a picture: a phone on a train loads it along with a page of 13 KB.
pub const IMAGE_BYTES_MAX: usize = 200_000;
/// The greatest width, and the greatest height, of a picture in pixels. A decoded picture takes 4 bytes a pixel
/// of a phone's memory: 16 MB at this size.
pub const IMAGE_SIDE_MAX: u32 = 2_000;
/// The most pictures that the house keeps: 20 MB of its storage.
pub const IMAGES_MAX: usize = 100;
/// The number of hexadecimal digits in a picture's name: half of a SHA-256.
const NAME_DIGITS: usize = 32;
/// The path below which pictures are served.
pub const IMAGES_AT: &str = "/__baton/images/";

/// The type of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

impl ImageKind {
    const ALL: [Self; 3] = [Self::Png, Self::Jpeg, Self::Webp];

    /// The file extension, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
        }
    }

    /// The media type for `Content-Type`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }
}

/// What [`look_at`] found out about a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The type.
    pub kind: ImageKind,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// Why bytes are not accepted as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoImage {
    /// There are too many bytes.
    Long,
    /// The bytes begin like none of the types.
    Unknown,
    /// The bytes begin like one of the types, but do not go on like it. The text says what is wrong.
    Broken(&'static str),
    /// The picture has too many pixels.
    Large {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// The file is an animation.
    Moves,
}

impl fmt::Display for NoImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long => write!(f, "The picture has more than {IMAGE_BYTES_MAX} bytes. Make it smaller."),
            Self::Unknown => write!(
                f,
                "This is no PNG, JPEG or WebP. Export it as one of them; SVG is not taken, for it can hold scripts."
            ),
            Self::Broken(what) => write!(f, "The picture is damaged, or more than a picture: {what}. Export it anew."),
            Self::Large { width, height } => write!(
                f,
                "The picture has {width} × {height} pixels, at most {IMAGE_SIDE_MAX} × {IMAGE_SIDE_MAX} are allowed. Scale it down."
            ),
            Self::Moves => write!(f, "The picture moves. Export one that stands still."),
        }
    }
}

/// Returns the name of a picture. The name is a hash of the bytes, so another picture has another name.
#[must_use]
pub fn name_of(bytes: &[u8], kind: ImageKind) -> String {
    use std::fmt::Write as _;
    let mut name = String::new();
    for byte in Sha256::digest(bytes).iter().take(NAME_DIGITS / 2) {
        // Writing to a String does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    format!("{name}.{}", kind.extension())
}

/// Returns the type that a name says. Returns `None` if it is not the name of a picture.
#[must_use]
pub fn kind_of_name(name: &str) -> Option<ImageKind> {
    let (digits, extension) = name.split_once('.')?;
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if digits.len() != NAME_DIGITS || !digits.bytes().all(is_hex) {
        return None;
    }
    let mut kinds = ImageKind::ALL.into_iter();
    kinds.find(|kind| kind.extension() == extension)
}

/// Returns the name of the picture at an address. Returns `None` if the address is not of one of our pictures.
#[must_use]
pub fn named_by(address: &str) -> Option<&str> {
    let name = address.strip_prefix(IMAGES_AT)?;
    kind_of_name(name).map(|_| name)
}

/// Finds out what the bytes are. O(bytes).
///
/// # Errors
/// [`NoImage`] says why the bytes are not accepted.
pub fn look_at(bytes: &[u8]) -> Result<Image, NoImage> {
    if bytes.len() > IMAGE_BYTES_MAX {
        return Err(NoImage::Long);
    }
    let (kind, walk): (_, fn(&mut Bytes<'_>) -> Walked) = if bytes.starts_with(PNG) {
        (ImageKind::Png, png)
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        (ImageKind::Jpeg, jpeg)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        (ImageKind::Webp, webp)
    } else {
        return Err(NoImage::Unknown);
    };
    let (width, height) = walk(&mut Bytes(bytes))?;
    let fits = |side: u32| (1..=IMAGE_SIDE_MAX).contains(&side);
    if !fits(width) || !fits(height) {
        return Err(NoImage::Large { width, height });
    }
    Ok(Image { kind, width, height })
}

/// The width and the height.
type Walked = Result<(u32, u32), NoImage>;

/// The bytes that are not read yet. Reading takes them from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], NoImage> {
        let cut = self.0.split_at_checked(count);
        let (taken, rest) = cut.ok_or(NoImage::Broken("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, NoImage> {
        Ok(number(self.take(1)?) as u8)
    }

    fn be16(&mut self) -> Result<usize, NoImage> {
        Ok(number(self.take(2)?) as usize)
    }

    fn be32(&mut self) -> Result<u32, NoImage> {
        Ok(number(self.take(4)?))
    }

    fn le(&mut self, count: usize) -> Result<u32, NoImage> {
        let bytes = self.take(count)?.iter().rev();
        Ok(bytes.fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }

    const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads at most four bytes as a big-endian number.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Walks the chunks of a PNG: length, type, data, checksum. The first chunk holds the size; the last is empty and ends the file.
fn png(bytes: &mut Bytes<'_>) -> Walked {
    bytes.take(PNG.len())?;
    let mut size = None;
    let mut has_pixels = false;
    loop {
        let length = bytes.be32()? as usize;
        let whole = bytes.0;
        let name = bytes.take(4)?;
        let mut data = Bytes(bytes.take(length)?);
        let summed = whole.get(..4 + length).unwrap_or_default();
        if bytes.be32()? != crc32(summed) {
            return Err(NoImage::Broken("a check sum is wrong"));
        }
        match (name, size) {
            (b"IHDR", None) if length == 13 => size = Some((data.be32()?, data.be32()?)),
            (b"IHDR", _) | (_, None) => return Err(NoImage::Broken("its head is wrong")),
            (b"acTL", _) => return Err(NoImage::Moves),
            (b"IDAT", _) => has_pixels = true,
            (b"IEND", Some(size)) if length == 0 && has_pixels => {
                return ended(bytes).map(|()| size);
            }
            (b"IEND", _) => return Err(NoImage::Broken("it has no pixels")),
            (name, _) if !name.iter().all(u8::is_ascii_alphabetic) => {
                return Err(NoImage::Broken("a part of it has no name"));
            }
            _ => {}
        }
    }
}

/// CRC-32 of ISO 3309, as PNG uses it. O(bits), which is fast enough: a picture is small and is uploaded once.
fn crc32(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    });
    !crc
}

/// Walks the segments of a JPEG: a marker, and for most of them a length. Pixels follow a start of scan, up to the next marker.
fn jpeg(bytes: &mut Bytes<'_>) -> Walked {
    bytes.take(2)?;
    let mut size = None;
    let mut has_pixels = false;
    loop {
        if bytes.byte()? != 0xFF {
            return Err(NoImage::Broken("a marker is missing"));
        }
        let mut marker = bytes.byte()?;
        while marker == 0xFF {
            marker = bytes.byte()?;
        }
        if marker == 0xD9 {
            let size = size.filter(|_| has_pixels);
            let size = size.ok_or(NoImage::Broken("it has no pixels"))?;
            return ended(bytes).map(|()| size);
        }
        let length = bytes.be16()?.checked_sub(2);
        let mut data = Bytes(bytes.take(length.ok_or(NoImage::Broken("a part is too short"))?)?);
        match marker {
            // Baseline, extended, progressive: the kinds that browsers show.
            0xC0..=0xC2 if size.is_none() => {
                data.byte()?;
                let (height, width) = (data.be16()? as u32, data.be16()? as u32);
                size = Some((width, height));
            }
            0xC4 | 0xDB | 0xDD | 0xE0..=0xEF | 0xFE => {}
            0xDA if size.is_some() => {
                has_pixels = true;
                pass_scan(bytes);
            }
            _ => {
                return Err(NoImage::Broken("a part is unknown or stands where it may not"));
            }
        }
    }
}

/// Skips pixels. Inside them, an `FF` is followed by 0 or by one of the eight restart markers.
fn pass_scan(bytes: &mut Bytes<'_>) {
    let is_marker = |pair: &[u8]| matches!(pair, [0xFF, marker] if !matches!(marker, 0 | 0xD0..=0xD7));
    let end = bytes.0.windows(2).position(is_marker);
    let (_, rest) = bytes.0.split_at(end.unwrap_or(bytes.0.len()));
    bytes.0 = rest;
}

/// Walks the RIFF chunks of a WebP: name, length, data, padded to an even length. The first chunk holds the size.
fn webp(bytes: &mut Bytes<'_>) -> Walked {
    bytes.take(4)?;
    if bytes.le(4)? as usize != bytes.0.len() {
        return Err(NoImage::Broken("its length is not what it says"));
    }
    bytes.take(4)?;
    let mut size = None;
    let mut has_pixels = false;
    while !bytes.is_empty() {
        let name = bytes.take(4)?;
        let length = bytes.le(4)? as usize;
        let mut data = Bytes(bytes.take(length)?);
        bytes.take(length % 2)?;
        let (own, is_whole) = match name {
            b"VP8X" if size.is_none() => (canvas(&mut data)?, false),
            b"VP8 " => (lossy(&mut data)?, true),
            b"VP8L" => (lossless(&mut data)?, true),
            b"ANIM" | b"ANMF" => return Err(NoImage::Moves),
            b"ALPH" | b"ICCP" | b"EXIF" | b"XMP " if size.is_some() => continue,
            _ => {
                return Err(NoImage::Broken("a part is unknown or stands where it may not"));
            }
        };
        if has_pixels || size.is_some_and(|size| size != own) {
            return Err(NoImage::Broken("it has two sizes"));
        }
        (size, has_pixels) = (Some(own), is_whole);
    }
    size.filter(|_| has_pixels).ok_or(NoImage::Broken("it has no pixels"))
}

fn canvas(data: &mut Bytes<'_>) -> Walked {
    const MOVES: u32 = 2;
    if data.le(4)? & MOVES != 0 {
        return Err(NoImage::Moves);
    }
    Ok((data.le(3)? + 1, data.le(3)? + 1))
}

fn lossy(data: &mut Bytes<'_>) -> Walked {
    const SIDE: u32 = 0x3FFF;
    let is_key_frame = data.le(3)? & 1 == 0;
    if !is_key_frame || data.take(3)? != [0x9D, 0x01, 0x2A] {
        return Err(NoImage::Broken("its head is wrong"));
    }
    Ok((data.le(2)? & SIDE, data.le(2)? & SIDE))
}

fn lossless(data: &mut Bytes<'_>) -> Walked {
    const SIDE: u32 = 0x3FFF;
    if data.byte()? != 0x2F {
        return Err(NoImage::Broken("its head is wrong"));
    }
    let sides = data.le(4)?;
    Ok(((sides & SIDE) + 1, (sides >> 14 & SIDE) + 1))
}

fn ended(bytes: &Bytes<'_>) -> Result<(), NoImage> {
    if bytes.is_empty() {
        Ok(())
    } else {
        Err(NoImage::Broken("something stands behind its end"))
    }
}
