//! A tab: what a person does with one, over the debugging protocol.

use crate::BrowserError;
use base64::Engine;
use serde_json::{Value, json};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// How long a page may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(15);
/// How often a button is clicked that moves away.
const TRIES: usize = 5;

/// A tab of the browser; it closes when this is dropped.
pub struct Page {
    port: u16,
    /// The browser's own socket, which can close the tab.
    lobby: String,
    context: String,
    socket: WebSocket<TcpStream>,
    serial: u64,
    troubles: Vec<String>,
}

fn socket(port: u16, path: &str) -> Result<WebSocket<TcpStream>, BrowserError> {
    let address = format!("ws://127.0.0.1:{port}{path}");
    loop {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE * 2))?;
        match tungstenite::client(&address, stream) {
            Ok((socket, _)) => return Ok(socket),
            Err(tungstenite::HandshakeError::Failure(error)) if interrupted(&error) => {}
            Err(tungstenite::HandshakeError::Failure(error)) => return Err(Box::new(error).into()),
            Err(tungstenite::HandshakeError::Interrupted(_)) => {
                return Err(Box::new(tungstenite::Error::ConnectionClosed).into());
            }
        }
    }
}

/// Whether a signal came in between, such as one that a test sends to a program of its own: nothing is lost by it.
fn interrupted(error: &tungstenite::Error) -> bool {
    matches!(error, tungstenite::Error::Io(error) if error.kind() == std::io::ErrorKind::Interrupted)
}

impl Page {
    pub(crate) fn open(port: u16, path: &str) -> Result<Page, BrowserError> {
        let bare = |socket, context| Page {
            port,
            lobby: path.to_string(),
            context,
            socket,
            serial: 0,
            troubles: Vec::new(),
        };
        let mut lobby = bare(socket(port, path)?, String::new());
        // A context of its own, so that tabs of different tests share neither storage nor cache.
        let context = text(&lobby.call("Target.createBrowserContext", json!({}))?, "browserContextId");
        let made = json!({ "url": "about:blank", "browserContextId": context, "width": 1280, "height": 860 });
        let target = text(&lobby.call("Target.createTarget", made)?, "targetId");
        let mut page = bare(socket(port, &format!("/devtools/page/{target}"))?, context);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            page.call(domain, json!({}))?;
        }
        page.resize(1280, 860, false)?;
        Ok(page)
    }

    /// Gives the browser a command and waits for its answer.
    ///
    /// # Errors
    ///
    /// The browser refuses or is gone.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, BrowserError> {
        self.serial += 1;
        let id = self.serial;
        let order = json!({ "id": id, "method": method, "params": params }).to_string();
        self.socket.send(Message::text(order)).map_err(Box::new)?;
        loop {
            let words = match self.socket.read() {
                Ok(Message::Text(words)) => words,
                Ok(_) => continue,
                Err(error) if interrupted(&error) => continue,
                Err(error) => return Err(Box::new(error).into()),
            };
            let mut message: Value = serde_json::from_str(&words).unwrap_or_default();
            if message["id"] != id {
                self.note(&message);
                continue;
            }
            if let Some(why) = message["error"]["message"].as_str() {
                return Err(BrowserError::Refused { method: method.into(), why: why.into() });
            }
            return Ok(message["result"].take());
        }
    }

    /// Remembers what the page complains of.
    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                let details = &params["exceptionDetails"];
                let why = details["exception"]["description"].as_str().or(details["text"].as_str());
                self.troubles.push(why.unwrap_or("an exception").to_string());
            }
            Some("Log.entryAdded")
                if ["error", "warning"].contains(&text(&params["entry"], "level").as_str()) =>
            {
                let entry = &params["entry"];
                self.troubles.push(format!("{} {}", text(entry, "text"), text(entry, "url")));
            }
            Some("Runtime.consoleAPICalled")
                if ["error", "warning", "assert"].contains(&text(params, "type").as_str()) =>
            {
                self.troubles.push(params["args"].to_string());
            }
            _ => {}
        }
    }

    /// What the page complained of so far; the list begins anew.
    pub fn troubles(&mut self) -> Vec<String> {
        std::mem::take(&mut self.troubles)
    }

    /// Goes to an address and waits until the page says that it is ready.
    ///
    /// # Errors
    ///
    /// The page does not come.
    pub fn go(&mut self, address: &str) -> Result<(), BrowserError> {
        self.call("Page.navigate", json!({ "url": address }))?;
        self.wait("document.body?.dataset.ready === 'yes'", "the page")
    }

    /// The value of a script; promises are waited for.
    ///
    /// # Errors
    ///
    /// The script throws.
    pub fn eval(&mut self, script: &str) -> Result<Value, BrowserError> {
        let params = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let reply = self.call("Runtime.evaluate", params)?;
        let details = &reply["exceptionDetails"];
        if !details.is_null() {
            let why = details["exception"]["description"].as_str().or(details["text"].as_str());
            return Err(BrowserError::Script {
                script: script.chars().take(80).collect(),
                why: why.unwrap_or_default().into(),
            });
        }
        Ok(reply["result"]["value"].clone())
    }

    /// Waits until a script is true.
    ///
    /// # Errors
    ///
    /// It does not become true in time; the error says what the page shows.
    pub fn wait(&mut self, script: &str, what: &str) -> Result<(), BrowserError> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            // While a page is being replaced, scripts fail; that is no reason to give up.
            if self.eval(&format!("Boolean({script})")).is_ok_and(|value| value == true) {
                return Ok(());
            }
            thread::sleep(GLANCE);
        }
        let script =
            "location.search + ' ' + (document.querySelector('dialog[open]') ?? document.body)?.innerText";
        let shows = self.eval(script).unwrap_or_default();
        let shows: String =
            shows.as_str().unwrap_or_default().replace('\n', " | ").chars().take(600).collect();
        let troubles = self.troubles.join("; ");
        Err(BrowserError::Waited { what: what.into(), shows: format!("{shows} [{troubles}]") })
    }

    /// Waits until an element is there, scrolls to it, then gives its middle on the screen.
    fn middle(&mut self, selector: &str) -> Result<(f64, f64), BrowserError> {
        let quoted = json!(selector);
        self.wait(&format!("document.querySelector({quoted})"), selector)?;
        self.eval(&format!(
            "document.querySelector({quoted}).scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }})"
        ))?;
        self.place(selector)
    }

    /// Where an element's middle is on the screen now.
    fn place(&mut self, selector: &str) -> Result<(f64, f64), BrowserError> {
        let quoted = json!(selector);
        let place = self.eval(&format!(
            "(() => {{ const box = document.querySelector({quoted}).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ))?;
        Ok((place[0].as_f64().unwrap_or(0.0), place[1].as_f64().unwrap_or(0.0)))
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), down: bool) -> Result<(), BrowserError> {
        let button = if down { "left" } else { "none" };
        let params = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": u8::from(down), "clickCount": u8::from(down) });
        self.call("Input.dispatchMouseEvent", params).map(drop)
    }

    /// Points at an element.
    ///
    /// # Errors
    ///
    /// It is not there.
    pub fn hover(&mut self, selector: &str) -> Result<(), BrowserError> {
        let place = self.middle(selector)?;
        self.mouse("mouseMoved", place, false)
    }

    /// Clicks on an element with the mouse. A button that moved away while the mouse came down is clicked again, as
    /// anybody would.
    ///
    /// # Errors
    ///
    /// It is not there.
    pub fn click(&mut self, selector: &str) -> Result<(), BrowserError> {
        for _ in 0..TRIES {
            let place = self.middle(selector)?;
            let heard = self.eval(&guard(selector))? == true;
            self.mouse("mouseMoved", place, false)?;
            self.mouse("mousePressed", place, true)?;
            self.mouse("mouseReleased", place, true)?;
            // A page that was left hears nothing and remembers nothing.
            if !heard || self.eval("window.outplayMissed").is_ok_and(|missed| missed != true) {
                return Ok(());
            }
        }
        let _ = self.eval("window.outplayGuard?.abort()");
        Ok(())
    }

    /// Drags from one element to another.
    ///
    /// # Errors
    ///
    /// One of them is not there.
    pub fn drag(&mut self, from: &str, to: &str) -> Result<(), BrowserError> {
        self.middle(to)?;
        let start = self.middle(from)?;
        // Scrolling to one may have moved the other.
        let end = self.place(to)?;
        self.mouse("mouseMoved", start, false)?;
        self.mouse("mousePressed", start, true)?;
        for step in 1..=8 {
            let part = f64::from(step) / 8.0;
            let between = (start.0 + (end.0 - start.0) * part, start.1 + (end.1 - start.1) * part);
            self.mouse("mouseMoved", between, true)?;
        }
        self.mouse("mouseReleased", end, true)
    }

    /// Presses a key: a letter or a name such as `Enter` or `ArrowLeft`.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn press(&mut self, key: &str) -> Result<(), BrowserError> {
        let words = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            " " => 32,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => key.to_ascii_uppercase().bytes().next().unwrap_or(0).into(),
        };
        let kind = if words.is_empty() { "rawKeyDown" } else { "keyDown" };
        let down = json!({ "type": kind, "key": key, "text": words, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", down)?;
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        )
        .map(drop)
    }

    /// Types text where the cursor is.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn type_text(&mut self, words: &str) -> Result<(), BrowserError> {
        self.call("Input.insertText", json!({ "text": words })).map(drop)
    }

    /// Replaces the text of a field.
    ///
    /// # Errors
    ///
    /// It is not there.
    pub fn fill(&mut self, selector: &str, words: &str) -> Result<(), BrowserError> {
        self.click(selector)?;
        self.eval(&format!("document.querySelector({}).select()", json!(selector)))?;
        self.type_text(words)
    }

    /// Makes the window another size; a `phone` has a finger and two pixels to one.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn resize(&mut self, width: u32, height: u32, phone: bool) -> Result<(), BrowserError> {
        let scale = if phone { 2 } else { 1 };
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone });
        self.call("Emulation.setDeviceMetricsOverride", size)?;
        self.call("Emulation.setTouchEmulationEnabled", json!({ "enabled": phone })).map(drop)
    }

    /// Asks for light or dark colours, and for no motion.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn colours(&mut self, scheme: &str) -> Result<(), BrowserError> {
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features })).map(drop)
    }

    /// Cuts the connection to the network, or restores it.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn offline(&mut self, offline: bool) -> Result<(), BrowserError> {
        let wire =
            json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.call("Network.emulateNetworkConditions", wire).map(drop)
    }

    /// What the window shows, as a PNG.
    ///
    /// # Errors
    ///
    /// The browser is gone.
    pub fn screenshot(&mut self) -> Result<Vec<u8>, BrowserError> {
        let reply = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let picture = base64::engine::general_purpose::STANDARD.decode(text(&reply, "data"));
        picture.map_err(|error| BrowserError::Refused {
            method: "Page.captureScreenshot".into(),
            why: error.to_string(),
        })
    }
}

/// Guards the next click on a button or a link: pointer events that land elsewhere, because the layout moved between the
/// look-up and the click, are swallowed and noted in `window.outplayMissed`. Evaluates to false for other elements, which
/// may act when the mouse comes down, so that a second click would be a second act.
fn guard(selector: &str) -> String {
    let quoted = json!(selector);
    format!(
        "(() => {{ \
            if (!document.querySelector({quoted})?.matches('button:enabled, a')) return false; \
            window.outplayMissed = true; \
            window.outplayGuard?.abort(); \
            const guard = (window.outplayGuard = new AbortController()); \
            const check = (event) => {{ \
                const hit = Boolean(event.target.closest?.({quoted})); \
                if (!hit) {{ event.preventDefault(); event.stopImmediatePropagation(); }} \
                if (event.type === 'click') {{ window.outplayMissed = !hit; guard.abort(); }} \
            }}; \
            for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) \
                addEventListener(type, check, {{ capture: true, signal: guard.signal }}); \
            return true; \
        }})()"
    )
}

/// Asks a browser to end, if it still listens.
pub(crate) fn close(port: u16, path: &str) {
    if let Ok(mut browser) = socket(port, path) {
        let _ = browser.send(Message::text(json!({ "id": 1, "method": "Browser.close" }).to_string()));
        let _ = browser.read();
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_string()
}

impl Drop for Page {
    fn drop(&mut self) {
        // The browser may be gone already, which closes the tab as well.
        if !self.context.is_empty()
            && let Ok(mut browser) = socket(self.port, &self.lobby)
        {
            let params = json!({ "browserContextId": self.context });
            let order = json!({ "id": 1, "method": "Target.disposeBrowserContext", "params": params });
            let _ = browser.send(Message::text(order.to_string()));
            let _ = browser.read();
        }
    }
}
