//! Pictures: what is one is taken as what it is, whatever it is called; what is something else, or something more, is not.

use baton::brand::image::{IMAGE_BYTES_MAX, IMAGE_SIDE_MAX, Image, ImageKind, NoImage, kind_of_name, look_at, name_of, named_by};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const PNG: &[u8] = include_bytes!("../fixtures/images/logo.png");
const JPEG: &[u8] = include_bytes!("../fixtures/images/logo.jpg");
const WEBP: &[u8] = include_bytes!("../fixtures/images/logo.webp");
const LOSSLESS: &[u8] = include_bytes!("../fixtures/images/lossless.webp");
const ALPHA: &[u8] = include_bytes!("../fixtures/images/alpha.webp");

const GOOD: [(&[u8], ImageKind); 5] = [
    (PNG, ImageKind::Png),
    (JPEG, ImageKind::Jpeg),
    (WEBP, ImageKind::Webp),
    (LOSSLESS, ImageKind::Webp),
    (ALPHA, ImageKind::Webp),
];

#[test]
fn pictures_of_real_programs_are_taken() {
    for (bytes, kind) in GOOD {
        let expected = Image { kind, width: 48, height: 24 };
        assert_eq!(look_at(bytes), Ok(expected), "{kind:?}");
    }
}

#[test]
fn c176_what_is_no_picture_is_refused_whatever_it_is_called() {
    for bytes in [
        &b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"[..],
        b"<?xml version='1.0'?><svg/>",
        b"<!doctype html><script>alert(1)</script>",
        b"\xEF\xBB\xBF<svg/>",
        b"GIF89a\x01\x00\x01\x00",
        b"BM",
        b"%PDF-1.7",
        b"RIFF\x04\x00\x00\x00WAVE",
        b"\x89PN",
        b"",
    ] {
        assert_eq!(look_at(bytes), Err(NoImage::Unknown), "{bytes:?}");
    }
}

#[test]
fn c177_a_picture_that_is_something_else_as_well_is_refused() {
    let tails: [&[u8]; 4] = [b"\n", b"<script>alert(1)</script>", b"PK\x05\x06\x00\x00\x00\x00", b"\x00"];
    for (bytes, kind) in GOOD {
        for tail in tails {
            let both = [bytes, tail].concat();
            assert!(matches!(look_at(&both), Err(NoImage::Broken(_))), "{kind:?} and {tail:?}");
        }
        let head = [&b"<script>"[..], bytes].concat();
        assert_eq!(look_at(&head), Err(NoImage::Unknown));
    }
}

#[test]
fn a_picture_that_is_cut_anywhere_is_refused() {
    for (bytes, kind) in GOOD {
        for end in 0..bytes.len() {
            assert!(look_at(&bytes[..end]).is_err(), "{kind:?} of {end} bytes");
        }
    }
}

#[test]
fn every_bit_of_a_png_is_summed() {
    for at in 0..PNG.len() {
        let mut other = PNG.to_vec();
        other[at] ^= 4;
        assert!(look_at(&other).is_err(), "byte {at}");
    }
}

#[test]
fn whatever_comes_is_answered() {
    for (bytes, _) in GOOD {
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut other = bytes.to_vec();
                other[at] = value;
                if let Ok(image) = look_at(&other) {
                    assert!((1..=IMAGE_SIDE_MAX).contains(&image.width));
                    assert!((1..=IMAGE_SIDE_MAX).contains(&image.height));
                }
            }
        }
    }
}

#[test]
fn c181_bytes_and_sides_have_bounds() {
    let long = [PNG, &vec![0; IMAGE_BYTES_MAX]].concat();
    assert_eq!(look_at(&long), Err(NoImage::Long));
    // The size of a lossless WebP stands behind its head and is summed by nothing.
    let of = |width: u32, height: u32| {
        let sides = (width - 1) | ((height - 1) << 14);
        let data = [&[0x2F][..], &sides.to_le_bytes(), &[0]].concat();
        let length = u32::try_from(data.len()).expect("short");
        let chunk = [b"VP8L", &length.to_le_bytes()[..], &data].concat();
        let whole = u32::try_from(chunk.len() + 4).expect("short");
        look_at(&[b"RIFF", &whole.to_le_bytes()[..], b"WEBP", &chunk].concat())
    };
    assert!(of(IMAGE_SIDE_MAX, 1).is_ok() && of(1, IMAGE_SIDE_MAX).is_ok());
    for (width, height) in [(IMAGE_SIDE_MAX + 1, 1), (1, IMAGE_SIDE_MAX + 1), (16_384, 16_384)] {
        assert_eq!(of(width, height), Err(NoImage::Large { width, height }));
    }
}

#[test]
fn a_picture_that_moves_is_refused() {
    let mut moving = ALPHA.to_vec();
    assert_eq!(&moving[12..16], b"VP8X");
    moving[20] |= 2;
    assert_eq!(look_at(&moving), Err(NoImage::Moves));
}

#[test]
fn a_name_is_of_the_bytes_and_says_the_type() {
    let name = name_of(PNG, ImageKind::Png);
    assert_eq!(name.len(), 36);
    assert_eq!(kind_of_name(&name), Some(ImageKind::Png));
    assert_ne!(name_of(JPEG, ImageKind::Png), name);
    assert_eq!(named_by(&format!("/__baton/images/{name}")), Some(&*name));
    for address in ["/logo.png", "/__baton/images/", "/__baton/images/../x.png", "data:image/png;base64,AA"] {
        assert_eq!(named_by(address), None, "{address}");
    }
    for wrong in [
        "",
        "x.png",
        &name.to_uppercase(),
        &name.replace("png", "svg"),
        &format!("{name}.png"),
        &name[1..],
    ] {
        assert_eq!(kind_of_name(wrong), None, "{wrong}");
    }
}
