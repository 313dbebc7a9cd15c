//! `outplay serve`: the page and its HTTP interface.

use crate::args::{Common, ServeArgs};
use outplay_catalog::{Catalog, Trouble, default_data_dir};
use outplay_serve::{ServeError, Server, Settings};
use std::io::Write;
use std::time::Duration;

/// Answers until Ctrl-C.
pub(crate) fn serve(
    catalog: &Catalog,
    common: &Common,
    args: &ServeArgs,
    out: &mut impl Write,
) -> Result<(), Trouble> {
    let why = |error: ServeError| Trouble::Unable(error.to_string());
    let server = Server::bind(catalog.clone(), settings(common, args)).map_err(why)?;
    let addr = server.addr().map_err(why)?;
    // Whoever started the server may wait for this line; if nobody reads it, the server is still of use.
    let _ = match common.json {
        true => writeln!(out, "{}", serde_json::json!({ "address": format!("http://{addr}") })),
        false => writeln!(out, "outplay is at http://{addr} (Ctrl-C ends it)"),
    };
    let _ = out.flush();
    server.run().map_err(why)
}

/// What the options ask for.
fn settings(common: &Common, args: &ServeArgs) -> Settings {
    let data = common.data.clone().unwrap_or_else(default_data_dir);
    let mut settings = Settings::new(args.addr, data);
    settings.log = args.log;
    settings.time = Duration::from_secs_f64(args.time);
    if let Some(threads) = common.threads {
        settings.threads = threads.into();
    }
    if let Some(memory) = common.memory {
        settings.memory = memory;
    }
    if let Some(searches) = args.searches {
        settings.searches = searches.into();
    }
    settings
}
