//! Where a form of the page sends the visitor back to, and whether an address leads to this very host. It must never lead to another site.

use super::codes::unescaped;
use super::{Gate, Host, Method, Room, Scheme, without_query};
use settings::RoomSettings;

/// What a request says of the page that its visitor comes from and goes back to.
pub struct WayBack<'a> {
    /// The gate that knows which pages are the room's.
    pub gate: &'a Gate,
    /// The room.
    pub room: &'a RoomSettings,
    /// The host that the request asks.
    pub host: &'a Host,
    /// The scheme by which it came.
    pub scheme: Scheme,
    /// Its path and query.
    pub own: &'a str,
    /// Its `Referer`; empty if it has none.
    pub referer: String,
}

impl WayBack<'_> {
    /// Returns where a form sends the visitor back to: the page that its address names, as on a page that answered a form; the page that it was on, if
    /// this room gates it; the page that the visitor had left, if it was on the page that says so; else the room's first page.
    #[must_use]
    pub fn page(&self) -> String {
        if self.own.starts_with("/__baton/")
            && let Some(path) = self.named_in(self.own)
        {
            return path;
        }
        match self.sender() {
            Some(path) if self.leads_into(path) => path.to_owned(),
            Some(path) if self.is_left_page(path) => self.named_in(path).unwrap_or_else(|| self.first()),
            _ => self.first(),
        }
    }

    /// Returns where the page that answers a submission leads in place of its own address, which may be no page: to the gated page that sent it, else
    /// to the room's first page. With it comes the page to go to once the visitor has claimed, if that page is not gated; else it is empty.
    #[must_use]
    pub fn after(&self) -> (String, String) {
        if let Some(path) = self.sender().filter(|path| self.leads_into(path)) {
            return (path.to_owned(), String::new());
        }
        let (first, start) = (self.first(), &self.room.page_start);
        let start = if first == *start { String::new() } else { start.clone() };
        (first, start)
    }

    /// Returns where the choice of a language leads back to: the page that says that the visitor has left stays.
    #[must_use]
    pub fn here(&self) -> String {
        match self.sender().filter(|path| self.is_left_page(path)) {
            Some(path) => path.to_owned(),
            None => self.page(),
        }
    }

    /// Returns the page that the request's own address names, if this room gates it, else the room's first page.
    #[must_use]
    pub fn named(&self) -> String {
        self.named_in(self.own).unwrap_or_else(|| self.first())
    }

    /// Returns the query by which an address of Baton's own names the way back. It is empty if that is the room's first page, or has more than `bytes_max`
    /// bytes.
    #[must_use]
    pub fn query(&self, bytes_max: usize) -> String {
        let page = self.page();
        match page == self.first() || page.len() > bytes_max {
            true => String::new(),
            false => format!("?to={}", escaped(&page)),
        }
    }

    /// The address of the page after leaving.
    #[must_use]
    pub fn left_address(&self) -> String {
        format!("/__baton/{}/left", self.room.name_in_file())
    }

    /// The room's first page: the one that its settings name, if the room gates it, else the first of its paths.
    fn first(&self) -> String {
        if self.leads_into(&self.room.page_start) {
            return self.room.page_start.clone();
        }
        let room = self.gate.room(self.room.name_in_file());
        room.map_or("/", Room::first_address).to_owned()
    }

    /// The page on this host that sent the request.
    fn sender(&self) -> Option<&str> {
        path_of_origin(&self.referer, self.scheme, self.host)
    }

    fn is_left_page(&self, path_and_query: &str) -> bool {
        without_query(path_and_query) == self.left_address()
    }

    /// Whether this room gates this path of the same host.
    fn leads_into(&self, path: &str) -> bool {
        path.starts_with('/') && self.gate.is_of(Some(self.room.name_in_file()), self.host, Method::Get, path)
    }

    /// Returns the page that an address of Baton's own names in `to`, if this room gates it.
    fn named_in(&self, path_and_query: &str) -> Option<String> {
        let (_, query) = path_and_query.split_once('?')?;
        let to = query.split('&').find_map(|pair| pair.strip_prefix("to="))?;
        let path = unescaped(to)?;
        (stays_here(&path) && self.leads_into(&path)).then_some(path)
    }
}

/// Writes a text so that it may stand in a query: as `encodeURIComponent` does.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Returns the path and query of an address of this host, by this scheme; `None` if it leads, or could be read to lead, anywhere else.
#[must_use]
pub fn path_of_origin<'u>(url: &'u str, scheme: Scheme, host: &Host) -> Option<&'u str> {
    let (said, rest) = url.split_once("://")?;
    let path_at = rest.find('/')?;
    let (named, path) = rest.split_at_checked(path_at)?;
    let said = match said {
        "https" => Scheme::Https,
        "http" => Scheme::Http,
        _ => return None,
    };
    let is_own = said == scheme && Host::parse(scheme, named)? == *host;
    (is_own && stays_here(path)).then_some(path)
}

/// Returns whether a path stays on this host: `//host` would lead elsewhere, and browsers read `\` as `/` and a tab as nothing.
#[must_use]
pub fn stays_here(path: &str) -> bool {
    path.starts_with('/') && !path.starts_with("//") && !path.contains(|c: char| c == '\\' || c <= ' ')
}
