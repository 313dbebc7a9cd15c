//! `outplay book`: opening books of connect-k boards.

use crate::args::Effort;
use crate::commands::{Failure, KNOWN, NO, Run};
use crate::output;
use clap::Subcommand;
use outplay_workbench::Place;
use std::io::Write;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum BookCommand {
    /// Solve all openings of a board; goes on where an earlier run was stopped
    Build {
        /// The game, such as connect4
        game: String,
        /// Positions with up to so many stones
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..=20))]
        plies: u16,
        /// The book
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[command(flatten)]
        effort: Effort,
    },
    /// Tell what a book holds
    Info {
        /// The book (default: the one of connect4 that comes along)
        file: Option<PathBuf>,
    },
    /// Solve a random sample of a book again
    Check {
        /// The book (default: the one of connect4 that comes along)
        file: Option<PathBuf>,
        /// Positions to solve
        #[arg(long, default_value_t = 20)]
        sample: usize,
        /// Which positions
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        effort: Effort,
    },
}

pub(crate) fn book(run: &mut Run<'_, impl Write>, command: &BookCommand) -> Result<u8, Failure> {
    let threads = rayon::current_num_threads();
    match command {
        BookCommand::Build { game, plies, out, effort } => {
            let board = outplay_workbench::board(&run.open(game)?, &Place::Start)?;
            let (plies, hash) = (usize::from(*plies), run.hash(Some(effort)));
            let info = outplay_workbench::build_book(&board, plies, out, hash, threads, run.progress)?;
            run.print(&info, output::book)
        }
        BookCommand::Info { file } => {
            let info = outplay_workbench::book_info(file.as_deref())?;
            run.print(&info, output::book)
        }
        BookCommand::Check { file, sample, seed, effort } => {
            let hash = run.hash(Some(effort));
            let check =
                outplay_workbench::check_book(file.as_deref(), *sample, *seed, hash, threads, run.progress)?;
            run.print(&check, |out, check| {
                writeln!(
                    out,
                    "{} of {} positions solved again have another score",
                    check.wrong, check.checked
                )
            })?;
            Ok(if check.wrong > 0 { NO } else { KNOWN })
        }
    }
}
