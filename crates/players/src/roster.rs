//! Registry of the kinds of players, with a description, the options and an example of each.

use serde::Serialize;

/// Description of a kind of player: its name, options and an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PlayerKind {
    /// The name before the colon.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Syntax of the options; empty if there are none.
    pub options: &'static str,
    /// A spec to try.
    pub example: &'static str,
}

/// All built-in players, roughly from the weakest to the strongest.
pub const ROSTER: [PlayerKind; 10] = [
    PlayerKind { name: "random", about: "a legal move, uniformly at random", options: "", example: "random" },
    PlayerKind {
        name: "greedy",
        about: "one ply: wins, else blocks, else the move with the best evaluation (without eval= a random one)",
        options: "eval=zero|lines|patterns|polynomial|helpful|race|mobility|playout",
        example: "greedy",
    },
    PlayerKind {
        name: "helpful",
        about: "k in a row: wins, else blocks, else the cell with the most open lines for both sides; boards up to 1000x1000",
        options: "form=revised|first",
        example: "helpful",
    },
    PlayerKind {
        name: "polynomial",
        about: "k in a row: one ply; each row and column scores a power of a base by its own stones",
        options: "base=10",
        example: "polynomial:base=10",
    },
    PlayerKind {
        name: "lines",
        about: "k in a row: one ply; a weighted sum of features such as centre, threes and threats",
        options: "weights=paper|extended|FILE, or single weights as in centre=3,fours=100,threes=1,twos=8,block=29",
        example: "lines:weights=paper",
    },
    PlayerKind {
        name: "alphabeta",
        about: "alpha-beta search to a depth, for a time or for a number of positions (with dice: expectiminimax)",
        options: "depth=…, time=…, nodes=…, quiescence=…, order=natural|centre|killer|history|best, key=exact|zobrist, cache=on|off, keep=on|off, eval=zero|lines|patterns|polynomial|helpful|race|mobility|playout",
        example: "alphabeta:depth=7,eval=lines",
    },
    PlayerKind {
        name: "mcts",
        about: "Monte Carlo tree search by random playouts (UCT), with proven wins, draws and losses",
        options: "time=…, playouts=…, nodes=…, c=1.4",
        example: "mcts:playouts=5000",
    },
    PlayerKind {
        name: "perfect",
        about: "optimal play, with exact values from a table, a book or a solver",
        options: "",
        example: "perfect",
    },
    PlayerKind {
        name: "swindler",
        about: "optimal play; if lost or drawn, the move after which the opponent is most likely to err",
        options: "horizon=8",
        example: "swindler",
    },
    PlayerKind {
        name: "noisy",
        about: "another player, but with probability p a random move",
        options: "p=…, inner=PLAYER",
        example: "noisy:p=0.1,inner=alphabeta:depth=5",
    },
];

/// Players that are external engines; see docs/engines.md.
pub const PROGRAMS: [PlayerKind; 2] = [
    PlayerKind {
        name: "ugi",
        about: "an external engine with the universal game interface (UGI); the text after the colon is its command line",
        options: "COMMAND; ugi@200ms:COMMAND sets its time per move (or depth=…, nodes=…)",
        example: "ugi:outplay engine ugi",
    },
    PlayerKind {
        name: "gomocup",
        about: "an external engine with the Gomocup protocol, for five in a row; the text after the colon is its command line",
        options: "COMMAND; gomocup@200ms:COMMAND sets its time per move",
        example: "gomocup:outplay engine gomocup",
    },
];
