//! Where a form of the page sends the visitor back to, and what counts as a form. It must never lead to another site.

use super::Front;
use crate::gate::{Host, Method, Room, Scheme};
use crate::settings::RoomSettings;

impl Front {
    /// Whether the request is the page's own form, sent by a browser without JavaScript. A client that merely accepts anything gets JSON.
    pub fn is_form(&self) -> bool {
        let accept = self
            .incoming
            .header("accept")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let sent = self
            .incoming
            .header("content-type")
            .unwrap_or_default()
            .to_ascii_lowercase();
        accept.contains("text/html") && sent.starts_with("application/x-www-form-urlencoded")
    }

    /// Returns where a form sends the visitor back to: the page that it was on, if this room gates it, else the room's first page.
    pub fn way_back(&self, room: &RoomSettings) -> String {
        let referer = self.incoming.header("referer").unwrap_or_default();
        self.same_origin_path(&referer)
            .filter(|path| self.leads_into(room, path))
            .map_or_else(|| self.first_path(room), str::to_owned)
    }

    /// The room's first page.
    pub fn first_path(&self, room: &RoomSettings) -> String {
        let room = self.deployment.gate.room(room.name_in_file());
        room.map_or("/", Room::first_address).to_owned()
    }

    /// Whether this room gates this path of the same host.
    pub fn leads_into(&self, room: &RoomSettings, path: &str) -> bool {
        let gate = &self.deployment.gate;
        gate.is_of(Some(room.name_in_file()), &self.host, Method::Get, path)
    }

    fn same_origin_path<'u>(&self, url: &'u str) -> Option<&'u str> {
        let (scheme, rest) = url.split_once("://")?;
        let path_at = rest.find('/')?;
        let (host, path) = rest.split_at_checked(path_at)?;
        let scheme = match scheme {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            _ => return None,
        };
        let is_own = scheme == self.incoming.scheme() && Host::parse(scheme, host)? == self.host;
        (is_own && stays_here(path)).then_some(path)
    }
}

/// Whether a path stays on this host: `//host` would lead elsewhere, and browsers read `\` as `/` and a tab as nothing.
pub fn stays_here(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(|c: char| c == '\\' || c <= ' ')
}
