//! Run with `cargo run -p outplay-browser --example look -- ADDRESS PICTURE.png [WIDTH HEIGHT [dark] [SCRIPT…]]`:
//! opens an address, runs scripts in the page, prints their values and keeps a picture.

use outplay_browser::{Browser, BrowserError};

fn main() -> Result<(), BrowserError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, picture, rest @ ..] = args.as_slice() else {
        eprintln!("usage: look ADDRESS PICTURE.png [WIDTH HEIGHT [dark] [SCRIPT…]]");
        std::process::exit(2);
    };
    let number = |i: usize, usual| rest.get(i).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let browser = Browser::launch()?;
    let mut page = browser.page()?;
    page.resize(number(0, 1280), number(1, 860), number(0, 1280) < 600)?;
    let dark = rest.get(2).is_some_and(|word| word == "dark");
    page.colours(if dark { "dark" } else { "light" })?;
    let came = page.go(address);
    for script in rest.iter().skip(if dark { 3 } else { 2 }) {
        println!("{}", page.eval(script)?);
    }
    page.eval("new Promise((done) => setTimeout(done, 700))")?;
    std::fs::write(picture, page.screenshot()?)?;
    page.troubles().iter().for_each(|trouble| println!("trouble: {trouble}"));
    came
}
