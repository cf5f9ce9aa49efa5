//! Connect four: drop stones into columns, four in a line win.
//!
//! x and o drop a stone into a column that is not full, where it falls onto the stones already
//! there; x begins. Four own stones in a line, upright, level or diagonal, win; a full board without
//! them is a draw. Size of the board and length of the line are options.
//!
//! A slice is a number of empty squares. Boards of up to 25 squares or so have databases; the usual
//! 7×6 has 4,531,985,219,092 positions and is for search and books.

mod evaluate;
mod numbering;
mod weights;

use nutcracker_game::{GameId, ParseError, Rules, Score, Side, Situation, Step};

use numbering::Numbers;
use nutcracker_any::{GameInfo, OptionInfo, Options, Registered};
use nutcracker_boards::grid::{self, Grid, Stones};

/// Connect four on a board of some size.
///
/// ```
/// use nutcracker_game::{Rules, perft::perft};
/// use nutcracker_connect_four::ConnectFour;
///
/// let game = ConnectFour::new(7, 6, 4)?;
/// let start = game.start();
/// let step = game.play(&start.position, &3);
/// assert_eq!(game.format_move(&start, &3, &step), "d");
/// let next = game.advance(&start, &step);
/// assert_eq!(game.format(&next), "......./......./......./......./......./...x... o");
/// assert_eq!(perft(&game, &start.position, 7), 823_536);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConnectFour {
    grid: Grid,
    /// The lowest square of every column.
    bottoms: u64,
    area: u64,
    lines: Vec<u64>,
    /// `None` where there are too many positions for databases.
    numbers: Option<Numbers>,
}

impl ConnectFour {
    /// Connect four with these numbers of columns, rows and stones in a winning line; the error is one
    /// sentence.
    ///
    /// ```
    /// use nutcracker_connect_four::ConnectFour;
    /// assert!(ConnectFour::new(7, 6, 4).is_ok());
    /// assert_eq!(
    ///     ConnectFour::new(8, 8, 4).unwrap_err(),
    ///     "8 columns of 8 rows are too large a board: columns times one more than the rows is 64 \
    ///      at most"
    /// );
    /// ```
    pub fn new(columns: usize, rows: usize, connect: usize) -> Result<Self, String> {
        if !(2..=20).contains(&columns) || !(2..=20).contains(&rows) {
            return Err(format!(
                "connect-four has 2 to 20 columns and rows, not {columns} and {rows}"
            ));
        }
        if columns * (rows + 1) > 64 {
            return Err(format!(
                "{columns} columns of {rows} rows are too large a board: columns times one more \
                 than the rows is 64 at most"
            ));
        }
        if !(2..=columns.max(rows)).contains(&connect) {
            return Err(format!(
                "a winning line has 2 to {} stones on this board, not {connect}",
                columns.max(rows)
            ));
        }
        let grid = Grid::new(columns as u32, rows as u32, connect as u32);
        let bottoms = (0..grid.columns()).map(|column| grid.square(column, 0)).sum();
        let numbers = Numbers::new(grid);
        Ok(ConnectFour { grid, bottoms, area: grid.area(), lines: grid.lines(), numbers })
    }

    /// The board.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The squares that a stone can fall to.
    #[inline]
    fn targets(&self, stones: Stones) -> u64 {
        (stones.occupied() + self.bottoms) & self.area
    }

    /// The square that a stone in a column falls to; 0 where it is full.
    #[inline]
    fn target(&self, stones: Stones, column: u32) -> u64 {
        self.targets(stones) & self.grid.column(column)
    }
}

impl Rules for ConnectFour {
    type Position = Stones;
    /// The column, from 0 on the left.
    type Move = u8;

    fn id(&self) -> GameId {
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        let connect = self.grid.connect();
        GameId::new("connect-four", format!("columns={columns},rows={rows},connect={connect}"))
    }

    #[inline]
    fn outcome(&self, stones: &Stones) -> Option<Score> {
        self.grid.outcome(*stones)
    }

    #[inline]
    fn moves(&self, stones: &Stones, out: &mut Vec<u8>) {
        if !self.grid.has_line(stones.other) {
            let free = (0..self.grid.columns()).filter(|&to| self.target(*stones, to) != 0);
            out.extend(free.map(|column| column as u8));
        }
    }

    #[inline]
    fn play(&self, stones: &Stones, &column: &u8) -> Step<Stones> {
        Step::quiet(stones.put(self.target(*stones, column.into())))
    }

    fn steps(&self, stones: &Stones, out: &mut Vec<Step<Stones>>) {
        if !self.grid.has_line(stones.other) {
            let targets = grid::squares(self.targets(*stones));
            out.extend(targets.map(|square| Step::quiet(stones.put(square))));
        }
    }

    fn start(&self) -> Situation<Stones> {
        Situation::new(Stones::default(), Side::First)
    }

    fn parse(&self, text: &str) -> Result<Situation<Stones>, ParseError> {
        let situation = self.grid.parse(text)?;
        let stones = situation.position;
        let occupied = stones.occupied();
        // The square below each stone has one, too, or is below the board.
        let floating = occupied & !self.bottoms & !(occupied << 1);
        if floating != 0 {
            let (column, _) = self.grid.place(floating);
            return Err(ParseError::new(format!(
                "a stone in column {} has none below it",
                char::from(b'a' + column as u8)
            )));
        }
        if !self.grid.arises(stones, |occupied| (occupied + self.bottoms) >> 1 & occupied) {
            return Err(ParseError::new(
                "no game leads here: the sides take turns, stones fall, and the first line ends it",
            ));
        }
        Ok(situation)
    }

    fn format(&self, situation: &Situation<Stones>) -> String {
        self.grid.format(situation.position)
    }

    fn format_move(&self, _: &Situation<Stones>, &column: &u8, _: &Step<Stones>) -> String {
        char::from(b'a' + column).to_string()
    }

    fn draw(&self, situation: &Situation<Stones>) -> String {
        self.grid.draw(situation.position, |_| String::new())
    }

    fn side_name(&self, side: Side) -> &'static str {
        grid::name(side)
    }
}

/// The game for a list of games. Its inner loops are compiled here, once.
pub static GAME: GameInfo = GameInfo::of::<ConnectFour>("connect-four");

impl Registered for ConnectFour {
    const ABOUT: &'static str = "drop stones into columns, four in a line win";
    const OPTIONS: &'static [OptionInfo] = &[
        OptionInfo { name: "columns", value: Some("N"), about: "columns", default: "7" },
        OptionInfo {
            name: "rows",
            value: Some("N"),
            about: "rows; databases for boards of up to 25 squares or so",
            default: "6",
        },
        OptionInfo {
            name: "connect",
            value: Some("N"),
            about: "stones in a line that wins",
            default: "4",
        },
    ];

    fn from_options(options: &Options) -> Result<Self, String> {
        let [columns, rows, connect] = Self::OPTIONS else {
            unreachable!("connect-four has three options");
        };
        ConnectFour::new(options.number(columns)?, options.number(rows)?, options.number(connect)?)
    }

    fn erase(self) -> nutcracker_any::AnyGame {
        nutcracker_any::AnyGame::viewed(self)
    }
}
