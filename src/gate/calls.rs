//! The calls of Baton's own: what visitors, monitors and operators may ask for below `/__baton/`. `own` and
//! `admin` decide which request is which call.

use super::Language;
use crate::facts::units::{Fence, Number};
use crate::facts::voucher::SheetId;
use crate::room::tale::Mark;
use crate::token::{Need, Role};

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

/// A monitor's call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorCall {
    /// `GET /__baton/health`, public.
    Health,
    /// `GET /__baton/metrics`, with an operator's token.
    Metrics,
}

/// An operator's call. Another module decides whether the caller *is* an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdminCall {
    /// `GET /__baton/admin/`: the desk, a page without data.
    Shell,
    /// `POST /__baton/admin/session`: exchanges the token for a cookie.
    SignIn,
    /// `DELETE /__baton/admin/session`
    SignOut,
    /// `GET /__baton/admin/session`: lists the ways to sign in.
    Ways,
    /// `GET /__baton/admin/oidc`: sends the browser to the identity provider.
    ToProvider,
    /// `GET /__baton/admin/oidc/callback`: takes the browser back from there.
    FromProvider,
    /// `GET /__baton/admin/openapi.json`: describes the calls that there are.
    OpenApi,
    /// `GET /__baton/admin/rooms`
    Rooms,
    /// `GET /__baton/admin/rooms/{room}`
    Room {
        /// The room's name.
        room: String,
    },
    /// `PATCH /__baton/admin/rooms/{room}`
    Change {
        /// The room's name.
        room: String,
    },
    /// `POST /__baton/admin/rooms/{room}/undo`
    Undo {
        /// The room's name.
        room: String,
    },
    /// `POST …/reset`: begins a new edition.
    Reset {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/rehearsal`: begins a rehearsal.
    Rehearse {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/rehearsal`: shows how the rehearsal stands.
    Rehearsal {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/rehearsal/journal?after=`
    RehearsalJournal {
        /// The room's name.
        room: String,
        /// Only rows after this one; 0 means from the first row.
        after: u64,
    },
    /// `DELETE …/rooms/{room}/rehearsal`: ends the rehearsal.
    EndRehearsal {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/leave`: ends the place of one of the shop's customers.
    Leave {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/sheets`: lists all sheets of vouchers.
    Sheets {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/sheets`: makes a sheet.
    MakeSheet {
        /// The room's name.
        room: String,
    },
    /// `DELETE …/rooms/{room}/sheets/{sheet}`
    WithdrawSheet {
        /// The room's name.
        room: String,
        /// The sheet.
        sheet: SheetId,
    },
    /// `GET …/sheets/{sheet}/invitations?from=`
    Invitations {
        /// The room's name.
        room: String,
        /// The sheet.
        sheet: SheetId,
        /// The first invitation to list.
        from: u32,
    },
    /// `POST …/rooms/{room}/staff`: makes a link for one of the staff.
    StaffLink {
        /// The room's name.
        room: String,
    },
    /// `POST …/tickets/{number}/release`
    Release {
        /// The room's name.
        room: String,
        /// The ticket whose permit is released.
        number: Number,
    },
    /// `POST …/leases/{fence}/release`, called by one of the shop's machines.
    ReleaseLease {
        /// The room's name.
        room: String,
        /// The fence of the lease.
        fence: Fence,
    },
    /// `GET …/tickets/{number}?from=`
    Ticket {
        /// The room's name.
        room: String,
        /// The ticket whose story is told.
        number: Number,
        /// Where to go on, as an earlier answer said.
        from: Mark,
    },
    /// `GET …/rooms/{room}/hour`
    Hour {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/outlook`: returns what a forecast needs to know.
    Outlook {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/probe`: measures the way front – lobby – room.
    Probe {
        /// The room's name.
        room: String,
    },
    /// `GET /__baton/admin/actions?room=&before=&since=`: lists who did what, and when.
    Actions {
        /// The one journal to read, `~house` for the house's. `None` means the house's journal and those of the file's rooms.
        room: Option<String>,
        /// Only rows before this one.
        before: Option<u64>,
        /// Nothing older than this, Unix ms.
        since_ms: u64,
    },
    /// A call to the house.
    House(HouseCall),
    /// A call about pictures.
    Images(ImageCall),
    /// `GET /__baton/admin/webhooks`: shows how each webhook is doing, and what it did not take.
    Webhooks,
    /// `POST …/webhooks/{webhook}/test`: sends a message to try it.
    TestWebhook {
        /// The webhook's name.
        webhook: String,
    },
    /// `POST …/webhooks/{webhook}/again?id=`: sends again what the webhook did not take.
    Resend {
        /// The webhook's name.
        webhook: String,
        /// The message to send. `None` means all that the webhook did not take.
        id: Option<String>,
    },
    /// `GET …/journal?after=`
    Journal {
        /// The room's name.
        room: String,
        /// Only rows after this one; 0 means from the first row.
        after: u64,
    },
}

/// An operator's call to the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HouseCall {
    /// `GET /__baton/admin/house`: shows all rooms of the house, each with its definition.
    Look,
    /// `POST …/house/plan`: returns what these definitions would change.
    Plan,
    /// `POST …/house/apply`: applies all of these definitions or none.
    Apply,
    /// `POST …/house/undo`
    Undo,
    /// `GET …/house/journal?after=`
    Journal {
        /// Only rows after this one; 0 means from the first row.
        after: u64,
    },
    /// `PUT …/house/rooms/{room}`
    Define {
        /// The room's name.
        room: String,
    },
    /// `DELETE …/house/rooms/{room}`
    Archive {
        /// The room's name.
        room: String,
    },
    /// `POST …/house/rooms/{room}/release`: releases the room's paths, which belong to nobody from then on.
    Release {
        /// The room's name.
        room: String,
    },
    /// `PUT …/house/brands/{room}`: sets what the room's page shows.
    Brand {
        /// The room's name.
        room: String,
    },
    /// `DELETE …/house/brands/{room}`: makes the room's page follow the room's table again.
    Unbrand {
        /// The room's name.
        room: String,
    },
    /// `PUT …/house/operators/{name}`
    SetOperator {
        /// The operator's name.
        name: String,
    },
    /// `PATCH …/house/operators/{name}`: changes some of the operator's keys.
    ChangeOperator {
        /// The operator's name.
        name: String,
    },
    /// `DELETE …/house/operators/{name}`
    RemoveOperator {
        /// The operator's name.
        name: String,
    },
}

/// An operator's call about the pictures that pages show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageCall {
    /// `GET /__baton/admin/images`
    List,
    /// `PUT /__baton/admin/images`
    Put,
    /// `DELETE /__baton/admin/images/{name}`
    Drop {
        /// The picture's name, checked for its form.
        name: String,
    },
}

/// Returns whether the name in place of a room's is the house's.
const fn is_house(name: &str) -> bool {
    matches!(name.as_bytes(), [b'~', ..])
}

impl HouseCall {
    /// Returns what an operator needs to make this call.
    const fn needs(&self) -> Need<'_> {
        match self {
            Self::Look | Self::Plan => Need::in_own_rooms(Role::View),
            Self::Journal { .. } => Need::everywhere(Role::View),
            Self::Apply => Need::in_own_rooms(Role::Own),
            Self::Define { room } | Self::Archive { room } | Self::Release { room } => {
                Need::in_room(Role::Own, room.as_str())
            }
            Self::Brand { room } | Self::Unbrand { room } => {
                Need::in_room(Role::Operate, room.as_str())
            }
            Self::Undo
            | Self::SetOperator { .. }
            | Self::ChangeOperator { .. }
            | Self::RemoveOperator { .. } => Need::everywhere(Role::Own),
        }
    }
}

impl AdminCall {
    /// Returns what an operator needs to make this call. Returns `None` for the desk's page and for signing in
    /// and out, where nobody need be known yet.
    #[must_use]
    pub const fn needs(&self) -> Option<Need<'_>> {
        Some(match self {
            Self::Shell
            | Self::SignIn
            | Self::SignOut
            | Self::Ways
            | Self::ToProvider
            | Self::FromProvider => return None,
            Self::OpenApi | Self::Rooms => Need::in_own_rooms(Role::View),
            // Of the house's journal, each operator is told only what concerns that operator's rooms.
            Self::Actions { room, .. } => match room {
                Some(room) if !is_house(room.as_str()) => Need::in_room(Role::View, room.as_str()),
                _ => Need::in_own_rooms(Role::View),
            },
            Self::Room { room }
            | Self::Journal { room, .. }
            | Self::Ticket { room, .. }
            | Self::Hour { room }
            | Self::Outlook { room }
            | Self::Probe { room }
            | Self::Sheets { room }
            | Self::Rehearsal { room }
            | Self::RehearsalJournal { room, .. } => Need::in_room(Role::View, room.as_str()),
            Self::House(call) => call.needs(),
            Self::Images(ImageCall::List) => Need::in_own_rooms(Role::View),
            Self::Images(_) => Need::in_own_rooms(Role::Operate),
            Self::Webhooks => Need::everywhere(Role::View),
            Self::TestWebhook { .. } | Self::Resend { .. } => Need::everywhere(Role::Operate),
            Self::ReleaseLease { room, .. } => Need::in_room(Role::Release, room.as_str()),
            Self::Change { room }
            | Self::Undo { room }
            | Self::Reset { room }
            | Self::Rehearse { room }
            | Self::EndRehearsal { room }
            | Self::Leave { room }
            | Self::MakeSheet { room }
            | Self::WithdrawSheet { room, .. }
            | Self::Invitations { room, .. }
            | Self::StaffLink { room }
            | Self::Release { room, .. } => Need::in_room(Role::Operate, room.as_str()),
        })
    }
}

/// What a room tells anybody who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Openly {
    /// Its draws.
    Draw,
    /// The state of its journal's hash chain.
    Chain,
}

/// A call to one of Baton's own routes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCall {
    /// A visitor's call to a room.
    Visitor {
        /// The name of the room, which exists.
        room: String,
        /// The call.
        call: VisitorCall,
    },
    /// A call about a link that carries a place.
    Carry {
        /// The name of the room, which exists.
        room: String,
        /// The link's code, as it stands in the path.
        code: String,
        /// What the visitor does with the link.
        call: CarryCall,
    },
    /// `POST /__baton/{room}/language/{tag}`: shows the page in another language from now on.
    Speak {
        /// The name of the room, which exists.
        room: String,
        /// The language.
        language: Language,
    },
    /// `GET /__baton/{room}/left`: the page after leaving by a form.
    Left {
        /// The name of the room, which exists.
        room: String,
    },
    /// `GET /__baton/{room}/draw`: returns the last draw, and what the next one is bound to. Open to everybody.
    Draw {
        /// The name of the room, which exists.
        room: String,
    },
    /// `GET /__baton/{room}/chain`: returns the hash of the last row. Open to everybody.
    Chain {
        /// The name of the room, which exists.
        room: String,
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
    /// A monitor's call.
    Monitor(MonitorCall),
    /// An operator's call.
    Admin(AdminCall),
}

impl OwnCall {
    /// Returns whether the call takes, keeps or gives back something of a visitor's. A status does too: it shows that somebody is there.
    #[must_use]
    pub const fn is_visitors(&self) -> bool {
        matches!(
            self,
            Self::Visitor { .. } | Self::Carry { .. } | Self::Speak { .. }
        )
    }

    /// Returns whether the call means the same under every host: it is never forwarded, and it is no visitor's call to a room.
    #[must_use]
    pub const fn is_same_anywhere(&self) -> bool {
        matches!(
            self,
            Self::Static { .. } | Self::Image { .. } | Self::Monitor(_) | Self::Admin(_)
        )
    }
}
