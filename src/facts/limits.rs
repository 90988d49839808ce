//! The limits that bound every collection of the core, each stated once, with its arithmetic.

/// Maximum permits of a room. A lease costs about 150 bytes of the object's 128 MB and at worst twice that (`in_order.rs`),
/// so 100,000 leases take 15 to 30 MB.
pub const PERMITS_MAX: u32 = 100_000;
/// Maximum living tickets of a room. Measured: 24 bytes each, with the holder and the index of holders, so 72 MB of the object's 128 MB.
/// [`LOBBIES_MAX`] lobbies of ten thousand visitors hold fewer. A ticket of an account takes 42 bytes, so 107 MB if all these visitors have one.
pub const LINE_MAX: u64 = 3_000_000;
/// Maximum entries of a room's halls. A draw holds the hall beside the line that it makes. Measured as wasm: 94 MB of
/// the object's 128 MB, if each entry is an account's (`npm run bench -- --only core`).
pub const HALL_MAX: u64 = 1_500_000;
/// Maximum lobbies of a room: 256 × 10,000 visitors is the most that `crowd` can ask for. Each lobby has one batch out, so at 500 batches a second
/// a batch is out for at most half a second. A fuller room is slower but never overrun (docs/scale.md).
pub const LOBBIES_MAX: u16 = 256;
/// Maximum commands in a batch. A reply is at most about 40 bytes, so an answer stays below 80 KB.
pub const BATCH_COMMANDS_MAX: usize = 2_000;
/// Commands that a batch may have beyond these: presence, and five kinds of counts. The rest is room for a newer lobby.
pub const BATCH_BESIDE_MAX: usize = 8;
/// Maximum batches in a bundle: one of each lobby, because each has one out.
pub const BUNDLE_BATCHES_MAX: usize = LOBBIES_MAX as usize;
/// Maximum bytes of the batches in a bundle, unless the first batch alone is larger. A fact is at most about twice as long as the command that it
/// follows from, so the row stays below 600 KB of the 2 MB that a row may have.
pub const BUNDLE_BYTES_MAX: usize = 256 * 1024;
/// Maximum fences in a check. A standing is at most about 40 bytes, so an answer stays below 160 KB.
pub const CHECKS_MAX: usize = 4_000;
/// Maximum leases of which one count of the origin's answers tells: a front's in a second, a lobby's in a batch, a room's in a tenth of its window. A
/// hundred people who all do as the others do tell the share of errors to within 5 of a hundred. 9 bytes each, so a row grows by 1 KB, a
/// front's header by 2 KB, and a window in a snapshot has 9 KB.
pub const ORIGIN_LEASES_MAX: usize = 100;
/// Maximum tickets that one join command may ask for.
pub const JOIN_COUNT_MAX: u32 = 10_000;
/// Maximum numbers of each lane in one edition: a holder's key finds a number by 32 bits (`room/index.rs`).
pub const NUMBERS_MAX: u64 = (1 << 31) - 1;
/// Maximum changes that a room remembers of a lobby, so that it can say what the lobby has missed: some 2 MB for 256 lobbies, and a third of a
/// millisecond of every snapshot. A run of numbers that joined together is one change. A lobby that missed more gets a list.
pub const CHANGES_MAX: usize = 256;
/// Maximum tickets in one message: 260 KB at some 22 bytes each. A lobby that missed more gets a list.
pub const CHANGES_TOLD_MAX: usize = 12_000;
/// Maximum tickets on one page of a list: some 90 KB.
pub const PAGE_TICKETS_MAX: usize = 4_000;
/// Maximum places ended in one turn of the usher that the room tells one by one. Past it, the room sends every lobby a list.
pub const ENDED_TOLD_MAX: u64 = 10_000;
/// Numbers in a chunk, whose bits the line keeps together: a multiple of 64. The line drops a chunk when nobody in it is left.
pub const CHUNK: usize = 4_096;
/// Numbers on a page, whose holders are stored together: a power of two, at least 8. A page takes 200 KB and a fifth of a millisecond of a turn.
pub const HOLDERS_PAGE: u64 = 16_384;
/// Chunks on a page of places, which a snapshot writes if any of them changed. As a rule a page takes 20 KB, and a fiftieth of a millisecond of a turn. A
/// line of 2.5 million has 38 pages, so its snapshot takes as many turns.
pub const CHUNKS_PAGE: u64 = 16;
/// Maximum tickets of a page that came to belong to accounts after the page was written. Past it, the room writes the page anew. So of 3,000,000
/// tickets a snapshot repeats at most one in sixteen, at 14 bytes each: 2.6 MB.
pub const LATE_ACCOUNTS_MAX: usize = 1_024;
/// Numbers whose keys a room enters in its index in one turn after it came into memory: those of half a page. The first of both reads it. A slice should
/// take a millisecond of a turn; of a whole page it took 2.1. A million numbers take 123 turns.
pub const INDEX_SLICE: u64 = HOLDERS_PAGE / 2;
/// Maximum invitations of a sheet: one bit each, 12.5 KB.
pub const INVITATIONS_MAX: u32 = 100_000;
/// Maximum sheets of a room that are not withdrawn. Invitations alone take 400 KB, in memory and in every snapshot.
pub const SHEETS_MAX: usize = 32;
/// Maximum codes of a room: at 16 bytes each 320 KB, in memory and in every snapshot. A row that brings them all takes 260 KB.
pub const CODES_MAX: usize = 20_000;
/// Maximum places that one code gives.
pub const CODE_USES_MAX: u32 = 1_000_000;
/// Maximum time until the vouchers of a new sheet end, in milliseconds: 90 days.
pub const SHEET_LIFE_MS_MAX: u64 = 90 * 86_400_000;
/// A list with more tickets than this is long. Lobbies get long lists one after the other.
pub const LIST_LONG: usize = 256;
/// One admission, in the unit of the pace bucket.
pub const ADMISSION_MICRO: u64 = 1_000_000;
/// Maximum periods of a room: a month of days.
pub const PERIODS_MAX: usize = 32;
/// Maximum seats that a shop can report, more than any venue has. It keeps the products of `room/stock.rs` within 128 bits.
pub const STOCK_MAX: u32 = 10_000_000;
/// Maximum characters of a text that the page shows.
pub const TEXT_CHARS_MAX: usize = 500;
/// Maximum bytes as JSON of a list of lanes or of a schedule of [`STEPS_MAX`] steps.
pub const VALUE_BYTES_MAX: usize = 8_000;
/// Maximum steps of a schedule: a sale of several days with a dozen steps each. Every row that changes settings contains them.
pub const STEPS_MAX: usize = 64;
/// Maximum bytes kept of the reason why a step was refused.
pub const WHY_BYTES_MAX: usize = 300;
/// Maximum bytes of the name of whoever changed something.
pub const BY_BYTES_MAX: usize = 64;

/// Maximum rooms that the house keeps. At each change a front rebuilds what it judges by, at some 20 µs a room.
pub const HOUSE_ROOMS_MAX: usize = 1_000;
/// Maximum names that the house remembers, those of released rooms included: a new one a day for thirteen years. Names of 32 bytes take 160 KB of
/// [`HOUSE_BYTES_MAX`].
pub const HOUSE_NAMES_MAX: usize = 5_000;
/// Maximum bytes of a room's definition as JSON: a logo written as a `data:` address, and as much again.
pub const TABLE_BYTES_MAX: usize = 16_384;
/// Maximum bytes of all definitions together. Each isolate of each data centre reads them at each change.
pub const HOUSE_BYTES_MAX: usize = 1_000_000;
/// Maximum operators that the house keeps at once. A front tries a cookie of the desk with each of them and with the 20 of the file: 50 MACs.
pub const HOUSE_OPERATORS_MAX: usize = 30;
/// Maximum bytes of an operator's table in the house, as JSON: 50 names of rooms and the rest. All tables take 123 KB in a front's copy.
pub const OPERATOR_BYTES_MAX: usize = 4_096;

/// The limits that a simulated world may lower. What ships has one value of each. A simulated world has few people, so it
/// uses smaller values to reach them.
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
    /// See [`CHUNKS_PAGE`].
    pub chunks_page: u64,
    /// See [`LATE_ACCOUNTS_MAX`].
    pub late_accounts_max: usize,
    /// See [`INDEX_SLICE`].
    pub index_slice: u64,
}

impl Sizes {
    /// The limits that ship.
    pub const USUAL: Self = Self {
        changes_max: CHANGES_MAX,
        changes_told_max: CHANGES_TOLD_MAX,
        page_tickets_max: PAGE_TICKETS_MAX,
        list_long: LIST_LONG,
        ended_told_max: ENDED_TOLD_MAX,
        chunk: CHUNK as u64,
        holders_page: HOLDERS_PAGE,
        chunks_page: CHUNKS_PAGE,
        late_accounts_max: LATE_ACCOUNTS_MAX,
        index_slice: INDEX_SLICE,
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

/// Sets the limits in force in this thread.
#[cfg(feature = "small-worlds")]
pub fn set_sizes(sizes: Sizes) {
    SIZES.set(sizes);
}
