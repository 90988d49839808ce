//! The worker as it is deployed. What it exports to the runtime is in `baton::edge`; this links it.

use baton as _;
