//! Numbers of positions, against published counts.

use super::super::material::{LARGEST, MOST, Slices};
use super::*;

#[test]
fn numbers_are_those_of_positions() {
    for (led, steps) in [(false, 1000), (true, 40)] {
        let slices = Slices::get(led);
        for pieces in 2..=LARGEST {
            for id in slices.with_pieces(pieces) {
                let slice = slices.slice(id).unwrap();
                for (second, layout) in slice.layouts.iter().enumerate() {
                    let step = (layout.len() / steps).max(1) as usize;
                    for number in (0..layout.len()).step_by(step).chain([layout.len() - 1]) {
                        let position = layout.unrank(number);
                        assert_eq!(layout.rank(&position), number, "{slice:?} {position:?}");
                        assert_eq!(slices.of(&position), (id, second == 1), "{position:?}");
                    }
                }
            }
        }
    }
}

/// The lengths of slices by leading ranks are the counts that table 2 is checked with.
#[test]
fn lengths_by_leading_ranks() {
    let slices = Slices::get(true);
    let mut all = 0;
    for slice in (2..=LARGEST).flat_map(|pieces| slices.with_pieces(pieces)) {
        let slice = slices.slice(slice).unwrap();
        for (sides, layout) in slice.orders().zip(&slice.layouts) {
            let count = led(sides.map(|side| side.force), sides.map(|side| side.lead.into()));
            assert_eq!(u128::from(layout.len()), count, "{sides:?}");
            all += layout.len();
        }
    }
    let plain = Slices::get(false);
    let of_pieces = (2..=LARGEST).flat_map(|pieces| plain.with_pieces(pieces));
    let layouts = of_pieces.flat_map(|slice| &plain.slice(slice).unwrap().layouts);
    assert_eq!(all, layouts.map(Layout::len).sum::<u64>());
}

/// Pieces without leaders.
fn plain(forces: [Force; 2]) -> Layout {
    Layout::new(forces.map(|force| Side { force, lead: 0 }))
}

/// Positions with given pieces, Black to move; more than 64 bits may be needed beyond ten pieces.
fn positions(forces: [Force; 2]) -> u128 {
    let layout = plain(forces);
    let factors = [layout.starts[layout.starts.len() - 1], layout.kings[0], layout.kings[1]];
    factors.into_iter().map(u128::from).product()
}

/// The pieces of a side, in every mixture of kings and men.
fn forces(pieces: u8) -> impl Iterator<Item = Force> {
    (0..=pieces).map(move |kings| Force { kings, men: pieces - kings })
}

/// Positions in which one side has `more` pieces and the other `fewer`, one side to move.
fn split(more: u8, fewer: u8) -> u128 {
    let of_black = |black, white| -> u128 {
        forces(black).flat_map(|own| forces(white).map(move |other| positions([own, other]))).sum()
    };
    of_black(more, fewer) + if more == fewer { 0 } else { of_black(fewer, more) }
}

/// Published: J. Schaeffer et al. (2003), table 4. Those in which one side has no pieces are in it.
#[test]
fn positions_by_pieces_of_both_sides() {
    #[rustfmt::skip]
    let published: [&[u128]; 9] = [
        &[120],
        &[3_484, 3_488],
        &[65_192, 196_032],
        &[883_458, 3_546_384, 2_662_932],
        &[9_237_424, 46_409_320, 93_041_488],
        &[77_526_288, 467_999_856, 1_174_279_692, 783_806_128],
        &[536_417_856, 3_782_903_904, 11_404_950_960, 19_055_258_760],
        &[3_118_957_920, 25_172_147_520, 88_657_111_920, 177_982_456_720, 111_378_534_401],
        &[15_455_930_880, 140_531_639_040, 566_442_589_440, 1_328_448_083_840, 1_997_749_399_776],
    ];
    for (pieces, splits) in (1..).zip(published) {
        for (fewer, &published) in (0..).zip(splits) {
            assert_eq!(split(pieces - fewer, fewer), published, "{} v {fewer}", pieces - fewer);
        }
    }
    assert_eq!(split(10, 0), 65_975_569_920);
    assert_eq!(split(5, 5), 8_586_481_972_128);
    // What has databases here.
    let slices = Slices::get(false);
    for pieces in 2..=LARGEST as u8 {
        let of_slices = slices.with_pieces(pieces.into()).into_iter();
        let layouts = of_slices.flat_map(|slice| &slices.slice(slice).unwrap().layouts);
        let both: u128 = (1..=pieces / 2).map(|fewer| split(pieces - fewer, fewer)).sum();
        assert_eq!(layouts.map(|layout| u128::from(layout.len())).sum::<u128>(), both);
    }
}

/// Published: the same, table 5, with what it calls plausible. The rule behind those figures is
/// not quite the printed one: at most one piece and two kings of difference, and a limit of kings
/// from nine pieces on.
#[test]
fn positions_by_number_of_pieces() {
    #[rustfmt::skip]
    let published: [[u128; 2]; 24] = [
        [120, 120],
        [6_972, 3_488],
        [261_224, 196_032],
        [7_092_774, 2_662_932],
        [148_688_232, 89_972_128],
        [2_503_611_964, 759_865_120],
        [34_779_531_480, 17_681_009_520],
        [406_309_208_481, 103_706_534_351],
        [4_048_627_642_976, 1_551_749_730_336],
        [34_778_882_769_216, 5_862_356_551_488],
        [259_669_578_902_016, 21_456_015_775_392],
        [1_695_618_078_654_976, 46_262_266_685_096],
        [9_726_900_031_328_256, 22_268_142_277_920],
        [49_134_911_067_979_776, 29_879_692_089_280],
        [218_511_510_918_189_056, 802_158_318_720],
        [852_888_183_557_922_816, 723_777_011_100],
        [2_905_162_728_973_680_640, 2_169_968_941_008],
        [8_568_043_414_939_516_928, 1_527_822_346_512],
        [21_661_954_506_100_113_408, 3_587_090_153_856],
        [46_352_957_062_510_379_008, 1_959_596_777_424],
        [82_459_728_874_435_248_128, 3_564_284_669_088],
        [118_435_747_136_817_856_512, 1_489_690_180_992],
        [129_406_908_049_181_900_800, 2_057_391_420_240],
        [90_072_726_844_888_186_880, 641_335_986_590],
    ];
    let mut all = [0; 2];
    for (pieces, published) in (1..).zip(published) {
        let most_kings = match pieces {
            0..=8 => 24,
            9..=10 => 6,
            11..=12 => 4,
            13..=14 => 2,
            _ => 0,
        };
        let mut found = [0; 2];
        for own in (0..=pieces).filter(|&own: &u8| own.max(pieces - own) as usize <= MOST) {
            for [own, other] in forces(own)
                .flat_map(|own| forces(pieces - own.kings - own.men).map(move |other| [own, other]))
            {
                let count = positions([own, other]);
                let plausible = own.pieces().abs_diff(other.pieces()) <= 1
                    && own.kings.abs_diff(other.kings) <= 2
                    && own.kings + other.kings <= most_kings;
                found[0] += count;
                found[1] += if plausible { count } else { 0 };
            }
        }
        assert_eq!(found, published, "{pieces} pieces");
        all = [all[0] + found[0], all[1] + found[1]];
    }
    assert_eq!(all, [500_995_484_682_338_672_639, 145_925_579_158_733]);
}

/// The pieces that a name of four digits gives: kings of both sides, then men of both.
fn named(name: &str) -> [Force; 2] {
    let digits: Vec<u8> = name.bytes().map(|digit| digit - b'0').collect();
    [Force { kings: digits[0], men: digits[2] }, Force { kings: digits[1], men: digits[3] }]
}

/// Positions in which each side's foremost man has come as far as this rank, from 1 to 7; 0 without
/// men.
fn led([own, other]: [Force; 2], [rank, other_rank]: [u32; 2]) -> u128 {
    // The same with men that have come at most as far.
    let within = |rank: u32, other_rank: u32| -> u128 {
        let shared = (rank + other_rank).saturating_sub(8) * RANK;
        let (alone, others) = (rank * RANK - shared, other_rank * RANK);
        let ways = |in_shared: u8| {
            let Some(rest) = own.men.checked_sub(in_shared) else { return 0 };
            let free = others.saturating_sub(in_shared.into());
            let ways = binomial(alone, rest) * binomial(shared, in_shared);
            u128::from(ways) * u128::from(binomial(free, other.men))
        };
        (0..=own.men).map(ways).sum()
    };
    let less = |rank: u32| rank.checked_sub(1);
    let at = |rank: Option<u32>, other_rank: Option<u32>| match (rank, other_rank) {
        (Some(rank), Some(other_rank)) => within(rank, other_rank),
        _ => 0,
    };
    let men = within(rank, other_rank) + at(less(rank), less(other_rank))
        - at(less(rank), Some(other_rank))
        - at(Some(rank), less(other_rank));
    let layout = plain([own, other]);
    men * u128::from(layout.kings[0]) * u128::from(layout.kings[1])
}

/// The ranks that a side's foremost man can have.
fn ranks(force: Force) -> std::ops::RangeInclusive<u32> {
    if force.men == 0 { 0..=0 } else { u32::from(force.men).div_ceil(RANK)..=7 }
}

/// Published: the same, table 1, positions with five pieces a side, and into how many slices the
/// ranks of the foremost men divide them.
#[test]
fn five_against_five_by_leading_ranks() {
    #[rustfmt::skip]
    let published: [(&str, u128, usize); 21] = [
        ("5500", 16_257_084_480, 1), ("5401", 142_249_489_200, 7), ("5302", 247_789_432_800, 7),
        ("5203", 214_750_841_760, 7), ("5104", 92_565_018_000, 7), ("5005", 15_868_288_800, 6),
        ("4411", 311_375_610_000, 28), ("4312", 1_085_553_705_600, 49),
        ("4213", 941_518_468_800, 49), ("4114", 406_152_630_000, 49), ("4015", 69_686_136_000, 42),
        ("3322", 946_853_107_200, 28), ("3223", 1_643_753_217_600, 49),
        ("3124", 709_688_460_000, 49), ("3025", 121_877_184_000, 42), ("2233", 714_003_388_800, 28),
        ("2134", 617_101_500_000, 49), ("2035", 106_080_312_960, 42), ("1144", 133_467_390_552, 28),
        ("1045", 45_934_129_104, 42), ("0055", 3_956_576_472, 21),
    ];
    let mut slices = 0;
    for (name, published, number) in published {
        let [own, other] = named(name);
        let mirrored = own == other;
        let all = ranks(own).flat_map(|rank| ranks(other).map(move |other| [rank, other]));
        let all: Vec<[u32; 2]> = all.collect();
        let count: u128 = all.iter().map(|&ranks| led([own, other], ranks)).sum();
        assert_eq!(count, positions([own, other]), "{name}");
        assert_eq!(if mirrored { count } else { 2 * count }, published, "{name}");
        let distinct = all.iter().filter(|[rank, other]| !mirrored || rank >= other).count();
        assert_eq!(distinct, number, "{name}");
        slices += number;
    }
    assert_eq!(slices, 630);
}

/// Published: the same, table 2, all slices of five against five with more than 100,000,000,000
/// positions in both orders of play.
#[test]
fn largest_slices_by_leading_ranks() {
    let published = [
        ("3223", [7, 7], 85_515_674_400),
        ("2233", [7, 6], 73_228_209_600),
        ("3223", [6, 7], 71_823_866_400),
        ("3223", [7, 6], 59_656_240_800),
        ("3322", [7, 6], 58_741_300_800),
        ("3223", [5, 7], 58_132_058_400),
        ("2134", [7, 7], 56_491_266_000),
        ("2233", [7, 7], 104_558_625_600),
        ("3223", [6, 6], 50_304_477_600),
    ];
    for (name, ranks, published) in published {
        assert_eq!(led(named(name), ranks), published, "{name} {ranks:?}");
    }
}
