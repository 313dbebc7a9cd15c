//! `outplay serve`: runs the HTTP server with the web page, and reports what it exposes to other machines.

use crate::args::{Common, SearchArgs, ServeArgs};
use crate::commands::{Failure, KNOWN, Run};
use outplay_core::figures::bytes;
use outplay_serve::{AccessToken, Quota, ServeError, Server, Settings};
use outplay_workbench::{Trouble, default_data_dir};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

/// Serves until Ctrl-C.
pub(crate) fn serve(run: &mut Run<'_, impl Write>, args: &ServeArgs) -> Result<u8, Failure> {
    let common = run.common;
    let why = |error: ServeError| Trouble::unable(error.to_string());
    let settings = settings(common, args)?;
    start_engines(run, args)?;
    let notice = notice(&settings, args);
    let server = Server::bind(run.catalog.clone(), settings).map_err(why)?;
    let addr = server.addr().map_err(why)?;
    // A script may wait for this line; if it cannot be written, the server still runs.
    let _ = match common.json {
        true => writeln!(run.out, "{}", serde_json::json!({ "address": format!("http://{addr}") })),
        false => writeln!(run.out, "outplay is running at http://{addr} (Ctrl-C to stop)"),
    };
    let _ = run.out.flush();
    if let Some(notice) = notice {
        eprint!("{notice}");
    }
    server.run(run.progress).map_err(why)?;
    Ok(KNOWN)
}

/// Starts each external engine once, so that a command that does not work is an error now and not in a game.
fn start_engines(run: &Run<'_, impl Write>, args: &ServeArgs) -> Result<(), Failure> {
    let session = run.query_session(&SearchArgs::default());
    for (_, spec) in &args.engines {
        let game = match outplay_players::protocol(spec) {
            Some("gomocup") => "mnk:15x15,k=5",
            Some(_) => "connect4",
            None => continue,
        };
        outplay_workbench::start_player(&session, &run.catalog.open(game)?, spec)?;
    }
    Ok(())
}

/// Builds the server settings from the options.
fn settings(common: &Common, args: &ServeArgs) -> Result<Settings, Trouble> {
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
    // On a server that only its owner reaches, all tables are the owner's and need no quota.
    if is_open(args) || args.quota.is_some() || args.table_hours.is_some() {
        let time = Duration::from_secs_f64(args.table_hours.unwrap_or(24.0) * 3600.0);
        settings.guest_quota = Some(Quota { bytes: args.quota.unwrap_or(QUOTA), time });
    }
    settings.solve_slice = Duration::from_secs_f64(args.solve_slice);
    settings.token = token(args)?;
    Ok(settings)
}

/// Whether other machines can connect, judging by the options.
fn is_open(args: &ServeArgs) -> bool {
    !args.addr.ip().is_loopback() || !args.host.is_empty() || !args.proxy.is_empty()
}

/// Returns the access token that the options name.
fn token(args: &ServeArgs) -> Result<Option<AccessToken>, Trouble> {
    let text = match (&args.token, &args.token_file) {
        (Some(token), _) => token.clone(),
        (None, Some(file)) => first_line(file).map_err(|error| {
            Trouble::unable(format!("cannot read the access token: {}: {error}", file.display()))
        })?,
        (None, None) => return Ok(None),
    };
    let cure = "generate one with `openssl rand -hex 16`";
    AccessToken::new(text.trim()).map(Some).map_err(|why| Trouble::unable(format!("{why}; {cure}")))
}

/// The first line of a small file.
fn first_line(file: &Path) -> io::Result<String> {
    const LONGEST: u64 = 1024;
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(file)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut line = String::new();
    BufReader::new(std::fs::File::open(file)?.take(LONGEST)).read_line(&mut line)?;
    Ok(line)
}

/// Describes what a server that others can reach exposes, and how to restrict it.
fn notice(settings: &Settings, args: &ServeArgs) -> Option<String> {
    if !is_open(args) {
        return None;
    }
    let place = match settings.addr.ip() {
        address if address.is_loopback() => "every client of the proxy in front of this server".to_string(),
        address if address.is_unspecified() => {
            "every computer that reaches this machine over a network".to_string()
        }
        address => format!("every computer that reaches {address}"),
    };
    let who = match settings.token {
        Some(_) => format!("{place} and has the access token"),
        None => place,
    };
    let writes = match (settings.read_only, settings.guest_quota) {
        (true, _) | (_, None) => String::new(),
        (false, Some(guest_quota)) => {
            let (size, data) = (bytes(guest_quota.bytes), settings.data.display());
            format!(", and solve games, which writes up to {size} of tables to {data}")
        }
    };
    let mut restrict = Vec::new();
    if settings.token.is_none() {
        restrict.push("--token-file FILE requires an access token".to_string());
    }
    if !settings.read_only {
        restrict.push("--read-only writes no files and refuses to solve whole games".to_string());
    }
    if !settings.addr.ip().is_loopback() {
        let port = settings.addr.port();
        restrict.push(format!("--addr 127.0.0.1:{port} accepts connections from this machine only"));
    }
    let entry = match settings.token {
        Some(_) => {
            "\n  open http://HOST:PORT/?token=TOKEN once in each browser; without TLS the token can be intercepted"
        }
        None => "",
    };
    let restrict = match restrict.is_empty() {
        true => String::new(),
        false => format!("\n  to restrict it: {}", restrict.join("; ")),
    };
    Some(format!(
        "note: {who} can open the page and run searches, matches and experiments{writes}{entry}{restrict}\n  docs/serving.md describes the limits and a TLS proxy\n"
    ))
}

/// Default quota of guests' tables in bytes.
const QUOTA: u64 = 1_000_000_000;
