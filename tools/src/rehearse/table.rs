//! Reads tables: comma-separated, with a header line first. It is lenient where nothing can be misunderstood (line ends, blank lines, spaces, a
//! byte-order mark, quotes, further columns and their order), and strict about everything else.

use super::Flaw;

/// The latest moment that a table may name, which every program that writes tables can count exactly.
pub const AT_MS_MAX: u64 = 1 << 53;

/// The wanted columns of a table.
pub(super) struct Table<'a, const N: usize> {
    file: &'a str,
    pub rows: Vec<Row<N>>,
}

/// The wanted fields of one line.
pub(super) struct Row<const N: usize> {
    /// The line, from 1.
    line: usize,
    pub fields: [String; N],
}

impl<'a, const N: usize> Table<'a, N> {
    /// Takes the columns named `wanted` out of a table. The last may be missing in a row. A column of `optional` may be missing from the table; its
    /// fields are then empty. O(length).
    pub fn read(file: &'a str, text: &str, wanted: [&str; N], optional: &[&str]) -> Result<Self, Flaw> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(i, line)| (i + 1, line));
        let needed: Vec<&str> = wanted.into_iter().filter(|name| !optional.contains(name)).collect();
        let header_cure = format!("begin with the header line `{}`", needed.join(","));
        let flaw = |line, what: String, cure: &str| Flaw {
            file: file.to_owned(),
            line,
            what,
            cure: cure.to_owned(),
        };
        let Some((line, header)) = lines.next() else {
            return Err(flaw(None, "nothing in it".to_owned(), &header_cure));
        };
        let names = split(header).ok_or_else(|| flaw(Some(line), "an open quote".to_owned(), &header_cure))?;
        let mut columns = [None; N];
        for (column, name) in columns.iter_mut().zip(wanted) {
            *column = names.iter().position(|n| n.eq_ignore_ascii_case(name));
            if column.is_none() && !optional.contains(&name) {
                return Err(flaw(Some(line), format!("no column `{name}`"), &header_cure));
            }
        }
        let mut table = Self { file, rows: vec![] };
        for (line, text) in lines {
            let row = table.row(line, text, names.len(), columns)?;
            table.rows.push(row);
        }
        Ok(table)
    }

    fn row(&self, line: usize, text: &str, width: usize, columns: [Option<usize>; N]) -> Result<Row<N>, Flaw> {
        let row = |fields| Row { line, fields };
        let unread = || row([(); N].map(|()| String::new()));
        let Some(fields) = split(text) else {
            let cure = "close the quote on the same line, or leave quotes out";
            return Err(self.flaw(&unread(), "an open quote".to_owned(), cure));
        };
        let spare = fields.iter().skip(width).find(|field| !field.is_empty());
        if let Some(spare) = spare {
            let what = format!("more fields than the header has columns: `{spare}`");
            let cure = "put names that contain commas in double quotes";
            return Err(self.flaw(&unread(), what, cure));
        }
        Ok(row(columns.map(|at| at.and_then(|at| fields.get(at)).cloned().unwrap_or_default())))
    }

    /// Makes a flaw of one row.
    pub fn flaw(&self, row: &Row<N>, what: String, cure: &str) -> Flaw {
        Flaw {
            file: self.file.to_owned(),
            line: Some(row.line),
            what,
            cure: cure.to_owned(),
        }
    }

    /// Reads a field that says when, or how long: whole milliseconds in the column `name`.
    pub fn millis(&self, row: &Row<N>, name: &str, field: &str) -> Result<u64, Flaw> {
        field.parse().ok().filter(|ms| *ms <= AT_MS_MAX).ok_or_else(|| {
            let cure = format!("whole milliseconds from 0 to {AT_MS_MAX}");
            self.flaw(row, format!("{name} is `{field}`"), &cure)
        })
    }
}

/// Splits a line into its fields, without the spaces around them. A field in double quotes may contain commas, and a double quote written twice.
/// Returns `None` if a quote stays open or text follows a closed one.
fn split(line: &str) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let (field, after) = match rest.split_once(',') {
                Some((field, after)) => (field, Some(after)),
                None => (rest, None),
            };
            fields.push(field.trim_end().to_owned());
            let Some(after) = after else {
                return Some(fields);
            };
            rest = after;
            continue;
        };
        let mut field = String::new();
        loop {
            let (text, after) = quoted.split_once('"')?;
            field.push_str(text);
            quoted = after;
            let Some(after) = quoted.strip_prefix('"') else {
                break;
            };
            field.push('"');
            quoted = after;
        }
        fields.push(field);
        quoted = quoted.trim_start();
        if quoted.is_empty() {
            return Some(fields);
        }
        rest = quoted.strip_prefix(',')?;
    }
}

/// Writes a field, in quotes if it needs them.
#[must_use]
pub fn quote(field: &str) -> String {
    if field.contains([',', '"']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_and_without_quotes() {
        let cases: [(&str, Option<&[&str]>); 9] = [
            ("1,tick,", Some(&["1", "tick", ""])),
            ("1,tick", Some(&["1", "tick"])),
            (" 1 , arrive ,\tann ", Some(&["1", "arrive", "ann"])),
            ("1,\"a,b\"", Some(&["1", "a,b"])),
            ("\"say \"\"hi\"\"\" , 2", Some(&["say \"hi\"", "2"])),
            ("\"\",", Some(&["", ""])),
            ("1,a\"b", Some(&["1", "a\"b"])),
            ("1,\"a", None),
            ("1,\"a\"b", None),
        ];
        for (line, expected) in cases {
            let fields = split(line);
            let fields: Option<Vec<&str>> = fields.as_ref().map(|fields| fields.iter().map(String::as_str).collect());
            assert_eq!(fields.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for name in ["ann", "a,b", "\"", "a\"b", "", "ü ö"] {
            assert_eq!(split(&quote(name)), Some(vec![name.to_owned()]));
        }
    }
}
