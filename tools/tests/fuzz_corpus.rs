//! Runs everything that reads bytes from outside on a corpus and on inputs near it. The targets and what they assert are in `fuzz/targets.rs`; the
//! crate `fuzz/` at the root runs the same targets with libFuzzer.
//!
//! Each target replays `tools/tests/corpus/<target>/*` (it must read a file that begins with `ok-`, and refuse one that begins with `no-`) and then
//! tries seeded inputs near it for a second. Longer: `BATON_FUZZ_S=60 cargo test --release -p baton-tools --test fuzz_corpus`. An input that breaks
//! something is written to the corpus, and stays there after the bug is fixed.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on stops; a clock ends a search"
)]

#[path = "fuzz/mutate.rs"]
mod mutate;
#[path = "fuzz/seeds.rs"]
mod seeds;
#[path = "fuzz/targets.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use targets::{Read, TARGETS, Target};

fn folder(target: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus")).join(target)
}

/// Returns the committed inputs of a target with their names, in the order of the names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let read = fs::read_dir(folder(target)).expect("a corpus");
    let mut files: Vec<(String, Vec<u8>)> = read
        .map(|entry| {
            let entry = entry.expect("a file");
            let name = entry.file_name().into_string().expect("a plain name");
            (name, fs::read(entry.path()).expect("readable"))
        })
        .collect();
    files.sort();
    files
}

/// Replays the corpus of a target, then tries inputs near it.
fn hunt(name: &str) {
    let (_, run): &Target = TARGETS.iter().find(|(n, _)| *n == name).expect("a target");
    let files = corpus(name);
    for (file, bytes) in &files {
        let read = catch_unwind(AssertUnwindSafe(|| run(bytes)));
        let Ok(read) = read else {
            panic!("tools/tests/corpus/{name}/{file} breaks it: cargo test -p baton-tools --test fuzz_corpus {name}");
        };
        let wanted = match file.get(..3) {
            Some("ok-") => Read::Yes,
            Some("no-") => Read::No,
            _ => continue,
        };
        assert_eq!(read, wanted, "tools/tests/corpus/{name}/{file}");
    }
    let inputs: Vec<Vec<u8>> = files.into_iter().map(|(_, bytes)| bytes).collect();
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number(option_env!("BATON_SEED")) {
        try_one(name, *run, seed, &inputs);
        return;
    }
    let long = Duration::from_secs(number(option_env!("BATON_FUZZ_S")).unwrap_or(1));
    let began = Instant::now();
    let (mut tried, mut read) = (0, 0);
    while began.elapsed() < long {
        read += u64::from(try_one(name, *run, tried, &inputs) == Read::Yes);
        tried += 1;
    }
    println!("{name}: {} of the corpus, {tried} near it, {read} read", inputs.len());
    assert!(tried > 20, "only {tried} inputs in {long:?}");
}

fn try_one(name: &str, run: fn(&[u8]) -> Read, seed: u64, inputs: &[Vec<u8>]) -> Read {
    let bytes = mutate::mutated(seed, inputs);
    catch_unwind(AssertUnwindSafe(|| run(&bytes))).unwrap_or_else(|_| {
        let file = format!("found-{seed}");
        fs::write(folder(name).join(&file), &bytes).expect("written");
        panic!(
            "an input breaks {name}; it is now tools/tests/corpus/{name}/{file}:\n\
             cargo test -p baton-tools --test fuzz_corpus {name}\n{:?}",
            String::from_utf8_lossy(&bytes)
        )
    })
}

macro_rules! hunts {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            hunt(stringify!($name));
        })*

        /// Every target has a test, and every corpus belongs to a target and has enough inputs of either kind.
        #[test]
        fn no_target_is_left_out() {
            let hunted = [$(stringify!($name)),*];
            let targets: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(hunted.as_slice(), targets);
            for name in targets {
                let files = corpus(name);
                let begin = |with: &str| files.iter().filter(|(f, _)| f.starts_with(with)).count();
                assert!(files.len() >= 8, "{name} has {} inputs", files.len());
                assert!(begin("ok-") >= 2 && begin("no-") >= 2, "{name} is one-sided");
            }
            let folders = fs::read_dir(folder("")).expect("corpora").count();
            assert_eq!(folders, TARGETS.len(), "a corpus of no target");
        }
    };
}

hunts! {
    token proof to_room from_room to_lobby ask told frame row snapshot settings path request host cookies
    credentials headers page trace expected flags entry house
}

/// The targets whose forms outlive a build: objects store them, objects and isolates of two builds say them to each other, people keep them, or an
/// operator wrote them down.
const FROZEN: [&str; 13] = [
    "token",
    "proof",
    "to_room",
    "from_room",
    "to_lobby",
    "ask",
    "told",
    "frame",
    "row",
    "snapshot",
    "settings",
    "entry",
    "house",
];

/// Where the releases' forms are.
const RELEASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/frozen");

/// Where the forms of a release are.
fn frozen(release: &str) -> PathBuf {
    PathBuf::from(RELEASES).join(release).join("forms")
}

/// Returns the seeds of a target that must be read.
fn good(target: &str) -> impl Iterator<Item = (String, Vec<u8>)> {
    seeds::of(target).into_iter().filter(|(name, _)| name.starts_with("ok-"))
}

#[test]
fn every_form_that_a_release_wrote_is_read() {
    let releases = fs::read_dir(RELEASES).expect("a folder").map(|entry| entry.expect("an entry"));
    let releases = releases.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let releases: Vec<String> = releases.map(|name| name.into_string().expect("a version")).collect();
    assert!(!releases.is_empty(), "no release is frozen");
    for release in releases {
        for target in FROZEN {
            let (_, run): &Target = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
            let files: Vec<PathBuf> = fs::read_dir(frozen(&release).join(target))
                .expect("a folder of each form")
                .map(|entry| entry.expect("a file").path())
                .collect();
            assert!(files.len() >= 2, "{release} has {} of {target}", files.len());
            for file in files {
                assert_eq!(run(&fs::read(&file).expect("readable")), Read::Yes, "{}", file.display());
            }
        }
    }
}

#[test]
fn this_build_writes_the_forms_of_its_version() {
    for target in FROZEN {
        for (name, bytes) in good(target) {
            let was = fs::read(frozen(env!("CARGO_PKG_VERSION")).join(target).join(&name));
            assert!(
                was.is_ok_and(|was| was == bytes),
                "{target}/{name} is no longer as {} wrote it. A form that was released keeps its bytes: a new one has a new version, and the old one is read too. \
                 If this version is not released yet: cargo test -p baton-tools --test fuzz_corpus -- --ignored freeze",
                env!("CARGO_PKG_VERSION")
            );
        }
    }
}

#[test]
#[ignore = "writes tests/fixtures/frozen of this version"]
fn freeze() {
    for target in FROZEN {
        let folder = frozen(env!("CARGO_PKG_VERSION")).join(target);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, bytes) in good(target) {
            fs::write(folder.join(name), bytes).expect("written");
        }
    }
}

#[test]
#[ignore = "writes the seeds of tools/tests/corpus"]
fn write_seeds() {
    for (name, _) in TARGETS {
        fs::create_dir_all(folder(name)).expect("a folder");
        for (file, bytes) in seeds::of(name) {
            fs::write(folder(name).join(file), bytes).expect("written");
        }
    }
}
