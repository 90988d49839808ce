//! Shared by the tests of programs: runs one from outside.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a program where the traces are, and returns its exit code, standard output and standard error.
pub fn run(program: &str, arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The write fails if the program ends before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let out = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}
