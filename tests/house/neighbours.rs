//! The rooms of several owners beside each other: whose owner may define what, over which rooms of the file a room is put, and what each is told.

use baton::house::{House, Wish};
use baton::settings::{Neighbours, Settings, check_turnstile, house_changes, in_lines, own_problems, parse};
use serde_json::{Map, Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// A file with two rooms, of which one names its host.
fn file() -> Settings {
    let rooms = json!({
        "alpha": { "paths": ["/alpha/*", "/buy/*"], "permits": 1 },
        "beta": { "paths": ["POST /beta"], "hosts": ["b.example.com"], "permits": 1 },
    });
    parse(&json!({ "GROUNDS": { "paths": ["/*"] }, "ROOMS": rooms })).unwrap()
}

struct World {
    file: Settings,
    house: House,
}

impl World {
    fn new() -> Self {
        let (file, house) = (file(), House::default());
        let mut world = Self { file, house };
        world.defines(&[], "gamma", &["/gamma/*"], &[]).unwrap();
        world
    }

    /// Defines a room as an operator with this list would. Returns over which rooms of the file it is put then, or why the definition is refused.
    fn defines(&mut self, within: &[&str], room: &str, paths: &[&str], hosts: &[&str]) -> Result<Vec<String>, String> {
        let table = json!({ "paths": paths, "hosts": hosts, "permits": self.house.version() + 1, "mode": "bypass" });
        self.does(within, room, table)
    }

    fn does(&mut self, within: &[&str], room: &str, table: Value) -> Result<Vec<String>, String> {
        let within: Vec<String> = within.iter().map(|room| (*room).to_owned()).collect();
        let grounds = self.file.grounds.as_ref().unwrap();
        let beside = Neighbours::new(&self.file.rooms, grounds, &within);
        let (room, table, over) = (room.to_owned(), object(&table), vec!["nobody".to_owned()]);
        let mut wishes = [Wish::Define {
            room: room.clone(),
            table,
            over,
        }];
        beside.place(&self.house, &mut wishes);
        let events = self.house.decide(&wishes).map_err(|why| why.to_string())?;
        let next = self.house.after(&events);
        let trespasses = beside.trespasses(&self.house, &next);
        if !trespasses.is_empty() {
            return Err(in_lines(&trespasses));
        }
        house_changes(&self.file.rooms, grounds, &self.house, &next).map_err(|why| in_lines(&why))?;
        self.house = next;
        Ok(self.house.rooms()[&room].over.clone())
    }
}

#[test]
fn the_owner_of_one_room_reaches_into_no_other_whichever_would_win() {
    #[rustfmt::skip]
    let refused: &[(&[&str], &[&str])] = &[
        (&["/*"], &["b.example.com"]), (&["/*"], &[]), (&["/alpha/seat/*"], &[]), (&["/alpha"], &["x.example.com"]), (&["/al*"], &[]), (&["/*/seat"], &[]),
        (&["/own/*", "/gamma/pay"], &[]), (&["POST /alpha/x"], &[]), (&["/beta"], &["b.example.com"]), (&["GET /beta"], &["b.example.com:8443"]), (&["/beta*"], &[]),
        // Equal ones too, with no word of whose they are.
        (&["/gamma/*"], &[]), (&["/alpha/*"], &[]),
    ];
    for (paths, hosts) in refused {
        let mut world = World::new();
        let why = world.defines(&["mine"], "mine", paths, hosts).expect_err("refused");
        assert!(
            why.contains("rooms.mine.paths") && why.contains("in which you may not act"),
            "{paths:?}: {why}"
        );
        assert!(
            ["\"alpha", "room alpha", "gamma (", "beta ("].iter().all(|name| !why.contains(name)),
            "{why}"
        );
        assert!(!world.house.rooms().contains_key("mine"), "nothing is done");
    }
    for (paths, hosts) in [
        (&["/own/*"][..], &[][..]),
        (&["/beta"], &["a.example.com"]),
        (&["/bet*"], &["b.example.org"]),
        (&["/alphabet"], &[]),
    ] {
        let over = World::new().defines(&["mine"], "mine", paths, hosts);
        assert_eq!(over, Ok(Vec::new()), "{paths:?} {hosts:?}");
    }
}

#[test]
fn who_owns_both_rooms_may_and_yet_puts_nothing_over_the_file() {
    let mut world = World::new();
    assert_eq!(world.defines(&["mine", "gamma"], "mine", &["/gamma/pay/*"], &[]), Ok(Vec::new()));
    assert_eq!(
        world.defines(&["vip", "alpha"], "vip", &["/alpha/vip/*"], &[]),
        Ok(Vec::new()),
        "the file's room keeps its paths"
    );
    assert!(world.defines(&["vip"], "vip", &["/alpha/vip/*", "/alpha/gold"], &[]).is_err());
}

#[test]
fn an_owner_of_all_rooms_puts_a_room_over_those_of_the_file_that_it_reaches_into() {
    let mut world = World::new();
    assert_eq!(world.defines(&[], "vip", &["/alpha/vip/*"], &[]).unwrap(), ["alpha"]);
    assert_eq!(world.defines(&[], "wide", &["/*"], &["b.example.com"]).unwrap(), ["alpha", "beta"]);
    // Its own owner changes it, and it stays where it was put; whatever it claims anew is put over nothing.
    assert_eq!(world.defines(&["vip"], "vip", &["/alpha/vip/*"], &[]).unwrap(), ["alpha"]);
    assert!(world.defines(&["vip"], "vip", &["/alpha/vip/*"], &["x.example.com"]).is_err());
    assert_eq!(world.defines(&["wide"], "wide", &["/*"], &["b.example.com"]).unwrap(), ["alpha", "beta"]);
    let own = ["vip", "alpha", "beta", "wide"];
    assert_eq!(world.defines(&own, "vip", &["/alpha/vip/*", "/vip"], &[]).unwrap(), [""; 0]);
    // The same table again is a change if a deploy has put something under it.
    let vars = json!({ "GROUNDS": { "paths": ["/*"] }, "ROOMS": { "late": { "paths": ["/gamma/late"], "permits": 1 } } });
    world.file = parse(&vars).unwrap();
    let table: Value = serde_json::from_str(&world.house.rooms()["gamma"].table).unwrap();
    assert_eq!(world.does(&[], "gamma", table).unwrap(), ["late"]);
    let undo = world.house.undo().unwrap();
    assert_eq!(world.house.after(&undo).rooms()["gamma"].over, [""; 0], "an undo takes that back as well");
}

#[test]
fn problems_of_rooms_of_others_are_counted_and_not_told() {
    let mut world = World::new();
    let events = |house: &House, room: &str, table: Value| {
        let (room, table, over) = (room.to_owned(), object(&table), Vec::new());
        house.decide(&[Wish::Define { room, table, over }]).unwrap()
    };
    // What a deploy has made bad since.
    for (room, secret) in [("gamma", "hush"), ("mine", "own")] {
        let bad = events(&world.house, room, json!({ "paths": [format!("/{room}/*")], "permits": secret }));
        world.house.apply(world.house.version() + 1, &bad);
    }
    let grounds = world.file.grounds.as_ref().unwrap();
    let problems = house_changes(&world.file.rooms, grounds, &world.house, &world.house).expect_err("bad");
    let all = in_lines(&problems);
    assert!(all.contains("hush") && all.contains("rooms.mine.permits"), "{all}");
    assert_eq!(own_problems(problems.clone(), &[]), problems);
    let own = in_lines(&own_problems(problems, &["mine".to_owned()]));
    assert!(
        own.contains("rooms.mine.permits") && own.contains("1 problems, in rooms in which you may not act"),
        "{own}"
    );
    assert!(!own.contains("hush") && !own.contains("gamma"), "{own}");
}

#[test]
fn a_problem_of_the_own_room_names_no_other_room() {
    let world = World::new();
    let grounds = world.file.grounds.as_ref().unwrap();
    // What a deploy has taken since.
    let wish = Wish::Define {
        room: "mine".to_owned(),
        table: object(&json!({ "paths": ["/gamma/*"], "permits": 1 })),
        over: Vec::new(),
    };
    let next = world.house.after(&world.house.decide(&[wish]).unwrap());
    let problems = house_changes(&world.file.rooms, grounds, &world.house, &next).expect_err("twins");
    let all = in_lines(&own_problems(problems.clone(), &[]));
    assert!(all.contains("gated by the room gamma"), "{all}");
    let both = ["mine".to_owned(), "gamma".to_owned()];
    assert_eq!(own_problems(problems.clone(), &both), problems);
    let own = in_lines(&own_problems(problems, &["mine".to_owned()]));
    assert!(
        own.contains("rooms.mine.paths") && own.contains("a room in which you may not act"),
        "{own}"
    );
    // The path is the operator's own.
    assert!(!own.replace("/gamma/*", "").contains("gamma"), "{own}");
}

#[test]
fn what_the_deployment_lacks_for_a_room_is_told_to_who_may_act_in_it() {
    let vars = json!({
        "ROOMS": { "mine": { "paths": ["/buy"], "permits": 1, "turnstile": true } },
        "TURNSTILE_SITE_KEY": "0x4AAA",
    });
    let lacking: Vec<_> = check_turnstile(&parse(&vars).unwrap(), 0).into_iter().collect();
    let told = |room: &str| in_lines(&own_problems(lacking.clone(), &[room.to_owned()]));
    assert!(told("mine").contains("TURNSTILE_SECRET"), "{}", told("mine"));
    assert!(
        !told("gamma").contains("mine") && told("gamma").contains("1 problems"),
        "{}",
        told("gamma")
    );
}
