//! List of the key bindings, for the bottom of the screen and for the help.

/// The keys, the most important first: those that do not fit the bottom of the screen are listed in the help only.
const KEYS: [(&str, &str, &str); 14] = [
    (
        "enter",
        "move",
        "enter or space: play at the cursor; to move a piece, first its start, then its target",
    ),
    ("?", "help", "this list of keys"),
    ("q", "quit", "quit (also Ctrl-C); the summary of the game stays on the screen"),
    ("u", "undo", "take back moves to your last turn"),
    ("r", "redo", "replay moves that were taken back"),
    ("h", "hint", "suggest a move"),
    ("v", "values", "show or hide the value of every move"),
    ("w", "why", "explain the value of the position"),
    ("l", "level", "choose the level of the opponent"),
    ("s", "sides", "exchange the sides"),
    ("n", "new", "start a new game"),
    ("i", "info", "show or hide the statistics of the opponent's last move"),
    ("p", "rules", "show the rules of play"),
    (":", "type", "type a move (any other letter or number starts one, too), then enter; esc clears"),
];

/// Further lines of the help.
const MORE: [&str; 4] = [
    "arrows  move the cursor; obstacles are skipped",
    "mouse   click a cell, a column or a button",
    "1-9     play in a column, press a button or choose an option",
    "✓3 wins in 3 moves · = draws · ✗2 loses in 2 moves · <> best · [] cursor · () chosen",
];

/// Lists the keys in at most `most` rows of `width` columns; keys that do not fit are left out.
pub(crate) fn rows(width: u16, most: usize) -> Vec<String> {
    let width = usize::from(width);
    let mut rows = vec![String::new()];
    for (key, word, _) in KEYS {
        let item = format!("{key} {word}");
        let Some(row) = rows.last_mut() else { break };
        let gap = if row.is_empty() { "" } else { " · " };
        if row.chars().count() + gap.chars().count() + item.chars().count() <= width {
            *row += &(gap.to_string() + &item);
        } else if rows.len() < most {
            rows.push(item);
        } else {
            break;
        }
    }
    rows
}

/// Lists all keys, one a line.
pub(crate) fn help() -> Vec<String> {
    let keys = KEYS.iter().map(|(key, _, about)| format!("{key:<7} {about}"));
    keys.chain(MORE.map(String::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_never_cut() {
        let check = |width, most, count: usize| {
            let rows = rows(width, most);
            assert!(rows.len() <= most && rows.iter().all(|row| row.chars().count() <= usize::from(width)));
            let items: Vec<&str> = rows.iter().flat_map(|row| row.split(" · ")).collect();
            assert_eq!(items.len(), count, "{rows:?}");
            let known: Vec<String> = KEYS.iter().map(|(key, word, _)| format!("{key} {word}")).collect();
            assert_eq!(items, known[..count]);
        };
        check(200, 1, 14);
        check(80, 2, 14);
        check(60, 3, 14);
        check(40, 1, 4);
        check(12, 1, 1);
        assert!(help().iter().all(|line| line.chars().count() <= 100));
    }
}
