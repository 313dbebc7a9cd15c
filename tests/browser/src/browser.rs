//! The process.

use crate::{BrowserError, Page};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};
use tempfile::TempDir;

/// Names under which distributions install it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// A running Chromium; it ends when this is dropped.
pub struct Browser {
    child: Child,
    port: u16,
    /// The path of its own socket.
    path: String,
    /// Its profile, thrown away with it.
    _profile: TempDir,
}

impl Browser {
    /// The program, if one is installed.
    pub fn find() -> Option<PathBuf> {
        if let Some(path) = env::var_os("OUTPLAY_CHROMIUM") {
            return Some(PathBuf::from(path)).filter(|path| path.exists());
        }
        let path = env::var_os("PATH")?;
        let folders: Vec<PathBuf> = env::split_paths(&path).collect();
        NAMES.iter().flat_map(|name| folders.iter().map(move |dir| dir.join(name))).find(|path| path.exists())
    }

    /// Starts a browser without a window.
    ///
    /// # Errors
    ///
    /// None is installed, or it does not start.
    pub fn launch() -> Result<Browser, BrowserError> {
        let program = Browser::find().ok_or(BrowserError::Missing)?;
        let profile = tempfile::tempdir()?;
        let child = Command::new(&program)
            .args([
                "--headless=new",
                "--remote-debugging-port=0",
                "--no-first-run",
                "--disable-gpu",
                "--mute-audio",
            ])
            // Test machines run as root in containers, where Chromium's own sandbox cannot work.
            .args(["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"])
            .args([
                "--disable-extensions",
                "--disable-sync",
                "--no-default-browser-check",
                "--force-color-profile=srgb",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // Whatever it leaves behind goes with its profile.
            .env("TMPDIR", profile.path())
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut browser = Browser { child, port: 0, path: String::new(), _profile: profile };
        let note = browser._profile.path().join("DevToolsActivePort");
        let began = Instant::now();
        while browser.port == 0 {
            let ended = browser.child.try_wait()?.is_some();
            if ended || began.elapsed() > PATIENCE {
                return Err(BrowserError::NotStarted(program.display().to_string()));
            }
            thread::sleep(Duration::from_millis(20));
            if let Some((port, path)) = written(&note) {
                (browser.port, browser.path) = (port, path);
            }
        }
        Ok(browser)
    }

    /// A new tab, empty.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn page(&self) -> Result<Page, BrowserError> {
        Page::open(self.port, &self.path)
    }
}

/// The port and path that the browser wrote down, once both lines are complete.
fn written(note: &Path) -> Option<(u16, String)> {
    let text = fs::read_to_string(note).ok()?;
    let (port, path) = text.split_once('\n')?;
    let path = path.trim();
    // The path ends with an identifier of fixed length, so a half-written one shows.
    (path.starts_with("/devtools/browser/") && path.len() >= 54).then_some(())?;
    Some((port.parse().ok()?, path.to_string()))
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Asked to close, it ends its helper processes too, and nobody writes into the profile any more.
        crate::page::close(self.port, &self.path);
        let began = Instant::now();
        while began.elapsed() < FAREWELL && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
