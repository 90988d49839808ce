//! Who is told of what: one `[[vars.WEBHOOKS]]` of the file.

use super::Address;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($variant:ident = $name:literal, $doc:literal;)*) => {
        /// What a webhook can be about. The names are part of the contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $(#[doc = $doc] #[serde(rename = $name)] $variant,)*
        }

        /// Every kind with its name and what it says.
        pub const KINDS: &[(Kind, &str, &str)] = &[$((Kind::$variant, $name, $doc),)*];

        impl Kind {
            /// As it stands in `type`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

// They are stored by position: a new kind goes to the end. No kind is about one person: who wants a stream of tickets reads the journal.
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
}

impl Kind {
    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        KINDS
            .iter()
            .find_map(|(kind, own, _)| (*own == name).then_some(*kind))
    }
}

/// One webhook: where, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Names it at the desk and in its secret's name: `[a-z0-9-]{1,32}`.
    pub name: String,
    /// Where it is sent.
    pub address: Address,
    /// The rooms of which it is told; empty: all, and the house.
    pub rooms: Vec<String>,
    /// What kinds; empty: all.
    pub kinds: Vec<Kind>,
    /// Whether it says which operator did something.
    pub operators: bool,
}

impl Webhook {
    /// Whether it is told of this. `room`: none is the house.
    #[must_use]
    pub fn wants(&self, room: Option<&str>, kind: Kind) -> bool {
        let of_room = match room {
            _ if self.rooms.is_empty() => true,
            Some(room) => self.rooms.iter().any(|own| own == room),
            None => false,
        };
        of_room && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }

    /// The name of the secret that is this webhook's alone: `WEBHOOK_SECRET_CRM`.
    #[must_use]
    pub fn secret_name(&self) -> String {
        let name = self.name.to_ascii_uppercase().replace('-', "_");
        format!("WEBHOOK_SECRET_{name}")
    }
}
