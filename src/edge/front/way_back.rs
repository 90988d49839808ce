//! Where a form of the page sends the visitor back to, and whether a request is one. It must never lead to another site.

use super::received::Received;
use gate::{Method, Room, path_of_origin, stays_here, without_query};
use settings::RoomSettings;

impl Received {
    /// Returns where a form sends the visitor back to: the page that its address names, as on a page that answered a form; the page that it was on, if
    /// this room gates it; the page that the visitor had left, if it was on the page that says so; else the room's first page.
    pub fn way_back(&self, room: &RoomSettings) -> String {
        let own = self.incoming.path_and_query();
        if own.starts_with("/__baton/")
            && let Some(path) = self.named(room, own)
        {
            return path;
        }
        let referer = self.incoming.header("referer").unwrap_or_default();
        match self.same_origin_path(&referer) {
            Some(path) if self.leads_into(room, path) => path.to_owned(),
            Some(path) if is_left_page(room, path) => self.way_named(room, path),
            _ => self.first_path(room),
        }
    }

    /// Returns where the page that answers a submission leads in place of its own address, which may be no page: to the gated page that sent it, else
    /// to the room's first page. With it comes the page to go to once the visitor has claimed, if that page is not gated; else it is empty.
    pub fn way_after(&self, room: &RoomSettings) -> (String, String) {
        let referer = self.incoming.header("referer").unwrap_or_default();
        let sender = self.same_origin_path(&referer);
        if let Some(path) = sender.filter(|path| self.leads_into(room, path)) {
            return (path.to_owned(), String::new());
        }
        let first = self.first_path(room);
        let is_gated = first == room.page_start;
        let start = Some(room.page_start.clone()).filter(|_| !is_gated);
        (first, start.unwrap_or_default())
    }

    /// Returns where the choice of a language leads back to: the page that says that the visitor has left stays.
    pub fn way_back_here(&self, room: &RoomSettings) -> String {
        let referer = self.incoming.header("referer").unwrap_or_default();
        let path = self.same_origin_path(&referer);
        match path.filter(|path| is_left_page(room, path)) {
            Some(path) => path.to_owned(),
            None => self.way_back(room),
        }
    }

    /// Returns the page that the address of the request names in `to`, as [`Self::way_named`].
    pub fn way_on(&self, room: &RoomSettings) -> String {
        self.way_named(room, self.incoming.path_and_query())
    }

    /// Returns the page that an address of Baton's own names in `to`, if this room gates it, else the room's first page.
    fn way_named(&self, room: &RoomSettings, path_and_query: &str) -> String {
        let named = self.named(room, path_and_query);
        named.unwrap_or_else(|| self.first_path(room))
    }

    fn named(&self, room: &RoomSettings, path_and_query: &str) -> Option<String> {
        let (_, query) = path_and_query.split_once('?')?;
        let to = query.split('&').find_map(|pair| pair.strip_prefix("to="))?;
        let path = String::from(js_sys::decode_uri_component(to).ok()?);
        (stays_here(&path) && self.leads_into(room, &path)).then_some(path)
    }

    /// The room's first page: the one that its settings name, if the room gates it, else the first of its paths.
    pub fn first_path(&self, room: &RoomSettings) -> String {
        if self.leads_into(room, &room.page_start) {
            return room.page_start.clone();
        }
        let room = self.deployment.gate.room(room.name_in_file());
        room.map_or("/", Room::first_address).to_owned()
    }

    /// Whether this room gates this path of the same host.
    pub fn leads_into(&self, room: &RoomSettings, path: &str) -> bool {
        let gate = &self.deployment.gate;
        path.starts_with('/') && gate.is_of(Some(room.name_in_file()), &self.host, Method::Get, path)
    }

    fn same_origin_path<'u>(&self, url: &'u str) -> Option<&'u str> {
        path_of_origin(url, self.incoming.scheme(), &self.host)
    }
}

/// Whether an address is that of the page after leaving.
fn is_left_page(room: &RoomSettings, path_and_query: &str) -> bool {
    without_query(path_and_query) == left_address(room)
}

/// The address of the page after leaving.
pub fn left_address(room: &RoomSettings) -> String {
    format!("/__baton/{}/left", room.name_in_file())
}
