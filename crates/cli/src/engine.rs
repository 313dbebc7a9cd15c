//! `outplay engine`: plays as an engine, with the UGI or Gomocup protocol on standard input and output.

use crate::args::SearchArgs;
use crate::commands::{Failure, KNOWN, Run, output_error};
use clap::Subcommand;
use outplay_core::Notation;
use outplay_protocol::{Brain, ReaderWatch};
use outplay_workbench::{GameHandle, PositionRef, Session};
use std::io::{self, BufReader, Write};
use std::os::fd::AsFd;

#[derive(Subcommand)]
pub(crate) enum EngineCommand {
    /// Universal Game Interface (UGI), for any game
    Ugi {
        /// Game to play; the host can change it with `setoption name Game`
        #[arg(long, default_value = "connect4")]
        game: String,
        /// Player spec (default: the strongest player that the game and the time allow)
        #[arg(long, value_name = "PLAYER")]
        player: Option<String>,
        #[command(flatten)]
        effort: SearchArgs,
    },
    /// Gomocup protocol, for five in a row
    Gomocup {
        /// Player spec (default: the strongest player that the board and the time allow)
        #[arg(long, value_name = "PLAYER")]
        player: Option<String>,
        #[command(flatten)]
        effort: SearchArgs,
    },
}

/// Builds the engine of a game: its players and exact knowledge.
fn brain(session: &Session, entry: &GameHandle) -> Brain {
    let mut kit = outplay_workbench::kit(session, entry);
    kit.threads = session.threads;
    let (entry, session) = (entry.clone(), session.clone());
    let likely = move |pos: &_| {
        let place = PositionRef::Position(entry.game().write_position(pos));
        outplay_workbench::is_tractable(&session, &entry, &place).unwrap_or(false)
    };
    Brain::new(kit, Box::new(likely))
}

/// Runs a protocol until the host ends it.
pub(crate) fn speak(run: &mut Run<'_, impl Write>, command: &EngineCommand) -> Result<u8, Failure> {
    let input = BufReader::new(io::stdin());
    // A host that has exited is noticed even while a search runs.
    let output = io::stdout();
    let monitor = &ReaderWatch::new(output.as_fd(), run.progress);
    let catalog = run.catalog;
    // One thread by default, so that engine matches are fair.
    let threads = run.common.threads.map_or(1, usize::from);
    match command {
        EngineCommand::Ugi { game, player, effort } => {
            let session = run.query_session(effort).impartial().on_threads(threads);
            let open = |spec: &str| match catalog.open(spec) {
                Ok(entry) => Ok(brain(&session, &entry)),
                Err(error) => Err(error.to_string()),
            };
            outplay_protocol::ugi(&open, game, player.as_deref(), input, run.out, monitor)
        }
        EngineCommand::Gomocup { player, effort } => {
            let session = run.query_session(effort).impartial().on_threads(threads);
            let open = |spec: &str, memory: Option<u64>| {
                let entry = catalog.open(spec).map_err(|error| error.to_string())?;
                let mut session = session.clone();
                session.memory = memory.map_or(session.memory, |most| most.min(session.memory));
                session.hash = session.hash.min(session.memory / 2);
                Ok(brain(&session, &entry))
            };
            outplay_protocol::gomocup(&open, player.as_deref(), input, run.out, monitor)
        }
    }
    .map_err(output_error)?;
    Ok(KNOWN)
}
