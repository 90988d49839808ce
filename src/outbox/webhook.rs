//! Which webhook is told what: one `[[vars.WEBHOOKS]]` of the file.

use super::Address;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($variant:ident = $name:literal, $doc:literal;)*) => {
        /// What a message can be about. The names are part of the contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = $doc] #[serde(rename = $name)] $variant,)*
        }

        /// Every kind with its name and what it says.
        pub const KINDS: &[(Kind, &str, &str)] = &[$((Kind::$variant, $name, $doc),)*];

        impl Kind {
            /// The name, as it stands in `type`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

// Kinds are stored by position, so a new one goes to the end. Only the kinds of [`Kind::is_personal`] are about people, and they name accounts by
// keys: whoever wants a stream of tickets reads the journal.
kinds! {
    RoomOpened = "room.opened", "The room opened by its hours: the mode decides from now on.";
    RoomClosed = "room.closed", "The room closed by its hours.";
    RoomHallOpened = "room.hall_opened", "The hall before the opening began: who comes now takes part in the draw.";
    RoomDrawn = "room.drawn", "Everybody in the hall got a number.";
    RoomModeChanged = "room.mode_changed", "The mode in force is another: `paused`, `sold_out`, …";
    RoomSettingsChanged = "room.settings_changed", "An operator, or a step of the schedule, changed live values.";
    RoomStepRefused = "room.step_refused", "A step of the schedule could not be carried out, and nothing of it was set.";
    RoomLineEnded = "room.line_ended", "Every place in the line ended: all is sold.";
    RoomReset = "room.reset", "An operator began the room anew.";
    RoomRowsMissed = "room.rows_missed", "Rows of the journal were gone before they could be read: something of them may never have been told.";
    HouseChanged = "house.changed", "An operator changed rooms of the house.";
    WebhookTest = "webhook.test", "An operator tried the webhook.";
    TicketsNear = "tickets.near", "The turn of these accounts is near, and they are away.";
    TicketsCalled = "tickets.called", "The turn of these accounts has come, and they are away.";
}

impl Kind {
    /// Returns whether messages of this kind are about single customers. They are told only to who names the kind, and they are in no queue.
    #[must_use]
    pub const fn is_personal(self) -> bool {
        matches!(self, Self::TicketsNear | Self::TicketsCalled)
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().find_map(|(kind, own, _)| (*own == name).then_some(*kind))
    }
}

/// One webhook: where its messages go, and what they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its name at the desk and in its secret's name: `[a-z0-9-]{1,32}`.
    pub name: String,
    /// Where its messages go.
    pub address: Address,
    /// The rooms that it is told of; empty for all rooms and the house.
    pub rooms: Vec<String>,
    /// The kinds that it is told of; empty for all but the personal ones.
    pub kinds: Vec<Kind>,
    /// Whether its messages say which operator did something.
    pub operators: bool,
}

impl Webhook {
    /// Returns whether it is told of this. A `room` of `None` is the house.
    #[must_use]
    pub fn wants(&self, room: Option<&str>, kind: Kind) -> bool {
        let of_room = match room {
            _ if self.rooms.is_empty() => true,
            Some(room) => self.rooms.iter().any(|own| own == room),
            None => false,
        };
        let of_kind = match self.kinds.is_empty() {
            true => !kind.is_personal(),
            false => self.kinds.contains(&kind),
        };
        of_room && of_kind
    }

    /// The name of the secret that is this webhook's alone, such as `WEBHOOK_SECRET_CRM`.
    #[must_use]
    pub fn secret_name(&self) -> String {
        let name = self.name.to_ascii_uppercase().replace('-', "_");
        format!("WEBHOOK_SECRET_{name}")
    }
}
