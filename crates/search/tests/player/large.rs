//! Larger slices: figures for `docs/player.md`, printed.

use std::time::{Duration, Instant};

use nutcracker_game::Random;
use nutcracker_games::awari::Awari;
use nutcracker_search::player::Perfect;

use crate::play::any_position;
use crate::solved::Solved;

#[test]
#[ignore = "takes a minute and prints figures"]
fn the_way_to_an_exit_in_larger_slices() {
    let awari = Awari::new(6).unwrap();
    let solved = Solved::new(&awari, 18);
    for stones in [12, 14, 16, 18] {
        let mut seeds = Random::new(14);
        let (mut queries, mut unknown, mut longest) = (0, 0, 0);
        let mut times = Vec::new();
        while queries < 1000 {
            let position = any_position(&awari, stones..=stones, &mut seeds);
            if solved.of(&awari, &position) == 0 {
                continue;
            }
            // A new player each time: nothing is remembered.
            let mut player = Perfect::new(awari.clone(), &solved);
            let started = Instant::now();
            let keeping = player.keeping(&position, &[]).unwrap();
            times.push(started.elapsed());
            queries += 1;
            unknown += u32::from(keeping.plies.is_none());
            longest = longest.max(keeping.plies.unwrap_or(0));
        }
        times.sort();
        let mean = times.iter().sum::<Duration>() / queries;
        println!(
            "{stones} stones: mean {mean:?}, 99% below {:?}, slowest {:?}, longest way {longest} \
             plies, {unknown} of {queries} not found",
            times[989], times[999]
        );
    }
}
