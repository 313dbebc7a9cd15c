//! What each command does, and how it ends.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done, and known |
//! | 1 | the answer is "no", or a check or the work failed |
//! | 2 | bad input |
//! | 3 | not known within the limits |
//! | 130 | interrupted |

use crate::args::{BookCommand, Cli, Command, Common, Effort};
use crate::output;
use crate::progress::Progress;
use crate::usage;
use clap::{CommandFactory, Parser};
use outplay_answer::{
    Clock, Cure, DiceMethod, Entry, Method, Place, PlanRequest, QueryOptions, SolveAnswer, SolveRequest,
    TableCure, Together, Trouble, Values, default_data_dir,
};
use outplay_catalog::Catalog;
use outplay_core::figures::grouped;
use outplay_core::{Crew, Deadline, LineBoard, Watch};
use outplay_protocol::Stable;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// `games --check` explores up to this many positions.
const CHECKED: u64 = 1_000_000;
/// `index` counts reachable positions on its own account up to this size; beyond, `--count` asks for it.
const COUNTED: u128 = 20_000_000;

/// The answer is known, or it is not.
pub(crate) const KNOWN: u8 = 0;
pub(crate) const NO: u8 = 1;
pub(crate) const BAD_INPUT: u8 = 2;
pub(crate) const UNKNOWN: u8 = 3;
pub(crate) const INTERRUPTED: u8 = 130;

/// How a command can fail.
pub(crate) enum Failure {
    Trouble(Trouble),
    Output(io::Error),
}

impl<T: Into<Trouble>> From<T> for Failure {
    fn from(trouble: T) -> Failure {
        Failure::Trouble(trouble.into())
    }
}

pub(crate) fn output_error(error: io::Error) -> Failure {
    Failure::Output(error)
}

/// Runs the command line for the games of a catalog.
pub fn main(catalog: &Catalog) -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => {
            let mut out = BufWriter::new(anstream::stdout().lock());
            ExitCode::from(run(catalog, &cli, None, &mut out).0)
        }
        Err(error) => misused(&error),
    }
}

/// Runs the command line on all processes of a crew, each of which calls this. They solve together; everything else is
/// done by the first, which is the only one to speak. Returns the exit code, and a sentence if this process failed.
pub fn main_together(catalog: &Catalog, crew: &Arc<dyn Crew>) -> (u8, Option<String>) {
    let first = crew.rank() == 0;
    let mut cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if first {
                misused(&error);
            }
            return (if error.use_stderr() { BAD_INPUT } else { KNOWN }, None);
        }
    };
    let shared = matches!(cli.command, Command::Solve { .. } | Command::Verify { sample: Some(_), .. });
    if !shared {
        if !first {
            return (KNOWN, None);
        }
        // What is planned on ranks is planned for as many.
        if let Command::Plan { ranks: ranks @ 1, .. } = &mut cli.command {
            *ranks = crew.size() as u32;
        }
        let mut out = BufWriter::new(anstream::stdout().lock());
        return run(catalog, &cli, None, &mut out);
    }
    // What is free and how many cores there are is shared by the ranks of a machine.
    let neighbours = match neighbours(&**crew) {
        Ok(neighbours) => neighbours.max(1),
        Err(why) => return (NO, Some(why)),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cli.common.threads.get_or_insert((cores / neighbours).clamp(1, 1024) as u16);
    let memory = cli.common.memory.unwrap_or_else(|| usage::available_bytes() / 5 * 4 / neighbours as u64);
    match crew.least(memory.min(usage::total_bytes())) {
        Ok(memory) => cli.common.memory = Some(memory),
        Err(why) => return (NO, Some(why)),
    }
    let together = Some(Together(crew.clone()));
    if first {
        run(catalog, &cli, together, &mut BufWriter::new(anstream::stdout().lock()))
    } else {
        cli.common.quiet = true;
        let (code, sentence) = run(catalog, &cli, together, &mut io::sink());
        // What is known is the first one's to say.
        (if sentence.is_some() { code } else { KNOWN }, sentence)
    }
}

/// How many ranks share this machine.
fn neighbours(crew: &dyn Crew) -> Result<usize, String> {
    let name = rustix::system::uname().nodename().to_bytes().to_vec();
    Ok(crew.gather(&name)?.iter().filter(|other| **other == name).count())
}

/// Runs a command: its exit code, and the sentence with which it failed.
fn run(catalog: &Catalog, cli: &Cli, crew: Option<Together>, out: &mut impl Write) -> (u8, Option<String>) {
    if let Some(threads) = cli.common.threads() {
        // Fails only if the pool exists already, and nothing has used it yet.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    // Whoever types commands may start programs; visitors of a server may not.
    let catalog = &catalog.clone().with_programs(Arc::new(Stable::default()));
    let speaks = crew.as_ref().is_none_or(|together| together.0.rank() == 0);
    let progress = Progress::new(cli.common.quiet, cli.common.progress);
    let result = Run { catalog, common: &cli.common, progress: &progress, crew, out }.command(&cli.command);
    progress.clear();
    let result = result.and_then(|code| out.flush().map_err(output_error).map(|()| code));
    match result {
        Ok(code) => (code, None),
        // Whoever read the output has seen enough.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => (KNOWN, None),
        Err(Failure::Output(error)) => {
            let sentence = format!("cannot write the answer: {error}");
            complain(out, false, &sentence, None);
            (NO, Some(sentence))
        }
        Err(Failure::Trouble(trouble)) => {
            if speaks {
                complain(out, cli.common.json, &trouble.to_string(), cure(&trouble).as_deref());
            }
            (code(&trouble), Some(trouble.to_string()))
        }
    }
}

/// The exit code of a trouble.
pub(crate) fn code(trouble: &Trouble) -> u8 {
    if trouble.is_stop() {
        INTERRUPTED
    } else if trouble.is_limit() {
        UNKNOWN
    } else if trouble.is_input() {
        BAD_INPUT
    } else {
        NO
    }
}

/// What to do about a trouble, in the words of this command line.
pub(crate) fn cure(trouble: &Trouble) -> Option<String> {
    Some(match trouble.cure()? {
        Cure::MoreMemory => {
            "raise --memory, or find the value of one position with `--method search` or `--method proof`"
                .into()
        }
        Cure::Use(method) => format!("try `--method {method}`"),
        Cure::Solve { spec, values } => format!("`outplay solve {spec} --values {values}` makes it"),
        Cure::SolveOrAsk => {
            "solve the game first with `outplay solve`, or ask another player, such as `alphabeta:time=1s`"
                .into()
        }
        Cure::GivePosition => "give one with --position".into(),
        Cure::Table(cure) => table_cure(&cure),
    })
}

fn table_cure(cure: &TableCure) -> String {
    match cure {
        TableCure::MakeRoom { spec } => {
            format!("free some space and run `outplay solve {spec}` again: it goes on where it was")
        }
        TableCure::AllowMore { spec } => {
            format!("raise --disk and run `outplay solve {spec}` again: it goes on where it was")
        }
        TableCure::Writable => "make the directory writable or choose another one with `--data DIR`".into(),
        TableCure::Choose => "`outplay tables` lists the tables there are".into(),
        TableCure::Solve { spec, values, does } => {
            let (why, purpose) = does.words();
            // Distances are what is stored without a word.
            let values = if *values == Some(Values::Wdl) { " --values wdl" } else { "" };
            format!("{why}run `outplay solve {spec}{values}` {purpose}")
        }
        TableCure::Remove { table, spec } => {
            let then = match spec {
                Some(spec) => format!("run `outplay solve {spec}`"),
                None => "solve the game again".into(),
            };
            format!("remove it with `outplay tables --remove {table}`, then {then}")
        }
        TableCure::TryAgain | TableCure::Wait | TableCure::Report => cure.to_string(),
    }
}

/// What was typed makes no sense, or asks for help.
fn misused(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|word| word == "--json");
    if !json || !error.use_stderr() {
        // Nobody is left to hear about it if that fails.
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { BAD_INPUT } else { KNOWN });
    }
    let text = error.render().to_string();
    let sentence = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    complain(&mut io::stdout(), true, sentence, Some("`outplay help` tells what can be typed"));
    ExitCode::from(BAD_INPUT)
}

/// Says what went wrong: in JSON on standard output, for people on standard error.
fn complain(out: &mut impl Write, json: bool, sentence: &str, cure: Option<&str>) {
    // Nobody is left to hear about it if writing fails, too.
    if json {
        let _ = writeln!(out, "{}", serde_json::json!({ "error": sentence, "cure": cure }));
        let _ = out.flush();
        return;
    }
    let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    let (sentence, cure) = (harmless(sentence), cure.map(harmless));
    let cure = cure.map(|cure| format!("\n  {cure}")).unwrap_or_default();
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {sentence}{cure}");
}

/// Text for a terminal: sentences may quote files, and files may hold what would move the cursor or worse.
pub(crate) fn harmless(text: &str) -> String {
    let plain = |c: char| c == '\n' || !(c.is_control() || TURNING.contains(&c));
    text.chars().map(|c| if plain(c) { c.to_string() } else { c.escape_default().to_string() }).collect()
}

/// Characters that turn the direction of the text around them.
const TURNING: [char; 12] = [
    '\u{200e}', '\u{200f}', '\u{061c}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Trouble> {
    std::fs::write(file, text)
        .map_err(|error| Trouble::unable(format!("cannot write {}: {error}", file.display())))
}

pub(crate) fn read_file(file: &Path) -> Result<String, Trouble> {
    std::fs::read_to_string(file)
        .map_err(|error| Trouble::unable(format!("cannot read {}: {error}", file.display())))
}

/// Reads a text of at most so many bytes; one that never ends is no worse than one that is too long.
fn read_within(file: &Path, most: u64) -> Result<String, Trouble> {
    let why = |error: io::Error| Trouble::unable(format!("cannot read {}: {error}", file.display()));
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(why)?;
    io::Read::read_to_end(&mut io::Read::take(opened, most + 1), &mut bytes).map_err(why)?;
    if bytes.len() as u64 > most {
        let name = file.display();
        return Err(Trouble::unable(format!(
            "{name} is longer than the {most} bytes that the memory allows; raise --memory"
        )));
    }
    String::from_utf8(bytes).map_err(|_| Trouble::unable(format!("{} is no text", file.display())))
}

/// The answer of `solve` with what it cost.
#[derive(Serialize)]
struct Solved<'a> {
    #[serde(flatten)]
    answer: &'a SolveAnswer,
    seconds: f64,
    cpu_seconds: f64,
    peak_bytes: u64,
    threads: usize,
}

/// Which tree is drawn.
struct TreeKind {
    depth: u32,
    prune: bool,
    /// How it looks ahead through dice.
    method: Option<DiceMethod>,
}

pub(crate) struct Run<'a, W: Write> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) common: &'a Common,
    pub(crate) progress: &'a Progress,
    /// Who solves together with this process.
    pub(crate) crew: Option<Together>,
    pub(crate) out: &'a mut W,
}

impl<W: Write> Run<'_, W> {
    fn command(&mut self, command: &Command) -> Result<u8, Failure> {
        match command {
            Command::Games { check: Some(game), time, .. } => self.check(game, *time),
            Command::Games { game: Some(game), .. } => self.tell_rules(game),
            Command::Games { .. } => self.games(),
            Command::Players { game } => self.players(game.as_deref()),
            Command::Show { game, at, tree: true, depth, minimax, method, eval, svg, .. } => {
                let kind = TreeKind { depth: *depth, prune: !minimax, method: *method };
                self.tree(game, at, kind, eval.as_deref(), svg.as_deref())
            }
            Command::Show { game, at, eval: Some(eval), svg, effort, .. } => {
                self.evaluation(game, at, eval, svg.as_deref(), effort)
            }
            Command::Show { svg: Some(_), .. } => {
                let why = "--svg draws a tree or an evaluation; add --tree or --eval NAME";
                Err(Trouble::unable(why).into())
            }
            Command::Show { game, at, all, effort, .. } => self.show(game, at, *all, effort),
            Command::Solve { game, at, method, values, effort, disk, proof } => {
                let mut request = self.request(Some(effort));
                request.place = at.place();
                request.method = *method;
                request.values = *values;
                request.store = !self.common.no_save;
                request.disk = *disk;
                request.proof = proof.clone();
                request.options.crew = self.crew.clone();
                if proof.is_some() && *method != Method::Proof {
                    let why = "only the proof search writes proofs; add `--method proof`";
                    return Err(Trouble::unable(why).into());
                }
                let entry = self.open_at(game, at)?;
                self.solve(&entry, &request)
            }
            Command::Import { files, out } => self.import(files, out.as_deref()),
            Command::Label(args) => self.label(args),
            Command::Engine(command) => self.speak(command),
            Command::Tune(args) => self.tune(args),
            Command::Match(args) => self.compete(args),
            Command::Experiment(args) => self.experiment(args),
            Command::Export(args) => self.export(args),
            Command::Verify { game, values, sample, seed } => {
                self.verify(game, *values, sample.map(|sample| (sample, *seed)))
            }
            Command::Stats { game, values, svg } => self.stats(game, *values, svg.as_deref()),
            Command::Tables { remove: Some(name), .. } => self.remove_table(name),
            Command::Tables { forget: Some(name), .. } => self.forget(name),
            Command::Tables { checksums: Some(file), .. } if file.as_os_str() == "-" => self.sums(),
            Command::Tables { checksums: Some(file), .. } => self.compare_sums(file),
            Command::Tables { .. } => self.tables(),
            Command::Bench(bench) => self.bench(bench),
            Command::Query { game, at, stdin: None, best, effort } => self.query(game, at, *best, effort),
            Command::Query { game, stdin: Some(kind), best, effort, .. } => {
                self.query_lines(game, kind == "position", *best, effort)
            }
            Command::Why { game, at, effort } => self.why(game, at, effort),
            Command::Puzzle { game, seed, solution, effort } => self.puzzle(game, *seed, *solution, effort),
            Command::History { game, at, effort } => self.history(game, at, effort),
            Command::Play(args) => {
                let (entry, options) =
                    (self.open_at(&args.game, &args.at)?, self.query_options(&args.effort));
                crate::playing::play(entry, options, self.common, args, self.progress, self.out)
            }
            Command::Serve(args) => {
                crate::serving::serve(self.catalog, self.common, args, self.progress, self.out)?;
                Ok(KNOWN)
            }
            Command::Book(command) => self.book(command),
            Command::Check { file, game, at, time } => self.check_proof(file, game.as_deref(), at, *time),
            Command::Plan { game, values, disk, cores, ranks, network } => {
                let mut request = PlanRequest::default();
                (request.values, request.options) = (*values, self.options(None));
                // The machine that is described may have more than this one.
                request.options.memory = self.common.memory.unwrap_or(request.options.memory);
                (request.disk, request.network) = (*disk, *network);
                (request.threads, request.ranks) = (cores.map(|cores| cores as usize), *ranks);
                self.plan(game, &request)
            }
            Command::Index { game, rank: Some(position), .. } => {
                let ranked = self.open(game)?.rank(position, self.memory(), self.progress)?;
                self.print(&ranked, |out, ranked| output::ranked(out, ranked))
            }
            Command::Index { game, unrank: Some(number), .. } => {
                let ranked = self.open(game)?.unrank(*number, self.memory(), self.progress)?;
                self.print(&ranked, |out, ranked| output::ranked(out, ranked))
            }
            Command::Index { game, check: true, seed, .. } => {
                let check = self.open(game)?.check_index(self.memory(), *seed, self.progress)?;
                self.print(&check, |out, check| output::index_check(out, check))?;
                Ok(if check.holds() { KNOWN } else { NO })
            }
            Command::Index { game, count, .. } => self.index(game, *count),
            Command::Completions { shell } => {
                clap_complete::generate(*shell, &mut Cli::command(), "outplay", self.out);
                Ok(KNOWN)
            }
            Command::Man => {
                clap_mangen::Man::new(Cli::command()).render(self.out).map_err(output_error)?;
                Ok(KNOWN)
            }
        }
    }

    pub(crate) fn open(&self, game: &str) -> Result<Entry, Failure> {
        let entry = self.catalog.open(game)?;
        if let Some(warning) = entry.warning() {
            let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Yellow.into()));
            let _ = writeln!(anstream::stderr(), "{style}warning{style:#}: {warning}");
        }
        Ok(entry)
    }

    /// The same where a position may tell which game is meant.
    pub(crate) fn open_at(&self, game: &str, at: &crate::args::At) -> Result<Entry, Failure> {
        match &at.position {
            Some(position) => self.open(&self.catalog.complete(game, position)?),
            None => self.open(game),
        }
    }

    pub(crate) fn memory(&self) -> u64 {
        // More than the machine has would be promised but not given.
        self.common.memory.unwrap_or_else(|| usage::available_bytes() / 5 * 4).min(usage::total_bytes())
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.common.data.clone().unwrap_or_else(default_data_dir)
    }

    /// A request for the start position by the default method, storing nothing.
    pub(crate) fn request(&self, effort: Option<&Effort>) -> SolveRequest {
        let mut request = SolveRequest::default();
        request.options = self.options(effort);
        request
    }

    /// What a command may use.
    pub(crate) fn options(&self, effort: Option<&Effort>) -> QueryOptions {
        let mut options = QueryOptions::default();
        options.memory = self.memory();
        options.hash = self.hash(effort);
        options.threads = rayon::current_num_threads();
        options.time = effort.and_then(|effort| effort.time).map(Duration::from_secs_f64);
        options.data = Some(self.data());
        options.recall = true;
        options.keep = !self.common.no_save;
        options.book = effort.and_then(|effort| effort.book.clone());
        options
    }

    /// Bytes for the table of a search, within the memory allowed.
    fn hash(&self, effort: Option<&Effort>) -> u64 {
        effort.and_then(|effort| effort.hash).unwrap_or(1 << 30).min(self.memory() / 2)
    }

    pub(crate) fn query_options(&self, effort: &Effort) -> QueryOptions {
        /// Small enough to be made at once.
        const MODEST: u64 = 256 << 20;
        let mut options = self.options(Some(effort));
        if effort.hash.is_none() {
            options.hash = options.hash.min(MODEST);
        }
        options
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        // Every answer is made of maps with string keys and finite numbers, which always serialise.
        let text = serde_json::to_string(value).map_err(|error| Failure::Output(error.into()))?;
        writeln!(self.out, "{text}").map_err(output_error)
    }

    /// Prints an answer in the form that was asked for.
    pub(crate) fn print<T: Serialize>(
        &mut self,
        answer: &T,
        text: impl FnOnce(&mut W, &T) -> io::Result<()>,
    ) -> Result<u8, Failure> {
        self.progress.clear();
        if self.common.json {
            self.json(answer)?;
        } else {
            text(self.out, answer).map_err(output_error)?;
        }
        Ok(KNOWN)
    }

    fn games(&mut self) -> Result<u8, Failure> {
        #[derive(Serialize)]
        struct Listed<'a> {
            name: &'a str,
            about: &'a str,
            parameters: &'a str,
            example: &'a str,
        }
        let families: Vec<Listed<'_>> = self
            .catalog
            .families()
            .iter()
            .map(|family| Listed {
                name: family.name(),
                about: family.about(),
                parameters: family.options(),
                example: family.example(),
            })
            .collect();
        self.print(&serde_json::json!({ "games": families }), |out, _| {
            let bold = anstyle::Style::new().bold();
            for family in &families {
                writeln!(out, "{bold}{}{bold:#}: {}", family.name, family.about)?;
                if !family.parameters.is_empty() {
                    writeln!(out, "    parameters  {}", family.parameters)?;
                }
                writeln!(out, "    example     outplay show {}", family.example)?;
            }
            writeln!(out, "\nA spec is NAME[:ARGUMENT][,key=value][,flag]…; boards are columns x rows, a1 is bottom left.")?;
            writeln!(out, "`outplay games NAME` tells the rules of one.")
        })
    }

    /// The rules of a game in a paragraph, with a picture.
    fn tell_rules(&mut self, game: &str) -> Result<u8, Failure> {
        let family = self.catalog.family(game)?;
        // A name that says too little for a game is shown by its example.
        let example = family.example().split_whitespace().next().unwrap_or(game);
        let entry = self.open(if game == family.name() { example } else { game })?;
        // A game without a start is shown at the position of its example, or at any.
        let place = match entry.view(&Place::Start) {
            Ok(_) => Place::Start,
            Err(_) => {
                let number = (1..64).find_map(|n| entry.numbered_position(n * 9973));
                number.map_or(Place::Start, |pos| {
                    Place::Position(outplay_core::Notation::write_position(entry.game(), &pos))
                })
            }
        };
        let picture = entry.draw(&place, None)?;
        let answer = serde_json::json!({
            "game": entry.spec(), "name": family.name(), "about": family.about(), "rules": family.rules(),
            "parameters": family.options(), "example": family.example(), "picture": picture.plain(),
        });
        self.print(&answer, |out, _| {
            let bold = anstyle::Style::new().bold();
            writeln!(out, "{bold}{}{bold:#}: {}", family.name(), family.about())?;
            if !family.rules().is_empty() {
                writeln!(out, "\n{}", output::wrapped(family.rules(), 80))?;
            }
            writeln!(out)?;
            output::picture(out, &picture)?;
            if !family.options().is_empty() {
                writeln!(out, "\nparameters  {}", output::wrapped(family.options(), 80))?;
            }
            writeln!(out, "try         outplay show {}", family.example())
        })
    }

    fn check(&mut self, game: &str, time: Option<f64>) -> Result<u8, Failure> {
        let time = time.map(Duration::from_secs_f64);
        let report = self.open(game)?.check(CHECKED, time, self.progress)?;
        self.print(&report, |out, report| output::check(out, report))
    }

    fn solve(&mut self, entry: &Entry, request: &SolveRequest) -> Result<u8, Failure> {
        let (mut clock, mut failure) = (Clock::start(), None);
        let (mut proved, mut known) = (true, true);
        let elsewhere = request.place != Place::Start;
        let words = output::Words::of(entry);
        let progress = self.progress;
        let mut each = |answer: SolveAnswer| {
            let solved = Solved {
                answer: &answer,
                seconds: clock.seconds(),
                cpu_seconds: clock.cpu_seconds(),
                peak_bytes: usage::peak_bytes(),
                threads: rayon::current_num_threads(),
            };
            proved = answer.proof.is_some();
            known &= answer.answer.is_known() || answer.position.is_none();
            let printed = self.print(&solved, |out, solved| {
                output::solve(out, &words, solved.answer, elsewhere, solved.seconds, solved.peak_bytes)
            });
            let printed = printed.and_then(|_| self.out.flush().map_err(output_error));
            failure = failure.take().or(printed.err());
            // A set of games is timed one by one.
            clock = Clock::start();
        };
        entry.solve_each(request, progress, &mut each)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        Ok(match (known, request.proof.is_some() && !proved) {
            (false, _) => UNKNOWN,
            // A proof that was asked for and could not be written is a "no".
            (true, true) => NO,
            (true, false) => KNOWN,
        })
    }

    fn tree(
        &mut self,
        game: &str,
        at: &crate::args::At,
        kind: TreeKind,
        eval: Option<&str>,
        svg: Option<&Path>,
    ) -> Result<u8, Failure> {
        let (entry, place) = (self.open_at(game, at)?, at.place());
        let TreeKind { depth, prune, method } = kind;
        // What dice do is easier to see where nothing is left out.
        let plainest = entry.game().has_dice().then_some(DiceMethod::Expectiminimax);
        let tree = match method.or(plainest) {
            Some(method) => entry.dice_tree(&place, depth, method, eval, self.progress)?,
            None => entry.tree(&place, depth, prune, eval, self.progress)?,
        };
        if let Some(file) = svg {
            write_file(file, &tree.svg)?;
        }
        self.print(&tree, |out, tree| write!(out, "{}", tree.text))
    }

    fn evaluation(
        &mut self,
        game: &str,
        at: &crate::args::At,
        eval: &str,
        svg: Option<&Path>,
        effort: &Effort,
    ) -> Result<u8, Failure> {
        let (entry, place) = (self.open_at(game, at)?, at.place());
        let evaluation = entry.evaluate(&place, eval, &self.query_options(effort))?;
        let picture = entry.draw_evaluation(&place, &evaluation)?;
        if let Some(file) = svg {
            write_file(file, &evaluation.svg)?;
        }
        self.print(&evaluation, |out, evaluation| {
            output::picture(out, &picture)?;
            output::evaluation(out, evaluation)
        })
    }

    fn book(&mut self, command: &BookCommand) -> Result<u8, Failure> {
        let threads = rayon::current_num_threads();
        match command {
            BookCommand::Build { game, plies, out, effort } => {
                let board = self.open(game)?.board(&Place::Start)?;
                let (plies, hash) = (usize::from(*plies), self.hash(Some(effort)));
                let info = outplay_answer::build_book(&board, plies, out, hash, threads, self.progress)?;
                self.print(&info, |out, info| output::book(out, info))
            }
            BookCommand::Info { file } => {
                let info = outplay_answer::book_info(file.as_deref())?;
                self.print(&info, |out, info| output::book(out, info))
            }
            BookCommand::Check { file, sample, seed, effort } => {
                let hash = self.hash(Some(effort));
                let check = outplay_answer::check_book(
                    file.as_deref(),
                    *sample,
                    *seed,
                    hash,
                    threads,
                    self.progress,
                )?;
                self.print(&check, |out, check| {
                    writeln!(
                        out,
                        "{} of {} positions solved again have another score",
                        check.wrong, check.checked
                    )
                })?;
                Ok(if check.wrong > 0 { NO } else { KNOWN })
            }
        }
    }

    fn check_proof(
        &mut self,
        file: &Path,
        asked: Option<&str>,
        at: &crate::args::At,
        time: Option<f64>,
    ) -> Result<u8, Failure> {
        let memory = self.memory();
        let wanted = match asked {
            Some(game) => Some(self.board_of(game, at)?),
            None if at.place() != Place::Start => {
                return Err(
                    Trouble::unable("a position is compared with the proof's; name its game, too").into()
                );
            }
            None => None,
        };
        // A step takes several times the memory of its text.
        let text = read_within(file, memory / 16)?;
        let limits = outplay_check::Limits { bytes: memory as usize / 2, ..outplay_check::Limits::default() };
        let clock = Deadline::new(time.map(Duration::from_secs_f64), self.progress);
        self.progress.stage("checking", 0);
        match outplay_check::check_watched(&text, &limits, &clock) {
            Err(outplay_check::CheckError::Stopped) if !self.progress.stopped() => {
                let why = "the check was not finished in time, so the proof is neither right nor wrong so far; raise --time";
                self.print(
                    &serde_json::json!({ "file": file.display().to_string(), "valid": null, "error": why }),
                    |out, _| writeln!(out, "{}: {why}", file.display()),
                )?;
                Ok(UNKNOWN)
            }
            Err(outplay_check::CheckError::Stopped) => Err(Trouble::stopped().into()),
            Ok(claim) if wanted.as_ref().is_some_and(|wanted| *wanted != claim.board) => {
                let (game, position) = output::claimed(&claim.board);
                let error = format!("the proof holds, but it is about {game} at {position}");
                let answer = serde_json::json!({
                    "file": file.display().to_string(), "valid": true, "about": false, "game": game,
                    "position": position, "error": error,
                });
                self.print(&answer, |out, _| writeln!(out, "{}: {error}", file.display()))?;
                Ok(NO)
            }
            Ok(claim) => {
                let (game, position) = output::claimed(&claim.board);
                let answer = serde_json::json!({
                    "file": file.display().to_string(), "valid": true, "value": claim.verdict.word(),
                    "game": game, "position": position, "steps": claim.steps, "followed": claim.followed,
                });
                self.print(&answer, |out, _| {
                    let (verdict, steps) = (claim.verdict, grouped(claim.steps as u128));
                    writeln!(out, "{}: the proof holds ({steps} steps)", file.display())?;
                    writeln!(out, "  {game} at {position}: a {verdict} for the player to move")
                })
            }
            Err(error) => {
                let answer = serde_json::json!({ "file": file.display().to_string(), "valid": false, "error": error.to_string() });
                self.print(&answer, |out, _| {
                    writeln!(out, "{}: the proof fails: {}", file.display(), harmless(&error.to_string()))
                })?;
                Ok(NO)
            }
        }
    }

    /// The board of a position of a game of lines.
    fn board_of(&self, game: &str, at: &crate::args::At) -> Result<LineBoard, Failure> {
        let entry = self.open_at(game, at)?;
        let pos = entry.locate(&at.place())?;
        let board = entry.game().board(&pos);
        board.ok_or_else(|| {
            Trouble::unable("proofs are about games of lines on a board; name one of those").into()
        })
    }

    fn index(&mut self, game: &str, count: bool) -> Result<u8, Failure> {
        let entry = self.open(game)?;
        // A first look without counting is instant and tells whether counting is cheap.
        let mut report = entry.index_report(self.memory(), false, self.progress)?;
        let cheap = report.size.is_some_and(|size| size <= COUNTED);
        if report.reachable.is_none() && (count || cheap) {
            report = entry.index_report(self.memory(), true, self.progress)?;
        }
        self.print(&report, |out, report| {
            output::index(out, report)?;
            match (report.reachable, report.size) {
                (None, Some(_)) if !count => {
                    writeln!(out, "reachable positions were not counted; --count does it where memory allows")
                }
                (None, Some(size)) => writeln!(
                    out,
                    "reachable positions were not counted: that takes a bit for each number, {:.1} GB, and {:.1} GB are allowed",
                    size as f64 / 8e9,
                    self.common.memory.unwrap_or_else(usage::available_bytes) as f64 / 1e9
                ),
                _ => Ok(()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_say_does_not_steer_the_terminal() {
        assert_eq!(harmless("a `\u{1b}[31mfile`\n  its cure"), "a `\\u{1b}[31mfile`\n  its cure");
        assert_eq!(harmless("\r\u{7}\u{9b}2J\u{202e}"), "\\r\\u{7}\\u{9b}2J\\u{202e}");
        assert_eq!(harmless("Erdős, 棋, a1"), "Erdős, 棋, a1");
    }
}
