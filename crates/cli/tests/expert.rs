//! Our own engine as an external program that evaluates the positions of a book.

use nutcracker_book::expert::ExpertSettings;
use nutcracker_engine::{ExpertSpec, experts};
use nutcracker_game::Rules;
use nutcracker_games::awari::Awari;
use nutcracker_games::kalah::Kalah;
use nutcracker_search::{Empty, Engine, EngineOptions, Limits, Worth};

use crate::harness::{PROGRAM, Place};

const DEFAULTS: ExpertSettings =
    ExpertSettings { depth: 4, search_nodes: None, probe_depth: 0, table_bytes: 1 << 20 };

#[test]
fn an_engine_behind_pipes_says_what_a_search_finds() {
    let place = Place::new();
    let data = place.path().display();
    let spec = format!("count=2,option.Hash=1,cmd:'{PROGRAM}' engine awari --data '{data}'");
    let spec: ExpertSpec = spec.parse().expect("a description");
    let awari = Awari::new(6).expect("six pits");
    let mut all = experts(&[spec], &awari, None::<&Empty>, &DEFAULTS).expect("they start");
    assert_eq!(all.len(), 2);
    let mut engine = Engine::new(awari.clone(), Empty, EngineOptions::default());
    for text in
        ["4,4,4,4,4,4/4,4,4,4,4,4 S", "0,0,4,0,3,2/2,1,1,0,0,2 S", "1,2,0,0,0,6/1,0,3,0,2,0 S"]
    {
        let at = awari.parse(text).expect("a position").position;
        let found = engine.search(&at, &[], &Limits::depth(4), &mut |_| ()).expect("no error");
        for expert in &mut all {
            let value = expert.evaluate(&at).expect("a value");
            assert_eq!(value, Worth::guess(found.value.hundredths()), "{text}");
        }
    }
}

#[test]
fn a_proof_of_another_program_is_a_guess() {
    let place = Place::new();
    let data = place.path().display();
    let command = format!("'{PROGRAM}' engine kalah --pits 3 --seeds 2 --data '{data}'");
    let spec: ExpertSpec = format!("time=20s,cmd:{command}").parse().expect("a description");
    let kalah = Kalah::new(3, 2, false).expect("kalah");
    let mut all = experts(&[spec], &kalah, None::<&Empty>, &DEFAULTS).expect("it starts");
    // The program proves 4 in no time.
    let value = all[0].evaluate(&kalah.start().position).expect("a value");
    assert_eq!(value, Worth::guess(400));
}
