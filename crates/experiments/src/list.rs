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
        verdict: "Yes: bottom-up is several times as fast as memoizing on tic-tac-toe, and on Connect-4 5x4 by a factor over the index and a far larger one over bit-planes.",
        repeats: true,
        run: dp::run,
    },
    ExperimentInfo {
        name: "minimax-cost",
        about: "time and memory of full search on 4x4 by the number of open cells",
        question: "What does it cost to look to the end, and what does the heuristic cost instead?",
        source: PAPER,
        verdict: "The paper's 607 hours for the full 4x4 board are a fraction of a second by alpha-beta or tables; one move of the heuristic takes microseconds, and proves nothing.",
        repeats: true,
        run: minimax_cost::run,
    },
    ExperimentInfo {
        name: "connect4-ga",
        about: "the genetic algorithm for Connect-4, its bot against random, greedy and perfect, and its conclusions",
        question: "What does a genetic algorithm find, and is defence really worth more than offence?",
        source: PROJECT,
        verdict: "In seconds it finds weights that beat the report's, by 31 Elo (15 to 47) over twelve seeds. Twos matter; that defence counts far more than offence is refuted: threes as heavy as blocks gain 51 Elo (32 to 71).",
        repeats: true,
        run: connect4_ga::run,
    },
    ExperimentInfo {
        name: "helpful-vs-minimax",
        about: "the helpfulness heuristic against perfect play on 3x3, 4x4, larger boards and Connect-4",
        question: "Does the heuristic never lose, and with which settings did the paper find 0/0/1000 and 11/0/989?",
        source: PAPER,
        verdict: "It does lose. 0/0/1000 on 3x3 is certain with one random ply and ties broken in order, and next to impossible as the text has it; 11 wins on 4x4 cannot come from the openings, which are all drawn.",
        repeats: true,
        run: helpful_vs_minimax::run,
    },
    ExperimentInfo {
        name: "helpful-memory",
        about: "time and memory of one move of the heuristic, on boards to 1000x1000",
        question: "How much time and memory does the heuristic take on boards of a million cells?",
        source: PAPER,
        verdict: "A move on 1000x1000 takes 9 MB and about 20 ms.",
        repeats: true,
        run: helpful_memory::run,
    },
    ExperimentInfo {
        name: "obstacles",
        about: "how deep a search sees, and what that is worth, as obstacles fill the board",
        question: "What do obstacles do to the depth and the strength of a search?",
        source: MISHRA,
        verdict: "The same number of positions reaches deeper, and depth is worth less, because more games are drawn.",
        repeats: true,
        run: obstacles::run,
    },
    ExperimentInfo {
        name: "alphabeta-savings",
        about: "leaves of alpha-beta in the best, natural and worst order against minimax",
        question: "How much does alpha-beta leave out, and how much does that depend on the order of moves?",
        source: "Knuth and Moore 1975; the Connect-4 report: O(b^d) becomes O(b^(d/2))",
        verdict: "The best order meets the bound of Knuth and Moore exactly: at depth 7, one leaf in 300.",
        repeats: false,
        run: alphabeta_savings::run,
    },
    ExperimentInfo {
        name: "horizon",
        about: "lost positions that a fixed depth does not see, and what quiescence and extensions do about it",
        question: "How often does a search to a fixed depth not see that it is lost, and what helps?",
        source: LECTURE,
        verdict: "A loss is not seen before it comes within the depth; seeing wins and blocks in one at every position helps more than quiescence does.",
        repeats: true,
        run: horizon::run,
    },
    ExperimentInfo {
        name: "visibility",
        about: "whether a deeper search chooses better moves, and an atlas of positions in which it does not",
        question: "Does a deeper search choose better, and does the evaluation see more near the end?",
        source: LECTURE,
        verdict: "On the whole it chooses better, and not always: an atlas shows positions in which one ply more spoils a right choice.",
        repeats: true,
        run: visibility::run,
    },
    ExperimentInfo {
        name: "filtering",
        about: "whether a search makes few errors out of many, with opinions that are wrong to order",
        question: "Does combining many inaccurate opinions cancel their errors, or add them up?",
        source: LECTURE,
        verdict: "Neither in a real game: four plies of wrong opinions choose no better than one. Where values are independent it does harm, on each of nine boards and shares of error; what makes depth worth its time is seeing more.",
        repeats: true,
        run: filtering::run,
    },
    ExperimentInfo {
        name: "loops-alphabeta",
        about: "what alpha-beta does in games with cycles, on every position of small morris games",
        question: "Does alpha-beta behave sensibly with loops?",
        source: LECTURE,
        verdict: "Not by itself: a limit of depth never proves a draw, and a table together with repetitions as draws is wrong in places; sweeping until nothing changes is right.",
        repeats: false,
        run: loops_alphabeta::run,
    },
    ExperimentInfo {
        name: "obstacle-map",
        about: "the value of small boards with one and two obstacles wherever they are, as maps",
        question: "What is every placement of one and two obstacles worth, and how few change the winner?",
        source: "a question of our own, on the boards of Mishra 2014",
        verdict: "One obstacle is enough on 4x3 and on 4x4 with gravity; no set at all changes 3x3, and none of up to five changes 4x4 with four in a row.",
        repeats: false,
        run: obstacle_map::run,
    },
    ExperimentInfo {
        name: "league",
        about: "helpful, polynomial, lines and search over boards and time, as a map",
        question: "Who wins where, as boards grow and the search has more time?",
        source: "a question of our own, on the players of all documents",
        verdict: "Without search the heuristic is first wherever anybody is; a millisecond of search beats it on small boards and where stones fall, but not from 11x11 on, where a search with that evaluation loses nearly every game.",
        repeats: true,
        run: league::run,
    },
    ExperimentInfo {
        name: "slippery",
        about: "what boards are worth when a stone may land one cell aside",
        question: "What is moving first worth when stones slip?",
        source: "a question of our own",
        verdict: "Slipping makes 3x3 worth more to the first player, from 0 to +0.458, and 4x3 less, from a sure win to +0.366.",
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
