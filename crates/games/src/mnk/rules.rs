//! The description of an m,n,k game (size, k, gravity, misère, obstacles, preset stones), and the parser of its spec
//! string.

use crate::Spec;
use crate::pasted::is_number;
use outplay_core::{Content, InputError, LineBoard, Turn, cell_name, column_name, parse_cell};

/// The maximal number of cells; players handle it, solvers have lower limits.
const MOST_CELLS: usize = 4_000_000;

/// The options as the error message lists them.
const OPTIONS: &str = "`k=…`, `obstacles=a1+b2`, `x=…`, `o=…`, `turn=x|o`, `gravity` and `misere`";

/// Validated description of an m,n,k game: size, k, gravity, misère, obstacles, preset stones and the player to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    start: LineBoard,
    given_turn: bool,
}

impl Rules {
    /// The family's names in spec strings.
    pub const NAMES: [&'static str; 4] = ["mnk", "tictactoe", "connect", "connect4"];

    /// An empty board without gravity.
    ///
    /// # Errors
    ///
    /// A side or k is zero, or the board exceeds the maximal number of cells.
    pub fn new(width: usize, height: usize, k: usize) -> Result<Rules, InputError> {
        Rules::from_spec(Spec::parse(&format!("mnk:{width}x{height},k={k}"))?)
    }

    /// Parses a spec string such as `connect4:6x5,obstacles=c1`.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
    pub fn parse(text: &str) -> Result<Rules, InputError> {
        Rules::from_spec(Spec::parse(text)?)
    }

    /// Interprets a parsed spec.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
    pub fn from_spec(mut spec: Spec) -> Result<Rules, InputError> {
        let (size, k, falls) = match spec.name() {
            "tictactoe" => ("3x3", Some(3), false),
            "connect4" => ("7x6", Some(4), true),
            "connect" => ("7x6", None, true),
            "mnk" => ("", None, false),
            name => return Err(spec.error(format!("`{name}` is not an m,n,k game"))),
        };
        let size = match (spec.argument(), size) {
            (Some(_), _) if spec.name() == "tictactoe" => {
                return Err(spec.error("tictactoe is always 3x3; write `mnk:4x4,k=3` for another board"));
            }
            (Some(size), _) => size.to_string(),
            (None, "") => return Err(spec.error(
                "the size of the board is missing; write columns x rows after a colon, as in `mnk:4x4,k=3`",
            )),
            (None, size) => size.to_string(),
        };
        let name = spec.name();
        match spec.bare_numbers().as_slice() {
            [] => {}
            [height, k] if is_number(&size) => {
                let why = format!("write the size as columns x rows, as in `{name}:{size}x{height},k={k}`");
                return Err(spec.error(why));
            }
            [height] if is_number(&size) => {
                let why = format!("write the size as columns x rows, as in `{name}:{size}x{height}`");
                return Err(spec.error(why));
            }
            [k, ..] => return Err(spec.error(format!("write k as an option, as in `{name}:{size},k={k}`"))),
        }
        let (width, height) = parse_size(&spec, &size)?;

        let given = spec.take_number("k")?;
        let k = match (k, given) {
            (Some(fixed), Some(given)) if fixed != given => {
                let other = if falls { "connect" } else { "mnk" };
                return Err(spec.error(format!("k is always {fixed} here; write `{other}:{size},k={given}`")));
            }
            (Some(fixed), _) => fixed,
            (None, Some(given)) => given,
            (None, None) => {
                if falls {
                    4
                } else {
                    3
                }
            }
        };
        if k == 0 {
            return Err(spec.error("k=0 is not possible; k must be at least 1"));
        }

        let mut start = LineBoard::empty(width, height, k);
        start.gravity = spec.take_flag("gravity")? || falls;
        start.misere = spec.take_flag("misere")?;
        for (key, content) in [("obstacles", Content::Blocked), ("x", Content::First), ("o", Content::Second)]
        {
            if let Some(list) = spec.take(key)? {
                place(&spec, &mut start, key, &list, content)?;
            }
        }
        let (x, o) = (count(&start, Content::First), count(&start, Content::Second));
        let natural = if x > o { Turn::Second } else { Turn::First };
        start.turn = match spec.take("turn")?.as_deref() {
            None => natural,
            Some("x") => Turn::First,
            Some("o") => Turn::Second,
            Some(other) => return Err(spec.error(format!("`turn={other}`: write `turn=x` or `turn=o`"))),
        };
        spec.finish(OPTIONS)?;
        check_presets(&spec, &start)?;
        let given_turn = start.turn != natural;
        Ok(Rules { start, given_turn })
    }

    /// The board before the first move.
    pub fn start(&self) -> &LineBoard {
        &self.start
    }

    /// The canonical spec: `tictactoe`, `connect4…`, `connect:…` or `mnk:…`, options in a fixed order.
    pub fn spec(&self) -> String {
        let LineBoard { width, height, k, .. } = self.start;
        let mut text = match (self.start.gravity, width, height, k) {
            (false, 3, 3, 3) => "tictactoe".to_string(),
            (false, ..) => format!("mnk:{width}x{height},k={k}"),
            (true, 7, 6, 4) => "connect4".to_string(),
            (true, _, _, 4) => format!("connect4:{width}x{height}"),
            (true, ..) => format!("connect:{width}x{height},k={k}"),
        };
        for (key, content) in [("obstacles", Content::Blocked), ("x", Content::First), ("o", Content::Second)]
        {
            let cells: Vec<String> = (0..self.start.cells.len())
                .filter(|&cell| self.start.cells[cell] == content)
                .map(|cell| cell_name(cell / height, cell % height))
                .collect();
            if !cells.is_empty() {
                text += &format!(",{key}={}", cells.join("+"));
            }
        }
        if self.given_turn {
            text += if self.start.turn == Turn::First { ",turn=x" } else { ",turn=o" };
        }
        if self.start.misere {
            text += ",misere";
        }
        text
    }

    /// A warning if k exceeds every line of the board, so that neither player can win.
    pub fn warning(&self) -> Option<String> {
        let LineBoard { width, height, k, .. } = self.start;
        if k > width.max(height) {
            return Some(format!(
                "a {width}x{height} board has no line of {k} cells, so neither player can win"
            ));
        }
        // Listing the lines of a huge board would take too long for a warning.
        let few = self.start.cells.len() <= 10_000;
        (few && self.start.lines().is_empty())
            .then(|| format!("the obstacles leave no line of {k} free cells, so neither player can win"))
    }

    /// Whether a symmetry of the board maps obstacles and preset stones onto themselves.
    pub(crate) fn unchanged_by(&self, image: impl Fn(usize, usize) -> (usize, usize)) -> bool {
        let board = &self.start;
        (0..board.width).all(|c| {
            (0..board.height).all(|r| {
                let (ic, ir) = image(c, r);
                board.cells[board.cell(c, r)] == board.cells[board.cell(ic, ir)]
            })
        })
    }
}

fn count(board: &LineBoard, content: Content) -> usize {
    board.cells.iter().filter(|&&c| c == content).count()
}

fn parse_size(spec: &Spec, size: &str) -> Result<(usize, usize), InputError> {
    if let [width, height, _, ..] = size.split(['x', 'X']).collect::<Vec<&str>>().as_slice()
        && [width, height].into_iter().all(|side| is_number(side))
    {
        let flat = format!("write columns x rows, as in `{}:{width}x{height}`", spec.name());
        return Err(spec.error(format!("boards have two dimensions, three are not supported; {flat}")));
    }
    let sides = size
        .split_once(['x', 'X'])
        .and_then(|(w, h)| Some((w.parse::<usize>().ok()?, h.parse::<usize>().ok()?)));
    let Some((width, height)) = sides else {
        let shown: String = size.chars().take(20).collect();
        return Err(spec.error(format!("`{shown}` is not a size; write columns x rows, as in `7x6`")));
    };
    if width == 0 || height == 0 {
        return Err(spec.error("a board needs at least one column and one row"));
    }
    match width.checked_mul(height) {
        Some(cells) if cells <= MOST_CELLS => Ok((width, height)),
        _ => {
            Err(spec.error(format!("{width}x{height} is too large; a board has at most {MOST_CELLS} cells")))
        }
    }
}

/// Puts obstacles or preset stones on the board.
fn place(
    spec: &Spec,
    board: &mut LineBoard,
    key: &str,
    list: &str,
    content: Content,
) -> Result<(), InputError> {
    for name in list.split('+') {
        let Some((column, row)) = parse_cell(name) else {
            return Err(spec
                .error(format!("`{key}={list}`: `{name}` is not a cell; write cells as in `{key}=a1+b2`")));
        };
        if column >= board.width || row >= board.height {
            let last = column_name(board.width - 1);
            let why = format!(
                "cell {name} is not on the board; its columns are a-{last}, its rows 1-{}",
                board.height
            );
            return Err(spec.error(why));
        }
        let cell = board.cell(column, row);
        let there = board.cells[cell];
        if there == content {
            return Err(spec.error(format!("cell {name} is listed twice in `{key}=`; list it once")));
        }
        if there != Content::Empty {
            return Err(spec.error(format!("cell {name} is already occupied; remove it from `{key}=`")));
        }
        board.cells[cell] = content;
    }
    Ok(())
}

/// Checks that preset stones are supported and have not decided the game already.
fn check_presets(spec: &Spec, board: &LineBoard) -> Result<(), InputError> {
    if board.stones() == 0 {
        return Ok(());
    }
    if let Some(cell) = Some(board).filter(|board| board.gravity).and_then(floating_stone) {
        let name = cell_name(cell / board.height, cell % board.height);
        let why = format!("the stone on {name} floats; put it on the floor, a stone or an obstacle");
        return Err(spec.error(why));
    }
    for (player, name) in [(Content::First, "x"), (Content::Second, "o")] {
        if board.has_line(player) {
            let why = format!("the preset stones of {name} already make {} in a row; remove one", board.k);
            return Err(spec.error(why));
        }
    }
    Ok(())
}

/// Finds a stone with no support below it, or buried beneath an obstacle.
pub(crate) fn floating_stone(board: &LineBoard) -> Option<usize> {
    (0..board.cells.len()).find(|&cell| {
        if !matches!(board.cells[cell], Content::First | Content::Second) {
            return false;
        }
        let (row, floor) = (cell % board.height, board.floor(cell / board.height));
        row < floor || (row > floor && board.cells[cell - 1] == Content::Empty)
    })
}
