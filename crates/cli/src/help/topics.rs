//! Help topics (`outplay help TOPIC`): texts on subjects that concern several commands, such as specs, positions and
//! exit codes. Each fits on one screen.

use outplay_catalog::Catalog;
use outplay_players::{PROGRAMS, ROSTER};

/// A topic: its name, what it is about, and its text with placeholders for lists.
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    text: &'static str,
}

pub(crate) const TOPICS: [Topic; 5] = [
    Topic {
        name: "specs",
        about: "how games and boards are written",
        text: include_str!("topics/specs.txt"),
    },
    Topic {
        name: "positions",
        about: "how moves and positions are written",
        text: include_str!("topics/positions.txt"),
    },
    Topic {
        name: "players",
        about: "the players and how they are written",
        text: include_str!("topics/players.txt"),
    },
    Topic {
        name: "exit-codes",
        about: "what the exit codes mean",
        text: include_str!("topics/exit-codes.txt"),
    },
    Topic { name: "json", about: "the output for scripts", text: include_str!("topics/json.txt") },
];

/// Names of the topics.
pub(crate) fn names() -> Vec<&'static str> {
    TOPICS.iter().map(|topic| topic.name).collect()
}

/// Returns the text of a topic, with the games and players of this program.
pub(crate) fn topic(name: &str, catalog: &Catalog) -> Option<String> {
    let topic = TOPICS.iter().find(|topic| topic.name == name)?;
    let games = catalog.families().iter().map(|family| {
        let example = family.example().split_whitespace().next().unwrap_or_default();
        (example.to_string(), family.about().to_string())
    });
    let players = ROSTER.iter().chain(&PROGRAMS);
    let players = players.map(|player| (player.name.to_string(), player.about.to_string()));
    let text = topic.text.replace("{games}", &listed(&games.collect::<Vec<_>>()));
    Some(text.replace("{players}", &listed(&players.collect::<Vec<_>>())))
}

/// Formats pairs as two columns of at most 80 characters; the second is cut at a word.
fn listed(pairs: &[(String, String)]) -> String {
    const WIDTH: usize = 80;
    let wide = pairs.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, about): &(String, String)| {
        // Two spaces before and between the columns, and the ellipsis.
        let room = WIDTH.saturating_sub(wide + 5);
        let mut short = String::new();
        for word in about.split_whitespace() {
            if short.chars().count() + 1 + word.chars().count() > room {
                short += "…";
                break;
            }
            if !short.is_empty() {
                short.push(' ');
            }
            short += word;
        }
        format!("  {name:<wide$}  {short}")
    };
    pairs.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_fits_a_screen() {
        for name in names() {
            let text = topic(name, &Catalog::standard()).unwrap();
            let wide = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(
                text.lines().count() <= 30 && wide <= 80,
                "{name}: {} lines, {wide}",
                text.lines().count()
            );
            assert!(!text.contains('{') || name == "json", "{name} has a placeholder that is not filled in");
        }
        assert!(topic("othello", &Catalog::standard()).is_none());
    }
}
