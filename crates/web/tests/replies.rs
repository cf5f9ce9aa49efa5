//! Replies from a book.

use std::collections::HashSet;

use axum::body::Body;
use axum::http::Request;
use nutcracker_book::expert::StaticExpert;
use nutcracker_book::node::NodeId;
use nutcracker_book::store::{self, AnyStore};
use nutcracker_book::value::Value;
use nutcracker_book::{Book, file_name};
use nutcracker_game::{Numbering, Rules, Side, Situation, Turn};
use nutcracker_games::GAMES;
use nutcracker_games::kalah::Kalah;
use nutcracker_web::Config;
use tempfile::TempDir;

use crate::common::{run, send, server};

type KalahBook = Book<Kalah, AnyStore>;

/// Sets what an expert says of a node so that the move to it is worth this much to its mover.
fn set(book: &mut KalahBook, parent: NodeId, place: usize, worth: i32) {
    let edge = book.node(parent).expect("a node").edges[place];
    let gain = 100 * i32::from(edge.gain);
    let own = if edge.turn == Turn::Passes { gain - worth } else { worth - gain };
    let position = book.position(edge.child).expect("a position");
    let max = book.game().max_score(book.game().slice_of(&position));
    book.set_own(edge.child, Value::guess(own, max)).expect("it is set");
}

/// The first move of a node after which the other side moves; the node is expanded.
fn passing(book: &mut KalahBook, id: NodeId) -> usize {
    let kalah = book.game().clone();
    book.expand_all(&[id], &mut [StaticExpert(kalah)]).expect("it is expanded");
    let edges = &book.node(id).expect("a node").edges;
    edges.iter().position(|edge| edge.turn == Turn::Passes).expect("such a move")
}

/// Concessions count over the whole game: after one of 0.3 points, another one is too much for a
/// player who may give 0.4 away.
#[test]
fn variety_is_that_of_the_whole_game() {
    let dir = TempDir::new().expect("a directory");
    let kalah = Kalah::new(3, 2, false).expect("kalah");
    let file = dir.path().join(file_name(&kalah));
    let store = store::create(&file.as_path().into(), 1 << 20).expect("a file");
    let start = kalah.start();
    let mut expert = StaticExpert(kalah.clone());
    let mut book = Book::create(kalah.clone(), store, &start.position, &mut expert).expect("one");
    // At the start one move is worth 0.3, and another one, which was played, 0.
    let root = book.root();
    let ours = passing(&mut book, root);
    let middle = book.node(root).expect("a node").edges[ours];
    let theirs = passing(&mut book, middle.child);
    let now = book.node(middle.child).expect("a node").edges[theirs];
    passing(&mut book, now.child);
    let ahead = 100 * (i32::from(middle.gain) - i32::from(now.gain));
    for place in 0..book.node(root).expect("a node").edges.len() {
        if place != ours {
            set(&mut book, root, place, if place == usize::from(ours == 0) { 30 } else { -200 });
        }
    }
    for place in 0..book.node(middle.child).expect("a node").edges.len() {
        if place != theirs {
            set(&mut book, middle.child, place, -300);
        }
    }
    let moves = book.node(now.child).expect("a node").edges.len();
    for place in 0..moves {
        set(&mut book, now.child, place, [0, -30, -250][place] - ahead);
    }
    book.commit().expect("it is written");
    // The names of the moves, and of the two that are left.
    let mut names = Vec::new();
    let mut at = start;
    for place in [ours, theirs] {
        let mut legal = Vec::new();
        kalah.moves(&at.position, &mut legal);
        let step = kalah.play(&at.position, &legal[place]);
        names.push(kalah.format_move(&at, &legal[place], &step));
        at = kalah.advance(&at, &step);
    }
    let mut legal = Vec::new();
    kalah.moves(&at.position, &mut legal);
    let name = |at: &Situation<_>, place: usize| {
        kalah.format_move(at, &legal[place], &kalah.play(&at.position, &legal[place]))
    };
    let (best, second) = (name(&at, 0), name(&at, 1));
    assert!(moves > 1 && at.mover == Side::First);
    drop(book);

    let config = Config::new("127.0.0.1:0".parse().expect("an address"), GAMES, dir.path());
    let server = server(config);
    run(async {
        let replies = async |query: &str| -> HashSet<String> {
            let mut replies = HashSet::new();
            for seed in 0..40 {
                let uri = format!(
                    "/api/v1/games/kalah/reply?options=pits=3,seeds=2&book=true&variety=0.4\
                     &seed={seed}&{query}"
                );
                let request = Request::get(&uri).body(Body::empty()).expect("a request");
                let reply = send(&server, request).await.json();
                assert_eq!(reply["source"], "book", "{reply}");
                replies.insert(reply["move"].as_str().expect("a move").to_owned());
            }
            replies
        };
        let moves = names.join("%20");
        assert_eq!(replies(&format!("moves={moves}")).await, HashSet::from([best.clone()]));
        // Without the game before, the other one is within the tolerance.
        let position = kalah.format(&at).replace(' ', "%20");
        let both = HashSet::from([best, second]);
        assert_eq!(replies(&format!("position={position}")).await, both);
    });
}

/// Draws of public games have a setting of their own, and nonsense is refused.
#[test]
fn the_style_is_checked() {
    let server = server(crate::common::config());
    run(async {
        let status = async |query: &str| {
            let uri = format!("/api/v1/games/kalah/reply?options=pits=3,seeds=2&book=true&{query}");
            let request = Request::get(&uri).body(Body::empty()).expect("a request");
            send(&server, request).await.status.as_u16()
        };
        for right in ["draws=win&public_draws=loss&variety=0.5", "public_draws=-0.5", "draws=2"] {
            assert_eq!(status(right).await, 200, "{right}");
        }
        for wrong in ["draws=maybe", "public_draws=maybe", "variety=-1", "variety=many"] {
            assert_eq!(status(wrong).await, 400, "{wrong}");
        }
    });
}
