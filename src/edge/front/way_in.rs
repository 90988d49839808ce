//! What entitles a request to go in, and what the origin is told of it.

use futures_channel::oneshot;

use gate::Pledge;
use settings::RoomSettings;
use token::{Farewell, Pass, StaffName};

/// What entitles a request to go in.
pub enum Entry {
    /// A lease, and whether the client has its pass.
    Lease(Pass, Cookie),
    /// A lease that was given back; the thank-you page still loads.
    Farewell(Farewell),
    /// One of the staff, who has no place.
    Staff(StaffName),
    /// No lease is needed.
    Free,
}

/// Whether the client has this pass.
pub enum Cookie {
    /// The client showed it.
    Shown,
    /// The client showed an older one.
    Renewed,
    /// The client showed it, and a newer one may come in time for the answer.
    Coming(oneshot::Receiver<Pass>),
    /// The client has none yet.
    New,
}

impl Entry {
    /// What the origin is told of the request.
    pub fn pledge<'r>(&'r self, room: &'r RoomSettings) -> Pledge<'r> {
        let (name, is_rehearsal) = (room.name_in_file(), room.is_rehearsal());
        match self {
            Self::Lease(pass, _) => Pledge {
                room: name,
                is_rehearsal,
                number: Some(pass.number),
                edition: pass.edition,
                fence: Some(pass.fence),
                ends_at_ms: pass.lease_ends_at_ms,
                staff: None,
            },
            Self::Farewell(farewell) => Pledge {
                room: name,
                is_rehearsal,
                number: Some(farewell.number),
                edition: farewell.edition,
                fence: None,
                ends_at_ms: farewell.ends_at_ms,
                staff: None,
            },
            Self::Staff(staff) => Pledge::of_staff(name, staff.as_str()),
            Self::Free => Pledge::of_room(name),
        }
    }
}
