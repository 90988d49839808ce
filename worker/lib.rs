//! The worker as it is deployed. `baton::edge` has what it exports to the runtime; this links it.

use baton as _;
