//! Reads an export line by line, with one line in memory at a time.

use crate::program::Failure;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line. A row takes some megabytes at most: 2 MB as stored, and twice that as facts and in words.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// Why reading ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread<E> {
    /// The file cannot be read; the text says what is wrong, and the cure.
    File(String),
    /// The caller wants no more lines, for this reason.
    Stopped(E),
}

impl<E: ToString> From<Unread<E>> for Failure {
    fn from(unread: Unread<E>) -> Self {
        match unread {
            Unread::File(why) => why.into(),
            Unread::Stopped(stop) => stop.to_string().into(),
        }
    }
}

/// Passes every line of a file, or of standard input if the name is `-`, to `take`. Returns the number of bytes. O(bytes).
///
/// # Errors
/// Returns [`Unread`] if the file cannot be read, or the error that `take` returns.
pub fn each_line<E>(export: &str, mut take: impl FnMut(&str) -> Result<(), E>) -> Result<u64, Unread<E>> {
    let unread = |why: String| {
        let cure = "give a file of JSON lines as Baton exports them, or - for standard input";
        Unread::File(format!("{export}: {why}\n  cure: {cure}"))
    };
    let mut reader: Box<dyn BufRead> = if export == "-" {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(export).map_err(|error| unread(error.to_string()))?;
        Box::new(BufReader::with_capacity(1 << 20, file))
    };
    let (mut line, mut total) = (Vec::new(), 0);
    loop {
        line.clear();
        let read = (&mut reader)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line)
            .map_err(|error| unread(error.to_string()))? as u64;
        if read == 0 {
            return Ok(total);
        }
        if read == LINE_BYTES_MAX {
            return Err(unread("a line is longer than any row can be".to_owned()));
        }
        total += read;
        let text = str::from_utf8(&line).map_err(|_| unread("not UTF-8".to_owned()))?;
        take(text).map_err(Unread::Stopped)?;
    }
}
