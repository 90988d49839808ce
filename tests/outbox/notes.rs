//! What rows of a journal come to.

use baton::facts::config::{Change, Mode, RoomConfig};
use baton::facts::event::{Event, WhyEnded};
use baton::facts::hall::{Door, Draw, Seed};
use baton::facts::house::HouseEvent;
use baton::facts::live::Ramped;
use baton::facts::notice::Notice;
use baton::facts::schedule::StepEnd;
use baton::facts::units::{Edition, Fence, LobbyId, Number};
use baton::outbox::{BODY_BYTES_MAX, KINDS, Kind, Mark, Note, Page, Reader, is_notable, letter, notes_of_house};
use serde_json::{Value, json};

const AT_MS: u64 = 1_763_892_000_123;

fn configured(mode: Mode) -> Event {
    Event::Configured(Box::new(RoomConfig {
        mode,
        ..RoomConfig::default()
    }))
}

fn read(mark: Mark, rows: &[&[Event]]) -> Page {
    let mut reader = Reader::new(mark);
    for (at, events) in (mark.row + 1..).zip(rows) {
        reader.row(at, AT_MS, [7; 32], events);
    }
    reader.finish(false)
}

fn begun() -> Mark {
    Mark {
        edition: 1,
        ..Mark::default()
    }
}

fn data(note: &Note) -> Value {
    serde_json::from_str(&format!("{{{}}}", note.data)).unwrap()
}

fn said(page: &Page) -> Vec<(u64, u32, &'static str, Value)> {
    let told = |note: &Note| (note.row, note.edition, note.kind.name(), data(note));
    page.notes.iter().map(told).collect()
}

/// Long because it is one list of rows beside the notes that come of them.
#[test]
fn each_notable_fact_becomes_its_note() {
    let rows: [&[Event]; 8] = [
        &[configured(Mode::Paused)],
        &[
            configured(Mode::Open),
            Event::Adjusted {
                by: "mika".to_owned(),
                values: vec![Change::Mode(Some(Mode::Open)), Change::Permits(None)],
            },
        ],
        &[
            Event::Doors(Door::Hall { opens_at_ms: 9 }),
            Event::Doors(Door::Open { closes_at_ms: None }),
        ],
        &[Event::Drawn {
            draw: Draw::Shuffle,
            seed: Seed([1; 32]),
            first: Number(1),
            count: 40,
        }],
        &[Event::LineEnded {
            why: WhyEnded::SoldOut,
            count: 12,
        }],
        &[
            Event::Scheduled {
                at_ms: 5,
                end: StepEnd::Refused("too few".to_owned()),
            },
            Event::Scheduled {
                at_ms: 6,
                end: StepEnd::Done,
            },
        ],
        &[Event::Reset {
            edition: Edition(2),
            by: "mika".to_owned(),
            waiting: 3,
            inside: 1,
        }],
        &[Event::Doors(Door::Shut { opens_at_ms: None })],
    ];
    let page = read(begun(), &rows);
    assert_eq!(
        said(&page),
        [
            (2, 1, "room.mode_changed", json!({ "from": "paused", "to": "open" })),
            (
                2,
                1,
                "room.settings_changed",
                json!({ "keys": ["mode", "permits"], "values": { "mode": "open", "permits": null } })
            ),
            (3, 1, "room.hall_opened", json!({ "opens_at_ms": 9 })),
            (3, 1, "room.opened", json!({ "closes_at_ms": null })),
            (4, 1, "room.drawn", json!({ "draw": "shuffle", "first_number": 1, "count": 40 })),
            (5, 1, "room.line_ended", json!({ "why": "sold_out", "places": 12 })),
            (6, 1, "room.step_refused", json!({ "at_ms": 5, "why": "too few" })),
            (7, 2, "room.reset", json!({ "waiting": 3, "inside": 1 })),
            (8, 2, "room.closed", json!({ "opens_at_ms": null })),
        ]
    );
    assert_eq!(
        page.mark,
        Mark {
            row: 8,
            hash: Some([7; 32]),
            edition: 2,
            mode: Some(Mode::Open)
        }
    );
    let notable = |events: &&[Event]| events.iter().any(is_notable);
    assert!(rows.iter().all(notable), "the room nudges for each of them");
    let kinds = page.notes.iter().map(|note| note.kind);
    let told: Vec<Kind> = kinds
        .chain([Kind::RoomRowsMissed, Kind::HouseChanged, Kind::WebhookTest])
        .chain([Kind::TicketsNear, Kind::TicketsCalled])
        .collect();
    for (kind, name, _) in KINDS {
        assert!(told.contains(kind), "no row comes to {name}");
        assert_eq!(Kind::named(name), Some(*kind));
        assert_eq!(json!(kind), json!(name));
    }
}

#[test]
fn nothing_of_a_person_is_told() {
    let row: &[Event] = &[
        Event::Joined {
            lobby: LobbyId(0),
            first: Number(1),
            count: 1,
            holders: vec![],
        },
        Event::Called {
            number: Number(1),
            fence: Fence(1),
        },
        Event::Claimed { fence: Fence(1) },
        Event::Dismissed {
            number: Number(1),
            by: "mika".to_owned(),
        },
        Event::Turned,
    ];
    assert!(!row.iter().any(is_notable), "so no turn with visitors alone nudges");
    assert_eq!(read(begun(), &[row]).notes, []);
}

#[test]
fn a_page_read_twice_or_in_two_pieces_says_the_same() {
    let rows: Vec<Vec<Event>> = (0..40)
        .map(|at| match at % 4 {
            0 => vec![configured(Mode::ALL[at / 4 % Mode::ALL.len()])],
            1 => vec![Event::Doors(Door::default()), Event::Doors(Door::Shut { opens_at_ms: Some(1) })],
            2 => vec![Event::Reset {
                edition: Edition(u32::try_from(at).unwrap()),
                by: String::new(),
                waiting: 0,
                inside: 0,
            }],
            _ => vec![Event::Turned],
        })
        .collect();
    let rows: Vec<&[Event]> = rows.iter().map(Vec::as_slice).collect();
    let whole = read(begun(), &rows);
    for cut in 0..=rows.len() {
        let first = read(begun(), &rows[..cut]);
        let rest = read(first.mark, &rows[cut..]);
        assert_eq!([first.notes, rest.notes].concat(), whole.notes, "cut after {cut}");
        assert_eq!(rest.mark, whole.mark);
    }
}

#[test]
fn rows_that_are_gone_are_said_and_the_mode_behind_them_is_not_guessed() {
    let mut reader = Reader::new(Mark {
        row: 3,
        hash: None,
        edition: 1,
        mode: Some(Mode::Open),
    });
    reader.missed(9, Some([1; 32]), AT_MS);
    reader.row(10, AT_MS, [2; 32], &[configured(Mode::Paused)]);
    reader.row(11, AT_MS, [3; 32], &[configured(Mode::Open)]);
    let page = reader.finish(false);
    assert_eq!(
        said(&page),
        [
            (9, 1, "room.rows_missed", json!({ "first_row": 4, "last_row": 9 })),
            (11, 1, "room.mode_changed", json!({ "from": "paused", "to": "open" })),
        ]
    );
    let mut reader = Reader::new(page.mark);
    reader.begins_anew();
    assert_eq!(reader.finish(true).mark, begun());
}

#[test]
fn the_letter_has_the_forms_shape_and_an_id_of_its_own() {
    let page = read(
        begun(),
        &[&[
            Event::Adjusted {
                by: "mika".to_owned(),
                values: vec![Change::Permits(Some(Ramped::At(5)))],
            },
            Event::Adjusted {
                by: "schedule".to_owned(),
                values: vec![Change::Permits(Some(Ramped::At(6)))],
            },
        ]],
    );
    let sent = |note: &Note, operators| letter("onsale@apac.1", Some("onsale"), note, operators);
    let first = sent(&page.notes[0], true);
    assert_eq!(first.id, "onsale-apac-1_1_1_room-settings-changed");
    let body: Value = serde_json::from_str(&first.body).unwrap();
    assert_eq!(
        body,
        json!({
            "type": "room.settings_changed", "timestamp": "2025-11-23T10:00:00.123Z",
            "data": { "room": "onsale", "edition": 1, "row": 1, "by": "mika", "keys": ["permits"], "values": { "permits": 5 } },
        })
    );
    assert_eq!(sent(&page.notes[1], true).id, format!("{}_2", first.id));
    assert!(!sent(&page.notes[0], false).body.contains("mika"), "names of operators only where asked");
    assert!(!first.id.contains('.'), "the form has no full stop in an id");
}

#[test]
fn long_values_and_large_changes_are_named_and_not_repeated() {
    let text = Notice::of(&"x".repeat(5_000));
    let page = read(
        begun(),
        &[&[Event::Adjusted {
            by: String::new(),
            values: vec![Change::Message(Some(text))],
        }]],
    );
    assert_eq!(data(&page.notes[0]), json!({ "keys": ["message"] }));
    let defined = |at| HouseEvent::Defined {
        room: format!("room-{at:0>27}"),
        table: String::new(),
        generation: 1,
        over: Vec::new(),
    };
    let events: Vec<HouseEvent> = [HouseEvent::Changed { by: "mika".to_owned() }]
        .into_iter()
        .chain((0..1_000).map(defined))
        .collect();
    let note = notes_of_house(3, AT_MS, &events);
    assert_eq!((note.kind, note.by.as_deref()), (Kind::HouseChanged, Some("mika")));
    let letter = letter("house@auto.1", None, &note, false);
    assert!(letter.body.len() <= BODY_BYTES_MAX);
    let body: Value = serde_json::from_str(&letter.body).unwrap();
    assert_eq!(body["data"], json!({ "row": 3 }));
    assert_eq!(letter.id, "house-auto-1_0_3_house-changed");
}
