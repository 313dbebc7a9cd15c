//! The commands by group, each with three examples and the global options that affect it.

/// A group of commands in `outplay help`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    Ask,
    Solve,
    Play,
    Research,
    Service,
}

impl Group {
    pub(crate) const ALL: [Group; 5] =
        [Group::Ask, Group::Solve, Group::Play, Group::Research, Group::Service];

    /// The heading in `outplay help`.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Group::Ask => "Ask",
            Group::Solve => "Solve",
            Group::Play => "Play",
            Group::Research => "Research",
            Group::Service => "Service",
        }
    }
}

/// How a command appears in the help.
pub(crate) struct CommandHelp {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    /// The global options that act on it, `--color` aside, which acts on all.
    pub(crate) globals: &'static [&'static str],
    /// Command lines, each with `  # ` and what it does.
    pub(crate) examples: [&'static str; 3],
}

const fn command(
    name: &'static str,
    group: Group,
    globals: &'static [&'static str],
    examples: [&'static str; 3],
) -> CommandHelp {
    CommandHelp { name, group, globals, examples }
}

const ALL: &[&str] = &["json", "threads", "memory", "data", "quiet", "progress", "no_save"];
/// Reads the data directory, and writes nothing there.
const READS: &[&str] = &["json", "threads", "memory", "data", "quiet", "progress"];
/// Uses no data directory.
const COMPUTES: &[&str] = &["json", "threads", "memory", "quiet", "progress"];

/// All commands in the order in which they are listed.
pub(crate) const COMMANDS: &[CommandHelp] = &[
    command(
        "games",
        Group::Ask,
        &["json", "quiet", "progress"],
        [
            "outplay games  # list the games, their parameters and an example of each",
            "outplay games nim  # the rules of Nim, with a picture",
            "outplay games --check mnk:3x3,k=3  # is it finite, acyclic, zero-sum?",
        ],
    ),
    command(
        "query",
        Group::Ask,
        ALL,
        [
            "outplay query connect4:5x4 --moves 33  # the value of each reply after two moves",
            "outplay query tictactoe --position .../.x./... --json  # the same for scripts",
            "outplay query connect4 --moves 4444 --best  # one best move, as soon as it is proved",
        ],
    ),
    command(
        "move",
        Group::Ask,
        ALL,
        [
            "outplay move tictactoe --moves b2  # a reply to the move in the centre",
            "outplay move connect4 --moves 44 --level casual  # by a weaker player",
            "outplay move gomoku --moves h8 --time 2  # on a board too large to be solved",
        ],
    ),
    command(
        "show",
        Group::Ask,
        ALL,
        [
            "outplay show tictactoe --moves a1,b1  # draw a position with the value of every move",
            "outplay show tictactoe --moves b2,a1,a2,c2,c1 --tree --depth 4 --svg tree.svg  # a search tree",
            "outplay show mnk:4x4,k=4 --moves b2,c3 --eval lines  # the terms of an evaluation",
        ],
    ),
    command(
        "why",
        Group::Ask,
        ALL,
        [
            "outplay why tictactoe --moves a1,b1,a2  # why the second player has to block",
            "outplay why nim:3+4+5  # the nim-sum as the reason",
            "outplay why chess:KRK --position '8/8/8/8/8/2k5/8/KR6 w - - 0 1'  # a chess ending",
        ],
    ),
    command(
        "history",
        Group::Ask,
        ALL,
        [
            "outplay history connect4:4x4 --moves 33312  # where a game was lost",
            "outplay history tictactoe --moves a1,a2,b2,c3 --json  # the same for scripts",
            "outplay history nim:3+4+5 --moves 5-1,4-1  # the same for a game of Nim",
        ],
    ),
    command(
        "puzzle",
        Group::Ask,
        ALL,
        [
            "outplay puzzle tictactoe  # a position with one best move",
            "outplay puzzle connect4:4x4 --seed 5 --solution  # another one, with its solution",
            "outplay puzzle tictactoe --seed 2 --json  # for scripts",
        ],
    ),
    command(
        "solve",
        Group::Solve,
        ALL,
        [
            "outplay solve connect4:5x4  # the winner, the number of won positions, and a table on disk",
            "outplay solve mnk:4x3,k=3 --method proof --proof 4x3.proof  # a proof that `check` verifies",
            "outplay solve connect4:5x5 --values wdl --no-save  # without distances and without a table",
        ],
    ),
    command(
        "plan",
        Group::Solve,
        READS,
        [
            "outplay plan connect4:5x4  # memory, disk and time of each method on this machine",
            "outplay plan connect4:6x6 --values wdl --memory 12G --disk 50G  # with other limits",
            "outplay plan connect4:7x6 --values wdl --ranks 16 --cores 32 --memory 110G  # on a cluster",
        ],
    ),
    command(
        "verify",
        Group::Solve,
        READS,
        [
            "outplay verify connect4:5x4  # derive every value of the table again",
            "outplay verify connect4:5x4 --sample 1000 --seed 7  # a random sample",
            "outplay verify connect4:5x4 --values distance --json  # exit code 1 if a value is wrong",
        ],
    ),
    command(
        "stats",
        Group::Solve,
        &["json", "data", "memory"],
        [
            "outplay stats connect4:5x4  # won, drawn and lost positions ply by ply",
            "outplay stats connect4:5x4 --svg chart.svg  # as a chart",
            "outplay stats connect4:5x4 --json  # with the distribution of distances",
        ],
    ),
    command(
        "index",
        Group::Solve,
        COMPUTES,
        [
            "outplay index connect4:5x4  # the size of the index, tier by tier",
            "outplay index tictactoe --unrank 1000  # the position with this number",
            "outplay index tictactoe --check  # no number twice, no hole, children have larger numbers",
        ],
    ),
    command(
        "tables",
        Group::Solve,
        &["json", "data", "quiet", "progress"],
        [
            "outplay tables  # what is in the data directory",
            "outplay tables --checksums  # in the format of sha256sum",
            "outplay tables --forget  # delete all cached search results",
        ],
    ),
    command(
        "book",
        Group::Solve,
        COMPUTES,
        [
            "outplay book info  # the built-in book of Connect-4",
            "outplay book build connect4:4x4 --plies 4 --out 4x4.book  # a book for another board",
            "outplay book check 4x4.book --sample 10  # solve ten of its positions again",
        ],
    ),
    command(
        "check",
        Group::Solve,
        &["json", "memory", "quiet", "progress"],
        [
            "outplay check 4x3.proof  # is the proof valid, and of what?",
            "outplay check 4x3.proof mnk:4x3,k=3  # it must be about this game",
            "outplay check 4x3.proof --time 10 --json  # exit code 3 if ten seconds do not suffice",
        ],
    ),
    command(
        "play",
        Group::Play,
        ALL,
        [
            "outplay play connect4  # against an opponent of middle strength",
            "outplay play connect4 --values  # with the value of every move",
            "outplay play gomoku --level casual --side second  # as the second player, against a weak opponent",
        ],
    ),
    command(
        "players",
        Group::Play,
        &["json", "data", "memory"],
        [
            "outplay players  # list the players and their options",
            "outplay players connect4:5x4  # those that support a game, with its levels",
            "outplay players tictactoe --json  # for scripts",
        ],
    ),
    command(
        "match",
        Group::Play,
        ALL,
        [
            "outplay match connect4:5x4 alphabeta:depth=4,eval=lines mcts:playouts=200 --games 20  # who is stronger?",
            "outplay match tictactoe perfect random --games 200 --sprt 0,60  # stop when a test decides",
            "outplay match tictactoe greedy random --games 20 --out games.jsonl --report match.html  # keep the games",
        ],
    ),
    command(
        "import",
        Group::Play,
        &["json", "memory"],
        [
            "outplay import *.psq  # the standings of Gomocup games",
            "outplay import *.psq --out games.jsonl  # keep them in the format of `match --out`",
            "outplay import final.psq --json  # for scripts",
        ],
    ),
    command(
        "experiment",
        Group::Research,
        ALL,
        [
            "outplay experiment  # list the experiments and what they found",
            "outplay experiment alphabeta-savings  # run one and compare the figures",
            "outplay experiment alphabeta-savings --html savings.html  # with tables and plots as a page",
        ],
    ),
    command(
        "tune",
        Group::Research,
        ALL,
        [
            "outplay tune connect4:4x4 --by labels --positions 100 --held-out 50 --sprt-games 0  # fit exact values",
            "outplay tune connect4 --method sound --checkpoint tune.json --resume  # by games; can be interrupted",
            "outplay tune connect4 --by labels --out weights.json --report tune.html  # keep weights that win",
        ],
    ),
    command(
        "label",
        Group::Research,
        ALL,
        [
            "outplay label connect4:5x4 --random 50 --plies 6..14 --out labels.jsonl  # random positions",
            "outplay label connect4 positions.txt --moves --out labels.csv  # positions of a file, with best moves",
            "outplay label connect4 --random 10000 --plies 12..30 --out labels.npz  # for NumPy",
        ],
    ),
    command(
        "export",
        Group::Research,
        READS,
        [
            "outplay export connect4:5x4 --out all.npz  # every position of the table",
            "outplay export connect4:5x4 --positions 1000 --balanced --test 0.1 --out sample.csv  # a sample",
            "outplay export connect4:5x4 --plies 4..8 --no-best --out early.jsonl  # only these plies",
        ],
    ),
    command(
        "bench",
        Group::Research,
        ALL,
        [
            "outplay bench classic tictactoe --trials 3  # the textbook solvers",
            "outplay bench search connect4 --depth 8  # positions per second of the generic engine",
            "outplay bench strong connect4:5x4 --trials 1  # solving every position: time and memory",
        ],
    ),
    command(
        "serve",
        Group::Service,
        &["json", "threads", "memory", "data"],
        [
            "outplay serve  # the page at http://127.0.0.1:8080",
            "outplay serve --addr 127.0.0.1:9000 --read-only  # another port; write no files",
            "outplay serve --addr 0.0.0.0:8080 --token-file token.txt  # for other machines, with a token",
        ],
    ),
    command(
        "engine",
        Group::Service,
        &["threads", "memory", "data"],
        [
            "outplay engine ugi --game connect4  # for a program that speaks UGI",
            "outplay engine gomocup  # for a Gomocup tournament manager",
            "outplay engine gomocup --player alphabeta:depth=4  # a weaker player",
        ],
    ),
    command(
        "completions",
        Group::Service,
        &[],
        [
            "outplay completions bash > ~/.local/share/bash-completion/completions/outplay  # bash",
            "outplay completions zsh > ~/.zfunc/_outplay  # zsh; ~/.zfunc must be in $fpath",
            "outplay completions fish > ~/.config/fish/completions/outplay.fish  # fish",
        ],
    ),
    command(
        "man",
        Group::Service,
        &[],
        [
            "outplay man | man -l -  # read the main page",
            "outplay man solve | man -l -  # read the page of a command",
            "outplay man --dir ~/.local/share/man/man1  # write a page for every command",
        ],
    ),
    command(
        "help",
        Group::Service,
        &[],
        [
            "outplay help solve  # the help of a command",
            "outplay help specs  # how games and boards are written",
            "outplay help exit-codes  # what scripts can rely on",
        ],
    ),
];

/// The entry of a command by its name.
pub(crate) fn entry(name: &str) -> Option<&'static CommandHelp> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// A command line of an example, without its explanation.
pub(crate) fn command_line(example: &str) -> (&str, &str) {
    example.split_once("  # ").unwrap_or((example, ""))
}
