//! Writes the JavaScript around a module that rustc compiled, and the module without the parts that only this step needed:
//!
//! ```text
//! pack worker|browser MODULE.wasm FOLDER NAME
//! ```
//!
//! `FOLDER` gets `NAME.js` and `NAME_bg.wasm`. `worker` is for the Workers runtime, where a module that died can get a new instance; `browser`
//! fetches the module by its address.
//!
//! Exit status: 0 if it is done, 1 if the module cannot be packed, 2 for wrong use.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    native::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::path::Path;
    use std::process::ExitCode;

    use wasm_bindgen_cli_support::Bindgen;

    const USAGE: &str = "pack worker|browser MODULE.wasm FOLDER NAME";

    pub fn main() -> ExitCode {
        let given: Vec<String> = std::env::args().skip(1).collect();
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let [runtime @ ("worker" | "browser"), module, folder, name] = given.as_slice() else {
            eprintln!("pack: wrong use. It takes: {USAGE}");
            return ExitCode::from(2);
        };
        let mut bindgen = Bindgen::new();
        bindgen.input_path(module).out_name(name).omit_default_module_path(false);
        let is_worker = *runtime == "worker";
        // After a panic, src/edge/entry.js makes a new instance with `__wbg_reset_state`.
        bindgen.reset_state_function(is_worker).force_enable_abort_handler(is_worker);
        let target = match is_worker {
            true => bindgen.module(true),
            false => bindgen.web(true),
        };
        let packed = target.and_then(|bindgen| bindgen.generate(Path::new(folder)));
        match packed {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("pack: {module} cannot be packed: {error:#}");
                ExitCode::FAILURE
            }
        }
    }
}
