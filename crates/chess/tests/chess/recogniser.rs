//! The recogniser of two knights, by the rules alone; crates/search compares it with databases.

use nutcracker_chess::{Chess, ChessPosition};
use nutcracker_game::{Numbering, Random, Recognised, Rules};

fn at(text: &str) -> ChessPosition {
    Chess.parse(text).expect("a position").position
}

/// Positions of which the algorithm as it is printed claims something else.
#[test]
fn printed_claims_that_are_wrong() {
    for (text, expected) in [
        // A knight takes the bishop or the knight that would mate.
        ("8/8/8/8/8/8/Nbk5/K2N4 w - -", Recognised::Draw),
        ("8/8/8/8/8/1n6/N1k5/K1N5 w - -", Recognised::Draw),
        ("k1Bn4/n1K5/8/8/8/8/8/8 w - -", Recognised::Draw),
        // The square from which a knight would mate has a king of its own side on it.
        ("8/8/8/8/8/2N5/1bK5/k3N3 w - -", Recognised::Unknown),
        ("k2nN3/n1K5/8/8/8/8/8/8 w - -", Recognised::Draw),
        // In check, the king has no step that leaves a square for mate.
        ("8/8/8/8/8/2N5/1n6/k2KN3 w - -", Recognised::Unknown),
        // The other king is mated although it boxes in the knights' own.
        ("k1K5/n2B4/4n3/8/8/8/8/8 w - -", Recognised::Unknown),
        // Mates outside the corner.
        ("8/8/8/8/8/2n5/1N1k4/NK6 w - -", Recognised::loss(0)),
        ("8/8/8/8/8/3n4/2N1k3/1NK5 w - -", Recognised::loss(0)),
    ] {
        assert_eq!(Chess.recognise(&at(text)), Some(expected), "{text}");
    }
    assert_eq!(Chess.recognise(&at("8/8/8/8/8/4k3/8/R3K3 w - -")), None);
}

/// Mates that are claimed are mates by the rules, and no mate is called a draw. Boards on which the
/// knights' king is in a corner are tried more often than chance would have it.
#[test]
fn mates_are_those_of_the_rules() {
    let mates = |position: &ChessPosition| {
        let mut steps = Vec::new();
        Chess.steps(position, &mut steps);
        steps.iter().any(|step| Chess.outcome(&step.next) == Some(-1))
    };
    let mut random = Random::new(1);
    let mut claims = [0; 3];
    for class in ["knnkb", "knnkn"] {
        let slice = Chess.slice_named(class).unwrap();
        for part in Chess.parts(slice) {
            let len = part.range.end - part.range.start;
            // The digits of the kings come first, and those with the first king in a corner first.
            for tried in 0..150_000 {
                let among = if tried % 3 == 0 { len } else { len / 14 };
                let index = part.range.start + random.below(among);
                let Some(position) = Chess.unrank(slice, index) else { continue };
                let is_mated = Chess.outcome(&position) == Some(-1);
                match Chess.recognise(&position).expect("a recogniser") {
                    Recognised::Unknown => {}
                    Recognised::Draw => {
                        assert!(!is_mated && !mates(&position), "{position:?}");
                        claims[0] += 1;
                    }
                    Recognised::Decided(distance) if distance.wins => {
                        assert!(distance.moves == 2 || mates(&position), "{position:?}");
                        claims[1] += 1;
                    }
                    Recognised::Decided(distance) => {
                        assert!(is_mated && distance.moves == 0, "{position:?}");
                        claims[2] += 1;
                    }
                }
            }
        }
    }
    assert!(claims[0] > 200_000, "{claims:?}");
}
