//! The browser's entry point to the report: takes a journal's pages, returns one JSON object. `baton_tools::report` counts; the modules beside this
//! crate make pages and tables of it.

use baton_tools::report::{Asked, Reporter};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// A report under way. Memory: what [`Reporter`] takes, and one page.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct Journal {
    reporter: Option<Reporter>,
    /// Why the journal takes nothing more.
    refused: Option<String>,
}

impl Default for Journal {
    fn default() -> Self {
        Self::new(None)
    }
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl Journal {
    /// Begins a report of this edition, before the first page; of the last one in which anybody came if `edition` is `None`.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen(constructor))]
    #[must_use]
    pub fn new(edition: Option<u32>) -> Self {
        let asked = Asked { edition, ..Asked::default() };
        Self {
            reporter: Some(Reporter::new(asked)),
            refused: None,
        }
    }

    /// Takes a page of whole lines. After a page that cannot be read it takes nothing more. O(bytes + facts · log living tickets).
    pub fn take(&mut self, page: &str) {
        let Some(reporter) = self.reporter.as_mut().filter(|_| self.refused.is_none()) else {
            return;
        };
        for line in page.lines() {
            if let Err(stop) = reporter.line(line) {
                self.refused = Some(stop.to_string());
                return;
            }
        }
    }

    /// Returns the report as JSON, or `{"error": …}` if there is none. It can be called once.
    pub fn report(&mut self) -> String {
        let refused = self.refused.take();
        let reporter = self.reporter.take();
        let made = match (refused, reporter) {
            (Some(why), _) => Err(why),
            (None, None) => Err("the report was made already".to_owned()),
            (None, Some(reporter)) => reporter.finish().map_err(|stop| stop.to_string()),
        };
        let told = match &made {
            Ok(report) => serde_json::to_string(report),
            Err(why) => serde_json::to_string(&serde_json::json!({ "error": why })),
        };
        told.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = include_str!("../../../tools/tests/audit/small_sale.jsonl");

    #[test]
    fn a_journal_in_pages_makes_the_report() {
        let mut journal = Journal::new(Some(1));
        // A page may end between any two lines.
        let lines: Vec<&str> = SMALL.split_inclusive('\n').collect();
        let (first, rest) = lines.split_at(5);
        journal.take(&first.concat());
        journal.take(&rest.concat());
        let told = journal.report();
        assert!(told.contains(r#""room":"onsale""#), "{told}");
        assert!(told.contains(r#""is_sound":true"#), "{told}");
        assert!(journal.report().contains("made already"));
    }

    #[test]
    fn what_cannot_be_read_is_an_answer() {
        let mut journal = Journal::default();
        journal.take("<html>");
        journal.take(SMALL);
        assert!(journal.report().contains("not the header of an export"));
        assert!(Journal::new(None).report().contains("holds no row"));
    }
}
