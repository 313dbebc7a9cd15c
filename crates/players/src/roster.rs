//! List of the kinds of players, with a description, options and an example of each.

use serde::Serialize;

/// A kind of player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct About {
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
pub const ROSTER: [About; 10] = [
    About { name: "random", about: "any legal move, each equally likely", options: "", example: "random" },
    About {
        name: "greedy",
        about: "one ply: wins, else blocks, else the best-looking move (without eval= a random one)",
        options: "eval=zero|lines|patterns|polynomial|helpful|race|mobility|playout",
        example: "greedy",
    },
    About {
        name: "helpful",
        about: "k in a row: wins, else blocks, else the cell with most open lines for both sides; boards to 1000x1000",
        options: "form=revised|first",
        example: "helpful",
    },
    About {
        name: "polynomial",
        about: "k in a row: one ply by rows and columns, counted by own stones in powers of a base",
        options: "base=10",
        example: "polynomial:base=10",
    },
    About {
        name: "lines",
        about: "k in a row: one ply by a weighted sum of features such as centre, threes and threats",
        options: "weights=paper|extended|FILE, or single ones as centre=3,fours=100,threes=1,twos=8,block=29",
        example: "lines:weights=paper",
    },
    About {
        name: "alphabeta",
        about: "looks ahead to a depth, for a time or so many positions (with dice: expectiminimax)",
        options: "depth=…, time=…, nodes=…, quiescence=…, order=natural|centre|killer|history|best, key=exact|zobrist, cache=on|off, keep=on|off, eval=zero|lines|patterns|polynomial|helpful|race|mobility|playout",
        example: "alphabeta:depth=7,eval=lines",
    },
    About {
        name: "mcts",
        about: "random games guided by what they taught (UCT); wins and losses that are proven count as such",
        options: "time=…, playouts=…, nodes=…, c=1.4",
        example: "mcts:playouts=5000",
    },
    About {
        name: "perfect",
        about: "never gives anything away: asks a table, a book or an exact solver",
        options: "",
        example: "perfect",
    },
    About {
        name: "swindler",
        about: "perfect, and when lost or drawn, the move after which an opponent errs most easily",
        options: "horizon=8",
        example: "swindler",
    },
    About {
        name: "noisy",
        about: "another player that makes a random move with probability p",
        options: "p=…, inner=PLAYER",
        example: "noisy:p=0.1,inner=alphabeta:depth=5",
    },
];

/// Players that are external engines; see docs/engines.md.
pub const PROGRAMS: [About; 2] = [
    About {
        name: "ugi",
        about: "a program that speaks the universal game interface; all after the colon is its command line",
        options: "COMMAND; ugi@200ms:COMMAND says how long it thinks (or depth=…, nodes=…)",
        example: "ugi:outplay engine ugi",
    },
    About {
        name: "gomocup",
        about: "a program that speaks Gomocup's protocol, for five in a row; all after the colon is its command line",
        options: "COMMAND; gomocup@200ms:COMMAND says how long it thinks",
        example: "gomocup:outplay engine gomocup",
    },
];
