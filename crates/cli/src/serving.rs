//! `outplay serve`: the page and its HTTP interface; and `outplay bench serve`, which torments it.

use crate::args::{BenchServeArgs, Common, ServeArgs};
use outplay_answer::{Trouble, default_data_dir};
use outplay_catalog::Catalog;
use outplay_core::Watch;
use outplay_core::figures::grouped;
use outplay_crowd::{
    BesideReport, ColumnsReport, LoadReport, MalformedReport, SlowReport, beside, columns, load, malformed,
    random_positions, slow,
};
use outplay_serve::{Lent, ServeError, Server, Settings};
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{IpAddr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Answers until Ctrl-C.
pub(crate) fn serve(
    catalog: &Catalog,
    common: &Common,
    args: &ServeArgs,
    watch: &dyn Watch,
    out: &mut impl Write,
) -> Result<(), Trouble> {
    let why = |error: ServeError| Trouble::unable(error.to_string());
    let server = Server::bind(catalog.clone(), settings(common, args)).map_err(why)?;
    let addr = server.addr().map_err(why)?;
    // Whoever started the server may wait for this line; if nobody reads it, the server is still of use.
    let _ = match common.json {
        true => writeln!(out, "{}", serde_json::json!({ "address": format!("http://{addr}") })),
        false => writeln!(out, "outplay is at http://{addr} (Ctrl-C ends it)"),
    };
    let _ = out.flush();
    server.run(watch).map_err(why)
}

/// What the options ask for.
fn settings(common: &Common, args: &ServeArgs) -> Settings {
    let data = common.data.clone().unwrap_or_else(default_data_dir);
    let mut settings = Settings::new(args.addr, data);
    settings.log = args.log;
    settings.engines = args.engines.clone();
    settings.time = Duration::from_secs_f64(args.time);
    if let Some(threads) = common.threads() {
        settings.threads = threads;
    }
    if let Some(memory) = common.memory {
        settings.memory = memory;
    }
    if let Some(searches) = args.searches {
        settings.searches = searches.into();
    }
    settings.hosts.clone_from(&args.host);
    settings.proxies = args.proxy.iter().map(IpAddr::to_canonical).collect();
    settings.searches_each = args.searches_each.into();
    settings.connections_each = args.connections_each.into();
    settings.read_only = args.read_only;
    if let Some(connections) = args.connections {
        settings.connections = connections.into();
    }
    // A server that only its owner reaches lends nothing: what is solved there is the owner's.
    let open = !args.addr.ip().is_loopback() || !args.host.is_empty() || !args.proxy.is_empty();
    if open || args.quota.is_some() || args.table_hours.is_some() {
        let time = Duration::from_secs_f64(args.table_hours.unwrap_or(24.0) * 3600.0);
        settings.lent = Some(Lent { bytes: args.quota.unwrap_or(QUOTA), time });
    }
    settings
}

/// Bytes on the disk for visitors, unless told otherwise.
const QUOTA: u64 = 1_000_000_000;

/// What a server stood.
#[derive(Serialize)]
pub(crate) struct BenchReport {
    load: LoadReport,
    slow: SlowReport,
    malformed: MalformedReport,
    columns: ColumnsReport,
    beside: BesideReport,
}

impl BenchReport {
    /// Whether the server did what is claimed of it.
    pub(crate) fn holds(&self) -> bool {
        self.load.errors == 0
            && self.slow.errors == 0
            && self.malformed.server_errors == 0
            && self.malformed.accepted == 0
            && self.columns.errors == 0
            && self.beside.errors == 0
    }

    /// The figures for people.
    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let megabytes = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
        let BenchReport { load, slow, malformed, columns, beside } = self;
        writeln!(
            out,
            "load: {} connections for {:.0} s: {} requests, {} answered, {} told \"busy\", {} other errors",
            load.connections,
            load.seconds,
            grouped(load.requests),
            grouped(load.ok),
            grouped(load.busy),
            load.errors
        )?;
        if let Some(error) = &load.first_error {
            writeln!(out, "  the first error: {error}")?;
        }
        writeln!(
            out,
            "  {} clicks of somebody else meanwhile: median {:.1} ms, 99 % within {:.0} ms, worst {:.0} ms",
            load.clicks, load.click_median_ms, load.click_p99_ms, load.click_worst_ms
        )?;
        writeln!(
            out,
            "  memory of the server: {} before, {} at most, {} afterwards",
            megabytes(load.bytes_before),
            megabytes(load.bytes_peak),
            megabytes(load.bytes_after)
        )?;
        writeln!(
            out,
            "slow: {} clients that dribble or never read, for {:.0} s: {} connections, {} sent away",
            grouped(slow.clients as u64),
            slow.seconds,
            grouped(slow.connections),
            grouped(slow.sent_away)
        )?;
        writeln!(
            out,
            "  {} clicks of somebody else meanwhile, {} without an answer: median {:.1} ms, 95 % within {:.0} ms, worst {:.0} ms; memory {} before, {} at most",
            slow.clicks,
            slow.errors,
            slow.click_median_ms,
            slow.click_p95_ms,
            slow.click_worst_ms,
            megabytes(slow.bytes_before),
            megabytes(slow.bytes_peak)
        )?;
        if let Some(error) = &slow.first_error {
            writeln!(out, "  the first error: {error}")?;
        }
        let by_status: Vec<String> = malformed
            .by_status
            .iter()
            .map(|(status, count)| match status {
                0 => format!("{count} closed"),
                status => format!("{count} × {status}"),
            })
            .collect();
        writeln!(out, "malformed: {} requests: {}", grouped(malformed.sent), by_status.join(", "))?;
        writeln!(
            out,
            "  {} server errors, {} accepted; memory {} before, {} afterwards",
            malformed.server_errors,
            malformed.accepted,
            megabytes(malformed.bytes_before),
            megabytes(malformed.bytes_after)
        )?;
        if let Some(wrong) = &malformed.first_wrong {
            writeln!(out, "  the first that was not refused: {wrong:?}")?;
        }
        writeln!(
            out,
            "columns of {}: {} positions: last column within 2 s for {:.1} %, median {:.0} ms, 95 % {:.0} ms, 99 % {:.0} ms, worst {:.0} ms ({})",
            columns.game,
            columns.positions,
            columns.within_2s_percent,
            columns.median_ms,
            columns.p95_ms,
            columns.p99_ms,
            columns.worst_ms,
            columns.worst
        )?;
        writeln!(
            out,
            "  processor time: 95 % within {:.0} ms, worst {:.0} ms; {:.1} % within the 4 s that two cores give in 2 s",
            columns.cpu_p95_ms, columns.cpu_worst_ms, columns.cpu_within_4s_percent
        )?;
        if columns.unknown + columns.errors > 0 {
            writeln!(out, "  {} with unknown moves, {} without an answer", columns.unknown, columns.errors)?;
        }
        writeln!(
            out,
            "replies on {} with Explore open: {} of a level that thinks {:.0} ms: median {:.0} ms, worst {:.0} ms, {} late by half a second, {} without an answer",
            beside.game,
            beside.replies,
            beside.level_ms,
            beside.median_ms,
            beside.worst_ms,
            beside.late,
            beside.errors
        )?;
        Ok(())
    }
}

/// A server in a process of its own, which ends with this value.
struct Running {
    child: Child,
    addr: SocketAddr,
}

impl Running {
    fn start(common: &Common, data: &std::path::Path) -> io::Result<Running> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", "--addr", "127.0.0.1:0", "--json", "--data"]).arg(data);
        if let Some(threads) = common.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        if let Some(memory) = common.memory {
            command.args(["--memory", &memory.to_string()]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let addr = said["address"].as_str().and_then(|address| address.strip_prefix("http://")?.parse().ok());
        match addr {
            Some(addr) => Ok(Running { child, addr }),
            None => {
                let _ = child.kill();
                Err(io::Error::other("the server did not say where it is"))
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends in any case; whether it had ended already does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Positions that the users of a loaded server look at.
const OPENINGS: usize = 500;

/// Starts a server and asks too much of it.
pub(crate) fn bench(
    catalog: &Catalog,
    common: &Common,
    args: &BenchServeArgs,
    watch: &dyn Watch,
) -> Result<BenchReport, Trouble> {
    let why = |error: io::Error| Trouble::unable(format!("cannot run the bench: {error}"));
    let game = catalog.open("connect4")?;
    let data = tempfile::tempdir().map_err(why)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(why)?;
    // A server of its own for each part, so that none profits from what another left behind.
    let server = Running::start(common, data.path()).map_err(why)?;
    watch.stage("positions", args.columns as u64);
    let columns =
        runtime.block_on(columns(server.addr, server.child.id(), &game, args.columns, args.seed, |_| {
            watch.advance(1);
            watch.stopped()
        }));
    drop(server);
    let server = Running::start(common, data.path()).map_err(why)?;
    watch.stage("malformed requests", 0);
    let malformed = runtime.block_on(malformed(server.addr, server.child.id(), args.malformed, args.seed));
    watch.stage("load", 0);
    let time = Duration::from_secs_f64(args.seconds);
    let connections = args.connections as usize;
    let openings = random_positions(&game, OPENINGS, args.seed);
    let load = runtime.block_on(load(server.addr, server.child.id(), connections, time, openings));
    drop(server);
    let server = Running::start(common, data.path()).map_err(why)?;
    watch.stage("slow clients", 0);
    let slow = runtime.block_on(slow(server.addr, server.child.id(), args.slow as usize, time));
    drop(server);
    let server = Running::start(common, data.path()).map_err(why)?;
    watch.stage("replies beside Explore", args.replies as u64);
    let board = catalog.open("mnk:15x15,k=5")?;
    let beside = runtime.block_on(beside(server.addr, &board, args.replies, args.seed, || {
        watch.advance(1);
        watch.stopped()
    }));
    Ok(BenchReport { load, slow, malformed, columns, beside })
}
