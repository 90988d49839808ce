//! Tests the kits' table of test vectors: the file is what Baton's code writes today, and Baton's own check agrees with the table about proofs.

use std::collections::BTreeSet;

use baton::facts::units::Fence;
use baton::gate::{Reading, as_sent};
use baton::token::{ProofError, ProofRequest};
use baton_tools::vectors::{NOW_MS, Says, all, key, table, vector};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn the_file_is_what_is_written() {
    let written = table().expect("a table");
    assert!(
        include_str!("../../kits/vectors.json") == written,
        "kits/vectors.json is out of date; write it: cargo run -p baton-tools --bin kit-vectors > kits/vectors.json"
    );
}

#[test]
fn names_are_told_apart_and_every_reason_is_there() {
    let cases = all();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases of one name");
    let words = |index: usize| {
        let said = cases.iter().map(|case| vector(case).expect("signed").says[index]);
        said.collect::<BTreeSet<Says>>()
    };
    let said = serde_json::to_value(&words(0) | &words(1)).expect("words");
    assert_eq!(
        said,
        serde_json::json!(["ok", "missing", "malformed", "host", "mac", "time", "target", "replay", "room"])
    );
}

/// A front sends only targets in this spelling, so no kit is tested on a request that cannot occur.
#[test]
fn every_signed_target_is_one_that_a_front_sends() {
    for case in all() {
        assert_eq!(as_sent(case.target), case.target, "{}", case.name);
    }
}

/// A path that some origin reads without what Baton takes for its first segment is the one that a front forwards and a kit must read twice. A host that
/// ends at an escape is left out: frameworks hand a kit the path without its escapes, and a front refuses such a path where it may be a room's.
#[test]
fn every_way_to_begin_with_a_host_is_a_case() {
    let cases = all();
    let spellings = Reading::Host.spellings("buy", "seat");
    let ends_at_an_escape = |path: &str| path.trim_start_matches('/').split('/').next().is_some_and(|host| host.contains('%'));
    for target in spellings.iter().filter(|path| as_sent(path) == **path && !ends_at_an_escape(path)) {
        let is_refused = |case: &&baton_tools::vectors::Case| case.target == target && case.room.is_none() && case.says == Says::Room;
        assert!(cases.iter().any(|case| is_refused(&case)), "{target}");
    }
}

#[test]
fn batons_own_check_agrees() {
    let key = key().expect("a key");
    for case in all() {
        let signed = vector(&case).expect("signed");
        let header = |name: &str| signed.headers.get(name).map(String::as_str);
        let (Some(proof), Some(target)) = (header("baton-proof"), header("baton-target")) else {
            assert_eq!(case.says, Says::Missing, "{}", case.name);
            continue;
        };
        // The kits compare the fence as text; Baton's check takes a number, which cannot tell `0907` from `907`.
        let fence = header("baton-fence").unwrap_or("0");
        if fence.len() > 1 && fence.starts_with('0') {
            continue;
        }
        let forwarded = header("x-forwarded-host").or(header("host")).unwrap_or_default();
        let request = ProofRequest {
            method: signed.method,
            host: forwarded.split(',').next().unwrap_or_default(),
            path_and_query: target,
            room: header("baton-room").unwrap_or_default(),
            fence: Fence(fence.parse().expect("a number")),
        };
        let verdict = key.check(proof, NOW_MS, &request);
        let expected = match case.says {
            Says::Ok | Says::Target | Says::Replay | Says::Room => Ok(()),
            Says::Missing | Says::Malformed => Err(ProofError::Malformed),
            Says::Mac => Err(ProofError::BadMac),
            Says::Time => Err(ProofError::Skewed),
            // Only a kit has a list of hosts; Baton's check has none to hold the host against.
            Says::Host => continue,
        };
        assert_eq!(verdict, expected, "{}", case.name);
    }
}
