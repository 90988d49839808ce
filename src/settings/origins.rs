//! Where requests go on to: `ORIGIN`.

use serde_json::Value;

use super::Problem;
use crate::gate::Site;

const CURE: &str = "Write scheme and host only, such as ORIGIN = \"https://tickets.example.com\"";

/// Reads `ORIGIN`. None: a service binding, or the zone's own origin.
pub(super) fn parse_origin(value: Option<&Value>, problems: &mut Vec<Problem>) -> Option<Site> {
    let value = value.filter(|value| !value.is_null() && value.as_str() != Some(""))?;
    let site = match value.as_str() {
        None => Err("is not a text"),
        Some(text) if !is_http(text) => Err("is not an http or https URL"),
        Some(text) => Site::parse(text).ok_or("is more or less than scheme and host"),
    };
    site.map_err(|what| problems.push(Problem::new("ORIGIN", Some(value), what, CURE)))
        .ok()
}

fn is_http(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}
