//! `outplay book`: builds, inspects and verifies opening books of connect-k boards.

use crate::args::parse_memory;
use crate::commands::{Failure, KNOWN, NO, Run};
use crate::output;
use clap::Subcommand;
use outplay_workbench::PositionRef;
use std::io::Write;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum BookCommand {
    /// Solve all positions of a connect-k board with up to --plies stones; resumes an interrupted run
    Build {
        /// Game spec of a connect-k board, such as connect4 or connect4:4x4
        game: String,
        /// Maximum number of stones of a position
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..=20))]
        plies: u16,
        /// Output file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Size of the transposition table (default: 1G)
        #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
        hash: Option<u64>,
    },
    /// Print the board, the depth and the size of a book
    Info {
        /// Book file (default: the built-in book of connect4)
        file: Option<PathBuf>,
    },
    /// Check a random sample of a book by solving it again
    Check {
        /// Book file (default: the built-in book of connect4)
        file: Option<PathBuf>,
        /// Number of positions
        #[arg(long, default_value_t = 20)]
        sample: usize,
        /// Random seed of the sample
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Size of the transposition table (default: 1G)
        #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
        hash: Option<u64>,
    },
}

pub(crate) fn book(run: &mut Run<'_, impl Write>, command: &BookCommand) -> Result<u8, Failure> {
    let threads = rayon::current_num_threads();
    match command {
        BookCommand::Build { game, plies, out, hash } => {
            let board = outplay_workbench::board(&run.open(game)?, &PositionRef::Start)?;
            let (plies, hash) = (usize::from(*plies), run.hash(*hash));
            let info = outplay_workbench::build_book(&board, plies, out, hash, threads, run.progress)?;
            run.print(&info, output::book)
        }
        BookCommand::Info { file } => {
            let info = outplay_workbench::book_info(file.as_deref())?;
            run.print(&info, output::book)
        }
        BookCommand::Check { file, sample, seed, hash } => {
            let hash = run.hash(*hash);
            let check =
                outplay_workbench::check_book(file.as_deref(), *sample, *seed, hash, threads, run.progress)?;
            run.print(&check, |out, check| {
                writeln!(out, "{} wrong scores in a sample of {} positions", check.wrong, check.checked)
            })?;
            Ok(if check.wrong > 0 { NO } else { KNOWN })
        }
    }
}
