//! Registry of all experiments, with the question, source and verdict of each.
//!
//! A verdict is one sentence that sums up the figures in docs/experiments.md, which `cargo xtask experiments`
//! reproduces.

use crate::{
    Bench, Findings, alphabeta_savings, connect4_ga, dp, filtering, helpful_memory, helpful_vs_minimax,
    horizon, league, loops_alphabeta, minimax_cost, obstacle_map, obstacles, slippery, visibility,
};
use outplay_workbench::Trouble;
use serde::Serialize;

/// Description of an experiment: its question, source and verdict.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExperimentInfo {
    /// Its name.
    pub name: &'static str,
    /// Its subject, in a line.
    pub about: &'static str,
    /// Its question.
    pub question: &'static str,
    /// The source of the question, or of the published figures.
    pub source: &'static str,
    /// Its result.
    pub verdict: &'static str,
    /// Whether it times or samples, so that it can be repeated.
    pub repeats: bool,
    /// Runs it.
    #[serde(skip)]
    pub(crate) run: fn(&Bench<'_>) -> Result<Findings, Trouble>,
}

const REPORT: &str =
    "Zagaynov and Zhao, Using Dynamic Programming To Create More Efficient Solvers for Games (2020)";
const PAPER: &str = "Hayes and Loge, Developing a Memory Efficient Algorithm for Playing m,n,k Games";
const PROJECT: &str = "Garner, Optimization for Engineers, final project: Connect-4 by genetic algorithm";
const LECTURE: &str = "the lecture on playing and solving games (Moore)";
const MISHRA: &str = "Mishra, m by n Tic Tac Toe with k strikes and s obstacles (2014)";

/// Every experiment, in the order in which they are listed.
const ALL: &[ExperimentInfo] = &[
    ExperimentInfo {
        name: "dp",
        about: "the solvers of the 2020 report on tic-tac-toe: top-down, memoized, bottom-up; and on Connect-4",
        question: "Is solving bottom-up over a tight index faster than memoizing, and does that pay on Connect-4?",
        source: REPORT,
        verdict: "Yes. On tic-tac-toe bottom-up is several times as fast as memoizing; on Connect-4 5x4 it is about 17 times as fast over the index and some 300 times over bit-planes.",
        repeats: true,
        run: dp::run,
    },
    ExperimentInfo {
        name: "minimax-cost",
        about: "time and memory of full search on 4x4 by the number of open cells",
        question: "What does it cost to look to the end, and what does the heuristic cost instead?",
        source: PAPER,
        verdict: "The 607 hours that the paper predicts for the empty 4x4 board are a fraction of a second with alpha-beta or tables. One move of the heuristic takes microseconds, but proves nothing.",
        repeats: true,
        run: minimax_cost::run,
    },
    ExperimentInfo {
        name: "connect4-ga",
        about: "the genetic algorithm for Connect-4, its bot against random, greedy and perfect, and its conclusions",
        question: "What does a genetic algorithm find, and is defence really worth more than offence?",
        source: PROJECT,
        verdict: "In seconds it finds weights that beat the report's by 31 Elo (15 to 47) on average over twelve seeds; whether random weights would do as well was not tested. Twos matter. That defence counts far more than offence is refuted: threes weighted like blocks gain 51 Elo (32 to 71).",
        repeats: true,
        run: connect4_ga::run,
    },
    ExperimentInfo {
        name: "helpful-vs-minimax",
        about: "the helpfulness heuristic against perfect play on 3x3, 4x4, larger boards and Connect-4",
        question: "Does the heuristic never lose, and with which settings did the paper find 0/0/1000 and 11/0/989?",
        source: PAPER,
        verdict: "It does lose. On 3x3, 0/0/1000 is certain if only the first ply is random and both programs take the first of equal moves, and next to impossible as the text describes it. The 11 wins on 4x4 cannot come from the openings, which are all drawn; they remain unexplained.",
        repeats: true,
        run: helpful_vs_minimax::run,
    },
    ExperimentInfo {
        name: "helpful-memory",
        about: "time and memory of one move of the heuristic, on boards to 1000x1000",
        question: "How much time and memory does the heuristic take on boards of a million cells?",
        source: PAPER,
        verdict: "A move on 1000x1000 takes 9 MB and 10 to 20 ms.",
        repeats: true,
        run: helpful_memory::run,
    },
    ExperimentInfo {
        name: "obstacles",
        about: "how deep a search sees, and what that is worth, as obstacles fill the board",
        question: "What do obstacles do to the depth and the strength of a search?",
        source: MISHRA,
        verdict: "With more obstacles the same number of positions reaches deeper, but the deeper search gains less, because more games are drawn.",
        repeats: true,
        run: obstacles::run,
    },
    ExperimentInfo {
        name: "alphabeta-savings",
        about: "leaves of alpha-beta in the best, natural and worst order against minimax",
        question: "How much does alpha-beta leave out, and how much does that depend on the order of moves?",
        source: "Knuth and Moore 1975; the Connect-4 report: O(b^d) becomes O(b^(d/2))",
        verdict: "The best move order reaches the bound of Knuth and Moore exactly: at depth 7 it evaluates one leaf in 300.",
        repeats: false,
        run: alphabeta_savings::run,
    },
    ExperimentInfo {
        name: "horizon",
        about: "lost positions that a fixed depth does not see, and what quiescence and extensions do about it",
        question: "How often does a search to a fixed depth not see that it is lost, and what helps?",
        source: LECTURE,
        verdict: "A search to a fixed depth finds a loss only when it comes within the depth. Detecting wins and blocks in one at every node finds more losses than quiescence search does.",
        repeats: true,
        run: horizon::run,
    },
    ExperimentInfo {
        name: "visibility",
        about: "whether a deeper search chooses better moves, and an atlas of positions in which it does not",
        question: "Does a deeper search choose better, and does the evaluation see more near the end?",
        source: LECTURE,
        verdict: "On average it chooses better, but not always: an atlas shows positions in which one more ply turns a right choice into a wrong one. That the evaluation is more accurate near the end holds on 5x4 at most.",
        repeats: true,
        run: visibility::run,
    },
    ExperimentInfo {
        name: "filtering",
        about: "whether a search cancels the errors of its evaluations, with errors of a known probability",
        question: "Does a search that combines many inaccurate evaluations cancel their errors, or accumulate them?",
        source: LECTURE,
        verdict: "In a game it cancels a part of them: with evaluations that are equally inaccurate at every depth, depth 4 chooses better than depth 1 by 0.9 to 2.0 points of 100 (10 % of errors), and by more where the ends of games are known. In trees of independent values errors accumulate.",
        repeats: true,
        run: filtering::run,
    },
    ExperimentInfo {
        name: "loops-alphabeta",
        about: "what alpha-beta does in games with cycles, on every position of small morris games",
        question: "Does alpha-beta behave sensibly with loops?",
        source: LECTURE,
        verdict: "Not by itself: a depth limit never proves a draw, and a transposition table together with repetitions scored as draws gives wrong values at 4 to 13 % of positions. Sweeping until no value changes is right.",
        repeats: false,
        run: loops_alphabeta::run,
    },
    ExperimentInfo {
        name: "obstacle-map",
        about: "the value of small boards with one and two obstacles wherever they are, as maps",
        question: "What is every placement of one and two obstacles worth, and how few change the winner?",
        source: "a question of our own, on the boards of Mishra 2014",
        verdict: "One obstacle is enough on 4x3 and on 4x4 with gravity. No set of obstacles changes the winner on 3x3, and none of up to five on 4x4 with four in a row.",
        repeats: false,
        run: obstacle_map::run,
    },
    ExperimentInfo {
        name: "league",
        about: "helpful, polynomial, lines and search over boards and time, as a map",
        question: "Who wins where, as boards grow and the search has more time?",
        source: "a question of our own, on the players of all documents",
        verdict: "Without search, helpful leads on seven of nine boards; on 3x3 and 4x4 no lead is significant. A search of one millisecond beats it on boards up to 7x7 (but for 4x4, where most games are drawn) and with gravity. On 11x11 and 15x15 the search, which evaluates by lines, loses nearly every game to helpful.",
        repeats: true,
        run: league::run,
    },
    ExperimentInfo {
        name: "slippery",
        about: "what boards are worth when a stone may land one cell aside",
        question: "What is moving first worth when stones slip?",
        source: "a question of our own",
        verdict: "If every stone slips, 3x3 is worth more to the first player (+0.458 instead of 0) and 4x3 less (+0.366 instead of a certain win).",
        repeats: false,
        run: slippery::run,
    },
];

/// The experiments, in order.
pub fn experiments() -> Vec<ExperimentInfo> {
    ALL.to_vec()
}

/// Finds an experiment by name.
pub(crate) fn find(name: &str) -> Result<&'static ExperimentInfo, Trouble> {
    let unknown = || {
        let names: Vec<&str> = ALL.iter().map(|experiment| experiment.name).collect();
        let near = outplay_core::nearest(name, names.iter().copied())
            .map(|near| format!("did you mean `{near}`? "))
            .unwrap_or_default();
        Trouble::unable(format!(
            "there is no experiment called `{name}`; {near}there are {}",
            names.join(", ")
        ))
    };
    ALL.iter().find(|experiment| experiment.name == name).ok_or_else(unknown)
}
