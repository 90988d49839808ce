//! Who a request shows itself to be: the visitor, the ticket and the pass in its cookies. Believes nothing that is
//! not signed, and takes a ticket only from the visitor whose it is.

use super::incoming::Incoming;
use crate::gate::{CookieName, Cookies, Host};
use crate::settings::RoomSettings;
use crate::token::{
    Farewell, Human, Keyring, Pass, PassCookie, Scope, Ticket, Token, Verified, Visitor,
};
use crate::units::{LobbyId, VisitorId};
use crate::wire::Shown;

/// What the cookies for one room prove.
pub struct Identity {
    /// Who; by the visitor's cookie, else by the pass.
    pub visitor: Option<VisitorId>,
    /// Whether the visitor's own cookie said so.
    pub visitor_cookie: bool,
    /// The visitor's ticket.
    pub ticket: Option<Ticket>,
    /// A ticket cookie was shown that is not this visitor's, or nobody's.
    pub bad_ticket: bool,
    /// A lease, or what is left of one.
    pub pass: Option<PassCookie>,
    /// A pass cookie was shown, good or bad.
    pub pass_cookie: bool,
    /// Turnstile found the visitor to be no machine, not long ago.
    pub human: bool,
}

/// The lease that the pass cookie proves, with nothing else looked at.
pub fn lease_shown(
    incoming: &Incoming,
    keyring: &Keyring,
    host: &Host,
    room: &RoomSettings,
    now_ms: u64,
) -> Option<Pass> {
    let cookies = Cookies::of_room(incoming.scheme(), host, room);
    let header = incoming.header("cookie");
    let scope = Scope {
        room: &room.name,
        host: cookies.binding(host),
    };
    let values = cookies.values(header.as_deref(), CookieName::Pass(&room.name));
    match read_pass(&values, keyring, scope, now_ms) {
        Some(PassCookie::Pass(pass)) => Some(pass),
        _ => None,
    }
}

impl Identity {
    /// Reads the cookies. At most four times [`crate::gate::COOKIE_TRIES_MAX`] HMACs.
    pub fn read(
        incoming: &Incoming,
        keyring: &Keyring,
        host: &Host,
        room: &RoomSettings,
        now_ms: u64,
    ) -> Self {
        let cookies = Cookies::of_room(incoming.scheme(), host, room);
        let header = incoming.header("cookie");
        let values = |name| cookies.values(header.as_deref(), name);
        let room = room.name.as_str();
        let scope = Scope {
            room,
            host: cookies.binding(host),
        };
        let cookie = first::<Visitor>(&values(CookieName::Visitor), keyring, scope, now_ms);
        let passes = values(CookieName::Pass(room));
        let pass = read_pass(&passes, keyring, scope, now_ms);
        let visitor = cookie
            .map(|visitor| visitor.id)
            .or_else(|| pass.as_ref().and_then(holder));
        let proofs = values(CookieName::Human);
        let tickets = values(CookieName::Ticket(room));
        let ticket = first::<Ticket>(&tickets, keyring, scope, now_ms);
        let ticket = ticket.filter(|ticket| Some(ticket.visitor) == visitor);
        Self {
            visitor,
            visitor_cookie: cookie.is_some(),
            bad_ticket: ticket.is_none() && !tickets.is_empty(),
            ticket,
            pass,
            pass_cookie: !passes.is_empty(),
            human: proofs.iter().any(|value| {
                let proof = keyring.verify::<Human>(value, scope, now_ms);
                proof.is_ok_and(|proof| Some(proof.token.visitor) == visitor)
            }),
        }
    }

    /// The lease, if the pass cookie holds one.
    pub fn lease(&self) -> Option<Pass> {
        match self.pass {
            Some(PassCookie::Pass(pass)) => Some(pass),
            _ => None,
        }
    }

    /// The farewell, if the pass cookie holds one.
    pub fn farewell(&self) -> Option<Farewell> {
        match self.pass {
            Some(PassCookie::Farewell(farewell)) => Some(farewell),
            _ => None,
        }
    }

    /// The place that the visitor shows, on the ticket or on the lease.
    pub fn shown(&self) -> Option<Shown> {
        let of_lease = || self.own_lease().map(|pass| pass.shown());
        self.ticket.map(|ticket| ticket.shown()).or_else(of_lease)
    }

    /// The lobby that knows the visitor, if a token names one.
    pub fn lobby(&self) -> Option<LobbyId> {
        let of_lease = || self.own_lease().map(|pass| pass.lobby);
        self.ticket.map(|ticket| ticket.lobby).or_else(of_lease)
    }

    fn own_lease(&self) -> Option<Pass> {
        self.lease()
            .filter(|pass| Some(pass.visitor) == self.visitor)
    }
}

/// Who holds a lease. A farewell proves nothing any more.
fn holder(pass: &PassCookie) -> Option<VisitorId> {
    match pass {
        PassCookie::Pass(pass) => Some(pass.visitor),
        PassCookie::Farewell(_) => None,
    }
}

fn read_pass(
    values: &[&str],
    keyring: &Keyring,
    scope: Scope<'_>,
    now_ms: u64,
) -> Option<PassCookie> {
    let verify = |value: &&str| keyring.verify_pass_cookie(value, scope, now_ms).ok();
    values
        .iter()
        .find_map(verify)
        .map(|verified| verified.token)
}

fn first<T: Token>(values: &[&str], keyring: &Keyring, scope: Scope<'_>, now_ms: u64) -> Option<T> {
    let verified = values
        .iter()
        .find_map(|value| keyring.verify::<T>(value, scope, now_ms).ok());
    verified.map(|Verified { token, .. }| token)
}

/// The lobby where a visitor without a ticket begins: the same at each visit, all equally likely.
pub fn home_lobby(visitor: VisitorId, lobbies: u16) -> LobbyId {
    let [a, b, c, d, e, f, g, h, ..] = visitor.0;
    // The id is random, so its own bytes are hash enough.
    let hash = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
    let lobby = hash % u64::from(lobbies.max(1));
    LobbyId(u16::try_from(lobby).unwrap_or_default())
}
