//! The limits that bound every collection of the core, each once, with its arithmetic.

/// Most permits of one room. A lease costs about 150 bytes of the object's 128 MB, twice that at worst (`in_order.rs`), so
/// a hundred thousand of them take 15 to 30 MB.
pub const PERMITS_MAX: u32 = 100_000;
/// Most living tickets of one room. Measured: 24 bytes each, with whose they are and the index of that, so 72 MB of the object's
/// 128 MB. A room has at most [`LOBBIES_MAX`] times ten thousand visitors, which is less. One that is an account's takes 42 bytes, so
/// 107 MB where all of these visitors have one.
pub const LINE_MAX: u64 = 3_000_000;
/// Most lobbies of one room: 256 × 10,000 visitors is what `crowd` can ask for at most. Each has one
/// batch out, so at 500 batches a second one is out for half a second at most: a fuller room is
/// slower and never overrun (docs/scale.md).
pub const LOBBIES_MAX: u16 = 256;
/// Most commands in one batch. A reply is at most about 40 bytes, so an answer stays below 80 KB.
pub const BATCH_COMMANDS_MAX: usize = 2_000;
/// Most batches in one bundle: one of each lobby, for each has one out.
pub const BUNDLE_BATCHES_MAX: usize = LOBBIES_MAX as usize;
/// Bytes of the batches of one bundle, unless the first alone is larger. A fact is at most about twice as long as the command that it
/// follows from, so the row stays below 600 KB of the 2 MB that one may have.
pub const BUNDLE_BYTES_MAX: usize = 256 * 1024;
/// Most fences in one check. A standing is at most about 40 bytes, so an answer stays below 160 KB.
pub const CHECKS_MAX: usize = 4_000;
/// Most tickets that one join command may ask for.
pub const JOIN_COUNT_MAX: u32 = 10_000;
/// Most numbers of one edition: and of one lane: a holder's key finds a number by 32 bits (`room/index.rs`).
pub const NUMBERS_MAX: u64 = (1 << 31) - 1;
/// Changes that a room remembers of one lobby, so that it can say what a lobby has missed: of 256 lobbies some 2 MB, and a third of
/// a millisecond of every snapshot. A run of numbers that joined together is one. A lobby that has missed more gets a list.
pub const CHANGES_MAX: usize = 256;
/// Most tickets that one message tells of: at some 22 bytes each 260 KB. A lobby that has missed more is told anew, by a list.
pub const CHANGES_TOLD_MAX: usize = 12_000;
/// Most tickets of one page of a list: some 90 KB.
pub const PAGE_TICKETS_MAX: usize = 4_000;
/// The room tells at most so many ended places of one turn of the usher one by one; after more, it tells every lobby anew.
pub const ENDED_TOLD_MAX: u64 = 10_000;
/// Numbers of which the line keeps the bits together, a multiple of 64: they go when nobody of them is left.
pub const CHUNK: usize = 4_096;
/// Numbers whose holders are stored as one page, a power of two from 8 on: 200 KB, which take a fifth of a millisecond of a turn.
pub const HOLDERS_PAGE: u64 = 16_384;
/// Tickets of one page that became an account's after it was written: then the page is written anew. So of 3,000,000 tickets a snapshot
/// repeats at most one in sixteen, 14 bytes each: 2.6 MB.
pub const LATE_ACCOUNTS_MAX: usize = 1_024;
/// Most invitations of one sheet: a bit each, 12.5 KB.
pub const INVITATIONS_MAX: u32 = 100_000;
/// Most sheets of one room that are not withdrawn: of invitations alone 400 KB, in memory and in every snapshot.
pub const SHEETS_MAX: usize = 32;
/// Most codes of one room: 16 bytes each, 320 KB, in memory and in every snapshot; a row that brings them all has 260 KB.
pub const CODES_MAX: usize = 20_000;
/// Most places that one code gives: more than a room has tickets.
pub const CODE_USES_MAX: u32 = 1_000_000;
/// How long the vouchers of a sheet may count, in milliseconds: 90 days.
pub const SHEET_LIFE_MS_MAX: u64 = 90 * 86_400_000;
/// A list of more tickets is a long one: lobbies get theirs one after the other.
pub const LIST_LONG: usize = 256;
/// One admission, in the unit of the pace bucket.
pub const ADMISSION_MICRO: u64 = 1_000_000;
/// Most periods of one room: a month of days.
pub const PERIODS_MAX: usize = 32;
/// More seats than any house has; keeps the products of `room/stock.rs` in 128 bits.
pub const STOCK_MAX: u32 = 10_000_000;
/// Characters of a text that is shown on the page.
pub const TEXT_CHARS_MAX: usize = 500;
/// Most live values of one room. The schema has fewer live keys.
pub const VALUES_MAX: usize = 64;
/// Bytes of one live value as JSON: a message of 500 characters, each escaped, or a schedule of [`STEPS_MAX`] steps.
pub const VALUE_BYTES_MAX: usize = 8_000;
/// Most steps of one schedule: a sale of several days with a dozen steps each. They stand in every row that changes settings.
pub const STEPS_MAX: usize = 64;
/// Bytes of what is kept of why a step was refused.
pub const WHY_BYTES_MAX: usize = 300;
/// Bytes of a name of who changed something.
pub const BY_BYTES_MAX: usize = 64;

/// Most rooms that the house keeps: what a front judges by is made anew at each change, some 20 µs a room.
pub const HOUSE_ROOMS_MAX: usize = 1_000;
/// Bytes of one room's definition as JSON: a logo written as a `data:` address, and as much again.
pub const TABLE_BYTES_MAX: usize = 16_384;
/// Bytes of all definitions together: each isolate of each data centre reads them at each change.
pub const HOUSE_BYTES_MAX: usize = 1_000_000;
/// Operators that the house keeps at once. A cookie of the desk is tried with each, and with the 20 of the file: 50 MACs.
pub const HOUSE_OPERATORS_MAX: usize = 30;
/// Bytes of one operator's table in the house, as JSON: 50 names of rooms and the rest. All of them: 123 KB in a front's copy.
pub const OPERATOR_BYTES_MAX: usize = 4_096;

/// The limits of what is told to a lobby at once. What ships has one value of it; a simulated world, whose people are few, has a
/// smaller one, so that it meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// See [`CHANGES_MAX`].
    pub changes_max: usize,
    /// See [`CHANGES_TOLD_MAX`].
    pub changes_told_max: usize,
    /// See [`PAGE_TICKETS_MAX`].
    pub page_tickets_max: usize,
    /// See [`LIST_LONG`].
    pub list_long: usize,
    /// See [`ENDED_TOLD_MAX`].
    pub ended_told_max: u64,
    /// See [`CHUNK`], which it never exceeds.
    pub chunk: u64,
    /// See [`HOLDERS_PAGE`].
    pub holders_page: u64,
    /// See [`LATE_ACCOUNTS_MAX`].
    pub late_accounts_max: usize,
}

impl Sizes {
    /// What ships.
    pub const USUAL: Self = Self {
        changes_max: CHANGES_MAX,
        changes_told_max: CHANGES_TOLD_MAX,
        page_tickets_max: PAGE_TICKETS_MAX,
        list_long: LIST_LONG,
        ended_told_max: ENDED_TOLD_MAX,
        chunk: CHUNK as u64,
        holders_page: HOLDERS_PAGE,
        late_accounts_max: LATE_ACCOUNTS_MAX,
    };
}

/// The limits in force.
#[cfg(not(feature = "small-worlds"))]
#[must_use]
#[inline(always)]
pub const fn sizes() -> Sizes {
    Sizes::USUAL
}

#[cfg(feature = "small-worlds")]
thread_local! {
    static SIZES: core::cell::Cell<Sizes> = const { core::cell::Cell::new(Sizes::USUAL) };
}

/// The limits in force in this thread.
#[cfg(feature = "small-worlds")]
#[must_use]
pub fn sizes() -> Sizes {
    SIZES.get()
}

/// Other limits are in force in this thread.
#[cfg(feature = "small-worlds")]
pub fn set_sizes(sizes: Sizes) {
    SIZES.set(sizes);
}
