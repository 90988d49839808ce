//! The configuration. Parsing, the check before a start and the reference in the docs all follow from one schema. This module reads no environment;
//! its callers hand the JSON over.
//!
//! Every problem is reported, not only the first, and each names the key, the value and the cure. Unknown keys are refused: a misspelt limit must not
//! silently become the default.

#![warn(unused_crate_dependencies)]

mod brand;
mod changes;
mod forms;
mod grounds;
mod headers;
mod house;
mod lanes;
mod lists;
mod live;
mod machines;
mod neighbours;
mod operators;
mod origins;
mod page;
mod parse;
mod pictures;
mod problem;
mod ramp;
mod reader;
mod reference;
mod rehearsal;
mod rooms;
mod schema;
mod secrets;
mod sign_in;
mod steps;
mod tables;
mod webhooks;

pub use brand::{Brand, parse_brand, rooms_showing};
pub use changes::{
    Change as HouseChange, OperatorChange, changes as house_changes, missing_pictures, operator_changes, operator_shown, operator_told, somebody_owns,
};
pub use grounds::Grounds;
pub use headers::{PASSED_HEADERS_MAX, PassedHeaders};
pub use house::{parse_definition, parse_house};
pub use lanes::{dropped, why_kept};
pub use live::{LiveTable, LiveValues, Wanted, in_force, parse_live, put};
pub use machines::{check_logos, check_machines};
pub use neighbours::{Neighbours, own_problems};
pub use operators::{OPERATORS_MAX, ROOMS_OF_OPERATOR_MAX, house_operators, is_operator_name};
pub use origins::{ORIGINS_MAX, OriginHost, Origins, SiteData, parse_origins};
pub use page::KEYS as PAGE_KEYS;
pub use parse::{check_binding, parse, parse_room};
pub use pictures::{Deletion, Hold, IMAGES_KEPT_FREE, IMAGES_OF_ONE_MAX, has_place};
pub use problem::{Problem, Severity, distance, in_lines};
pub use ramp::RAMP_S_MAX;
pub use reference::{grounds_markdown, reference_markdown};
pub use rehearsal::{name_in_file, rehearsal_of, settings_of_rehearsal, table_of_rehearsal};
pub use rooms::{ANY_ORIGIN, Crawlers, EntryPolicy, Home, Limits, OpenPolicy, PageSettings, PreflightPolicy, RoomSettings, Settings, Strict};
pub use schema::{
    ADDRESS_BYTES_MAX, CROWD_MAX, CROWD_PER_LOBBY, Changes, JURISDICTIONS, KEYS, Key, Kind, LOCATIONS, PATTERN_BYTES_MAX, PATTERNS_MAX,
    RESERVED_ROOMS, ROOMS_MAX, is_room_name,
};
pub use secrets::{check_entry_keys, check_secrets, check_stock_line, check_turnstile};
pub use sign_in::{Access, Oidc};
pub use webhooks::{WEBHOOKS_MAX, check_outbox, webhook_secrets};
