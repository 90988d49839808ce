//! The brand of a room: the keys of its waiting page. Reads colours and texts, and the brand that the house lays over a room's page.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::forms::wrong_text;
use super::page::{KEYS, PageSource};
use super::parse::parse_room;
use super::problem::unknown;
use super::reader::Reader;
use super::{PageSettings, Problem, RoomSettings};
use brand::colour::{CONTRAST_MIN_MILLI, Colour};
use brand::image::named_by;
use brand::language::Language;
use brand::scheme::{Chosen, Shade, Style, Unreadable};
use brand::texts::{ANY, OF_ROOM, TEXTS, Texts};
use facts::notice::Notice;
use facts::ordered::filled;
use facts::setting::Kind;
use house::House;

const COLOURS_CURE: &str = "Write e.g. page_colours = { light = { accent = \"#1f6f66\" }, dark = { accent = \"#84d0c2\" } }";
const TEXTS_CURE: &str = "Write e.g. page_texts = { ja = { title = \"…\" }, any = { waiting = \"…\" } }";

/// The most characters of a message in all languages together: every status that a visitor is sent repeats it, in all of them.
const NOTICE_CHARS_MAX: usize = 2_000;
/// The key that may name a picture of the house.
pub(super) const LOGO: &str = "page_logo";

/// The keys that the house lays over a room's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    page: PageSettings,
    keys: Vec<&'static str>,
}

/// Reads the brand of this room as the house keeps it.
///
/// # Errors
/// Returns every problem of the brand.
pub fn parse_brand(room: &str, brand: &Value) -> Result<Brand, Vec<Problem>> {
    let at = format!("brands.{room}");
    let Some(table) = brand.as_object() else {
        let cure = "Send its keys, such as {\"page_title\": \"Spring Tour\"}";
        return Err(vec![Problem::new(at, Some(brand), "is not a table", cure)]);
    };
    let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
    let strange = table.iter().filter(|(key, _)| !names.contains(&key.as_str()));
    let mut problems: Vec<Problem> = strange.map(|(key, value)| unknown(&at, key, value, &names)).collect();
    // The room sets nothing else, so every problem is one of its page.
    let mut alone = json!({ "paths": ["/"], "permits": 1 });
    for name in &names {
        if let (Some(value), Some(alone)) = (table.get(*name), alone.as_object_mut()) {
            alone.insert((*name).to_owned(), value.clone());
        }
    }
    match parse_room("branded", &alone) {
        Ok(alone) if problems.is_empty() => {
            let is_given = |name: &&str| table.contains_key(*name);
            return Ok(Brand {
                page: alone.page,
                keys: names.into_iter().filter(is_given).collect(),
            });
        }
        Ok(_) => {}
        Err(more) => problems.extend(more.into_iter().map(|mut problem| {
            problem.key = problem.key.replacen("ROOMS.branded", &at, 1);
            problem
        })),
    }
    Err(problems)
}

/// Returns the names of the rooms, of the file and of the house, whose pages show the picture `name`, in order. O(rooms).
#[must_use]
pub fn rooms_showing(file: &[RoomSettings], house: &House, name: &str) -> Vec<String> {
    let shows = |table: &str| {
        let table: Value = serde_json::from_str(table).unwrap_or_default();
        let logo = table.get(LOGO).and_then(Value::as_str);
        logo.and_then(named_by) == Some(name)
    };
    let of_file = file.iter().filter(|room| named_by(&room.page.logo) == Some(name));
    let of_file = of_file.map(|room| &room.name);
    let of_house = house.gated().filter(|(_, kept)| shows(&kept.table));
    let branded = house.brands().iter().filter(|(_, brand)| shows(brand));
    let of_house = of_house.map(|(room, _)| room);
    let all = of_file.chain(of_house).chain(branded.map(|(room, _)| room));
    let rooms: BTreeSet<String> = filled(all.cloned());
    rooms.into_iter().collect()
}

impl Brand {
    /// Lays the brand over a page. A key that the brand does not set keeps the page's value.
    pub fn lay_over(&self, page: &mut PageSettings) {
        page.take(&self.page, &self.keys);
    }
}

impl PageSource for Reader<'_> {
    fn colours(&mut self, name: &str) -> Style {
        self.colours_of(name)
    }

    fn texts(&mut self, name: &str) -> Texts {
        self.texts_of(name)
    }
}

impl Reader<'_> {
    /// Reads the colours and returns the style sheet that they make.
    fn colours_of(&mut self, name: &str) -> Style {
        let Some(shades) = self.object(name, COLOURS_CURE) else {
            return Style::default();
        };
        let names = Shade::ALL.map(Shade::name);
        self.known(name, &shades, &names);
        let mut all = [Chosen::default(); 2];
        for (shade, chosen) in Shade::ALL.into_iter().zip(&mut all) {
            let Some(value) = shades.get(shade.name()) else {
                continue;
            };
            let at = format!("{name}.{}", shade.name());
            let Some(given) = self.object_at(&at, value, COLOURS_CURE) else {
                continue;
            };
            *chosen = self.chosen(&at, given);
            for poor in chosen.unreadable(shade) {
                let (what, cure) = told(&poor);
                self.problem(&format!("{at}.{}", poor.name), what, cure);
            }
        }
        Style::of(all)
    }

    fn chosen(&mut self, at: &str, given: &Map<String, Value>) -> Chosen {
        self.known(at, given, &Chosen::NAMES);
        let [accent, ground, ink] = Chosen::NAMES.map(|name| {
            let value = given.get(name)?;
            let colour = value.as_str().and_then(Colour::parse);
            if colour.is_none() {
                let cure = format!("Write {name} = \"#rrggbb\", such as \"#1f6f66\"");
                self.problem(&format!("{at}.{name}"), "is no colour".to_owned(), cure);
            }
            colour
        });
        Chosen { accent, ground, ink }
    }

    /// Reads the texts, by language.
    fn texts_of(&mut self, name: &str) -> Texts {
        let mut texts = Texts::default();
        let Some(languages) = self.object(name, TEXTS_CURE) else {
            return texts;
        };
        let mut tags: Vec<&str> = Language::ALL.into_iter().map(Language::tag).collect();
        tags.push(ANY);
        self.known(name, &languages, &tags);
        for (language, value) in &languages {
            let at = format!("{name}.{language}");
            let Some(given) = self.object_at(&at, value, TEXTS_CURE) else {
                continue;
            };
            self.known(&at, given, &TEXTS.map(|(name, _)| name));
            for (text, chars_max) in TEXTS {
                let Some(value) = given.get(text) else {
                    continue;
                };
                if let Some((what, cure)) = wrong(language, text, value, chars_max) {
                    self.problem(&format!("{at}.{text}"), what, cure);
                }
                texts.put(language, text, value.as_str().unwrap_or_default());
            }
        }
        texts
    }

    /// Reads one text, or the same text by language, of which `any` is for all the others.
    pub(super) fn notice_of(&mut self, name: &str) -> Notice {
        let Some((Kind::Notice { chars_max }, value)) = self.value(name) else {
            return Notice::default();
        };
        let cure = format!("Write {name} = \"…\", in quotes, or {name} = {{ any = \"…\", ja = \"…\" }}");
        let given = match &value {
            Value::String(text) => Map::from_iter([(ANY.to_owned(), Value::from(text.as_str()))]),
            Value::Object(given) => given.clone(),
            _ => {
                self.problem(name, "is neither a text nor a table of texts".to_owned(), cure);
                return Notice::default();
            }
        };
        let mut tags: Vec<&str> = Language::ALL.into_iter().map(Language::tag).collect();
        tags.push(ANY);
        self.known(name, &given, &tags);
        let is_table = value.is_object();
        let mut notice = Notice::default();
        let mut chars = 0;
        for (language, value) in &given {
            let at = format!("{name}.{language}");
            let Some(text) = value.as_str() else {
                self.problem(&at, "is not a text".to_owned(), cure.clone());
                continue;
            };
            if let Some((what, cure)) = wrong_text(text, chars_max) {
                let at = if is_table { &at } else { name };
                self.problem(at, what, cure.to_owned());
            }
            chars += text.chars().count();
            match language.as_str() {
                ANY => text.clone_into(&mut notice.any),
                tag if text.is_empty() || !tags.contains(&tag) => {}
                _ => notice.by_language.push((language.clone(), text.to_owned())),
            }
        }
        if chars > NOTICE_CHARS_MAX {
            let what = format!("has {chars} characters in all languages, more than {NOTICE_CHARS_MAX}");
            self.problem(name, what, "Say it shorter, or in fewer languages".to_owned());
        }
        if notice.any.is_empty() && !notice.by_language.is_empty() {
            let what = format!("has no text under `{ANY}`, for everybody else");
            self.problem(name, what, cure);
        }
        notice
    }

    fn object(&mut self, name: &str, cure: &str) -> Option<Map<String, Value>> {
        let (_, value) = self.value(name)?;
        self.object_at(name, &value, cure).cloned()
    }

    fn object_at<'v>(&mut self, at: &str, value: &'v Value, cure: &str) -> Option<&'v Map<String, Value>> {
        if value.as_object().is_none() {
            self.problem(at, "is not a table".to_owned(), cure.to_owned());
        }
        value.as_object()
    }

    fn known(&mut self, at: &str, given: &Map<String, Value>, names: &[&str]) {
        let at = format!("{}.{at}", self.at);
        let strange = given.iter().filter(|(key, _)| !names.contains(&key.as_str()));
        let problems = strange.map(|(key, value)| unknown(&at, key, value, names));
        self.problems.extend(problems);
    }
}

/// Returns what is wrong with one text, and the cure; `None` if nothing is.
fn wrong(language: &str, name: &str, value: &Value, chars_max: usize) -> Option<(String, String)> {
    let Some(text) = value.as_str() else {
        let cure = format!("Write {name} = \"…\", in quotes");
        return Some(("is not a text".to_owned(), cure));
    };
    if language == ANY && OF_ROOM.contains(&name) {
        let what = "is said for every language by another key".to_owned();
        return Some((what, format!("Write page_{name}")));
    }
    let (what, cure) = wrong_text(text, chars_max)?;
    Some((what, cure.to_owned()))
}

/// Says what is wrong with a colour that cannot be read, and the cure.
fn told(poor: &Unreadable) -> (String, String) {
    let ratio = |milli: u64| format!("{}.{}", milli / 1_000, milli % 1_000 / 100);
    let what = format!(
        "is {}, which has a contrast of {} : 1 with the page or the ticket, less than {} : 1",
        poor.colour,
        ratio(poor.contrast_milli),
        ratio(CONTRAST_MIN_MILLI)
    );
    let cure = match poor.nearest {
        Some(nearest) => format!("The nearest that can be read is {nearest}"),
        None => "No colour can be read on this ground: choose another ground".to_owned(),
    };
    (what, cure)
}
