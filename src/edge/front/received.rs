//! A request with what judges it: the part of the front that is known before anybody is asked. Whoever has only this asks no object and leaves nothing
//! to be done beside the answer.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use worker::web_sys::Response;

use super::answers::{self, Draft};
use super::incoming::Incoming;
use super::onward::Onward;
use crate::config::Deployment;
use crate::dice;
use gate::{CookieName, Cookies, Host, Issuer, Language, Plan, WayBack};
use settings::RoomSettings;
use token::Scope;

/// A request, the host that it asks, and the deployment that judges it.
pub struct Received {
    /// The request.
    pub incoming: Rc<Incoming>,
    /// The host.
    pub host: Host,
    /// The configuration, with the rooms of the house where there are some.
    pub deployment: Rc<Deployment>,
}

impl Received {
    /// Decides what to do with the request, and which pages of other origins may read Baton's answer.
    pub fn plan(&self) -> Plan<'_> {
        let (gate, request) = (&self.deployment.gate, self.incoming.described());
        let plan = gate.decide(&request);
        if let Some(reader) = gate.reader_of(&request, &plan) {
            self.incoming.let_read(reader);
        }
        plan
    }

    /// The way of this request to the origin, as one to a path of this room, or of none.
    pub fn onward<'a>(&'a self, room: Option<&'a RoomSettings>) -> Onward<'a> {
        Onward {
            incoming: &self.incoming,
            host: &self.host,
            origin: self.deployment.destinations.of(&self.host),
            timeout_ms: self.deployment.destinations.timeout_ms(),
            site_data: self.deployment.destinations.site_data(),
            passed: self.deployment.destinations.headers(),
            key: self.deployment.origin_key.as_ref(),
            gate: &self.deployment.gate,
            room: room.map(RoomSettings::name_in_file),
            is_preflight: false,
        }
    }

    /// The cookies of the host, the same in every room. Credentials never hold any of them.
    pub fn cookies(&self) -> Cookies<'static> {
        Cookies::new(self.incoming.scheme(), &self.host)
    }

    /// The cookies of a room, or what stands for them in the client's credentials.
    pub fn cookies_of<'r>(&self, room: &'r RoomSettings) -> Cookies<'r> {
        let cookies = Cookies::of_room(self.incoming.scheme(), &self.host, room);
        match self.incoming.credentials() {
            Some(_) => cookies.as_credentials(),
            None => cookies,
        }
    }

    /// Where the visitor comes from and goes back to, as far as this room is concerned.
    pub fn way_back<'a>(&'a self, room: &'a RoomSettings) -> WayBack<'a> {
        WayBack {
            gate: &self.deployment.gate,
            room,
            host: &self.host,
            scheme: self.incoming.scheme(),
            own: self.incoming.path_and_query(),
            referer: self.incoming.header("referer").unwrap_or_default(),
        }
    }

    /// What the room's tokens are bound to.
    pub fn scope<'a>(&'a self, room: &'a RoomSettings) -> Scope<'a> {
        Scope {
            room: &room.bound_as,
            host: self.cookies_of(room).binding(&self.host),
        }
    }

    /// Makes the answer.
    ///
    /// # Errors
    /// When the platform refuses a header or the status.
    pub fn finish(&self, draft: Draft) -> Result<Response, JsValue> {
        answers::finish(draft, &self.incoming)
    }

    /// Issues what the client is to keep of this room.
    pub fn issuer<'a>(&'a self, room: &'a RoomSettings) -> Issuer<'a> {
        Issuer {
            keyring: &self.deployment.keyring,
            cookies: self.cookies_of(room),
            host: &self.host,
            room,
            now_ms: dice::now_ms(),
        }
    }

    /// The language chosen on the page, else the best of those that the browser asks for.
    pub fn language(&self) -> Language {
        let cookie = self.incoming.header("cookie");
        let chosen = self.cookies().values(cookie.as_deref(), CookieName::Language);
        chosen
            .into_iter()
            .find_map(Language::from_tag)
            .unwrap_or_else(|| Language::negotiate(self.incoming.header("accept-language").as_deref()))
    }
}
