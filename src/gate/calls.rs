//! The calls of Baton's own: what visitors and monitors may ask for below `/__baton/`. `own` decides which request is which call.

use super::Language;

/// The longest a status call may wait, in seconds. Proxies commonly give up at 30.
pub const WAIT_S_MAX: u64 = 25;

/// A visitor's call to a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorCall {
    /// `GET …/socket`, with an upgrade: opens the visitor's socket.
    Socket,
    /// `POST …/join`
    Join,
    /// `GET …/status`
    Status {
        /// How long to wait for a change, 0 to [`WAIT_S_MAX`] seconds.
        wait_s: u64,
    },
    /// `POST …/take`: moves the account's place to this device.
    Take,
    /// `POST …/claim`
    Claim,
    /// `POST …/leave`
    Leave,
    /// `POST …/carry`: makes a link that carries the place to another device.
    Offer,
    /// `POST …/verify`: answers Turnstile's question.
    Verify,
    /// `POST …/socket`: asks for a token that opens the socket of an app's page.
    Knock,
    /// `POST …/code`: shows a code, which Baton remembers until the visitor joins.
    Code,
    /// `POST …/enter`: goes in or takes a place, in one call and without cookies.
    Enter,
}

/// What a visitor does with a link that carries a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarryCall {
    /// `GET …/carry/{code}`: shows a page with a button. A mere look, such as a messenger's preview, changes nothing.
    Look,
    /// `POST …/carry/{code}`: takes the place over.
    Take,
}

/// What a room tells anybody who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Openly {
    /// Its draws.
    Draw,
    /// The state of its journal's hash chain.
    Chain,
}

/// A call to a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomCall {
    /// A visitor's call.
    Visitor(VisitorCall),
    /// A call about a link that carries a place.
    Carry {
        /// The link's code, as it stands in the path.
        code: String,
        /// What the visitor does with the link.
        call: CarryCall,
    },
    /// `POST /__baton/{room}/language/{tag}`: shows the page in another language from now on.
    Speak(Language),
    /// `GET /__baton/{room}/left`: the page after leaving by a form.
    Left,
    /// `GET /__baton/{room}/draw`: returns the last draw, and what the next one is bound to. Open to everybody.
    Draw,
    /// `GET /__baton/{room}/chain`: returns the hash of the last row. Open to everybody.
    Chain,
}

/// A call to one of Baton's own routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCall {
    /// A call to a room.
    Room {
        /// The name of the room, which exists.
        room: String,
        /// The call.
        call: RoomCall,
    },
    /// The CORS preflight of an app's page for one of a room's calls.
    Preflight {
        /// The name of the room, which exists.
        room: String,
        /// The methods that the route allows.
        methods: String,
    },
    /// `GET /__baton/images/{name}`: a picture that a page shows.
    Image {
        /// The picture's name, checked for its form.
        name: String,
    },
    /// `GET /__baton/static/{file}`
    Static {
        /// A plain relative path, in which no segment begins with a dot.
        file: String,
    },
    /// `GET /__baton/health`, public.
    Health,
    /// Something of operators', whatever it is: the gate knows none of it.
    Operators,
}

impl OwnCall {
    /// Returns whether the call takes, keeps or gives back something of a visitor's. A status does too: it shows that somebody is there.
    #[must_use]
    pub const fn is_visitors(&self) -> bool {
        let Self::Room { call, .. } = self else { return false };
        matches!(call, RoomCall::Visitor(_) | RoomCall::Carry { .. } | RoomCall::Speak(_))
    }

    /// Returns whether the call means the same under every host: it is never forwarded, and it is no visitor's call to a room.
    #[must_use]
    pub const fn is_same_anywhere(&self) -> bool {
        matches!(self, Self::Static { .. } | Self::Image { .. } | Self::Health | Self::Operators)
    }
}
