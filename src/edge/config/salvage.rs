//! Finds what a bad configuration still says: which paths to shut, and where to forward requests that no room gates.

use facts::ordered::sort_few;
use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value, json};
use worker::Env;

use super::Destinations;
use super::bindings::read_vars;
use gate::Gate;
use settings::{Origins, RoomSettings, Settings};

/// What a bad configuration still says.
#[derive(Debug)]
pub struct Salvage {
    /// The rooms to shut; of their settings only paths and hosts mean anything. `None` shuts everything.
    pub gate: Option<Gate>,
    /// Where requests that no room gates are forwarded; `None` if the origin is what is wrong.
    pub destinations: Option<Destinations>,
}

thread_local! {
    static SALVAGED: RefCell<Option<Rc<Salvage>>> = const { RefCell::new(None) };
}

/// Returns what a bad configuration still says. A room whose paths cannot be read counts as gating everything, since nobody knows
/// what it was meant to protect. Without rooms nothing is gated.
pub fn salvage(env: &Env) -> Rc<Salvage> {
    if let Some(salvaged) = SALVAGED.with_borrow(Clone::clone) {
        return salvaged;
    }
    let vars = read_vars(env);
    let rooms = vars.get("ROOMS").and_then(Value::as_object);
    let rooms = rooms.into_iter().flat_map(Map::values).enumerate();
    let mut rooms: Vec<_> = rooms.filter_map(|(at, room)| salvage_room(at, room)).collect();
    sort_few(&mut rooms, |a, b| a.name.cmp(&b.name));
    let salvaged = Rc::new(Salvage {
        gate: Gate::new(&Settings {
            origins: Origins::default(),
            turnstile_site_key: None,
            operators: Vec::new(),
            access: None,
            oidc: None,
            grounds: None,
            webhooks: Vec::new(),
            rooms,
        })
        .ok(),
        destinations: settings::parse_origins(&vars).ok().map(|origins| Destinations::new(env, origins)),
    });
    SALVAGED.set(Some(Rc::clone(&salvaged)));
    salvaged
}

/// Reads only the paths and hosts of a room. A path that cannot be read gates more, never less.
pub(super) fn salvage_room(at: usize, room: &Value) -> Option<RoomSettings> {
    let name = format!("salvaged-{at}");
    let parse = |paths: &[String], hosts: &[String]| {
        let table = json!({ "permits": 0, "paths": paths, "hosts": hosts });
        settings::parse_room(&name, &table).ok()
    };
    let texts = |key: &str| -> Option<Vec<String>> {
        let list = room.get(key)?.as_array()?;
        list.iter().map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let everything = || vec!["/*".to_owned()];
    let widest_readable = |path: String| {
        let literal = path.split('*').next().unwrap_or_default();
        let wider = [path.clone(), format!("{literal}*")];
        wider.into_iter().find(|path| parse(std::slice::from_ref(path), &[]).is_some())
    };
    let paths = texts("paths").and_then(|paths| paths.into_iter().map(widest_readable).collect());
    let mut paths: Vec<String> = paths.filter(|paths: &Vec<_>| !paths.is_empty()).unwrap_or_else(everything);
    sort_few(&mut paths, Ord::cmp);
    paths.dedup();
    let hosts = texts("hosts").unwrap_or_default();
    parse(&paths, &hosts).or_else(|| parse(&paths, &[])).or_else(|| parse(&everything(), &[]))
}
