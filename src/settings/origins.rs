//! Reads where Baton forwards requests: `ORIGIN`, one for every host or a table with one for each; `ORIGIN_HOST`, under which name it is asked;
//! `ORIGIN_TIMEOUT_S`, how long it may take; `CLEAR_SITE_DATA`, what becomes of the header by which it clears a visitor's cookies; and which odd headers
//! go on to it (`headers.rs`).

use core::net::Ipv4Addr;

use serde_json::{Map, Value};

use super::Problem;
use super::headers::{PassedHeaders, parse_headers};
use spelling::{Host, HostPattern, Site};

/// The most hosts that a table of origins may name. Every request is looked up in it.
pub const ORIGINS_MAX: usize = 100;

/// How long an origin may take to begin its answer if the settings do not say, in seconds. Cloudflare gives up at that time by itself.
const TIMEOUT_S: u64 = 100;
/// The longest time that the settings may give, in seconds.
const TIMEOUT_S_MAX: u64 = 600;

const CURE: &str = "Write scheme and host only, such as ORIGIN = \"https://tickets.example.com\"";
const HOST_CURE: &str = "Write ORIGIN_HOST = \"public\", or leave it out";

/// The name under which Baton asks an origin that is given by URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OriginHost {
    /// The origin's own name.
    #[default]
    Origin,
    /// The name that the visitor uses. The platform still finds the machine by the origin's name; on Cloudflare both names must be in the zone.
    Public,
}

/// What becomes of the origin's `Clear-Site-Data` where it would clear cookies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SiteData {
    /// A visitor keeps the place: the cookies are taken out of the header, and the origin's own are expired one by one.
    #[default]
    Keep,
    /// It goes through as it is, and takes the place away.
    Through,
}

/// The origins of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins {
    /// The table: an origin for each host that visitors use.
    by_host: Vec<(HostPattern, Site)>,
    /// The origin for every host; `None` beside a table.
    all: Option<Site>,
    /// The name under which Baton asks them.
    pub host: OriginHost,
    /// How long an origin may take to begin its answer to a GET or HEAD, in ms.
    pub timeout_ms: u64,
    /// What becomes of their `Clear-Site-Data`.
    pub site_data: SiteData,
    /// Which headers go on to them although their names would keep them back.
    pub headers: PassedHeaders,
}

impl Default for Origins {
    fn default() -> Self {
        Self {
            by_host: Vec::new(),
            all: None,
            host: OriginHost::default(),
            timeout_ms: TIMEOUT_S * 1_000,
            site_data: SiteData::default(),
            headers: PassedHeaders::default(),
        }
    }
}

impl Origins {
    /// Returns whether this host, a name without a port, is an origin's or one that the table names. O(hosts).
    #[must_use]
    pub fn name(&self, host: &str) -> bool {
        let of_table = self
            .by_host
            .iter()
            .any(|(pattern, site)| pattern.name() == host || site.host.name() == host);
        of_table || self.all.as_ref().is_some_and(|site| site.host.name() == host)
    }

    /// Returns the origin of the site that visitors see at this host. `None` means a service binding or the zone's own origin. O(hosts).
    #[must_use]
    pub fn of(&self, host: &Host) -> Option<&Site> {
        // An entry with a port wins over one without.
        let named = self.by_host.iter().filter(|(of, _)| of.matches(host));
        let best = named.max_by_key(|(of, _)| of.has_port());
        best.map(|(_, site)| site).or(self.all.as_ref())
    }

    /// Returns whether the table names this host, or it is an origin's own. O(hosts).
    #[must_use]
    pub fn know(&self, host: &Host) -> bool {
        let is_named = self.by_host.iter().any(|(of, _)| of.matches(host));
        is_named || self.sites().any(|site| is_at(site, host))
    }

    /// Returns every origin that is given by URL.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        let named = self.by_host.iter().map(|(_, site)| site);
        named.chain(&self.all)
    }
}

/// Returns whether a site is at this host. A site without a port is at its host under any port.
fn is_at(site: &Site, host: &Host) -> bool {
    HostPattern::parse(site.host.as_str()).is_some_and(|pattern| pattern.matches(host))
}

/// Reads `ORIGIN`, `ORIGIN_HOST`, `ORIGIN_TIMEOUT_S`, `CLEAR_SITE_DATA`, and [which headers go on](PassedHeaders).
///
/// # Errors
/// Returns every problem with any of them.
pub fn parse_origins(vars: &Map<String, Value>) -> Result<Origins, Vec<Problem>> {
    let mut problems = Vec::new();
    let value = vars.get("ORIGIN");
    let value = value.filter(|value| !value.is_null() && value.as_str() != Some(""));
    let mut origins = Origins::default();
    match value {
        Some(Value::Object(table)) => origins.by_host = parse_table(table, &mut problems),
        Some(value) => match parse_site(value) {
            Ok(site) => origins.all = Some(site),
            Err(what) => problems.push(Problem::new("ORIGIN", Some(value), what, CURE)),
        },
        None => {}
    }
    if let Some(value) = vars.get("ORIGIN_TIMEOUT_S").filter(|value| !value.is_null()) {
        match parse_timeout(value) {
            Some(timeout_s) => origins.timeout_ms = timeout_s * 1_000,
            None => problems.push(Problem::new(
                "ORIGIN_TIMEOUT_S",
                Some(value),
                format!("is no whole number from 1 to {TIMEOUT_S_MAX}"),
                format!("Write ORIGIN_TIMEOUT_S = {TIMEOUT_S}, or leave it out"),
            )),
        }
    }
    let said = vars.get("ORIGIN_HOST").filter(|value| !value.is_null());
    origins.host = match said.map(Value::as_str) {
        None | Some(Some("" | "origin")) => OriginHost::Origin,
        Some(Some("public")) => OriginHost::Public,
        Some(_) => {
            let what = "is neither \"origin\" nor \"public\"";
            problems.push(Problem::new("ORIGIN_HOST", said, what, HOST_CURE));
            OriginHost::Origin
        }
    };
    origins.site_data = parse_site_data(vars, &mut problems);
    origins.headers = parse_headers(vars, &mut problems);
    if origins.host == OriginHost::Public && problems.is_empty() {
        problems.extend(check_public(&origins, said));
    }
    if problems.is_empty() { Ok(origins) } else { Err(problems) }
}

fn parse_site_data(vars: &Map<String, Value>, problems: &mut Vec<Problem>) -> SiteData {
    let said = vars.get("CLEAR_SITE_DATA").filter(|said| !said.is_null());
    match said.map(Value::as_str) {
        None | Some(Some("keep")) => SiteData::Keep,
        Some(Some("through")) => SiteData::Through,
        Some(_) => {
            let cure = "Write CLEAR_SITE_DATA = \"through\", or leave it out";
            let what = "is neither \"keep\" nor \"through\"";
            problems.push(Problem::new("CLEAR_SITE_DATA", said, what, cure));
            SiteData::Keep
        }
    }
}

/// Reads whole seconds, given as a number or as text: in some places variables are texts.
fn parse_timeout(value: &Value) -> Option<u64> {
    let number = value.as_u64();
    let number = number.or_else(|| value.as_str()?.parse().ok());
    number.filter(|timeout_s| (1..=TIMEOUT_S_MAX).contains(timeout_s))
}

fn parse_table(table: &Map<String, Value>, problems: &mut Vec<Problem>) -> Vec<(HostPattern, Site)> {
    let cure = "Write [vars.ORIGIN] and in it \"tickets.example.com\" = \"https://shop.example.net\"";
    if table.is_empty() || table.len() > ORIGINS_MAX {
        let what = format!("names {} hosts, 1 to {ORIGINS_MAX} are allowed", table.len());
        problems.push(Problem::new("ORIGIN", None, what, cure));
    }
    let mut origins: Vec<(HostPattern, Site)> = Vec::new();
    for (host, value) in table {
        let at = format!("ORIGIN.{host:?}");
        let of = HostPattern::parse(host);
        let site = parse_site(value);
        match (of, site) {
            (None, _) => {
                let what = "is not under the name of a host";
                problems.push(Problem::new(at, Some(value), what, cure));
            }
            (Some(of), _) if origins.iter().any(|(other, _)| *other == of) => {
                let what = "is there twice, in two spellings";
                problems.push(Problem::new(at, Some(value), what, "Leave one of them"));
            }
            (Some(_), Err(what)) => problems.push(Problem::new(at, Some(value), what, cure)),
            (Some(of), Ok(site)) => origins.push((of, site)),
        }
    }
    origins
}

fn parse_site(value: &Value) -> Result<Site, &'static str> {
    let is_http = |text: &str| text.starts_with("https://") || text.starts_with("http://");
    match value.as_str() {
        None => Err("is not a text"),
        Some(text) if !is_http(text) => Err("is not an http or https URL"),
        Some(text) => Site::parse(text).ok_or("must be a scheme and a host only"),
    }
}

/// Checks what `ORIGIN_HOST = "public"` needs: an origin by URL, which has a host name, not an address, and no port.
fn check_public(origins: &Origins, said: Option<&Value>) -> Option<Problem> {
    let problem = |what: String, cure| Some(Problem::new("ORIGIN_HOST", said, what, cure));
    if origins.sites().next().is_none() {
        let what = "is for an ORIGIN by URL; a binding and the zone's own origin get the visitor's host anyway";
        return problem(what.to_owned(), "Leave it out");
    }
    let odd = origins.sites().find_map(|site| {
        let name = site.host.name();
        let is_address = name.starts_with('[') || name.parse::<Ipv4Addr>().is_ok();
        let has_port = site.host.as_str() != name;
        match (is_address, has_port) {
            (true, _) => Some(format!("cannot be, since {} is an address", site.base())),
            (_, true) => Some(format!("cannot be, since {} has a port", site.base())),
            _ => None,
        }
    })?;
    problem(
        odd,
        "Name the origin by a host name of the zone, without a port, or leave ORIGIN_HOST out",
    )
}
