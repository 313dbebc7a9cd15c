//! `outplay engine`: this program as an engine of others.

use crate::args::EngineCommand;
use crate::commands::{Failure, KNOWN, Run, output_error};
use outplay_answer::{Entry, Place, QueryOptions};
use outplay_core::Notation;
use outplay_protocol::Brain;
use std::io::{self, BufReader, Write};

/// A mind for a game, with its exact knowledge.
fn brain(entry: &Entry, options: &QueryOptions) -> Brain {
    let mut kit = entry.kit(options);
    kit.threads = options.threads;
    let (entry, options) = (entry.clone(), options.clone());
    let likely = move |pos: &_| {
        let place = Place::Position(entry.game().write_position(pos));
        entry.exact(&place, &options).unwrap_or(false)
    };
    Brain::new(kit, Box::new(likely))
}

impl<W: Write> Run<'_, W> {
    /// Speaks a protocol until the other side ends it.
    pub(crate) fn speak(&mut self, command: &EngineCommand) -> Result<u8, Failure> {
        let input = BufReader::new(io::stdin());
        let catalog = self.catalog;
        // Whoever runs engines against each other wants them alike: one thread, unless it is said.
        let threads = self.common.threads.map_or(1, usize::from);
        match command {
            EngineCommand::Ugi { game, player, effort } => {
                let options = self.query_options(effort).impartial().on_threads(threads);
                let open = |spec: &str| match catalog.open(spec) {
                    Ok(entry) => Ok(brain(&entry, &options)),
                    Err(error) => Err(error.to_string()),
                };
                outplay_protocol::ugi(&open, game, player.as_deref(), input, self.out, self.progress)
            }
            EngineCommand::Gomocup { player, effort } => {
                let options = self.query_options(effort).impartial().on_threads(threads);
                let open = |spec: &str, memory: Option<u64>| {
                    let entry = catalog.open(spec).map_err(|error| error.to_string())?;
                    let mut options = options.clone();
                    options.memory = memory.map_or(options.memory, |most| most.min(options.memory));
                    options.hash = options.hash.min(options.memory / 2);
                    Ok(brain(&entry, &options))
                };
                outplay_protocol::gomocup(&open, player.as_deref(), input, self.out, self.progress)
            }
        }
        .map_err(output_error)?;
        Ok(KNOWN)
    }
}
