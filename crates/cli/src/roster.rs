//! `outplay players`: lists the computer players with their options and examples.

use crate::args::SearchArgs;
use crate::commands::{Failure, Run};
use outplay_players::{PROGRAMS, PlayerKind, ROSTER};
use std::io::{self, Write};

/// Lists all players, or those of a game with its levels.
pub(crate) fn players(run: &mut Run<'_, impl Write>, game: Option<&str>) -> Result<u8, Failure> {
    let Some(game) = game else {
        let all: Vec<PlayerKind> = ROSTER.into_iter().chain(PROGRAMS).collect();
        return run.print(&serde_json::json!({ "players": all }), |out, _| {
            list(out, &all)?;
            writeln!(out, "\nA spec is NAME[:key=value,…]. inner= and eval= take the rest of the spec, or a spec in parentheses.")
        });
    };
    let handle = run.open(game)?;
    let listed = outplay_workbench::players(&run.query_session(&SearchArgs::default()), &handle);
    run.print(&listed, |out, listed| {
        list(out, &listed.players)?;
        writeln!(out, "\nlevels of {}, weakest first:", listed.game)?;
        let mut levels = listed.levels.iter();
        levels
            .try_for_each(|level| writeln!(out, "    {:>2} {:<9} {}", level.number, level.name, level.player))
    })
}

fn list(out: &mut impl Write, players: &[PlayerKind]) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    for player in players {
        writeln!(out, "{bold}{}{bold:#}: {}", player.name, player.about)?;
        if !player.options.is_empty() {
            writeln!(out, "    options  {}", player.options)?;
            writeln!(out, "    example  {}", player.example)?;
        }
    }
    Ok(())
}
