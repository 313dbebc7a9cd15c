//! Child process of an external engine, with line-based, non-blocking pipes.
//!
//! ```text
//!   send()    ──▶ queue ──▶ thread ──▶ stdin  ┐
//!                                             │ own process group, killed as a whole
//!   receive() ◀── bounded queue ◀── thread ◀── stdout
//!                 last line     ◀── thread ◀── stderr
//! ```
//!
//! Dedicated threads read and write, so that callers never block on a pipe. The bounded queue gives back-pressure to
//! an engine that writes too fast; long lines are truncated; the output between two commands is limited.
//!
//! Invariant: the process group is killed before its leader is reaped, so that the group id cannot have been reused and
//! grandchildren die, too. If this process itself is killed (SIGKILL), a watchdog kills the group: a shell that waits
//! for EOF on a pipe whose write end only this process holds. (A parent-death signal, `PR_SET_PDEATHSIG`, would need
//! unsafe code in the child, and fires as soon as the *thread* that started the process exits.)

use outplay_core::escape_controls;
use outplay_players::{Fault, PlayError};
use outplay_runtime::Monitor;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximal bytes of a line; the rest is dropped.
const MAX_LINE_BYTES: usize = 64 << 10;
/// Maximal output in bytes between two commands.
const MAX_OUTPUT_BYTES: usize = 8 << 20;
/// Bytes that a line counts in addition to its length, so that a flood of empty lines is limited, too.
const LINE_OVERHEAD: usize = 64;
/// Capacity of the queue of received lines.
const QUEUE_LINES: usize = 256;
/// Interval at which the monitor is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Time for an engine to answer a stop command.
pub(crate) const STOP: Duration = Duration::from_secs(1);
/// Time for an engine to exit after its quit command.
const EXIT_GRACE: Duration = Duration::from_millis(300);
/// Characters of the last line of stderr that are kept.
const MAX_STDERR_CHARS: usize = 200;

/// A fault with a sentence. The sentence may quote the engine's output, so control characters are escaped.
pub(crate) fn fault(fault: Fault, why: impl AsRef<str>) -> PlayError {
    PlayError::Fault { fault, why: escape_controls(why.as_ref()) }
}

/// A shell that kills a process group when this process dies.
struct Watchdog(std::process::Child);

impl Watchdog {
    /// Starts the watchdog; `None` where there is no shell.
    fn start(group: u32) -> Option<Watchdog> {
        let mut command = Command::new("/bin/sh");
        // EOF means that this process is gone: it holds the only write end of the pipe.
        command.args(["-c", "read -r gone; kill -s KILL -- \"-$0\"", &group.to_string()]);
        // An own process group, out of reach of signals from the terminal or to this process's group.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok().map(Watchdog)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Killed while the pipe is still open, so that it does not fire.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running engine.
pub(crate) struct EngineProcess {
    process: std::process::Child,
    commands: Option<Sender<String>>,
    lines: Receiver<String>,
    last_stderr: Arc<Mutex<String>>,
    /// The thread that reads stderr.
    stderr_reader: Option<thread::JoinHandle<()>>,
    /// The command that ends the engine.
    quit_command: &'static str,
    /// Bytes received since the last command.
    heard: usize,
    watchdog: Option<Watchdog>,
    /// Whether the leader was reaped: its pid may be reused.
    reaped: bool,
}

impl EngineProcess {
    /// Starts an engine.
    pub(crate) fn start(words: &[String], quit_command: &'static str) -> Result<EngineProcess, PlayError> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command
            .spawn()
            .map_err(|error| fault(Fault::Crash, format!("cannot run `{}`: {error}", words[0])))?;
        let watchdog = Watchdog::start(process.id());
        let (commands, to_write) = channel::<String>();
        let (sender, lines) = sync_channel(QUEUE_LINES);
        let last_stderr = Arc::new(Mutex::new(String::new()));
        if let Some(mut stdin) = process.stdin.take() {
            thread::spawn(move || {
                for order in to_write {
                    // A closed pipe means that the engine has exited, which the other threads notice.
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
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let stderr_reader = process.stderr.take().map(|stderr| {
            let words = Arc::clone(&last_stderr);
            thread::spawn(move || {
                let mut stderr = BufReader::new(stderr);
                while let Some(line) = read_line(&mut stderr) {
                    if !line.trim().is_empty() {
                        *words.lock().unwrap_or_else(PoisonError::into_inner) =
                            line.trim().chars().take(MAX_STDERR_CHARS).collect();
                    }
                }
            })
        });
        let (commands, heard, reaped) = (Some(commands), 0, false);
        Ok(EngineProcess {
            process,
            commands,
            lines,
            last_stderr,
            stderr_reader,
            quit_command,
            heard,
            watchdog,
            reaped,
        })
    }

    /// Sends one or more lines. Lines received before are stale and are dropped.
    pub(crate) fn send(&mut self, lines: &str) {
        while self.lines.try_recv().is_ok() {}
        self.send_during_search(lines);
    }

    /// Sends one or more lines while an answer is awaited: received lines stay queued.
    pub(crate) fn send_during_search(&mut self, lines: &str) {
        self.heard = 0;
        if let Some(commands) = &self.commands {
            // The writer thread is gone if the engine has exited, which `receive` reports.
            let _ = commands.send(format!("{lines}\n"));
        }
    }

    /// Returns the next line; waits until `patience` at most, unless `monitor` stops sooner. A line that arrives later
    /// stays queued for the next call.
    pub(crate) fn receive(&mut self, patience: Instant, monitor: &dyn Monitor) -> Result<String, PlayError> {
        loop {
            // Before each line, so that endless output cannot delay a stop or the timeout.
            if monitor.stopped() {
                return Err(PlayError::Stopped);
            }
            let left = patience.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(fault(Fault::Time, "did not answer within its time limit"));
            }
            match self.lines.recv_timeout(POLL_INTERVAL.min(left)) {
                Ok(line) => {
                    self.heard += line.len() + LINE_OVERHEAD;
                    if self.heard > MAX_OUTPUT_BYTES {
                        let why = format!(
                            "printed more than {} MB or 100,000 lines without an answer",
                            MAX_OUTPUT_BYTES >> 20
                        );
                        return Err(fault(Fault::Garbage, why));
                    }
                    return Ok(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(fault(Fault::Crash, self.exit_message())),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Describes the exit, once stdout is closed.
    fn exit_message(&mut self) -> String {
        let until = Instant::now() + EXIT_GRACE;
        while !self.has_exited() && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        let over = self.has_exited();
        let how = match self.reap() {
            Ok(status) if over => match (status.code(), status.signal()) {
                (Some(0), _) => "exited without an answer".to_string(),
                (Some(code), _) => format!("exited with exit code {code}"),
                (None, Some(signal)) => format!("was terminated by signal {signal}"),
                (None, None) => "exited".to_string(),
            },
            _ => "closed its output".to_string(),
        };
        // The last line of stderr may still be in flight; a process that left the group could keep it open for ever.
        let until = Instant::now() + EXIT_GRACE;
        while self.stderr_reader.as_ref().is_some_and(|stderr_reader| !stderr_reader.is_finished())
            && Instant::now() < until
        {
            thread::sleep(Duration::from_millis(2));
        }
        let words = self.last_stderr.lock().unwrap_or_else(PoisonError::into_inner);
        if words.is_empty() { how } else { format!("{how}: {words}") }
    }

    /// Whether the leader has exited; it is not reaped, so its pid stays valid.
    fn has_exited(&self) -> bool {
        let Some(pid) = Pid::from_raw(self.process.id() as i32) else { return true };
        let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(pid), flags), Ok(None))
    }

    /// Kills the process group. The leader is not reaped yet, so that the group id cannot have been reused.
    fn kill(&self) {
        if let Some(pid) = Pid::from_raw(self.process.id() as i32) {
            // It fails only if the group has no process left.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Kills the group, then reaps its leader.
    fn reap(&mut self) -> std::io::Result<std::process::ExitStatus> {
        if !self.reaped {
            self.kill();
            self.watchdog = None;
            self.reaped = true;
        }
        self.process.wait()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        self.send(self.quit_command);
        self.commands = None;
        let until = Instant::now() + EXIT_GRACE;
        while !self.has_exited() && Instant::now() < until {
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.reap();
    }
}

/// Reads the next line, truncated if it is too long; `None` at the end.
fn read_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = from.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line).ok()?;
    if read == 0 {
        return None;
    }
    if line.last() != Some(&b'\n') {
        // The rest of an overlong line is skipped in chunks.
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
    use outplay_runtime::NoMonitor;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    fn shell(script: &str) -> EngineProcess {
        EngineProcess::start(&["sh".into(), "-c".into(), script.into()], "bye").unwrap()
    }

    #[test]
    fn lines_are_exchanged() {
        let mut child = shell("read a; echo \"<$a>\"; read b; echo \"<$b>\"");
        child.send("one");
        assert_eq!(child.receive(soon(), &NoMonitor).unwrap(), "<one>");
        child.send("two");
        assert_eq!(child.receive(soon(), &NoMonitor).unwrap(), "<two>");
        let end = child.receive(soon(), &NoMonitor).unwrap_err().to_string();
        assert_eq!(end, "exited without an answer");
    }

    #[test]
    fn exit_is_reported_with_the_last_line_of_stderr() {
        let check = |script: &str, words: &str| {
            let error = shell(script).receive(soon(), &NoMonitor).unwrap_err();
            assert!(matches!(error, PlayError::Fault { fault: Fault::Crash, .. }));
            assert_eq!(error.to_string(), words, "{script}");
        };
        check("exit 3", "exited with exit code 3");
        check("echo 'no such thing' >&2; exit 1", "exited with exit code 1: no such thing");
        check("kill -9 $$", "was terminated by signal 9");
        let missing = EngineProcess::start(&["/no/such/program".into()], "bye").map(|_| ()).unwrap_err();
        assert!(missing.to_string().starts_with("cannot run `/no/such/program`"), "{missing}");
    }

    #[test]
    fn silence_and_output_floods_are_faults() {
        let mut child = shell("sleep 60");
        let error = child.receive(Instant::now() + Duration::from_millis(50), &NoMonitor).unwrap_err();
        assert!(matches!(error, PlayError::Fault { fault: Fault::Time, .. }), "{error}");
        let mut child = shell("yes nonsense nonsense nonsense");
        let error = loop {
            if let Err(error) = child.receive(soon(), &NoMonitor) {
                break error;
            }
        };
        assert!(matches!(error, PlayError::Fault { fault: Fault::Garbage, .. }), "{error}");
        // An overlong line is truncated.
        let mut child = shell("head -c 300000 /dev/zero | tr '\\0' 'x'; echo; echo after");
        assert_eq!(child.receive(soon(), &NoMonitor).unwrap().len(), MAX_LINE_BYTES);
        assert_eq!(child.receive(soon(), &NoMonitor).unwrap(), "after");
    }

    #[test]
    fn stderr_is_escaped() {
        let error = shell("printf 'a\\033[2Jb\\007\\342\\200\\256c' >&2; exit 1")
            .receive(soon(), &NoMonitor)
            .unwrap_err();
        assert_eq!(error.to_string(), "exited with exit code 1: a\\u{1b}[2Jb\\u{7}\\u{202e}c");
    }

    /// Closing the pipe is what the kernel does when this process is killed.
    #[test]
    fn watchdog_kills_the_group_when_the_host_dies() {
        let mut child = shell("trap '' TERM INT HUP; sleep 1000 & echo $!; wait");
        child.receive(soon(), &NoMonitor).unwrap();
        drop(child.watchdog.as_mut().unwrap().0.stdin.take());
        let end = child.receive(soon(), &NoMonitor).unwrap_err().to_string();
        assert_eq!(end, "was terminated by signal 9");
    }

    /// Child processes of an engine are killed with it, and no zombie remains.
    #[test]
    fn process_group_is_killed_and_reaped() {
        left_behind("trap '' TERM INT HUP; sleep 1000 & echo $!; wait", Duration::ZERO);
    }

    /// The same where the engine itself has exited before.
    #[test]
    fn nobody_is_left_behind_by_a_program_that_has_ended() {
        left_behind("sleep 1000 & echo $!", Duration::from_millis(100));
    }

    fn left_behind(script: &str, pause: Duration) {
        let mut child = shell(script);
        let grandchild: i32 = child.receive(soon(), &NoMonitor).unwrap().parse().unwrap();
        let pid = child.process.id();
        thread::sleep(pause);
        drop(child);
        let state = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
        assert_eq!(state(pid), None);
        // The init process may take a moment to reap the orphan.
        let until = Instant::now() + Duration::from_secs(5);
        while state(grandchild as u32).is_some_and(|state| !state.contains(") Z")) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(state(grandchild as u32).is_none_or(|state| state.contains(") Z")));
    }
}
