//! A program and its lines.
//!
//! ```text
//!   order() ──▶ queue ──▶ thread ──▶ stdin  ┐
//!                                           │ a process group of its own, killed as a whole
//!   hear()  ◀── short queue ◀── thread ◀── stdout
//!               last words   ◀── thread ◀── stderr
//! ```
//!
//! Threads of their own write and read, so that nobody here ever waits for a pipe. A program that writes faster than it is
//! heard waits itself; lines beyond a length are cut; what one answer may hold is counted.

use outplay_core::Watch;
use outplay_players::{Fault, PlayError};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Characters of a line that are kept.
const LINE: usize = 64 << 10;
/// Bytes that a program may say before it comes to the point.
const FLOOD: usize = 8 << 20;
/// What a line counts besides its letters: a flood of empty lines is one, too.
const PER_LINE: usize = 64;
/// Lines that wait to be heard.
const WAITING: usize = 256;
/// How often somebody looks whether to stop.
const LOOK: Duration = Duration::from_millis(10);
/// What a program has to end after it was asked to.
const FAREWELL: Duration = Duration::from_millis(300);
/// Last words that are kept.
const WORDS: usize = 200;

/// A fault in a sentence.
pub(crate) fn fault(fault: Fault, why: impl Into<String>) -> PlayError {
    PlayError::Fault { fault, why: why.into() }
}

/// A program that runs.
pub(crate) struct Child {
    process: std::process::Child,
    orders: Option<Sender<String>>,
    lines: Receiver<String>,
    last_words: Arc<Mutex<String>>,
    /// Who hears them.
    listener: Option<thread::JoinHandle<()>>,
    /// What it is told to end it.
    farewell: &'static str,
    /// Bytes heard since the last order.
    heard: usize,
}

impl Child {
    /// Starts a program.
    pub(crate) fn start(words: &[String], farewell: &'static str) -> Result<Child, PlayError> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command
            .spawn()
            .map_err(|error| fault(Fault::Crash, format!("could not be started: {}: {error}", words[0])))?;
        let (orders, to_write) = channel::<String>();
        let (said, lines) = sync_channel(WAITING);
        let last_words = Arc::new(Mutex::new(String::new()));
        if let Some(mut stdin) = process.stdin.take() {
            thread::spawn(move || {
                for order in to_write {
                    // Whoever no longer reads has ended, which the other threads notice.
                    if stdin.write_all(order.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(stdout) = process.stdout.take() {
            thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                while let Some(line) = read_line(&mut stdout) {
                    if said.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let listener = process.stderr.take().map(|stderr| {
            let words = Arc::clone(&last_words);
            thread::spawn(move || {
                let mut stderr = BufReader::new(stderr);
                while let Some(line) = read_line(&mut stderr) {
                    if !line.trim().is_empty() {
                        *words.lock().unwrap_or_else(PoisonError::into_inner) =
                            line.trim().chars().take(WORDS).collect();
                    }
                }
            })
        });
        Ok(Child { process, orders: Some(orders), lines, last_words, listener, farewell, heard: 0 })
    }

    /// Says a line, or several.
    pub(crate) fn order(&mut self, lines: &str) {
        self.heard = 0;
        // What was said since nobody asked is old.
        while self.lines.try_recv().is_ok() {}
        if let Some(orders) = &self.orders {
            // A writer that is gone means a program that is gone, which hearing notices.
            let _ = orders.send(format!("{lines}\n"));
        }
    }

    /// The next line; `patience` is how long to wait for it at most, unless `watch` stops sooner.
    pub(crate) fn hear(&mut self, patience: Instant, watch: &dyn Watch) -> Result<String, PlayError> {
        loop {
            match self.lines.recv_timeout(LOOK.min(patience.saturating_duration_since(Instant::now()))) {
                Ok(line) => {
                    self.heard += line.len() + PER_LINE;
                    if self.heard > FLOOD {
                        let why = format!(
                            "said {} MB or a hundred thousand lines, and nothing to the point",
                            FLOOD >> 20
                        );
                        return Err(fault(Fault::Garbage, why));
                    }
                    // A program that says one thing after the other must not keep anybody from looking at the clock.
                    if watch.stopped() {
                        return Err(PlayError::Stopped);
                    }
                    if Instant::now() >= patience {
                        return Err(fault(Fault::Time, "did not answer in time"));
                    }
                    return Ok(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(fault(Fault::Crash, self.end())),
                Err(RecvTimeoutError::Timeout) if watch.stopped() => return Err(PlayError::Stopped),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= patience => {
                    return Err(fault(Fault::Time, "did not answer in time"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How it ended, in words, once its output is closed.
    fn end(&mut self) -> String {
        let until = Instant::now() + FAREWELL;
        while !self.is_over() && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        let over = self.is_over();
        self.kill();
        let how = match self.process.wait() {
            Ok(status) if over => match (status.code(), status.signal()) {
                (Some(0), _) => "ended without an answer".to_string(),
                (Some(code), _) => format!("ended with exit code {code}"),
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                (None, None) => "ended".to_string(),
            },
            _ => "closed its output".to_string(),
        };
        // What it said last may still be on its way; a process that left the group could keep the way open for ever.
        let until = Instant::now() + FAREWELL;
        while self.listener.as_ref().is_some_and(|listener| !listener.is_finished()) && Instant::now() < until
        {
            thread::sleep(Duration::from_millis(2));
        }
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.is_empty() { how } else { format!("{how}: {words}") }
    }

    /// Whether it has ended; its number is still its own.
    fn is_over(&self) -> bool {
        let Some(pid) = Pid::from_raw(self.process.id() as i32) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
    }

    /// Ends it and all that it started, now. The program itself is not waited for yet, so that its number, which is the
    /// group's, cannot be another's.
    fn kill(&self) {
        if let Some(pid) = Pid::from_raw(self.process.id() as i32) {
            // Nobody is left if that fails.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A program that was waited for already has no number any more.
        if matches!(self.process.try_wait(), Ok(Some(_))) {
            return;
        }
        self.order(self.farewell);
        self.orders = None;
        let until = Instant::now() + FAREWELL;
        while !self.is_over() && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        self.kill();
        let _ = self.process.wait();
    }
}

/// The next line, cut if it is too long; `None` at the end.
fn read_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = from.by_ref().take(LINE as u64).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() != Some(&b'\n') {
        // The rest of a line without an end is let go, piece by piece.
        skip_line(from);
    }
    Some(String::from_utf8_lossy(&line).trim().to_string())
}

fn skip_line(from: &mut impl BufRead) {
    loop {
        let Ok(piece) = from.fill_buf() else { return };
        if piece.is_empty() {
            return;
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(piece.len(), |at| at + 1);
        from.consume(length);
        if end.is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Quiet;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    fn shell(script: &str) -> Child {
        Child::start(&["sh".into(), "-c".into(), script.into()], "bye").unwrap()
    }

    #[test]
    fn lines_come_and_go() {
        let mut child = shell("read a; echo \"<$a>\"; read b; echo \"<$b>\"");
        child.order("one");
        assert_eq!(child.hear(soon(), &Quiet).unwrap(), "<one>");
        child.order("two");
        assert_eq!(child.hear(soon(), &Quiet).unwrap(), "<two>");
        let end = child.hear(soon(), &Quiet).unwrap_err().to_string();
        assert_eq!(end, "ended without an answer");
    }

    #[test]
    fn an_end_is_told_with_the_last_words() {
        let check = |script: &str, words: &str| {
            let error = shell(script).hear(soon(), &Quiet).unwrap_err();
            assert!(matches!(error, PlayError::Fault { fault: Fault::Crash, .. }));
            assert_eq!(error.to_string(), words, "{script}");
        };
        check("exit 3", "ended with exit code 3");
        check("echo 'no such thing' >&2; exit 1", "ended with exit code 1: no such thing");
        check("kill -9 $$", "was ended by signal 9");
        let missing = Child::start(&["/no/such/program".into()], "bye").map(|_| ()).unwrap_err();
        assert!(missing.to_string().starts_with("could not be started: /no/such/program"), "{missing}");
    }

    #[test]
    fn silence_and_floods_end() {
        let mut child = shell("sleep 60");
        let error = child.hear(Instant::now() + Duration::from_millis(50), &Quiet).unwrap_err();
        assert!(matches!(error, PlayError::Fault { fault: Fault::Time, .. }), "{error}");
        let mut child = shell("yes nonsense nonsense nonsense");
        let error = loop {
            if let Err(error) = child.hear(soon(), &Quiet) {
                break error;
            }
        };
        assert!(matches!(error, PlayError::Fault { fault: Fault::Garbage, .. }), "{error}");
        // A line without an end is cut.
        let mut child = shell("head -c 300000 /dev/zero | tr '\\0' 'x'; echo; echo after");
        assert_eq!(child.hear(soon(), &Quiet).unwrap().len(), LINE);
        assert_eq!(child.hear(soon(), &Quiet).unwrap(), "after");
    }

    /// What a program started ends with it, and nothing waits to be buried.
    #[test]
    fn nobody_is_left_behind() {
        let mut child = shell("trap '' TERM INT HUP; sleep 1000 & echo $!; wait");
        let grandchild: i32 = child.hear(soon(), &Quiet).unwrap().parse().unwrap();
        let pid = child.process.id();
        drop(child);
        let state = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
        assert_eq!(state(pid), None);
        // Whoever buries orphans may take a moment.
        let until = Instant::now() + Duration::from_secs(5);
        while state(grandchild as u32).is_some_and(|state| !state.contains(") Z")) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(state(grandchild as u32).is_none_or(|state| state.contains(") Z")));
    }
}
