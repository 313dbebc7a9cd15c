//! Processes under test: their memory and processor time, and a handle of a server that kills its process on drop.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Resident memory of a process in bytes; 0 where the system does not report it.
pub(crate) fn resident_bytes(pid: u32) -> u64 {
    memory(pid, "VmRSS:")
}

/// Reads a field of `/proc/PID/status`, in bytes.
fn memory(pid: u32, key: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes * 1024)
}

/// Processor time that a process has used; zero where the system does not report it.
pub(crate) fn cpu_time(pid: u32) -> Duration {
    /// Clock ticks per second (`USER_HZ`), the same on every Linux.
    const TICKS: u64 = 100;
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The program's name is in parentheses and may contain any character. After it come the state and numbers; user and
    // system time are the 12th and 13th.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: u64 =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}

/// Runs a command to its end; returns its exit code and its peak memory.
pub(crate) fn measured(command: &mut Command) -> io::Result<(Option<i32>, u64)> {
    let mut child = command.spawn()?;
    let mut peak = 0;
    loop {
        peak = peak.max(memory(child.id(), "VmHWM:"));
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), peak));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server process, killed when this value is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) addr: SocketAddr,
}

impl ServerProcess {
    /// Starts `outplay serve` on a free port, with further options.
    pub(crate) fn start(program: &Path, data: &Path, options: &[String]) -> io::Result<ServerProcess> {
        let mut command = Command::new(program);
        command.args(["serve", "--addr", "127.0.0.1:0", "--json", "--data"]).arg(data).args(options);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let ready: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let addr =
            ready["address"].as_str().and_then(|address| address.strip_prefix("http://")?.parse().ok());
        match addr {
            Some(addr) => Ok(ServerProcess { child, addr }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                Err(io::Error::other("the server did not print its address"))
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
