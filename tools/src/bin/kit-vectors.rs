//! Prints the kits' table of test vectors, `kits/vectors.json`. The table is made by `baton_tools::vectors`.
//!
//!     cargo run -p baton-tools --bin kit-vectors > kits/vectors.json

use std::process::ExitCode;

fn main() -> ExitCode {
    match baton_tools::vectors::table() {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("kit-vectors: {why}");
            ExitCode::FAILURE
        }
    }
}
