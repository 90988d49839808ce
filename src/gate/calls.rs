//! The calls of Baton's own: what visitors, monitors and operators may ask below `/__baton/`. Which request is which call is
//! decided in `own` and `admin`.

use super::Language;
use crate::facts::units::{Fence, Number};
use crate::facts::voucher::SheetId;
use crate::room::tale::Mark;
use crate::token::{Need, Role};

/// The longest a status call may wait, in seconds. Proxies commonly give up at 30.
pub const WAIT_S_MAX: u64 = 25;

/// What a visitor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorCall {
    /// `GET …/socket`, an upgrade.
    Socket,
    /// `POST …/join`
    Join,
    /// `GET …/status`
    Status {
        /// Wait so long for a change, 0 to [`WAIT_S_MAX`] seconds.
        wait_s: u64,
    },
    /// `POST …/take`: the account's place comes to this device.
    Take,
    /// `POST …/claim`
    Claim,
    /// `POST …/leave`
    Leave,
    /// `POST …/carry`: a link that takes the place over.
    Offer,
    /// `POST …/verify`: the answer to Turnstile's question.
    Verify,
    /// `POST …/socket`: a token with which an app's page opens the socket.
    Knock,
    /// `POST …/code`: a code, remembered until the visitor joins.
    Code,
    /// `POST …/enter`: in, or a place, in one call and without cookies.
    Enter,
}

/// What is done with such a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarryCall {
    /// `GET …/carry/{code}`: a page with a button. A mere look, such as a messenger's preview, changes
    /// nothing.
    Look,
    /// `POST …/carry/{code}`
    Take,
}

/// What a monitor asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonitorCall {
    /// `GET /__baton/health`, public.
    Health,
    /// `GET /__baton/metrics`, with the operator's token.
    Metrics,
}

/// What the operator asks. Another module decides whether it *is* the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdminCall {
    /// `GET /__baton/admin/`: a page without data.
    Shell,
    /// `POST /__baton/admin/session`: the token for a cookie.
    SignIn,
    /// `DELETE /__baton/admin/session`
    SignOut,
    /// `GET /__baton/admin/session`: how one signs in.
    Ways,
    /// `GET /__baton/admin/oidc`: to the identity provider.
    ToProvider,
    /// `GET /__baton/admin/oidc/callback`: back from there.
    FromProvider,
    /// `GET /__baton/admin/openapi.json`: what there is to call.
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
    /// `POST …/reset`: a new edition.
    Reset {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/rehearsal`: begins a rehearsal.
    Rehearse {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/rehearsal`: how it stands.
    Rehearsal {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/rehearsal/journal?after=`
    RehearsalJournal {
        /// The room's name.
        room: String,
        /// Only rows after this one; 0: from the first.
        after: u64,
    },
    /// `DELETE …/rooms/{room}/rehearsal`: ends it.
    EndRehearsal {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/leave`: ends the place of a customer of the shop.
    Leave {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/sheets`: every sheet of vouchers.
    Sheets {
        /// The room's name.
        room: String,
    },
    /// `POST …/rooms/{room}/sheets`: makes one.
    MakeSheet {
        /// The room's name.
        room: String,
    },
    /// `DELETE …/rooms/{room}/sheets/{sheet}`
    WithdrawSheet {
        /// The room's name.
        room: String,
        /// Which.
        sheet: SheetId,
    },
    /// `GET …/sheets/{sheet}/invitations?from=`
    Invitations {
        /// The room's name.
        room: String,
        /// The sheet.
        sheet: SheetId,
        /// The first that is wanted.
        from: u32,
    },
    /// `POST …/rooms/{room}/staff`: a link for one of the staff.
    StaffLink {
        /// The room's name.
        room: String,
    },
    /// `POST …/tickets/{number}/release`
    Release {
        /// The room's name.
        room: String,
        /// Whose permit.
        number: Number,
    },
    /// `POST …/leases/{fence}/release`, by a machine of the shop
    ReleaseLease {
        /// The room's name.
        room: String,
        /// Which lease.
        fence: Fence,
    },
    /// `GET …/tickets/{number}?from=`
    Ticket {
        /// The room's name.
        room: String,
        /// Whose story.
        number: Number,
        /// Where an earlier answer said to go on.
        from: Mark,
    },
    /// `GET …/rooms/{room}/hour`
    Hour {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/outlook`: what a forecast needs to know.
    Outlook {
        /// The room's name.
        room: String,
    },
    /// `GET …/rooms/{room}/probe`: the way front – lobby – room, as they measure it.
    Probe {
        /// The room's name.
        room: String,
    },
    /// `GET /__baton/admin/actions?room=&before=&since=`: who did what when.
    Actions {
        /// One journal, `~house` for the house's; none: the house's and those of the file's rooms.
        room: Option<String>,
        /// Only rows before this one.
        before: Option<u64>,
        /// Nothing older, Unix ms.
        since_ms: u64,
    },
    /// A call to the house.
    House(HouseCall),
    /// A call about the pictures.
    Images(ImageCall),
    /// `GET /__baton/admin/webhooks`: how each webhook is doing, and what it did not take.
    Webhooks,
    /// `POST …/webhooks/{webhook}/test`: sends a message to try it.
    TestWebhook {
        /// Its name.
        webhook: String,
    },
    /// `POST …/webhooks/{webhook}/again?id=`: sends what it did not take again.
    Resend {
        /// Its name.
        webhook: String,
        /// Which message; none: all.
        id: Option<String>,
    },
    /// `GET …/journal?after=`
    Journal {
        /// The room's name.
        room: String,
        /// Only rows after this one; 0: from the first.
        after: u64,
    },
}

/// What the operator asks of the house.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HouseCall {
    /// `GET /__baton/admin/house`: every room of it, as it is defined.
    Look,
    /// `POST …/house/plan`: what these definitions would change.
    Plan,
    /// `POST …/house/apply`: all of them or none.
    Apply,
    /// `POST …/house/undo`
    Undo,
    /// `GET …/house/journal?after=`
    Journal {
        /// Only rows after this one; 0: from the first.
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
    /// `POST …/house/rooms/{room}/release`: its paths are nobody's from then on.
    Release {
        /// The room's name.
        room: String,
    },
    /// `PUT …/house/brands/{room}`: what its page shows.
    Brand {
        /// The room's name.
        room: String,
    },
    /// `DELETE …/house/brands/{room}`: its page is as its table has it.
    Unbrand {
        /// The room's name.
        room: String,
    },
    /// `PUT …/house/operators/{name}`
    SetOperator {
        /// The operator's name.
        name: String,
    },
    /// `PATCH …/house/operators/{name}`: some keys.
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

/// What the operator asks of the pictures that pages show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageCall {
    /// `GET /__baton/admin/images`
    List,
    /// `PUT /__baton/admin/images`
    Put,
    /// `DELETE /__baton/admin/images/{name}`
    Drop {
        /// Its name: of a picture.
        name: String,
    },
}

/// Whether what stands in the place of a room is the house.
const fn is_house(name: &str) -> bool {
    matches!(name.as_bytes(), [b'~', ..])
}

impl HouseCall {
    /// What it takes to ask this.
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
    /// What it takes to ask this; none: it is a door, at which nobody need be known yet.
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
            // Each operator is told of the house's journal what concerns the own rooms.
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

/// What a room tells everybody who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Openly {
    /// Its draws.
    Draw,
    /// How its chain stands.
    Chain,
}

impl Openly {
    /// How many there are.
    pub const COUNT: usize = 2;
}

/// A call of Baton's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCall {
    /// A visitor's call to a room.
    Visitor {
        /// The room's name; it exists.
        room: String,
        /// What is asked.
        call: VisitorCall,
    },
    /// A link that takes a place over.
    Carry {
        /// The room's name; it exists.
        room: String,
        /// As it stands in the path.
        code: String,
        /// What is done with it.
        call: CarryCall,
    },
    /// `POST /__baton/{room}/language/{tag}`: the page in another language from now on.
    Speak {
        /// The room's name; it exists.
        room: String,
        /// Which.
        language: Language,
    },
    /// `GET /__baton/{room}/draw`: the last draw, and what the next is bound to, for everybody.
    Draw {
        /// The room's name; it exists.
        room: String,
    },
    /// `GET /__baton/{room}/chain`: the last row's hash, for everybody.
    Chain {
        /// The room's name; it exists.
        room: String,
    },
    /// A CORS preflight of an app's page to one of a room's calls.
    Preflight {
        /// The room's name; it exists.
        room: String,
        /// What may be done there.
        methods: String,
    },
    /// `GET /__baton/images/{name}`: a picture of a page.
    Image {
        /// Its name: of a picture.
        name: String,
    },
    /// `GET /__baton/static/{file}`
    Static {
        /// A plain relative path, no dots at its beginning.
        file: String,
    },
    /// A monitor's.
    Monitor(MonitorCall),
    /// The operator's.
    Admin(AdminCall),
}

impl OwnCall {
    /// Whether it means the same under every host: nothing of it is forwarded, and no visitor asks it.
    #[must_use]
    pub const fn is_same_anywhere(&self) -> bool {
        matches!(
            self,
            Self::Static { .. } | Self::Image { .. } | Self::Monitor(_) | Self::Admin(_)
        )
    }
}
