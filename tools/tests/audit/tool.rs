//! Tests the audit's program from outside: standard input, exit codes, what it prints, and exports in pages.

use super::sale::{Keeps, Sale};
use super::told::{small_sale, story};
use super::{audit, fault, programs, sale};
use baton::facts::lane_name::LaneName;
use baton_tools::audit::flags::{Question, Story, Task, Verify};
use baton_tools::audit::{Audit, Fingerprint, Scope, Stop};
use baton_tools::flags::{Wish, read};

/// Runs the program and returns its exit code, standard output and standard error.
fn run(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    programs::run(env!("CARGO_BIN_EXE_audit"), arguments, input)
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Long because it tries all exit codes with one small sale.
#[test]
fn exit_codes_say_sound_not_sound_or_unreadable() {
    let lines = small_sale();
    let whole = lines.concat();
    let fingerprint = json(lines.last().unwrap())["hash"].as_str().unwrap().to_owned();

    let (code, out, _) = run(&["verify", "-"], whole.as_bytes());
    assert_eq!(code, 0);
    assert!(out.starts_with("sound: room onsale, rows 1 to 13\n"), "{out}");
    assert!(out.contains(&format!("fingerprint {fingerprint}\n")), "{out}");
    assert!(out.contains("2 by baton"), "{out}");
    assert!(out.contains("rows/s"), "{out}");

    let given = ["verify", "-", "--json", "--fingerprint", &fingerprint.to_uppercase()];
    let (code, out, _) = run(&given, whole.as_bytes());
    assert_eq!(code, 0);
    let report = json(&out);
    assert_eq!(report["sound"], true);
    assert_eq!(report["published_row"], 13);
    assert_eq!(report["totals"]["handed"], 2);

    let forged = whole.replacen("{\"fence\":3", "{\"fence\":2", 1);
    let (code, out, error) = run(&["verify", "-"], forged.as_bytes());
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.starts_with("audit: not sound: row "), "{error}");
    let (code, out, _) = run(&["verify", "-", "--json"], forged.as_bytes());
    assert_eq!((code, json(&out)["sound"].clone()), (1, false.into()));
    let (code, out, error) = run(&["story", "-", "2"], forged.as_bytes());
    assert_eq!(code, 1, "{error}");
    assert!(out.contains("not sound from here on"), "{out}");

    for (arguments, input, cure) in [
        (&["verify", "-"][..], "", "fetch it again"),
        (&["verify", "-"], "hello\n", "an export begins with"),
        (&["verify", "-"], &whole[..whole.len() - 30], "cut off"),
        (&["verify", "/no/such/export"], "", "give a file"),
        (&["verify"], "", "audit verify EXPORT"),
        (&["verify", "-", "--fingerprint", "12"], "", "64 hex digits"),
        (&["story", "-", "many"], "", "a ticket's number"),
        (&["story", "-", "77"], &whole, "give the number of a ticket"),
        (&["prove", "-"], "", "audit verify EXPORT"),
        (&["verify", "-", "--quick"], "", "--help lists them all"),
    ] {
        let (code, out, error) = run(arguments, input.as_bytes());
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {error}");
        assert!(error.contains("cure: ") && error.contains(cure), "{error}");
    }
    let (code, _, error) = run(&["verify", "-"], b"\xff\xfe\n");
    assert_eq!(code, 2);
    assert!(error.contains("not UTF-8"), "{error}");

    let (code, out, _) = run(&["story", "-", "2", "--json"], whole.as_bytes());
    assert_eq!(code, 0);
    assert_eq!(json(&out)["told"].as_array().unwrap().len(), 7);
    let (code, out, _) = run(&["--help"], b"");
    assert_eq!(code, 0);
    assert!(out.contains("audit story EXPORT NUMBER"), "{out}");
}

#[test]
fn pages_go_on_or_are_refused() {
    let lines = Sale::of(3, 30, Keeps::default()).export();
    let whole = audit(&lines, None).unwrap();
    let hash = |row: usize| json(&lines[row])["hash"].as_str().unwrap().to_owned();
    let header = |room: &str, after: usize, previous: &str| {
        format!("{{\"baton_journal\":1,\"room\":\"{room}\",\"after\":{after},\"previous\":\"{previous}\"}}\n")
    };
    let paged = |header: String| [&lines[..=10], &[header], &lines[11..]].concat();
    let joined = audit(&paged(header("onsale", 10, &hash(10))), None).unwrap();
    assert_eq!(joined, whole, "a header that goes on changes nothing");
    let spelled: Vec<String> = lines.iter().map(|line| json(line).to_string()).collect();
    assert_ne!(spelled, lines);
    assert_eq!(audit(&spelled, None).unwrap(), whole, "fields in another order");
    for wrong in [
        header("onsale", 9, &hash(9)),
        header("onsale", 10, &hash(9)),
        header("other", 10, &hash(10)),
    ] {
        let fault = fault(&paged(wrong));
        assert_eq!((fault.row, fault.line), (11, 12));
    }
    let newer = lines[0].replace("\"baton_journal\":1", "\"baton_journal\":2");
    assert!(matches!(audit(&[newer], None), Err(Stop::Unreadable { line: 1, .. })));

    let part = [&[header("onsale", 10, &hash(10))], &lines[11..]].concat();
    assert!(matches!(audit(&part, None), Err(Stop::Unreadable { .. })));
    let mut chain = Audit::new(Scope::Chain, None);
    part.iter().try_for_each(|line| chain.line(line)).unwrap();
    let report = chain.finish().unwrap();
    assert_eq!((report.rows, report.last_row), (20, 30));
    assert_eq!(report.fingerprint, whole.fingerprint);
    assert!(!report.laws_checked);
    let mut chain = Audit::new(Scope::Chain, None);
    let gap = [&part[..3], &part[4..]].concat();
    assert!(gap.iter().try_for_each(|line| chain.line(line)).is_err());
}

/// A published fingerprint vouches for the rows up to its own, and for none after it.
#[test]
fn a_published_fingerprint_covers_what_was_before_it() {
    let sale = Sale::of(5, 40, Keeps::default());
    let lines = sale.export();
    let hash = |line: &String| {
        let text = json(line)["hash"].as_str().unwrap().to_owned();
        Fingerprint::parse(&text).unwrap()
    };
    for row in [1, 20, 40] {
        let report = audit(&lines, Some(hash(&lines[row]))).unwrap();
        assert_eq!(report.published_row, Some(row as u64));
    }
    // A history that is cut off at the end is lawful; only a fingerprint of a row that is missing shows the cut.
    let cut = &lines[..=39];
    assert!(audit(cut, None).is_ok());
    assert!(audit(cut, Some(hash(&lines[39]))).is_ok());
    let Err(Stop::Fault(fault)) = audit(cut, Some(hash(&lines[40]))) else {
        panic!("a cut history has the whole one's fingerprint");
    };
    assert_eq!(fault.law, "the published fingerprint");
}

#[test]
fn the_command_line_is_read_as_it_is_meant() {
    let parse = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read(&words)
    };
    let story = |lane: Option<&str>, edition, json| {
        let lane = lane.and_then(LaneName::parse);
        let export = "e.jsonl".to_owned();
        let number = 4711;
        let question = Question::Story(Story {
            export,
            number,
            lane,
            edition,
        });
        Ok(Wish::Do(Task { question, json }))
    };
    assert_eq!(parse("story e.jsonl 4711"), story(None, None, false));
    let line = "story e.jsonl 4711 --edition 2 --json";
    assert_eq!(parse(line), story(None, Some(2), true));
    let line = "story e.jsonl 4711 --lane members";
    assert_eq!(parse(line), story(Some("members"), None, false));
    assert!(parse("story e.jsonl 4711 --lane Members!").is_err());
    let Ok(Wish::Do(Task {
        question: Question::Verify(asked),
        json: true,
    })) = parse("--json verify - --chain-only")
    else {
        panic!("to verify, as JSON");
    };
    assert_eq!(asked.scope(), Scope::Chain);
    let expected = Verify {
        export: "-".to_owned(),
        fingerprint: None,
        chain_only: true,
    };
    assert_eq!(asked, expected);
    for wrong in [
        "story e.jsonl",
        "story e 1 --chain-only",
        "story e 1 --edition 0",
        "verify a --edition 1",
        "",
        "verify a b",
        "verify a --fingerprint",
    ] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

/// No fact of a forged row may make the audit itself panic.
#[test]
fn senseless_numbers_are_answered() {
    use baton::facts::event::{Event, How, To};
    use baton::facts::units::{Fence, Instant, LobbyId, Number};
    let sale = Sale::of(9, 30, Keeps::default());
    let (most, lobby) = (u64::MAX, LobbyId(u16::MAX));
    let senseless = [
        Event::Joined {
            lobby,
            first: Number(most),
            count: u32::MAX,
            holders: vec![],
        },
        Event::Joined {
            lobby,
            first: sale.room.line().next(),
            count: u32::MAX,
            holders: vec![],
        },
        Event::Called {
            number: Number(most),
            fence: Fence(most),
        },
        Event::Ended {
            fence: Fence(most),
            how: How::Left,
            to: To::Debt,
        },
        Event::GraceEnded { count: most },
        Event::TrayEmptied { permits: u32::MAX },
        Event::WentAway(vec![]),
        Event::CameBack(vec![Number(0); 3]),
        Event::Extended {
            fence: Fence(1),
            by_ms: most,
        },
    ];
    for event in senseless {
        let mut rows = sale.rows.clone();
        let last = rows.last_mut().unwrap();
        last.events.insert(0, event.clone());
        last.at = Instant(most);
        let refused = audit(&sale::export(&rows), None);
        assert!(matches!(refused, Err(Stop::Fault(_))), "{event:?}: {refused:?}");
    }
    assert!(story(&sale.export(), 0).is_err());
}
