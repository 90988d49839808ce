//! The table. A row is a sentence that says what the endpoint is for, whatever else its user should know, and what [`Endpoint`] says.
//!
//! The sentences are apart from the rows ([`WORDS`]): the document needs them, and what ships does not.

use super::{By, DELETE, Endpoint, Form, Gives, Made, PATCH, PUT, Query, Seen, Where};
use facts::limits::{HOUSE_BYTES_MAX, TABLE_BYTES_MAX};
use gate::POST;
use token::Role;

/// The most bytes of a change of live values.
const CHANGE_BYTES_MAX: usize = 16_384;
/// The most bytes of a body that names a room, a customer (a token's `iss` and `sub`) or one of the staff.
const ORDER_BYTES_MAX: usize = 4_096;
/// The most bytes of a body with a token. It is small because the body is read before anybody is known.
const SIGN_IN_BYTES_MAX: usize = 4_096;
/// The most bytes of a sheet to be made: 20,000 codes of 64 characters.
const SHEET_BYTES_MAX: usize = 2_500_000;
/// The most bytes of one table of the house: blanks count here, and not there.
const ROOM_BYTES_MAX: usize = 2 * TABLE_BYTES_MAX;
/// The most bytes of a file of the house, likewise.
const FILE_BYTES_MAX: usize = 2 * HOUSE_BYTES_MAX;
const FILE_CURE: &str = "Send {\"rooms\": {\"spring\": {…}, \"old\": null}}: each room's table, and null for one that is to be deleted; beside it, if you like, {\"brands\": {\"spring\": {\"page_title\": \"…\"}}}";

const AFTER: Query = query("after", Form::Number, "after");
const FROM: Query = query("from", Form::Mark, "from");
const FROM_SLIP: Query = query("from", Form::Narrow, "fromSlip");
const OF_JOURNAL: Query = query("room", Form::Journal, "ofJournal");
const BEFORE: Query = query("before", Form::SomeNumber, "before");
const SINCE: Query = query("since", Form::Number, "since");
const ID: Query = query("id", Form::Text, "id");

const fn query(name: &'static str, form: Form, parameter: &'static str) -> Query {
    Query { name, form, parameter }
}

macro_rules! endpoints {
    ($($(#[doc = $words:literal])+ $name:literal = $row:expr;)*) => {
        /// Every endpoint.
        pub const ENDPOINTS: &[Endpoint] = &[$($row.named($name),)*];
        /// What is said of each, in the same order: lines, of which the first sentence is what it is for.
        pub const WORDS: &[&[&str]] = &[$(&[$($words),+],)*];
    };
}

endpoints! {
    /// The desk: a page without data.
    "desk" = Endpoint::read("admin/").by(By::Front(Made::Desk), Gives::Page);
    /// Says how to sign in here.
    "ways" = Endpoint::get("admin/session").by(By::Front(Made::Ways), Gives::Json("SignInWays")).or(&[403]);
    /// Signs in: takes a token and sets the desk's cookie.
    /// The token stands in the body, of at most 4,096 bytes, or in the header.
    "signIn" = Endpoint::new(POST, "admin/session").may_take("SignIn", SIGN_IN_BYTES_MAX, "Send {\"token\": \"…\"}, or Authorization: Bearer …")
        .by(By::Front(Made::SignIn), Gives::Nothing).or(&[401, 403, 429]);
    /// Signs out: ends the session and removes its cookie.
    "signOut" = Endpoint::new(DELETE, "admin/session").by(By::Front(Made::SignOut), Gives::Nothing).or(&[401, 403, 503]);
    /// Lists who did what, and when.
    /// Reads the journals of the house and of the file's rooms, or the one that `room` names, the newest row first. It looks at 2,000 rows of each
    /// journal at most; go on with what `more` names.
    "actions" = Endpoint::get("admin/actions").needs(Role::View, Where::Own).query(&[OF_JOURNAL, BEFORE, SINCE])
        .by(By::Front(Made::Actions), Gives::Json("Actions"));
    /// Leads to the identity provider, to sign in at the desk.
    "toProvider" = Endpoint::get("admin/oidc").anywhere().by(By::Front(Made::ToProvider), Gives::Elsewhere);
    /// Takes the identity provider's answer and sets the desk's cookie.
    "fromProvider" = Endpoint::get("admin/oidc/callback").anywhere().by(By::Front(Made::FromProvider), Gives::Elsewhere).or(&[429]);
    /// Every room.
    "rooms" = Endpoint::get("admin/rooms").needs(Role::View, Where::Own).by(By::Front(Made::Rooms), Gives::Json("Rooms"));
    /// One room.
    "room" = Endpoint::get("admin/rooms/{room}").needs(Role::View, Where::Room).by(By::Room("report"), Gives::Tagged("Room"));
    /// Changes live values, all of them or none.
    /// null goes back to the file's value. At most 16,384 bytes.
    "change" = Endpoint::new(PATCH, "admin/rooms/{room}").needs(Role::Operate, Where::Room).seen(Seen::May)
        .takes("LiveValues", CHANGE_BYTES_MAX, "Send a JSON object of live settings, such as {\"permits\": 300}; null goes back to the file's")
        .by(By::Room("live"), Gives::Tagged("Room")).or(&[409]);
    /// Takes the last change of live values back.
    /// What was in force before comes back, a ramp as if it had never ended. A second undo restores the change.
    "undo" = Endpoint::new(POST, "admin/rooms/{room}/undo").needs(Role::Operate, Where::Room).seen(Seen::Must)
        .by(By::Room("undo"), Gives::Tagged("Room")).or(&[400, 409]);
    /// Begins the room anew: a new edition.
    /// Every ticket is over, numbers begin at 1, every permit is free. Settings stay and the journal goes on. The body repeats the room's name;
    /// If-Match has the ETag that was read, and * is refused.
    "reset" = Endpoint::new(POST, "admin/rooms/{room}/reset").needs(Role::Operate, Where::Room).seen(Seen::Must)
        .takes("Reset", ORDER_BYTES_MAX, "A reset ends every ticket of the room. Confirm it with its name: {\"room\": \"…\"}")
        .by(By::Room("reset"), Gives::Tagged("Room"));
    /// How the last rehearsal stands, as of a room.
    /// A rehearsal has a journal, an edition and live values of its own. Its mode is open while it goes on.
    "rehearsal" = Endpoint::get("admin/rooms/{room}/rehearsal").needs(Role::View, Where::Room).by(By::Stage("report"), Gives::Tagged("Room"));
    /// Begins a rehearsal while the room is closed and empty.
    /// A rehearsal that was running ends. Requests with the token in Baton-Rehearsal are those of its visitors, for so many minutes, at this
    /// host, and only while the room is closed and empty; they may look at the shop (GET, HEAD).
    "beginRehearsal" = Endpoint::new(POST, "admin/rooms/{room}/rehearsal").needs(Role::Operate, Where::Room)
        .may_take("RehearsalWanted", ORDER_BYTES_MAX, "Send {\"minutes\": 15}, 1 to 60, or nothing")
        .by(By::Front(Made::BeginRehearsal), Gives::Made("RehearsalBegun")).or(&[409, 412]);
    /// Ends the rehearsal and voids its token.
    /// May be repeated: to end a rehearsal that is over changes nothing.
    "endRehearsal" = Endpoint::new(DELETE, "admin/rooms/{room}/rehearsal").needs(Role::Operate, Where::Room)
        .by(By::Front(Made::EndRehearsal), Gives::Nothing).or(&[412]);
    /// A page of the rehearsals' decisions.
    "rehearsalJournal" = Endpoint::get("admin/rooms/{room}/rehearsal/journal").needs(Role::View, Where::Room).query(&[AFTER])
        .by(By::Stage("journal"), Gives::Lines);
    /// Gives a lease back by its fence.
    /// For machines of the shop with the role release, such as the receiver of a payment's webhook; operators may too. The origin got the fence as
    /// Baton-Fence. For a lease that has already ended the answer is 204 as well.
    "releaseLease" = Endpoint::new(POST, "admin/rooms/{room}/leases/{fence}/release").needs(Role::Release, Where::Room)
        .by(By::Room("release-lease"), Gives::Nothing);
    /// Ends the place of a customer of the shop.
    /// iss and sub as in the customer's entry tokens; iss is left out where they have none. Like releasing a ticket, but by account.
    "leaveFor" = Endpoint::new(POST, "admin/rooms/{room}/leave").needs(Role::Operate, Where::Room)
        .takes("Customer", ORDER_BYTES_MAX, "Name the customer as the shop's tokens do: {\"iss\": …, \"sub\": …}; leave iss out where they have none.")
        .by(By::Front(Made::LeaveFor), Gives::Json("TicketEnded")).or(&[410]);
    /// Every sheet of invitations or codes, with how much of it was used.
    /// used counts since the room was last reset.
    "sheets" = Endpoint::get("admin/rooms/{room}/sheets").needs(Role::View, Where::Room).by(By::Room("sheets"), Gives::Json("Sheets"));
    /// Makes a sheet of invitations, or of codes.
    /// Either invitations or codes. Codes are hashed before anything is stored. Without ends_at_ms the sheet counts for 90 days, which is the most.
    "makeSheet" = Endpoint::new(POST, "admin/rooms/{room}/sheets").needs(Role::Operate, Where::Room)
        .takes("SheetWanted", SHEET_BYTES_MAX, "Send {\"invitations\": 500} or {\"codes\": [{\"code\": \"…\", \"uses\": 1}]}, with lane, from_at_ms and ends_at_ms if you like.")
        .by(By::Front(Made::MakeSheet), Gives::Made("Sheet"));
    /// Withdraws a sheet.
    /// Its unused invitations or codes give no place from then on; places that it gave stay.
    "withdrawSheet" = Endpoint::new(DELETE, "admin/rooms/{room}/sheets/{sheet}").needs(Role::Operate, Where::Room)
        .by(By::Room("sheet-withdraw"), Gives::Nothing);
    /// The tokens of a sheet's links, a thousand at a time.
    /// Each is worth a place. A link is a gated address with baton_entry= and the token.
    "invitations" = Endpoint::get("admin/rooms/{room}/sheets/{sheet}/invitations").needs(Role::Operate, Where::Room).query(&[FROM_SLIP])
        .by(By::Front(Made::Invitations), Gives::Json("Invitations"));
    /// Makes the token of a staff link.
    /// A link is a gated address with baton_entry= and the token; opening it gives a cookie.
    "staffLink" = Endpoint::new(POST, "admin/rooms/{room}/staff").needs(Role::Operate, Where::Room)
        .takes("StaffWanted", ORDER_BYTES_MAX, "Send {\"name\": \"mika\", \"hours\": 8}: a name of 1 to 16 of a-z, 0-9 and -, and 1 to 24 hours.")
        .by(By::Front(Made::StaffLink), Gives::Made("StaffToken"));
    /// Ends a ticket.
    /// Its permit passes on, its visitor is told.
    "release" = Endpoint::new(POST, "admin/rooms/{room}/tickets/{number}/release").needs(Role::Operate, Where::Room)
        .by(By::Room("release"), Gives::Nothing).or(&[410]);
    /// What the journal says of a ticket.
    /// A page of rows at a time: ask again with from = next until there is no next.
    "story" = Endpoint::get("admin/rooms/{room}/tickets/{number}").needs(Role::View, Where::Room).query(&[FROM])
        .by(By::Room("story"), Gives::Json("Story"));
    /// The last hour of the room, a sample a minute.
    /// Instants are of the room's clock, as now_ms is.
    "hour" = Endpoint::get("admin/rooms/{room}/hour").needs(Role::View, Where::Room).by(By::Room("hour"), Gives::Json("Hour"));
    /// What a forecast needs to know of the room.
    /// At most 16 KB. Instants are of the room's clock, as now_ms is, but for opens_at_ms. docs/advice.md says how the desk makes a forecast of it.
    "outlook" = Endpoint::get("admin/rooms/{room}/outlook").needs(Role::View, Where::Room).by(By::Room("outlook"), Gives::Json("Outlook"));
    /// Measures the way from the front to a lobby and the room.
    /// For npm run doctor. A version is null where the platform tells none, a place where it is not known.
    "probe" = Endpoint::get("admin/rooms/{room}/probe").needs(Role::View, Where::Room).by(By::Front(Made::Probe), Gives::Json("Probe")).or(&[500]);
    /// A page of the room's decisions.
    "journal" = Endpoint::get("admin/rooms/{room}/journal").needs(Role::View, Where::Room).query(&[AFTER]).by(By::Room("journal"), Gives::Lines);
    /// Every room of the house, as it is defined.
    /// Rooms that come and go without a deploy. Where wrangler.toml has no GROUNDS, every call of the house is 404.
    "house" = Endpoint::get("admin/house").needs(Role::View, Where::Own).by(By::House("look"), Gives::Tagged("House"));
    /// How each webhook is doing, and what it did not take.
    /// An empty list where wrangler.toml has no WEBHOOKS.
    "webhooks" = Endpoint::get("admin/webhooks").needs(Role::View, Where::All).by(By::Outbox("look"), Gives::Json("Webhooks"));
    /// Sends a message of the kind webhook.test.
    /// It waits for no other message.
    "testWebhook" = Endpoint::new(POST, "admin/webhooks/{webhook}/test").needs(Role::Operate, Where::All)
        .by(By::Outbox("test"), Gives::Json("WebhookSent"));
    /// Sends what a webhook did not take again.
    /// Each message is tried once, and holds up no other.
    "resend" = Endpoint::new(POST, "admin/webhooks/{webhook}/again").needs(Role::Operate, Where::All).query(&[ID])
        .by(By::Outbox("again"), Gives::Json("WebhookSent"));
    /// Says what definitions would change, room by room.
    /// Changes nothing. Rooms that are not named stay as they are; null stands for one that is to be deleted. It does not check whether anybody still
    /// has a place where nobody may.
    "planHouse" = Endpoint::new(POST, "admin/house/plan").needs(Role::View, Where::Own).takes("HouseFile", FILE_BYTES_MAX, FILE_CURE)
        .by(By::House("plan"), Gives::Tagged("HousePlan")).or(&[409]);
    /// Does what a plan shows: all of it or nothing.
    /// If-Match is the ETag of the plan; * is refused.
    "applyHouse" = Endpoint::new(POST, "admin/house/apply").needs(Role::Own, Where::Own).seen(Seen::Must)
        .takes("HouseFile", FILE_BYTES_MAX, FILE_CURE).by(By::House("apply"), Gives::Tagged("House")).or(&[409]);
    /// Takes the last change of the house back.
    /// The same rules hold as for any change: a room that the change made must be closed and empty.
    "undoHouse" = Endpoint::new(POST, "admin/house/undo").needs(Role::Own, Where::All).seen(Seen::Must).by(By::House("undo"), Gives::Tagged("House"))
        .or(&[400, 409]);
    /// A page of the house's changes.
    "houseJournal" = Endpoint::get("admin/house/journal").needs(Role::View, Where::All).query(&[AFTER]).by(By::House("journal"), Gives::Lines);
    /// Defines a room of the house, or replaces its definition.
    /// The table has the keys that a room has in wrangler.toml; what is left out is the default. crowd, location, jurisdiction and cookie_domain
    /// change only while nobody has a place.
    "defineRoom" = Endpoint::new(PUT, "admin/house/rooms/{room}").needs(Role::Own, Where::Room).seen(Seen::May)
        .takes("Definition", ROOM_BYTES_MAX, "Send the room's table as a JSON object, such as {\"paths\": [\"/spring/*\"], \"permits\": 200}")
        .by(By::House("define"), Gives::Tagged("House")).or(&[409]);
    /// Deletes a room of the house.
    /// The room must be closed and nobody may have a place in it. Its paths stay shut until they are released.
    "deleteRoom" = Endpoint::new(DELETE, "admin/house/rooms/{room}").needs(Role::Own, Where::Room).seen(Seen::May)
        .by(By::House("archive"), Gives::Tagged("House")).or(&[400, 409]);
    /// Releases the paths of a deleted room.
    /// From then on requests for them go through ungated, and the name may be used again.
    "releaseRoom" = Endpoint::new(POST, "admin/house/rooms/{room}/release").needs(Role::Own, Where::Room).seen(Seen::May)
        .by(By::House("free"), Gives::Tagged("House")).or(&[400, 409]);
    /// Sets what the page of a room shows.
    /// The room may be of the house or of wrangler.toml. These keys win over those of its table; the table's hold where a key is left out.
    "brandRoom" = Endpoint::new(PUT, "admin/house/brands/{room}").needs(Role::Operate, Where::Room).seen(Seen::May)
        .takes("Brand", ROOM_BYTES_MAX, "Send the keys of the page as a JSON object, such as {\"page_title\": \"Spring sale\"}")
        .by(By::House("brand"), Gives::Tagged("House")).or(&[409]);
    /// Removes what was set for the page of a room, which then shows what its table says.
    "unbrandRoom" = Endpoint::new(DELETE, "admin/house/brands/{room}").needs(Role::Operate, Where::Room).seen(Seen::May)
        .by(By::House("unbrand"), Gives::Tagged("House")).or(&[400, 409]);
    /// Adds an operator of the house, or replaces the one of that name.
    /// An operator of the file can be changed only there.
    "setOperator" = Endpoint::new(PUT, "admin/house/operators/{name}").needs(Role::Own, Where::All).seen(Seen::May)
        .takes("OperatorTable", ROOM_BYTES_MAX, "Send the operator's table as a JSON object, such as {\"role\": \"view\", \"sha256\": \"…\"}")
        .by(By::House("set-operator"), Gives::Tagged("House")).or(&[409]);
    /// Gives an operator of the house another role, other rooms or another token.
    /// Keys that are left out stay, the token among them.
    "changeOperator" = Endpoint::new(PATCH, "admin/house/operators/{name}").needs(Role::Own, Where::All).seen(Seen::May)
        .takes("OperatorKeys", ROOM_BYTES_MAX, "Send the keys that shall be another as a JSON object, such as {\"role\": \"operate\"}; null takes one away")
        .by(By::House("change-operator"), Gives::Tagged("House")).or(&[409]);
    /// Removes an operator of the house.
    /// An owner of all rooms must remain, or BATON_ADMIN_TOKEN be set.
    "removeOperator" = Endpoint::new(DELETE, "admin/house/operators/{name}").needs(Role::Own, Where::All).seen(Seen::May)
        .by(By::House("remove-operator"), Gives::Tagged("House")).or(&[400, 409]);
    /// Every picture that the house keeps.
    /// Where wrangler.toml has no GROUNDS, every call of the pictures is 404.
    "images" = Endpoint::get("admin/images").needs(Role::View, Where::Own).by(By::House("pictures"), Gives::Json("Images"));
    /// Keeps a picture for pages.
    /// PNG, JPEG or WebP, by what the bytes are; at most 200,000 of them, with their Content-Length, and 2,000 × 2,000 pixels. The same bytes are the
    /// same picture.
    "putImage" = Endpoint::new(PUT, "admin/images").needs(Role::Operate, Where::Own).takes_picture()
        .by(By::Front(Made::PutImage), Gives::Json("ImageKept")).or(&[409]);
    /// Deletes a picture that no page shows.
    "dropImage" = Endpoint::new(DELETE, "admin/images/{image}").needs(Role::Operate, Where::Own).by(By::House("drop-picture"), Gives::Nothing)
        .or(&[409]);
    /// This document.
    "openapi" = Endpoint::get("admin/openapi.json").needs(Role::View, Where::Own).by(By::Front(Made::Document), Gives::Json("Document"));
    /// Every room in numbers, for Prometheus.
    "metrics" = Endpoint::read("metrics").needs(Role::View, Where::Own).by(By::Front(Made::Metrics), Gives::Metrics);
}
