//! The files of a crate import each other in no circle, and neither do the modules of `tools/src/`. Who imports which crate is in the manifests.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module by its path below the crate's root; the root itself is empty.
type Module = Vec<String>;
/// Who imports whom.
type Imports<T> = BTreeMap<T, BTreeSet<T>>;

/// The source of a crate that has whole programs in it, whose modules must not import each other in a circle either.
const TOOLS: &str = "tools/src";

/// The crates whose files must not import each other in a circle, by the folders of their sources.
fn crates() -> Vec<String> {
    let src = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("a folder");
    let paths = src.map(|entry| entry.expect("an entry").path());
    let crates = paths.filter(|path| path.join("Cargo.toml").exists());
    let mut found: Vec<String> = crates.map(|path| format!("src/{}", path.file_name().unwrap().display())).collect();
    assert!(found.len() > 10, "crates of src/: {found:?}");
    found.push(TOOLS.to_owned());
    found
}

/// The modules of a crate and their texts, without comments and tests.
fn sources(of: &str) -> BTreeMap<Module, String> {
    fn walk(folder: &Path, at: &Module, found: &mut BTreeMap<Module, String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                walk(&path, &[at.clone(), vec![name]].concat(), found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let below = match name.as_str() {
                    "mod" | "lib" => vec![],
                    _ => vec![name],
                };
                let text = fs::read_to_string(&path).expect("readable");
                found.insert([at.clone(), below].concat(), bare(&text));
            }
        }
    }
    let mut found = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(of);
    walk(&root, &vec![], &mut found);
    // A program is a crate of its own.
    found.retain(|at, _| at.first().is_none_or(|top| top != "bin"));
    found
}

fn bare(text: &str) -> String {
    let (code, _) = text.split_once("#[cfg(test)]\nmod ").unwrap_or((text, ""));
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a use tree names: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str, before: &[String], found: &mut Vec<Module>) {
    let (mut depth, mut begun) = (0_u32, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[begun..at]);
                begun = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[begun..]);
    for part in parts {
        let segments = |text: &str| -> Vec<String> {
            let names = text.split("::").map(|name| name.split(" as ").next().unwrap().trim());
            names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        match part.split_once('{') {
            Some((head, rest)) => {
                let inner = rest.rsplit_once('}').expect("a whole tree").0;
                paths(inner, &[before, &segments(head)].concat(), found);
            }
            None if part.trim().is_empty() => {}
            None => found.push([before, &segments(part)].concat()),
        }
    }
}

/// Every path in a module's text that may lead to another: those of `use`, and those that begin with `crate` or `super`.
fn named(text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begun = line.trim_start();
        let public = begun.starts_with("pub").then(|| begun.split_once(" use "));
        let uses = begun.starts_with("use ") || public.flatten().is_some();
        if uses && let Some((head, _)) = text[at..].split_once(';') {
            let tree = head.split_once("use ").expect("a use").1;
            paths(tree, &[], &mut found);
        }
        at += line.len();
    }
    for root in ["crate::", "super::"] {
        for (at, _) in text.match_indices(root) {
            let path = text[at..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            paths(path.into_iter().next().unwrap(), &[], &mut found);
        }
    }
    found
}

/// The module that a path leads to, seen from `at`.
fn target(at: &Module, path: &Module, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let ups = path.iter().take_while(|name| *name == "super").count();
    let first = path.first()?;
    let mut to: Module = match first.as_str() {
        "crate" => path[1..].to_vec(),
        "super" => [&at[..at.len().checked_sub(ups)?], &path[ups..]].concat(),
        "self" => [at, &path[1..]].concat(),
        _ => [at.as_slice(), path].concat(),
    };
    let is_plain = !["crate", "super", "self"].contains(&first.as_str());
    if is_plain && !modules.contains_key(&to[..=at.len()]) {
        return None;
    }
    while !to.is_empty() && !modules.contains_key(&to) {
        to.pop();
    }
    (!to.is_empty() && to != *at).then_some(to)
}

/// Returns the imports between these modules.
fn imports(modules: &BTreeMap<Module, String>) -> Imports<Module> {
    let imports = modules.iter().map(|(at, text)| {
        let to = named(text).into_iter().filter_map(|path| target(at, &path, modules));
        (at.clone(), to.collect())
    });
    imports.collect()
}

/// The same between the modules at the crate's root.
fn between(files: Imports<Module>) -> Imports<String> {
    let mut between: Imports<String> = BTreeMap::new();
    for (at, to) in files {
        let Some(from) = at.first() else { continue };
        let tops = to.into_iter().map(|to| to[0].clone()).filter(|to| to != from);
        between.entry(from.clone()).or_default().extend(tops);
    }
    between
}

fn files(of: &str) -> Imports<Module> {
    imports(&sources(of))
}

/// Groups that import each other, directly or by way of others; each with the shortest circle through its first member.
fn circles<T: Ord + Clone>(imports: &Imports<T>) -> Vec<(BTreeSet<T>, Vec<T>)> {
    let reach = |from: &T| -> BTreeMap<T, T> {
        let (mut came_from, mut next) = (BTreeMap::new(), vec![from.clone()]);
        while !next.is_empty() {
            let mut later = Vec::new();
            for at in next {
                for to in imports.get(&at).into_iter().flatten() {
                    if !came_from.contains_key(to) {
                        came_from.insert(to.clone(), at.clone());
                        later.push(to.clone());
                    }
                }
            }
            next = later;
        }
        came_from
    };
    let reached: BTreeMap<&T, BTreeMap<T, T>> = imports.keys().map(|from| (from, reach(from))).collect();
    let mut found: Vec<(BTreeSet<T>, Vec<T>)> = Vec::new();
    for (from, ways) in &reached {
        if !ways.contains_key(from) || found.iter().any(|(group, _)| group.contains(*from)) {
            continue;
        }
        let back = |to: &&T| reached.get(*to).is_some_and(|ways| ways.contains_key(*from));
        let group = ways.keys().filter(back).cloned().collect();
        let mut way = vec![(*from).clone()];
        while way.len() == 1 || way.last() != Some(*from) {
            way.push(ways[way.last().unwrap()].clone());
        }
        way.reverse();
        found.push((group, way));
    }
    found
}

fn shown(way: &[String]) -> String {
    way.join(" → ")
}

#[test]
fn nobody_imports_in_a_circle() {
    let name = |module: &Module| module.join("::");
    let mut found: Vec<String> = Vec::new();
    for of in crates() {
        // A file may use what the head of its own module declares.
        let mut within: Imports<String> = BTreeMap::new();
        for (at, to) in files(&of) {
            let of_same = to.iter().filter(|to| !at.starts_with(to));
            within.entry(name(&at)).or_default().extend(of_same.map(name));
        }
        found.extend(circles(&within).iter().map(|(_, way)| format!("{of}: {}", shown(way))));
    }
    found.extend(circles(&between(files(TOOLS))).iter().map(|(_, way)| shown(way)));
    assert_eq!(found, Vec::<String>::new(), "circles of imports");
}

/// What serves visitors knows nothing of what operators may ask.
#[test]
fn the_shell_imports_control_for_operators_alone() {
    let modules = sources("src/edge");
    let imports = |text: &str| text.contains("control::") || named(text).iter().any(|path| path[0] == "control");
    let importing = modules.iter().filter(|(_, text)| imports(text)).map(|(at, _)| at.join("::"));
    let (operators, others): (Vec<String>, Vec<String>) =
        importing.partition(|at| at.starts_with("front::operator") || at.starts_with("house_object"));
    assert!(operators.len() > 2, "the files that may: {operators:?}");
    assert_eq!(others, Vec::<String>::new(), "files that serve visitors");
}

#[test]
fn a_circle_is_found_and_shown() {
    let text = "use super::b::{C, d::{E as F, g}};\npub use crate::h;\nfn f() { crate::i::j(); }";
    let mut found = named(text);
    found.sort();
    let joined: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    let wanted = [
        "crate::h",
        "crate::h",
        "crate::i::j",
        "super::b",
        "super::b::C",
        "super::b::d::E",
        "super::b::d::g",
    ];
    assert_eq!(joined, wanted);
    let to = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let imports: Imports<String> = BTreeMap::from([
        ("a".to_owned(), to(&["b", "x"])),
        ("b".to_owned(), to(&["c"])),
        ("c".to_owned(), to(&["a"])),
        ("x".to_owned(), to(&[])),
    ]);
    let [(group, way)] = &circles(&imports)[..] else {
        panic!("one circle");
    };
    assert_eq!(*group, to(&["a", "b", "c"]));
    assert_eq!(shown(way), "a → b → c → a");
}
