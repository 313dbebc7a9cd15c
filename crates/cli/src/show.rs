//! `outplay show`: prints a position with the value of every move, the whole game, a search tree, or an evaluation.

use crate::args::{At, SearchArgs, parse_dice_method};
use crate::commands::{Failure, Run, write_file};
use crate::output;
use crate::questions::known;
use clap::Args;
use outplay_runtime::{Deadline, Monitor};
use outplay_workbench::{DiceMethod, Trouble};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Most positions of a game that is written out.
const LISTED: u64 = 20_000;

/// Default time limit of a picture whose values are unlikely to be found.
const PATIENCE: Duration = Duration::from_secs(10);

/// Draw a position with the value of every move
#[derive(Args)]
pub(crate) struct ShowArgs {
    /// Game spec, such as tictactoe or connect4:5x4
    game: String,
    #[command(flatten)]
    at: At,
    /// Write out the whole game: positions, start, successors, terminal values
    #[arg(long)]
    all: bool,
    /// Draw the tree of a small search, with its cut-offs
    #[arg(long, conflicts_with = "all")]
    tree: bool,
    /// Depth of the tree in plies
    #[arg(long, default_value_t = 2, requires = "tree", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: u32,
    /// Use plain minimax, without cut-offs
    #[arg(long, requires = "tree")]
    minimax: bool,
    /// Search method for games with dice: expectimax, star1 or star2
    #[arg(long, value_name = "METHOD", requires = "tree", conflicts_with = "minimax", value_parser = parse_dice_method)]
    method: Option<DiceMethod>,
    /// Show the terms of an evaluation, such as helpful, polynomial or lines; with --tree, evaluate the leaves
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    eval: Option<String>,
    /// Write the tree or the evaluation to this SVG file
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    effort: SearchArgs,
}

pub(crate) fn show(run: &mut Run<'_, impl Write>, args: &ShowArgs) -> Result<u8, Failure> {
    match (&args.eval, &args.svg) {
        _ if args.tree => tree(run, args),
        (Some(eval), _) => evaluation(run, args, eval),
        (None, Some(_)) => {
            let why = "--svg needs a tree or an evaluation; add --tree or --eval NAME";
            Err(Trouble::unable(why).into())
        }
        (None, None) => position(run, args),
    }
}

/// Draws a position, or writes out the whole game.
fn position(run: &mut Run<'_, impl Write>, args: &ShowArgs) -> Result<u8, Failure> {
    let entry = run.open_at(&args.game, &args.at)?;
    let place = args.at.place();
    if args.all {
        let rules = outplay_teach::write_out(&entry, &place, LISTED, run.progress)?;
        return run.print(&rules, output::rules);
    }
    let mut session = run.query_session(&args.effort);
    run.limit_search(&mut session, &entry, &place, PATIENCE)?;
    let answer = outplay_workbench::query(&session, &entry, &place, run.progress)?;
    let picture = outplay_workbench::draw(&entry, &place, Some(&answer))?;
    let words = output::PlayerNames::of(&entry);
    run.print(&answer, |out, answer| {
        output::picture(out, &picture)?;
        output::legend(out, &words, answer)
    })?;
    Ok(known(&answer))
}

fn tree(run: &mut Run<'_, impl Write>, args: &ShowArgs) -> Result<u8, Failure> {
    let (entry, place) = (run.open_at(&args.game, &args.at)?, args.at.place());
    let (depth, eval) = (args.depth, args.eval.as_deref());
    let clock = Deadline::new(args.effort.time.map(Duration::from_secs_f64), run.progress);
    // Trees with chance nodes are clearest without pruning.
    let plainest = entry.game().has_dice().then_some(DiceMethod::Expectiminimax);
    let tree = match args.method.or(plainest) {
        Some(method) => outplay_teach::dice_tree(&entry, &place, depth, method, eval, &clock),
        None => outplay_teach::tree(&entry, &place, depth, !args.minimax, eval, &clock),
    };
    let tree = tree.map_err(|trouble| match trouble.is_stop() && !run.progress.stopped() {
        true => Trouble::Limits(format!(
            "a tree of {depth} plies exceeds the time limit; raise --time or reduce --depth"
        )),
        false => trouble,
    })?;
    if let Some(file) = &args.svg {
        write_file(file, &tree.svg)?;
    }
    run.print(&tree, |out, tree| write!(out, "{}", tree.text))
}

fn evaluation(run: &mut Run<'_, impl Write>, args: &ShowArgs, eval: &str) -> Result<u8, Failure> {
    let (entry, place) = (run.open_at(&args.game, &args.at)?, args.at.place());
    let evaluation = outplay_teach::evaluate(&run.query_session(&args.effort), &entry, &place, eval)?;
    let picture = outplay_teach::draw_evaluation(&entry, &place, &evaluation)?;
    if let Some(file) = &args.svg {
        write_file(file, &evaluation.svg)?;
    }
    run.print(&evaluation, |out, evaluation| {
        output::picture(out, &picture)?;
        output::evaluation(out, evaluation)
    })
}
