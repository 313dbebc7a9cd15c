//! One browser and one server for all tests of a program, ended with the last test that uses them.

use outplay_browser::{Browser, Page};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use tempfile::TempDir;

/// What a test stands on.
pub(crate) struct Stage {
    browser: Browser,
    server: Child,
    base: String,
    _data: TempDir,
}

static SHARED: Mutex<Weak<Stage>> = Mutex::new(Weak::new());

impl Stage {
    /// The browser and the server, started if no other test has them; nothing if there is no browser.
    pub(crate) fn set() -> Option<Arc<Stage>> {
        if Browser::find().is_none() {
            let required = std::env::var_os("OUTPLAY_BROWSER").is_some_and(|word| word == "required");
            assert!(!required, "no Chromium was found, and OUTPLAY_BROWSER says that it is required");
            eprintln!("left out: no Chromium was found; `cargo xtask test` installs it");
            return None;
        }
        // A test that failed leaves the lock behind and nothing else.
        let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(stage) = shared.upgrade() {
            return Some(stage);
        }
        let stage = Arc::new(Stage::start());
        *shared = Arc::downgrade(&stage);
        Some(stage)
    }

    fn start() -> Stage {
        let data = tempfile::tempdir().unwrap();
        let mut server = Command::new(env!("CARGO_BIN_EXE_outplay"))
            .args(["serve", "--addr", "127.0.0.1:0", "--json", "--data"])
            .arg(data.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: serde_json::Value = serde_json::from_str(&line).unwrap();
        let base = told["address"].as_str().unwrap().to_string();
        Stage { browser: Browser::launch().unwrap(), server, base, _data: data }
    }

    /// The address of a screen.
    pub(crate) fn address(&self, search: &str) -> String {
        format!("{}/{search}", self.base)
    }

    /// An empty tab that asks for no motion.
    pub(crate) fn page(&self) -> Page {
        let mut page = self.browser.page().unwrap();
        page.colours("light").unwrap();
        page
    }

    /// A tab at a screen.
    pub(crate) fn open(&self, search: &str) -> Page {
        let mut page = self.page();
        page.go(&self.address(search)).unwrap();
        page
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Fails if the page complained of anything.
pub(crate) fn silent(page: &mut Page) {
    let troubles = page.troubles();
    assert!(troubles.is_empty(), "the page complains: {troubles:?}");
}

/// A script that makes the page request plain minimax for every solve, which outlasts any test.
pub(crate) const SLOW_SOLVES: &str = "(() => { const plain = window.fetch; window.fetch = (url, wish) => { \
    const solve = String(url).endsWith('/solve') && wish?.body; \
    return plain(url, solve ? { ...wish, body: JSON.stringify({ ...JSON.parse(wish.body), method: 'plain', save: false }) } : wish); \
}; })()";
