//! Opening books: their values of positions, and how they grow while they are served.

use std::sync::atomic::Ordering;

use nutcracker_any::{AnyGame, AnyPosition};
use nutcracker_book::node::State;
use nutcracker_book::store::{self, Access, Location};
use nutcracker_book::value::Hundredths;
use nutcracker_book::{BookError, DropOut, Facts, Player, StoredBook};
use nutcracker_game::{Numbering, Rules, Score, Side, Situation};
use nutcracker_search::Worth;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Explorer;
use super::error::ExplorerError;
use super::shelf::CACHE;

/// Predecessors listed.
const PARENTS: usize = 20;
/// Nodes visited at most to find a leaf of the diagram.
const MAX_VISITED: usize = 2_000_000;

fn points(hundredths: Hundredths) -> f64 {
    f64::from(hundredths) / 100.0
}

/// The state of a position in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// Evaluated; its moves are not in the book.
    Leaf,
    /// All its moves are in the book.
    Interior,
    /// The game is over there.
    Over,
}

impl From<State> for NodeState {
    fn from(state: State) -> Self {
        match state {
            State::Leaf => NodeState::Leaf,
            State::Interior => NodeState::Interior,
            State::Over => NodeState::Over,
        }
    }
}

/// A position of a book.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookNode {
    /// The position.
    pub position: String,
    /// The side to move.
    #[schema(example = "south")]
    pub mover: &'static str,
    /// Moves from the start of the book, by the shortest way.
    pub depth: u32,
    /// Its state in the book.
    pub state: NodeState,
    /// What follows from everything below it, for the side to move.
    pub value: Worth,
    /// The expert's value of the position alone.
    pub alone: Worth,
    /// The moves, the best first.
    pub moves: Vec<BookMove>,
    /// Positions with a move to this one, some of them, as their mover sees them.
    pub parents: Vec<String>,
    /// How many there are.
    pub ways: usize,
    /// The whole book.
    pub book: BookFacts,
}

/// A move of a book.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookMove {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// What it is worth to the mover.
    pub value: Worth,
    /// Whether no move is better.
    pub best: bool,
    /// The state of the position after it.
    pub state: NodeState,
    /// The position after it.
    pub next: String,
}

/// Facts about a whole book.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BookFacts {
    /// Where it starts.
    pub start: String,
    /// What the start is worth to the side to move there.
    pub value: Worth,
    /// Positions.
    pub nodes: u64,
    /// Positions whose value is proven.
    pub solved: u64,
    /// Expansions so far.
    pub expansions: u64,
    /// Whether it grows now.
    pub growing: bool,
}

/// Leaves that are reached while the book's player plays best moves and the other any.
#[derive(Debug, Serialize, ToSchema)]
pub struct DropOuts {
    /// What the start is worth to the book's player.
    pub root: f64,
    /// The depth of the next expansion at the value of the start.
    pub frontier: Option<f64>,
    /// How much the depth falls for each point of value.
    pub omega: f64,
    /// The leaves.
    pub dots: Vec<Dot>,
}

/// Leaves of one depth and value.
#[derive(Debug, Serialize, ToSchema)]
pub struct Dot {
    /// Moves from the start.
    pub depth: u32,
    /// What the book's player then has, in points.
    pub value: f64,
    /// How many there are.
    pub leaves: u64,
    /// Whether they are solved.
    pub solved: bool,
}

/// A way through a book.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookLine {
    /// Where it starts.
    pub start: String,
    /// The names of its moves.
    pub moves: Vec<String>,
}

/// Whose book a diagram is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// The side to move in the start position.
    First,
    /// The other side.
    Second,
    /// The player with the nearer leaf.
    #[default]
    Both,
}

/// The facts of a book, with its game and options.
pub fn facts_of(book: &Location) -> Result<Facts, ExplorerError> {
    let store = store::open(book, Access::Read, CACHE).map_err(ExplorerError::Book)?;
    Facts::of(&store).map_err(ExplorerError::Book)
}

impl Explorer {
    /// Whether it shows this game from this start.
    pub fn shows(&self, game: &AnyGame) -> bool {
        self.game.id() == game.id() && self.game.start_options() == game.start_options()
    }

    /// An error of the book, in terms of this game.
    pub(super) fn book_error(&self, error: BookError) -> ExplorerError {
        let id = self.game.id();
        match error {
            BookError::Locked(location) => {
                let file = location.name();
                ExplorerError::BookInUse(format!(
                    "the book {file} of {id} is open in another process; end that one, or let this \
                     server grow it with `nutcracker serve --grow {file}`"
                ))
            }
            BookError::Missing(_) => ExplorerError::NotInBook(format!(
                "there is no book of {id}; `nutcracker book new {}` makes one",
                self.command_line(),
            )),
            BookError::NotInBook(_) => ExplorerError::NotInBook(error.to_string()),
            BookError::Illegal(_) => ExplorerError::IllegalMove(error.to_string()),
            error => ExplorerError::Book(error),
        }
    }

    pub(super) fn max_at(&self, position: &AnyPosition) -> Score {
        self.game.max_score(self.game.slice_of(position))
    }

    /// Where a book starts: the game's own start where it is that.
    fn book_start(
        &self,
        book: &mut StoredBook<AnyGame>,
    ) -> Result<Situation<AnyPosition>, BookError> {
        let position = book.position(book.root())?;
        let start = self.game.start();
        let same = start.position == position;
        Ok(if same { start } else { Situation::new(position, Side::First) })
    }

    /// Where lines begin that are proposed: at the start of the game, if the book has it as a start,
    /// or at its first one.
    pub(super) fn start_of_lines(
        &self,
        book: &mut StoredBook<AnyGame>,
    ) -> Result<Situation<AnyPosition>, BookError> {
        let start = self.game.start();
        let place = book.find(&start.position)?;
        if place.is_some_and(|id| book.facts().roots.contains(&id)) {
            return Ok(start);
        }
        self.book_start(book)
    }

    fn facts_of(&self, book: &mut StoredBook<AnyGame>) -> Result<BookFacts, BookError> {
        let start = self.book_start(book)?;
        let value = book.root_value()?;
        let facts = book.facts();
        Ok(BookFacts {
            start: self.game.format(&start),
            value: value.worth(self.max_at(&start.position)),
            nodes: facts.nodes,
            solved: facts.solved,
            expansions: facts.expansions,
            growing: self.shelf.growing.load(Ordering::Relaxed),
        })
    }

    /// The book's entry of a position.
    pub fn book_node(&self, text: &str) -> Result<BookNode, ExplorerError> {
        let situation = &self.parse(text)?;
        let game = &self.game;
        self.with_book(|book| {
            let found = book.find(&situation.position)?;
            let id = found.ok_or_else(|| BookError::NotInBook(game.format(situation)))?;
            let node = book.node(id)?.clone();
            let max = self.max_at(&situation.position);
            let values = book.move_values(id)?;
            let best = book.best_moves(id)?;
            let mut legal = Vec::new();
            if !values.is_empty() {
                game.moves(&situation.position, &mut legal);
            }
            let mut moves = Vec::new();
            for (at, (mv, value)) in legal.iter().zip(&values).enumerate() {
                let step = game.play(&situation.position, mv);
                let child = book.node(node.edges[at].child)?;
                let value = value.worth(max);
                // After a move that captures nothing, the position itself may come back.
                let holds = !game.depends_on_history() || step.gain != 0;
                let value = if holds { value } else { Worth::guess(value.hundredths()) };
                moves.push(BookMove {
                    name: game.format_move(situation, mv, &step),
                    value,
                    best: best.contains(&at),
                    state: child.state.into(),
                    next: game.format(&game.advance(situation, &step)),
                });
            }
            moves.sort_by(|a, b| {
                (b.best, b.value.hundredths()).cmp(&(a.best, a.value.hundredths()))
            });
            let mut parents = Vec::new();
            for &parent in node.parents.iter().take(PARENTS) {
                parents.push(book.node(parent)?.position.clone());
            }
            Ok(BookNode {
                position: game.format(situation),
                mover: game.side_name(situation.mover),
                depth: node.depth,
                state: node.state.into(),
                value: node.value.worth(max),
                alone: node.own.worth(max),
                moves,
                parents,
                ways: node.parents.len(),
                book: self.facts_of(book)?,
            })
        })
    }

    /// Describes the game's book.
    pub fn book_facts(&self) -> Result<BookFacts, ExplorerError> {
        self.with_book(|book| self.facts_of(book))
    }

    /// Where an opponent can leave the book.
    pub fn book_dropouts(&self, whose: Whose) -> Result<DropOuts, ExplorerError> {
        self.with_book(|book| {
            let diagram = book.dropouts(player(whose))?;
            let dots = [(&diagram.open, false), (&diagram.solved, true)];
            let dots = dots.into_iter().flat_map(|(leaves, solved)| {
                leaves.iter().map(move |(leaf, &count)| Dot {
                    depth: leaf.depth,
                    value: points(leaf.value),
                    leaves: count,
                    solved,
                })
            });
            Ok(DropOuts {
                root: points(diagram.root),
                frontier: diagram.frontier,
                omega: diagram.omega,
                dots: dots.collect(),
            })
        })
    }

    /// The line to a leaf of that diagram: the first of this depth and value.
    pub fn book_leaf(
        &self,
        whose: Whose,
        depth: u32,
        value: f64,
    ) -> Result<BookLine, ExplorerError> {
        let target = DropOut { depth, value: (value * 100.0).round() as Hundredths };
        self.with_book(|book| {
            let Some(places) = book.line_to_leaf(player(whose), target, MAX_VISITED)? else {
                return Err(BookError::NotInBook("with this depth and value".to_owned()));
            };
            let game = &self.game;
            let start = self.book_start(book)?;
            let (mut situation, mut names, mut legal) = (start, Vec::new(), Vec::new());
            for at in places {
                legal.clear();
                game.moves(&situation.position, &mut legal);
                let Some(mv) = legal.get(at) else { break };
                let step = game.play(&situation.position, mv);
                names.push(game.format_move(&situation, mv, &step));
                situation = game.advance(&situation, &step);
            }
            Ok(BookLine { start: game.format(&start), moves: names })
        })
    }
}

fn player(whose: Whose) -> Player {
    match whose {
        Whose::First => Player::First,
        Whose::Second => Player::Second,
        Whose::Both => Player::Both,
    }
}
