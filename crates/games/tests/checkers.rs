//! Checkers: laws, and the values of all positions with up to four pieces.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use nutcracker_any::Options;
use nutcracker_game::{Metric, Numbering, Part, Rules, SliceId, find_move, law};
use nutcracker_games::GAMES;
use nutcracker_games::checkers::{Checkers, CheckersPosition};
use nutcracker_retro::open_metric;
use nutcracker_table::{Disk, Storage, TableSet};

use crate::checkers_published::{
    lines_are_perfect, printed_example_is_shorter, table_is_as_printed,
};
use crate::solved::solved_any;

const CHECKERS: Checkers = Checkers::BY_PIECES;

/// The last slice with up to this many pieces.
fn last(pieces: u32) -> SliceId {
    let slices = CHECKERS.select(&pieces.to_string()).unwrap();
    slices.into_iter().max().unwrap()
}

#[test]
fn laws() {
    let report = law::check(&CHECKERS, CHECKERS.select("2").unwrap(), u64::MAX).unwrap();
    assert!(report.exhaustive);
    // And the one number for a side without pieces.
    assert_eq!(report.positions, 3_488 + 1);
    let larger = ["2100", "2001", "1110", "1002", "0021", "3210", "2222", "4400", "0044", "1313"];
    let larger = larger.map(|name| CHECKERS.slice_named(name).unwrap());
    law::check(&CHECKERS, larger, 200).unwrap();
}

#[test]
fn slices_lead_to_their_captures_and_promotions() {
    let slice = |name: &str| CHECKERS.slice_named(name).unwrap();
    let below = |name: &str| {
        let below = CHECKERS.below(slice(name));
        below.into_iter().map(|slice| CHECKERS.slice_name(slice)).collect::<Vec<_>>()
    };
    assert_eq!(below("1100"), ["over"]);
    assert_eq!(below("1001"), ["over", "1100"]);
    assert_eq!(below("2110"), ["over", "1100", "1001", "2100", "1110", "3100"]);
    assert_eq!(slice("0211"), slice("2011"));
    assert!(CHECKERS.slice_named("9000").is_none());
    assert!(CHECKERS.select("9").unwrap_err().to_string().contains("2 to 8 pieces"));
}

#[test]
fn slices_in_words() {
    let title = |name: &str| CHECKERS.slice_title(CHECKERS.slice_named(name).unwrap());
    assert_eq!(title("2110").as_deref(), Some("2 kings, 1 man v 1 king"));
    assert_eq!(title("0021").as_deref(), Some("2 men v 1 man"));
    assert_eq!(title("over"), None);
}

/// A side to move and its figures.
type Row = (&'static str, [u64; 4], [i64; 4], [i64; 2], [u64; 2]);

/// As recomputed for the tables of E. Trice and G. Dodgen (2003), the side to move first: positions,
/// wins, losses, draws; the longest win in plies with the number of positions, the longest loss with
/// theirs; both again without positions in which the side to move captures; positions in which it
/// does, and others in which the opponent would. -1 stands for none.
#[rustfmt::skip]
const ROWS: [Row; 41] = [
    ("1K+0C v 1K+0C", [992, 230, 108, 654], [11, 34, 10, 34], [11, 10], [72, 22]),
    ("0K+1C v 1K+0C", [868, 53, 241, 574], [11, 4, 12, 33], [11, 12], [36, 47]),
    ("1K+0C v 0K+1C", [868, 331, 6, 531], [11, 49, 4, 1], [11, 4], [72, 11]),
    ("0K+1C v 0K+1C", [760, 102, 47, 611], [13, 1, 6, 10], [13, 6], [36, 11]),
    ("2K+0C v 1K+0C", [14_880, 14_846, 0, 34], [33, 220, -1, 0], [33, -1], [2_016, 664]),
    ("1K+0C v 2K+0C", [14_880, 412, 13_018, 1_450], [11, 50, 34, 296], [-1, 34], [2_024, 656]),
    ("2K+0C v 0K+1C", [13_020, 13_018, 0, 2], [33, 90, -1, 0], [33, -1], [2_016, 342]),
    ("0K+1C v 2K+0C", [13_020, 58, 12_248, 714], [11, 3, 34, 126], [-1, 34], [1_032, 1_326]),
    ("1K+1C v 1K+0C", [26_040, 25_941, 10, 89], [47, 64, 14, 1], [47, 14], [2_784, 1_892]),
    ("1K+0C v 1K+1C", [26_040, 1_103, 22_349, 2_588], [13, 49, 48, 88], [9, 48], [3_772, 904]),
    ("1K+1C v 0K+1C", [22_800, 22_792, 1, 7], [47, 41, 0, 1], [47, 0], [2_784, 641]),
    ("0K+1C v 1K+1C", [22_800, 154, 21_181, 1_465], [13, 3, 48, 42], [-1, 48], [1_926, 1_499]),
    ("0K+2C v 1K+0C", [11_340, 11_215, 4, 121], [61, 19, 14, 1], [61, 14], [888, 1_148]),
    ("1K+0C v 0K+2C", [11_340, 687, 9_411, 1_242], [13, 53, 62, 30], [13, 62], [1_748, 288]),
    ("0K+2C v 0K+1C", [9_936, 9_928, 0, 8], [61, 8, -1, 0], [61, -1], [888, 299]),
    ("0K+1C v 0K+2C", [9_936, 96, 9_083, 757], [13, 3, 62, 17], [-1, 62], [894, 293]),
    ("3K+0C v 1K+0C", [143_840, 143_840, 0, 0], [29, 6, -1, 0], [29, -1], [27_288, 9_616]),
    ("1K+0C v 3K+0C", [143_840, 606, 140_908, 2_326], [11, 110, 34, 616], [-1, 30], [27_536, 9_368]),
    ("3K+0C v 0K+1C", [125_860, 125_860, 0, 0], [27, 23, -1, 0], [27, -1], [27_288, 5_062]),
    ("0K+1C v 3K+0C", [125_860, 61, 125_035, 764], [11, 6, 34, 180], [-1, 28], [14_292, 18_058]),
    ("2K+1C v 1K+0C", [377_580, 377_575, 3, 2], [41, 3, 8, 2], [41, 8], [61_728, 34_509]),
    ("1K+0C v 2K+1C", [377_580, 2_285, 368_794, 6_501], [13, 103, 48, 160], [9, 38], [75_120, 21_117]),
    ("2K+1C v 0K+1C", [330_600, 330_599, 0, 1], [37, 1, -1, 0], [37, -1], [61_728, 13_928]),
    ("0K+1C v 2K+1C", [330_600, 206, 328_070, 2_324], [13, 6, 48, 65], [-1, 32], [39_058, 36_598]),
    ("1K+2C v 1K+0C", [328_860, 328_846, 4, 10], [53, 4, 8, 2], [53, 8], [45_102, 38_316]),
    ("1K+0C v 1K+2C", [328_860, 2_742, 320_067, 6_051], [13, 209, 62, 43], [9, 54], [68_028, 15_390]),
    ("1K+2C v 0K+1C", [288_144, 288_141, 2, 1], [41, 8, 0, 2], [41, 0], [45_102, 12_728]),
    ("0K+1C v 1K+2C", [288_144, 229, 285_553, 2_362], [13, 12, 62, 15], [-1, 42], [35_438, 22_392]),
    ("0K+3C v 1K+0C", [95_004, 95_004, 0, 0], [59, 3, -1, 0], [59, -1], [10_530, 13_499]),
    ("1K+0C v 0K+3C", [95_004, 1_066, 92_068, 1_870], [13, 106, 62, 43], [-1, 58], [20_444, 3_585]),
    ("0K+3C v 0K+1C", [83_304, 83_304, 0, 0], [55, 2, -1, 0], [55, -1], [10_530, 3_862]),
    ("0K+1C v 0K+3C", [83_304, 84, 82_418, 802], [13, 6, 62, 15], [-1, 56], [10_672, 3_720]),
    ("2K+0C v 2K+0C", [215_760, 58_361, 3_943, 153_456], [49, 8, 48, 4], [49, 48], [53_068, 17_400]),
    ("1K+1C v 2K+0C", [377_580, 72_023, 32_138, 273_419], [49, 138, 94, 3], [49, 94], [74_420, 48_359]),
    ("2K+0C v 1K+1C", [377_580, 148_680, 1_604, 227_296], [95, 1, 50, 2], [95, 50], [98_672, 24_107]),
    ("1K+1C v 1K+1C", [661_200, 161_772, 14_122, 485_306], [103, 18, 102, 9], [103, 102], [138_568, 59_544]),
    ("0K+2C v 2K+0C", [164_430, 21_749, 67_301, 75_380], [59, 71, 92, 7], [55, 92], [24_141, 29_253]),
    ("2K+0C v 0K+2C", [164_430, 119_274, 141, 45_015], [89, 12, 58, 4], [89, 58], [45_604, 7_790]),
    ("0K+2C v 1K+1C", [288_144, 43_456, 50_783, 193_905], [103, 6, 108, 4], [103, 108], [45_012, 34_148]),
    ("1K+1C v 0K+2C", [288_144, 141_596, 1_048, 145_500], [107, 12, 102, 3], [107, 102], [64_148, 15_012]),
    ("0K+2C v 0K+2C", [125_664, 26_945, 3_088, 95_631], [109, 16, 108, 12], [109, 108], [20_871, 7_205]),
];

/// Figures of the positions in which one side has the move.
#[derive(Default)]
struct Figures {
    results: [u64; 4],
    longest: [BTreeMap<u16, u64>; 2],
    quiet: [u16; 2],
    captures: [u64; 2],
}

/// The values of a position's slice, as the tests of published figures ask for them.
pub trait Values {
    /// The value of one position.
    fn of(&self, position: &CheckersPosition) -> i8;
}

/// All values of some slices in memory.
struct Solved(Vec<Vec<i8>>);

impl Values for Solved {
    fn of(&self, position: &CheckersPosition) -> i8 {
        self.0[CHECKERS.slice_of(position).0 as usize][CHECKERS.rank(position) as usize]
    }
}

/// Finished databases.
struct Files(TableSet);

impl Values for Files {
    fn of(&self, position: &CheckersPosition) -> i8 {
        self.0.probe(CHECKERS.slice_of(position).0, CHECKERS.rank(position)).unwrap()
    }
}

/// The figures of each side to move in a slice, by its material.
fn figures(slice: SliceId, values: &[i8]) -> Vec<(String, Figures)> {
    let of_part = |part: Part| {
        let mut figures = Figures::default();
        for index in part.range {
            let position = CHECKERS.unrank(slice, index).unwrap();
            figures.add(&position, values[index as usize]);
        }
        (part.name, figures)
    };
    CHECKERS.parts(slice).into_iter().map(of_part).collect()
}

#[test]
fn values_of_up_to_four_pieces() {
    let game = GAMES.game("checkers", &Options::new()).unwrap();
    let last = last(4);
    let values = solved_any(&game, Metric::Dtw, None, last);
    let slices = (1..=last.0).map(SliceId);
    let found: BTreeMap<String, Figures> =
        slices.flat_map(|slice| figures(slice, &values[slice.0 as usize])).collect();
    assert_eq!(found.len(), ROWS.len());
    for (name, results, longest, quiet, captures) in ROWS {
        let figures = &found[name];
        assert_eq!(figures.results, results, "{name}");
        let of = |side: usize| {
            let (plies, count) = figures.longest[side].last_key_value()?;
            Some([i64::from(*plies), *count as i64])
        };
        let none = [-1, 0];
        let [win, loss] = [of(0).unwrap_or(none), of(1).unwrap_or(none)];
        assert_eq!([win, loss].concat(), longest, "{name}");
        assert_eq!(figures.quietly(), quiet, "{name}");
        assert_eq!(figures.captures, captures, "{name}");
    }
    let quiet = found.iter().map(|(name, figures)| (name.as_str(), figures.quietly()));
    assert_eq!(table_is_as_printed(&quiet.collect()), 24);
    let values = Solved(values);
    printed_example_is_shorter(&values);
    lines_are_perfect(&values, 4);
}

/// Values do not depend on the slicing: every position has the same in slices by leading ranks.
fn both_slicings_agree(pieces: u32, metric: Metric) {
    let mut options = Options::new();
    let plain = GAMES.game("checkers", &options).unwrap();
    options.set("leading-ranks", "yes");
    let led = GAMES.game("checkers", &options).unwrap();
    let slices = Checkers::BY_LEADING_RANKS.select(&pieces.to_string()).unwrap();
    let led_last = slices.into_iter().max().unwrap();
    let plain = solved_any(&plain, metric, None, last(pieces));
    let led = solved_any(&led, metric, None, led_last);
    let mut positions = 0;
    for (slice, values) in led.iter().enumerate() {
        for (index, value) in values.iter().enumerate() {
            let at =
                Checkers::BY_LEADING_RANKS.unrank(SliceId(slice as u32), index as u64).unwrap();
            let expected = plain[CHECKERS.slice_of(&at).0 as usize][CHECKERS.rank(&at) as usize];
            assert_eq!(*value, expected, "{metric} of {at:?}");
            positions += 1;
        }
    }
    assert_eq!(positions, plain.iter().map(Vec::len).sum::<usize>());
}

#[test]
fn slices_by_leading_ranks_have_the_same_values() {
    both_slicings_agree(2, Metric::Dtw);
    // A foremost man's step leaves the slice, and is no conversion.
    both_slicings_agree(3, Metric::Dtc);
    let report = law::check(
        &Checkers::BY_LEADING_RANKS,
        Checkers::BY_LEADING_RANKS.select("2").unwrap(),
        u64::MAX,
    );
    let report = report.unwrap();
    assert!(report.exhaustive);
    assert_eq!(report.positions, 3_488 + 1);
    // Pieces alone are all slices with them.
    assert_eq!(Checkers::BY_LEADING_RANKS.select("2110").unwrap().len(), 7);
    // What is below these is checked, too.
    let larger = ["2110r70", "1111r35", "0022r31"];
    let larger = larger.map(|name| Checkers::BY_LEADING_RANKS.slice_named(name).unwrap());
    law::check(&Checkers::BY_LEADING_RANKS, larger, 20).unwrap();
}

#[test]
#[ignore = "takes a minute; scripts/test-long runs it"]
fn slices_by_leading_ranks_with_four_pieces() {
    for metric in [Metric::Wdl, Metric::Dtw, Metric::Dtc] {
        both_slicings_agree(4, metric);
    }
}

/// The same tables with five and six pieces, from databases in the directory that `CHECKERS` names; the
/// sums of wins, losses and draws are those of a program that shares no code with this one.
#[test]
#[ignore = "needs databases that take half an hour; scripts/test-long builds them"]
fn values_of_five_and_six_pieces() {
    let dir = std::env::var("CHECKERS").expect("CHECKERS names a directory with databases");
    let game = GAMES.game("checkers", &Options::new()).unwrap();
    let disk: Arc<dyn Storage> = Arc::new(Disk { map: false });
    let set = open_metric(&game, Some(Metric::Dtw), disk, Path::new(&dir), 1 << 20);
    let found = Mutex::new(BTreeMap::new());
    let next = AtomicU32::new(1);
    let one_after_another = || {
        loop {
            let slice = SliceId(next.fetch_add(1, Relaxed));
            if slice > last(6) {
                return;
            }
            let mut values = vec![0; CHECKERS.slice_len(slice) as usize];
            set.get(slice.0).unwrap().read(0, &mut values).unwrap();
            found.lock().unwrap().extend(figures(slice, &values));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(one_after_another);
        one_after_another();
    });
    let found = found.into_inner().unwrap();
    let quiet = found.iter().map(|(name, figures)| (name.as_str(), figures.quietly()));
    assert_eq!(table_is_as_printed(&quiet.collect()), 78);
    lines_are_perfect(&Files(set), 6);
    let sums = |more: u32, fewer: u32| {
        let mut sums = [0; 4];
        for (name, figures) in &found {
            let digits: Vec<u32> = name.chars().filter_map(|c| c.to_digit(10)).collect();
            let both = [digits[0] + digits[1], digits[2] + digits[3]];
            if both == [more, fewer] || both == [fewer, more] {
                sums.iter_mut().zip(figures.results).for_each(|(sum, count)| *sum += count);
            }
        }
        sums
    };
    assert_eq!(sums(3, 2), [93_041_488, 48_113_510, 33_859_488, 11_068_490]);
    assert_eq!(sums(4, 1), [46_409_320, 23_221_262, 23_133_656, 54_402]);
    assert_eq!(sums(3, 3), [783_806_128, 327_808_875, 60_957_234, 395_040_019]);
    assert_eq!(sums(4, 2), [1_174_279_692, 592_952_814, 553_903_506, 27_423_372]);
    let longest = |side: usize| {
        found.values().filter_map(|figures| Some(*figures.longest[side].last_key_value()?.0)).max()
    };
    assert_eq!([longest(0), longest(1)], [Some(167), Some(166)]);
}

impl Figures {
    /// The longest win and loss where the side to move captures nothing; -1 for none.
    fn quietly(&self) -> [i64; 2] {
        self.quiet.map(|plies| i64::from(plies) - 1)
    }

    fn add(&mut self, position: &CheckersPosition, value: i8) {
        let captures = position.can_capture();
        self.captures[0] += u64::from(captures);
        self.captures[1] += u64::from(!captures && position.turned().can_capture());
        self.results[0] += 1;
        let Some(distance) = Metric::Dtw.distance(value.into()) else {
            self.results[3] += 1;
            return;
        };
        let side = usize::from(!distance.wins);
        self.results[1 + side] += 1;
        *self.longest[side].entry(distance.plies()).or_default() += 1;
        if !captures {
            // One more, so that 0 stands for none.
            self.quiet[side] = self.quiet[side].max(distance.plies() + 1);
        }
    }
}

#[test]
fn positions_are_read_back_and_errors_explained() {
    for text in
        ["B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12", "W:WK1,30:BK32"]
    {
        assert_eq!(CHECKERS.format(&CHECKERS.parse(text).unwrap()), text);
    }
    for (text, why) in [
        ("", "like B:W21"),
        ("X:W1:B2", "B or W is to move"),
        ("B:W40:B2", "squares are 1 to 32"),
        ("B:W9:B9", "two pieces on square 9"),
        ("B:W2:B9", "White's man on 2 would be a king"),
        ("B:W9:B30", "Black's man on 30 would be a king"),
        ("B:W9:W10", "listed once"),
        ("B:W:B9", "has no pieces"),
        ("B:W9,10,11,12,13,14,15,16,17,18,19,20,21:B1", "more than 12 pieces"),
    ] {
        let said = CHECKERS.parse(text).unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn captures_are_compulsory_and_go_on() {
    let situation = CHECKERS.parse("B:W15,23,30:B10,12").unwrap();
    let mut moves = Vec::new();
    CHECKERS.moves(&situation.position, &mut moves);
    let names = moves
        .iter()
        .map(|mv| CHECKERS.format_move(&situation, mv, &CHECKERS.play(&situation.position, mv)));
    assert_eq!(names.collect::<Vec<_>>(), ["10x26"]);
    assert!(find_move(&CHECKERS, &situation, "12-16").is_err());
}
