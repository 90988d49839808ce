//! Tells the outbox which accounts are away while their turn comes, where a webhook asks for that: at most a hundred in a message, and a message a second.
//! No turn waits for it, and what is not sent in time is dropped.

use super::Shell;
use crate::front::js::describe;
use crate::log::{self, Code};
use crate::orders::Summons;
use crate::peers::Address;
use crate::store::Name;
use crate::{dice, watchdog};
use outbox::{Kind, Webhook, summons_letter};
use room::absent::{self, Absent, MESSAGE_EVERY_MS};
use settings::RoomSettings;
use std::rc::Rc;
use std::time::Duration;
use worker::{Delay, Env, Result, State};

/// How long the outbox may take to bring a message to its receivers, ms. It gives them less.
const PATIENCE_MS: u64 = 8_000;
/// Under which the room stores how far it has told people.
const PART: &str = "summoned";

/// Follows a room that some webhook asks to be told of; `None` if none does.
pub(super) fn following(state: &State, webhooks: &[Webhook], settings: &RoomSettings, room: &room::Room) -> Result<Option<Absent>> {
    let kinds = [Kind::TicketsNear, Kind::TicketsCalled];
    let wants = |hook: &Webhook| kinds.iter().any(|kind| hook.wants(Some(&settings.name), *kind));
    if settings.is_rehearsal() || !webhooks.iter().any(wants) {
        return Ok(None);
    }
    let stored = Name::open(state)?.get(PART)?;
    let near_ahead = u64::from(settings.near_ahead);
    Ok(Some(Absent::begin(room, near_ahead, stored.as_deref())))
}

impl Shell {
    /// Sends what there is to tell, beside the turns, until nothing is left.
    pub(super) fn summon(self: &Rc<Self>) {
        if self.summons.replace(true) {
            return;
        }
        let shell = Rc::clone(self);
        watchdog::spawn(&self.state, "room.summon", async move {
            while let Some((outbox, message)) = shell.next_message() {
                if let Err(error) = send((&shell.state, &shell.env), &outbox, &message).await {
                    let remark = shell.about(Code::OutboxUnreachable);
                    log::say(&remark.because(error));
                }
                Delay::from(Duration::from_millis(MESSAGE_EVERY_MS)).await;
            }
            shell.summons.set(false);
        });
    }

    fn next_message(&self) -> Option<(Address, Summons)> {
        let mut slot = self.living.borrow_mut();
        let living = slot.as_mut()?;
        let (outbox, _) = living.outbox.clone()?;
        let (absent, core) = (living.absent.as_mut()?, &living.core);
        let (what, accounts) = absent.take(core.room(), core.clock().now())?;
        let kind = match what {
            absent::Summons::Near => Kind::TicketsNear,
            absent::Summons::Called => Kind::TicketsCalled,
        };
        let nonce = dice::nonce().ok()?;
        let (_, object) = living.address.object();
        let about = (object.as_str(), living.name.as_str(), core.room().edition().0);
        let salt = core.account_salt();
        let letter = summons_letter(about, kind, (dice::now_ms(), nonce), salt.0, &accounts);
        // Stored before it is sent: after a crash rather nobody is told than somebody twice.
        let stored = Name::open(&self.state).and_then(|parts| parts.set(PART, &absent.stored()));
        stored.ok()?;
        let message = Summons {
            room: living.name.clone(),
            kind,
            id: letter.id,
            body: letter.body,
        };
        Some((outbox, message))
    }
}

async fn send(caller: (&State, &Env), outbox: &Address, message: &Summons) -> Result<()> {
    let body = serde_json::to_vec(message)?;
    let sent = outbox.call(caller, "summon", &body, PATIENCE_MS).await;
    sent.map(drop).map_err(|error| crate::object::error(&describe(&error)))
}
