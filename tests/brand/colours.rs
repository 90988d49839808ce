//! Contrast, what is refused for want of it, and the style sheet. `tests/fixtures/colours.json` holds the desk's preview to the same.

use baton::brand::colour::Colour;
use baton::brand::scheme::Shade;
use baton::settings::{Problem, RoomSettings, parse_room};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn with_colours(colours: &Value) -> Result<RoomSettings, Vec<Problem>> {
    let room = json!({ "paths": ["/buy/*"], "permits": 200, "page_colours": colours });
    parse_room("onsale", &room)
}

fn colour(text: &str) -> Colour {
    Colour::parse(text).unwrap_or_else(|| panic!("{text} is a colour"))
}

#[test]
fn contrasts_are_those_of_wcag() {
    // Of the examples that WebAIM, the W3C's tutorials and browsers' tools print.
    for (one, two, milli) in [
        ("#000000", "#ffffff", 21_000),
        ("#ffffff", "#ffffff", 1_000),
        ("#767676", "#ffffff", 4_542),
        ("#777777", "#ffffff", 4_478),
        ("#ff0000", "#ffffff", 3_998),
        ("#0000ff", "#ffffff", 8_592),
    ] {
        let (one, two) = (colour(one), colour(two));
        assert_eq!(one.contrast_milli(two), milli, "{one} on {two}");
        assert_eq!(two.contrast_milli(one), milli, "{two} on {one}");
    }
}

#[test]
fn the_table_of_channels_is_the_formula() {
    for channel in 0..=u8::MAX {
        let share = f64::from(channel) / 255.0;
        let linear = if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        };
        // Of a grey the luminance is its channel's, so contrast with black tells the table's row.
        let grey = Colour::new(channel, channel, channel);
        let expected = (linear + 0.05) / 0.05 * 1_000.0;
        let told = grey.contrast_milli(Colour::BLACK) as f64;
        assert!((told - expected).abs() <= 1.1, "{channel}: {told} for {expected}");
    }
}

#[test]
fn c179_only_six_digits_are_a_colour() {
    for text in [
        "#1f6f6",
        "#1f6f666",
        "1f6f66",
        "#1f6f6g",
        "#+1f6f6",
        "red",
        "#fff",
        "rgb(0,0,0)",
        "#1f6f66;}",
        "#1f6f66}*{background:url(//evil.example)}",
        "</style><script>alert(1)</script>",
        "var(--x)",
        "",
        " #1f6f66",
        "#１f6f66",
    ] {
        assert_eq!(Colour::parse(text), None, "{text}");
        let problems = with_colours(&json!({ "light": { "accent": text } })).expect_err(text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].key, "ROOMS.onsale.page_colours.light.accent");
        assert!(problems[0].cure.contains("#rrggbb"), "{problems:?}");
    }
    for wrong in [json!(7), json!(null), json!(["#1f6f66"]), json!({})] {
        assert!(with_colours(&json!({ "dark": { "ink": wrong } })).is_err());
    }
    assert!(with_colours(&json!({ "sepia": {} })).is_err());
    assert!(with_colours(&json!({ "light": { "on-accent": "#ffffff" } })).is_err());
}

/// Every row says what was chosen, the sheet that follows, and what of it cannot be read.
#[test]
fn what_follows_is_what_the_desk_shows() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../fixtures/colours.json")).expect("JSON");
    for row in &rows {
        let poor = row["poor"].as_array().expect("a list");
        match with_colours(&row["chosen"]) {
            Ok(room) => {
                assert!(poor.is_empty(), "{row}");
                assert_eq!(room.page.style.css, row["css"], "{row}");
            }
            Err(problems) => {
                assert_eq!(problems.len(), poor.len(), "{row}: {problems:?}");
                for one in poor {
                    let text = |key: &str| one[key].as_str().expect("a text").to_owned();
                    let at = format!("ROOMS.onsale.page_colours.{}.{}", text("shade"), text("name"));
                    let mut here = problems.iter().filter(|problem| problem.key == at);
                    let problem = here.next().unwrap_or_else(|| panic!("{at} in {problems:?}"));
                    let milli = one["contrast_milli"].as_u64().expect("a number");
                    let ratio = format!("{}.{} : 1", milli / 1_000, milli % 1_000 / 100);
                    assert!(problem.what.contains(&ratio), "{ratio}: {problem}");
                    let nearest = one["nearest"].as_str().unwrap_or("another ground");
                    assert!(problem.cure.contains(nearest), "{row}: {problem}");
                }
            }
        }
    }
    assert!(rows.len() > 20);
}

#[test]
fn the_nearest_colour_that_is_offered_is_taken() {
    for ground in ["#ffffff", "#808080", "#fff7ed", "#101010", "#2d6cdf"] {
        for ink in ["#777777", "#ffff00", "#3b82f6", "#050505"] {
            let chosen = |ink: &str| json!({ "light": { "ground": ground, "ink": ink, "accent": ink } });
            let Err(problems) = with_colours(&chosen(ink)) else {
                continue;
            };
            let cure = &problems[0].cure;
            let Some((_, nearest)) = cure.rsplit_once(' ') else { panic!("{cure}") };
            if nearest.starts_with('#') {
                with_colours(&chosen(nearest)).expect("the cure cures");
            } else {
                assert!(cure.contains("another ground"), "{cure}");
            }
        }
    }
}

/// What is in the sheet needs no escape, in HTML or in a policy.
#[test]
fn a_sheet_holds_nothing_that_html_could_take_for_a_tag() {
    let room = with_colours(&json!({ "light": { "accent": "#0033AA" } })).expect("good");
    let style = &room.page.style;
    assert!(!style.css.contains(['<', '>', '&', '"', '\'']));
    let policy = "default-src 'none'; style-src 'self'; img-src 'self'";
    let widened = style.let_into(policy);
    let (_, hash) = style.hash.split_once("sha256-").expect("a hash");
    assert_eq!(hash.len(), 44);
    assert_eq!(widened, format!("default-src 'none'; style-src 'self' '{}'; img-src 'self'", style.hash));
    let plain = with_colours(&json!({})).expect("good");
    assert_eq!(plain.page.style.let_into(policy), policy);
}

/// What is ours stands in `web/theme.css`, and contrasts are judged by it.
#[test]
fn our_colours_are_those_of_the_theme() {
    let theme = include_str!("../../web/theme.css");
    let (light, dark) = theme.split_once("prefers-color-scheme: dark").expect("two");
    for (shade, text) in [(Shade::Light, light), (Shade::Dark, dark)] {
        for (name, colour) in ["accent", "ground", "ink"].into_iter().zip(shade.ours()) {
            let line = format!("--{name}: {colour};");
            assert!(text.contains(&line), "{shade:?}: {line}");
        }
        let paper = format!("--paper: {};", shade.our_paper());
        assert!(text.contains(&paper), "{shade:?}: {paper}");
    }
}
