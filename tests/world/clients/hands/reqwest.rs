//! reqwest: asks what each line of the input says, `METHOD URL`. The first argument is `alone` or `kept` (with what keeps the place).

use std::io::BufRead;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keeps = std::env::args().nth(1).as_deref() == Some("kept");
    let client = reqwest::blocking::Client::builder().cookie_store(keeps).build()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (method, url) = line.split_once(' ').ok_or("METHOD URL")?;
        println!("{}", client.request(method.parse()?, url).send()?.status().as_u16());
    }
    Ok(())
}
