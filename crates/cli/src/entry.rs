//! Entry points of the command line: for a single process, and for all ranks of a communicator.

use crate::args::{Cli, Command};
use crate::color;
use crate::commands::{BAD_INPUT, Failure, KNOWN, NO, Run, output_error};
use crate::dispatch::dispatch;
use crate::errors::{code, complain, cure, misused};
use crate::help;
use crate::plan::PlanArgs;
use crate::progress::Progress;
use crate::tables::VerifyArgs;
use crate::usage;
use clap::FromArgMatches;
use outplay_catalog::Catalog;
use outplay_protocol::EnginePool;
use outplay_runtime::Communicator;
use outplay_workbench::{Ranks, Session};
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;

/// Runs the command line for the games of a catalog.
pub fn main(catalog: &Catalog) -> ExitCode {
    ExitCode::from(main_from(catalog, std::env::args_os()))
}

/// Runs the command line `words`, which begins with the program's name, and returns the exit code.
pub fn main_from(catalog: &Catalog, words: impl IntoIterator<Item = OsString>) -> u8 {
    match parse(catalog, words, true) {
        Ok(Some(cli)) => run(catalog, &cli, None, &mut BufWriter::new(anstream::stdout().lock())).0,
        Ok(None) => KNOWN,
        Err(error) => misused(&error),
    }
}

/// Parses the command line; `None` if it was `outplay help`, which is printed here.
fn parse(
    catalog: &Catalog,
    words: impl IntoIterator<Item = OsString>,
    prints: bool,
) -> Result<Option<Cli>, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let color = color::requested(words.iter().cloned());
    color::set(color);
    let matches = help::command().color(color).try_get_matches_from(words)?;
    let Some(text) = help::requested(&matches, catalog) else {
        return Cli::from_arg_matches(&matches).map(Some);
    };
    let text = text?;
    if prints {
        // A failing write has no other channel to be reported on.
        let _ = writeln!(anstream::stdout(), "{}", text.ansi().to_string().trim_end());
    }
    Ok(None)
}

/// Runs the command line on all ranks of a communicator; each rank calls this. The ranks solve together, and rank 0
/// does everything else, including all output. Returns the exit code, and the error if this rank failed.
pub fn main_together(catalog: &Catalog, crew: &Arc<dyn Communicator>) -> (u8, Option<String>) {
    let first = crew.rank() == 0;
    let mut cli = match parse(catalog, std::env::args_os(), first) {
        Ok(Some(cli)) => cli,
        Ok(None) => return (KNOWN, None),
        Err(error) => {
            let code = if error.use_stderr() { BAD_INPUT } else { KNOWN };
            return (if first { misused(&error) } else { code }, None);
        }
    };
    let shared =
        matches!(cli.command, Command::Solve(_) | Command::Verify(VerifyArgs { sample: Some(_), .. }));
    if !shared {
        if !first {
            return (KNOWN, None);
        }
        // A plan defaults to the number of ranks that run it.
        if let Command::Plan(PlanArgs { ranks: ranks @ 1, .. }) = &mut cli.command {
            *ranks = crew.size() as u32;
        }
        let mut out = BufWriter::new(anstream::stdout().lock());
        return run(catalog, &cli, None, &mut out);
    }
    // The ranks of a machine share its free memory and its cores.
    let neighbours = match neighbours(&**crew) {
        Ok(neighbours) => neighbours.max(1),
        Err(why) => return (NO, Some(why)),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cli.common.threads.get_or_insert((cores / neighbours).clamp(1, 1024) as u16);
    let memory = cli.common.memory.unwrap_or_else(|| usage::available_bytes() / 5 * 4 / neighbours as u64);
    match crew.all_reduce_min(memory.min(usage::total_bytes())) {
        Ok(memory) => cli.common.memory = Some(memory),
        Err(why) => return (NO, Some(why)),
    }
    let together = Some(Ranks(crew.clone()));
    if first {
        run(catalog, &cli, together, &mut BufWriter::new(anstream::stdout().lock()))
    } else {
        cli.common.quiet = true;
        let (code, sentence) = run(catalog, &cli, together, &mut io::sink());
        // Only rank 0 reports a result code.
        (if sentence.is_some() { code } else { KNOWN }, sentence)
    }
}

/// Counts the ranks on this machine.
fn neighbours(crew: &dyn Communicator) -> Result<usize, String> {
    let name = rustix::system::uname().nodename().to_bytes().to_vec();
    Ok(crew.all_gather(&name)?.iter().filter(|other| **other == name).count())
}

/// Runs a command; returns its exit code, and its error if it failed.
fn run(catalog: &Catalog, cli: &Cli, crew: Option<Ranks>, out: &mut impl Write) -> (u8, Option<String>) {
    if let Some(threads) = cli.common.threads() {
        // Fails only if the global pool was already built, and nothing has used it yet.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    // Users of the command line may start engine processes; clients of a server may not.
    let catalog = &catalog.clone().with_programs(Arc::new(EnginePool::default()));
    let speaks = crew.as_ref().is_none_or(|together| together.0.rank() == 0);
    let progress = Progress::new(cli.common.quiet, cli.common.progress);
    let caches = Session::default();
    let mut run = Run { catalog, common: &cli.common, progress: &progress, caches, crew, out };
    let result = dispatch(&mut run, &cli.command);
    progress.clear();
    let result = result.and_then(|code| out.flush().map_err(output_error).map(|()| code));
    match result {
        Ok(code) => (code, None),
        // The reader closed the pipe: not an error.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => (KNOWN, None),
        Err(Failure::Output(error)) => {
            let sentence = format!("cannot write the output: {error}");
            complain(out, false, &sentence, None);
            (NO, Some(sentence))
        }
        Err(Failure::Trouble(trouble)) => {
            if speaks {
                let cure = cure(&trouble, cli.common.data.as_deref());
                complain(out, cli.common.json, &trouble.to_string(), cure.as_deref());
            }
            (code(&trouble), Some(trouble.to_string()))
        }
    }
}
