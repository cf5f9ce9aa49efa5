//! Games whose types are known only at run time.

use std::fs;
use std::sync::Arc;

use nutcracker_any::{AnyGame, Options};
use nutcracker_game::{Evaluate, Numbering, Random, SliceId, law, perft};
use nutcracker_games::GAMES;
use nutcracker_games::awari::Awari;
use nutcracker_games::chess::Chess;
use nutcracker_games::connect_four::ConnectFour;
use nutcracker_games::dobutsu::Dobutsu;
use nutcracker_games::kalah::Kalah;
use nutcracker_games::krk::Krk;
use nutcracker_games::othello::Othello;
use nutcracker_retro::{Silent, SolveOptions};
use nutcracker_table::{Disk, Storage};

/// A random game, with every virtual call compared to the call it stands for.
fn plays_alike<G: Evaluate>(game: &G, seed: u64) {
    let any = AnyGame::small(game.clone());
    let (mut own, mut erased) = (game.start(), any_start(&any));
    let mut random = Random::new(seed);
    for _ in 0..100 {
        assert_eq!(game.format(&own), nutcracker_game::Rules::format(&any, &erased));
        let (mut moves, mut any_moves) = (Vec::new(), Vec::new());
        game.moves(&own.position, &mut moves);
        nutcracker_game::Rules::moves(&any, &erased.position, &mut any_moves);
        assert_eq!(moves.len(), any_moves.len());
        let fitted = game.fitted();
        assert_eq!(
            game.evaluate(&own.position, fitted),
            any.evaluate(&erased.position, any.fitted())
        );
        if moves.is_empty() {
            break;
        }
        let place = random.below(moves.len() as u64) as usize;
        let step = game.play(&own.position, &moves[place]);
        let any_step = nutcracker_game::Rules::play(&any, &erased.position, &any_moves[place]);
        let names = (
            game.format_move(&own, &moves[place], &step),
            nutcracker_game::Rules::format_move(&any, &erased, &any_moves[place], &any_step),
        );
        assert_eq!(names.0, names.1);
        own = game.advance(&own, &step);
        erased = nutcracker_game::Rules::advance(&any, &erased, &any_step);
    }
}

fn any_start(any: &AnyGame) -> nutcracker_game::Situation<nutcracker_any::AnyPosition> {
    nutcracker_game::Rules::start(any)
}

#[test]
fn random_games() {
    for seed in 0..20 {
        plays_alike(&Awari::new(6).unwrap(), seed);
        plays_alike(&Kalah::new(6, 4, false).unwrap(), seed);
        plays_alike(&Othello::new(8).unwrap(), seed);
        plays_alike(&Krk, seed);
        plays_alike(&Chess, seed);
        plays_alike(&Dobutsu, seed);
    }
}

#[test]
fn every_registered_game_keeps_the_laws_through_virtual_calls() {
    for info in GAMES.iter() {
        let mut options = Options::new();
        // Of games with piles, small ones: every counter is a move.
        if info.options.iter().any(|option| option.name == "largest") {
            options.set("largest", "12");
        }
        let game = info.game(&options).unwrap();
        if game.has_databases() {
            let small: Vec<SliceId> = (0..=game.largest_slice().0)
                .map(SliceId)
                .take_while(|&slice| game.slice_len(slice) <= 20_000)
                .collect();
            law::check(&game, small.clone(), 500).unwrap_or_else(|e| panic!("{}: {e}", info.name));
            game.check_laws(small, 500).unwrap_or_else(|e| panic!("{}: {e}", info.name));
        }
    }
}

#[test]
fn perft_of_virtual_calls() {
    let game = Othello::new(8).unwrap();
    let any = AnyGame::small(game.clone());
    let start = nutcracker_game::Rules::start(&game).position;
    let any_start = any_start(&any).position;
    for depth in 0..=5 {
        assert_eq!(perft::perft(&game, &start, depth), perft::perft(&any, &any_start, depth));
    }
}

/// The same bytes from a game's own loops behind the virtual game, and from virtual calls.
fn solves_alike<G: Evaluate>(name: &str, options: &[(&str, &str)], game: G, last: SliceId) {
    let disk: Arc<dyn Storage> = Arc::new(Disk::default());
    let solving = SolveOptions::new(1, "test");
    // Compiled with the game, not once more here.
    let mut given = Options::new();
    for (name, value) in options {
        given.set(*name, *value);
    }
    let own = GAMES.game(name, &given).unwrap();
    let dirs = [own, AnyGame::small(game)].map(|game| {
        let dir = tempfile::tempdir().unwrap();
        game.solve_slices(&disk, dir.path(), &[last], &solving, &Silent).unwrap();
        dir
    });
    let mut compared = 0;
    for entry in fs::read_dir(dirs[0].path()).unwrap() {
        let name = entry.unwrap().file_name();
        if name.to_string_lossy().ends_with(".nut") {
            let [own, small] = dirs.each_ref().map(|dir| fs::read(dir.path().join(&name)).unwrap());
            assert_eq!(own, small, "{}", name.display());
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn the_same_tables() {
    solves_alike("awari", &[], Awari::new(6).unwrap(), SliceId(6));
    solves_alike(
        "kalah",
        &[("pits", "3"), ("seeds", "2")],
        Kalah::new(3, 2, false).unwrap(),
        SliceId(6),
    );
    solves_alike("chess", &[], Chess, Chess.slice_named("krk").unwrap());
    let small = ConnectFour::new(4, 4, 4).unwrap();
    let last = small.largest_slice();
    solves_alike("connect-four", &[("columns", "4"), ("rows", "4")], small, last);
}

/// What a file says of its game suffices to make it again, also where a flag is left out.
#[test]
fn every_game_is_identified() {
    use nutcracker_game::Rules;
    for info in GAMES.iter() {
        let mut variants = vec![Options::new()];
        for flag in info.options.iter().filter(|option| option.value.is_none()) {
            let mut options = Options::new();
            options.set(flag.name, "yes");
            variants.push(options);
        }
        for options in variants {
            let game = info.game(&options).unwrap();
            let (id, start) = (game.id().to_string(), game.start_options());
            let (found, options) = GAMES.identified(&id, &start).unwrap();
            let again = found.game(&options).unwrap();
            assert_eq!((again.id(), again.start_options()), (game.id(), start), "{id}");
            assert_eq!(again.start(), game.start(), "{id}");
        }
    }
    assert!(GAMES.identified("kalah (pits=3,moons=2)", "").is_err());
    assert!(GAMES.identified("go", "").is_err());
    let old = GAMES.identified("kalah (pits=3,empty-capture=no)", "seeds=2").unwrap().1;
    assert_eq!(old.to_string(), "pits=3,play-on=yes,seeds=2");
}
