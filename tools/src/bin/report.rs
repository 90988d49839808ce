//! `report EXPORT`: prints what happened in a sale and how good its forecasts were, as one JSON object. Only files, streams and exit codes are here;
//! the work is done in `baton_tools::report` and `baton_tools::advise`.

use baton_tools::advise::afterwards::Afterwards;
use baton_tools::flags::read;
use baton_tools::lines::each_line;
use baton_tools::program::{Failure, print, run};
use baton_tools::report::flags::Task;
use std::process::ExitCode;

const NOT_SOUND: u8 = 1;

fn main() -> ExitCode {
    run("report", read, |task| told(&task))
}

fn told(task: &Task) -> Result<(), Failure> {
    let mut report = Afterwards::new(task.asked());
    each_line(&task.export, |line| report.line(line))?;
    let report = report.finish().map_err(|stop| stop.to_string())?;
    let text = serde_json::to_string(&report).map_err(|why| why.to_string())?;
    print(&format!("{text}\n"))?;
    if report.verdict.is_sound {
        Ok(())
    } else {
        Err(Failure(NOT_SOUND, String::new()))
    }
}
