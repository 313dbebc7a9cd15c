//! Command dispatch: calls the function that implements a parsed command.

use crate::args::Command;
use crate::commands::{Failure, Run};
use crate::help::{completion, manual};
use crate::{
    arena, bench, books, engine, games, indexes, moving, plan, playing, proofs, questions, roster, serving,
    show, solving, tables,
};
use std::io::Write;

/// Runs a command and returns its exit code.
pub(crate) fn dispatch(run: &mut Run<'_, impl Write>, command: &Command) -> Result<u8, Failure> {
    match command {
        Command::Games(args) => games::games(run, args),
        Command::Players { game } => roster::players(run, game.as_deref()),
        Command::Show(args) => show::show(run, args),
        Command::Solve(args) => solving::solve(run, args),
        Command::Query(args) => questions::query(run, args),
        Command::Move(args) => moving::choose(run, args),
        Command::Why(args) => questions::why(run, args),
        Command::Puzzle(args) => questions::puzzle(run, args),
        Command::History(args) => questions::history(run, args),
        Command::Verify(args) => tables::verify(run, args),
        Command::Stats(args) => tables::stats(run, args),
        Command::Export(args) => run.export(args),
        Command::Tables(args) => tables::tables(run, args),
        Command::Book(command) => books::book(run, command),
        Command::Check(args) => proofs::check(run, args),
        Command::Plan(args) => plan::plan(run, args),
        Command::Index(args) => indexes::index(run, args),
        Command::Play(args) => playing::play(run, args),
        Command::Match(args) => arena::compete(run, args),
        Command::Import { files, out } => arena::import(run, files, out.as_deref()),
        Command::Label(args) => run.label(args),
        Command::Engine(command) => engine::speak(run, command),
        Command::Tune(args) => arena::tune(run, args),
        Command::Serve(args) => serving::serve(run, args),
        Command::Experiment(args) => arena::experiment(run, args),
        Command::Bench(command) => bench::bench(run, command),
        Command::Completions { shell } => completion::script(run, *shell),
        Command::Man { page, dir } => manual::man(run, page, dir.as_deref()),
        Command::CompleteWords { words } => completion::complete(run, words),
    }
}
