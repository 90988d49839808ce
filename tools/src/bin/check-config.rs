//! Checks a configuration before anything is started or deployed. Reads
//! `{"ORIGIN": …, "ROOMS": {…}, "secrets": {"BATON_SECRET": <length in bytes>, …}, "bindings": ["ROOM", …]}` on standard input and
//! prints every problem with its cure. `--reference` prints the table of all keys instead, and
//! `--explain GET /events/7/checkout` which room such a request belongs to, and why.
//!
//! Exit status: 0 fine, 1 problems, 2 wrong use. It never sees a secret, only lengths.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    native::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::io::{Read as _, Write as _};
    use std::process::ExitCode;

    use baton::gate::{Gate, Site};
    use baton::settings::{self, Grounds, Problem, Settings, Severity};
    use baton::spelling::Pattern;
    use baton_tools::explain::explain;
    use baton_tools::flags::{self, Wish};
    use clap::{CommandFactory, Parser};
    use serde_json::{Map, Value};

    /// A configuration is a few KB; 16 MB is a mistake.
    const INPUT_BYTES_MAX: u64 = 16 * 1024 * 1024;

    /// Checks the configuration on standard input: {"ORIGIN": …, "ROOMS": {…}, "secrets": {"BATON_SECRET": <length>, …}}.
    #[derive(Parser)]
    #[command(
        name = "check-config",
        override_usage = "check-config [--explain METHOD PATH [--host HOST]] < CONFIGURATION.json, or check-config --reference"
    )]
    #[command(after_help = "Exit codes: 0 fine; 1 problems; 2 wrong use.")]
    struct Flags {
        /// Print the table of all keys instead
        #[arg(long)]
        reference: bool,
        /// Print which room such a request belongs to, and why, such as --explain GET /events/7/checkout
        #[arg(long, num_args = 2, value_names = ["METHOD", "PATH"])]
        explain: Option<Vec<String>>,
        /// The host of that request; without it the first that a room names
        #[arg(long, requires = "explain")]
        host: Option<String>,
    }

    pub fn main() -> ExitCode {
        match flags::read(Flags::command(), &flags::arguments()) {
            Ok(Wish::Do(Flags {
                reference: true, ..
            })) => {
                print(&settings::reference_markdown());
                print("\n## The house\n\n");
                print(&settings::grounds_markdown());
                ExitCode::SUCCESS
            }
            Ok(Wish::Do(Flags { explain, host, .. })) => check(explain.as_deref(), host.as_deref()),
            Ok(Wish::Help(text)) => {
                print(&text);
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("check-config: {error}");
                ExitCode::from(2)
            }
        }
    }

    fn check(question: Option<&[String]>, host: Option<&str>) -> ExitCode {
        let mut text = String::new();
        if let Err(error) = std::io::stdin()
            .take(INPUT_BYTES_MAX)
            .read_to_string(&mut text)
        {
            eprintln!("standard input cannot be read: {error}");
            return ExitCode::from(2);
        }
        let value: Value = match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => {
                eprintln!("standard input is not JSON: {error}");
                return ExitCode::from(2);
            }
        };
        let (settings, problems) = judge(value);
        for problem in &problems {
            print(&format!("{problem}\n"));
        }
        match settings {
            Some(settings) if problems.iter().all(|p| p.severity == Severity::Warning) => {
                let Some([method, path]) = question else {
                    print(&summary(&settings));
                    return ExitCode::SUCCESS;
                };
                answer(&settings, method, host, path)
            }
            _ => ExitCode::FAILURE,
        }
    }

    /// Which room a request belongs to. Without a host it is asked of the first that a room names.
    fn answer(settings: &Settings, method: &str, host: Option<&str>, path: &str) -> ExitCode {
        let named = settings.rooms.iter().find_map(|room| room.hosts.first());
        let host = host.or(named.map(String::as_str)).unwrap_or("localhost");
        let told = match Gate::new(settings) {
            Ok(gate) => explain(&gate, method, host, path),
            Err(error) => Err(format!("{error:?}")),
        };
        match told {
            Ok(text) => {
                print(&text);
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("check-config: {why}");
                ExitCode::from(2)
            }
        }
    }

    fn judge(mut value: Value) -> (Option<Settings>, Vec<Problem>) {
        let mut take = |name: &str| value.as_object_mut().and_then(|vars| vars.remove(name));
        let (secrets, bindings) = (take("secrets"), take("bindings"));
        let secrets = secrets
            .as_ref()
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_else(Map::new);
        let (settings, mut problems) = match settings::parse(&value) {
            Ok(settings) => (Some(settings), Vec::new()),
            Err(problems) => (None, problems),
        };
        problems.extend(settings::check_secrets(&secrets));
        let turnstile = secrets.get("TURNSTILE_SECRET").and_then(Value::as_u64);
        let bytes = turnstile.and_then(|bytes| usize::try_from(bytes).ok());
        let judged = settings.as_ref();
        // Whoever does not say what is bound is not judged by it.
        let bindings = bindings.as_ref().and_then(Value::as_array);
        let is_bound = bindings.is_none_or(|names| names.iter().any(|name| name == "HOUSE"));
        problems.extend(judged.and_then(|settings| settings::check_binding(settings, is_bound)));
        problems.extend(
            judged.and_then(|settings| settings::check_turnstile(settings, bytes.unwrap_or(0))),
        );
        let origin = secrets.get("ORIGIN_SECRET").and_then(Value::as_u64);
        let bytes = origin.and_then(|bytes| usize::try_from(bytes).ok());
        problems.extend(
            judged.and_then(|settings| settings::check_stock_line(settings, bytes.unwrap_or(0))),
        );
        let keys = secrets.get("ENTRY_KEYS").and_then(Value::as_u64);
        let bytes = keys.and_then(|bytes| usize::try_from(bytes).ok());
        problems.extend(
            judged.and_then(|settings| settings::check_entry(settings, bytes.unwrap_or(0))),
        );
        (settings, problems)
    }

    fn summary(settings: &Settings) -> String {
        let rooms: Vec<String> = settings
            .rooms
            .iter()
            .map(|room| {
                format!(
                    "{} ({} permits, {} lobbies)",
                    room.name,
                    room.core.permits,
                    room.lobbies()
                )
            })
            .collect();
        let sites: Vec<String> = settings.origins.sites().map(Site::base).collect();
        let origin = if sites.is_empty() {
            "the zone's own or a binding".to_owned()
        } else {
            sites.join(", ")
        };
        let house = settings.grounds.as_ref().map(house).unwrap_or_default();
        format!(
            "configuration fine: {}; origin: {origin}{house}\n",
            rooms.join(", ")
        )
    }

    /// Where rooms may come without a deploy.
    fn house(grounds: &Grounds) -> String {
        let paths: Vec<&str> = grounds.paths().iter().map(Pattern::as_str).collect();
        let hosts: Vec<String> = grounds.hosts().iter().map(ToString::to_string).collect();
        let hosts = match hosts.is_empty() {
            true => "every host".to_owned(),
            false => hosts.join(", "),
        };
        format!("; the house may gate {} at {hosts}", paths.join(", "))
    }

    /// A closed pipe is no reason to panic.
    fn print(text: &str) {
        let _ = std::io::stdout().write_all(text.as_bytes());
    }
}
