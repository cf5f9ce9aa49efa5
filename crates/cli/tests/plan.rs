//! `nutcracker plan`.

use insta::assert_snapshot;

use crate::harness::Place;

/// Numbers as `#`, and blanks and rules between columns as one: what stays is the shape.
fn shape(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut words: Vec<String> = Vec::new();
        let mut more = false;
        for word in line.split_whitespace() {
            let number = word.trim_end_matches([',', '.', ';', ':', '%']);
            let tail = &word[number.len()..];
            let is_number =
                number.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit());
            let is_unit = ["B", "KiB", "MiB", "GiB", "TiB", "s", "min", "h", "d"].contains(&number);
            match words.last_mut() {
                // One mark for `3.1 MiB`, and for `2 h 5 min`.
                Some(last) if last == "#" && is_unit => {
                    more = !more && ["min", "h", "d"].contains(&number);
                    *last += tail;
                }
                Some(last) if more && is_number => *last += tail,
                _ if is_number => words.push(format!("#{tail}")),
                _ if word.len() > 1 && word.chars().all(|c| c == '-') => {
                    words.push("---".to_owned());
                }
                _ => words.push(word.to_owned()),
            }
        }
        lines.push(words.join(" "));
    }
    lines.join("\n")
}

const QUICK: [&str; 4] = ["--calibration-positions", "20000", "--threads", "2"];

#[test]
fn for_people() {
    let place = Place::new();
    let args = ["plan", "awari", "--stones", "20", "--memory", "64MiB", "--disk", "100MiB"];
    let run = place.run(&[&args[..], &QUICK].concat()).success();
    // Which solver is the fastest depends on the processor.
    let text = ["rows", "memory", "two-bit", "dual-index"]
        .iter()
        .fold(shape(&run.stdout), |text, solver| {
            text.replace(&format!("# # {solver} #"), "# # solver #")
        });
    // What takes less than a second depends on it, too.
    let text = text.replace("less than #", "about #");
    let (before, rates) = text.split_once("for captures, file and check; ").expect("rates");
    let (rates, after) = rates.split_once("\nAssumed").expect("assumptions");
    assert!(rates.starts_with("whole states in memory #"), "{rates}");
    let text = format!("{before}for captures, file and check; rates\nAssumed{after}");
    assert_snapshot!("plan_for_people", text);
    assert!(!place.awari().exists(), "nothing is made");
    // The start position's slice, with a window: no game of 48 stones has 47 left.
    let args = ["plan", "awari", "--game-stones", "48", "--memory", "32GiB", "--disk", "2TB"];
    let text = place.run(&[&args[..], &QUICK].concat()).success().stdout;
    assert!(text.contains("\n    46  ") && text.contains("\n    48  "), "{text}");
    assert!(!text.contains("\n    47  "), "{text}");
}

#[test]
fn for_programs() {
    let place = Place::new();
    let args = ["plan", "awari", "--stones=48", "--memory=32GiB", "--disk=2TB", "--format=json"];
    let json = place.run(&[&args[..], &QUICK].concat()).json();
    let slices = json["slices"].as_array().expect("slices");
    assert_eq!(slices.len(), 49);
    assert_eq!(json["total"]["positions"], 1_399_358_844_975_u64);
    let sum: u64 = slices.iter().map(|slice| slice["disk"].as_u64().expect("bytes")).sum();
    assert_eq!(json["total"]["disk"], sum);
    assert!(json["total"]["peak_disk"].as_u64().expect("bytes") > sum);
    assert!(json["total"]["seconds"].as_f64().expect("seconds") > 1000.0);
    assert_eq!(slices[8]["solver"], "memory");
    assert_eq!(slices[8]["work_disk"], 0);
    // 280 thousand million bits are more than the memory.
    assert!(slices[48]["solver"] == "rows" || slices[48]["solver"] == "dual-index");
    assert!(slices[48]["work_disk"].as_u64().expect("bytes") > 0);
    for slice in slices {
        assert!(slice["fits_memory"] == true, "{slice}");
        assert!(slice["memory"].as_u64().expect("bytes") <= 32 << 30, "{slice}");
    }
    let kalah = ["plan", "kalah", "--pits", "3", "--seeds", "2", "--format", "json"];
    let json = place.run(&[&kalah[..], &QUICK].concat()).json();
    assert_eq!(json["slices"][12]["seeds"], 12);
}

#[test]
fn refusals() {
    let place = Place::new();
    let refused = [
        place.run(&["plan", "awari", "--stones", "49"]).usage_error(),
        place.run(&["plan", "awari", "--window", "2", "--game-stones", "9"]).usage_error(),
        place.run(&["plan", "awari", "--disk", "much"]).usage_error(),
    ];
    assert_snapshot!("plan_refusals", refused.concat());
}

/// Rates are shown of solvers that the plan uses: others are not measured.
#[test]
fn rates_are_those_of_the_plan() {
    let place = Place::new();
    let args = ["plan", "awari", "--reachable", "--stones", "12"];
    let text = place.run(&[&args[..], &QUICK].concat()).success().stdout;
    assert!(text.contains("nanoseconds a position: ") && !text.contains("by rows"), "{text}");
    let plan = place.run(&[&args[..], &QUICK, &["--format", "json"]].concat()).json();
    let measured = plan["measured"]["nanoseconds"]["fixpoint"].as_object().expect("rates");
    assert!(measured.contains_key("memory") && !measured.contains_key("rows"), "{plan}");
}

/// A check that does not fit the memory runs in pieces, and takes its time.
#[test]
fn checks_in_pieces_take_longer() {
    let place = Place::new();
    let args = ["plan", "awari", "--stones", "16", "--format", "json"];
    let verify = |memory: &str| {
        let plan = place.run(&[&args[..], &QUICK, &["--memory", memory]].concat()).json();
        let last = plan["slices"].as_array().and_then(|slices| slices.last()).expect("slices");
        last["phases"]["verify"].as_f64().expect("seconds")
    };
    assert!(verify("30MiB") > 2.0 * verify("500MiB"));
}

/// Games whose databases hold two bounds are measured with their own solvers.
#[test]
fn bounds_are_planned() {
    let place = Place::new();
    let args = ["plan", "oware", "--up-to", "14", "--format", "json"];
    let plan = place.run(&[&args[..], &QUICK].concat()).json();
    assert!(plan["measured"]["nanoseconds"]["verify"].as_f64() > Some(0.0), "{plan}");
    assert!(plan["total"]["seconds"].as_f64() > Some(0.5), "{plan}");
}

/// Rates of a slice of two positions mean nothing: they made days of minutes.
#[test]
fn a_game_without_small_slices_is_planned_by_the_usual_rates() {
    let place = Place::new();
    let args = ["plan", "dobutsu", "--threads", "2"];
    let text = place.run(&args).success().stdout;
    assert!(text.contains("\nAssumed, as no slice is small enough to measure with"), "{text}");
    let plan = place.run(&[&args[..], &["--format", "json"]].concat()).json();
    let seconds = plan["total"]["seconds"].as_f64().expect("seconds");
    assert!((10.0..3600.0).contains(&seconds), "{seconds}");
}

/// With so few positions nothing is measured, and the usual rates make every number the same.
const USUAL: [&str; 4] = ["--calibration-positions", "1000", "--threads", "2"];

#[test]
fn several_machines() {
    let place = Place::new();
    let args = ["plan", "awari", "--stones", "48", "--hosts", "8", "--memory", "64GiB"];
    let args = [&args[..], &["--network", "10Gb", "--disk", "2TB"], &USUAL].concat();
    let text = place.run(&args).success().stdout;
    assert!(!place.awari().exists(), "nothing is made");
    let json = place.run(&[&args[..], &["--format", "json"]].concat()).json();
    let slices = json["slices"].as_array().expect("slices");
    assert_eq!((slices.len(), &json["hosts"]), (49, &8.into()));
    let number = |slice: &serde_json::Value, name: &str| slice[name].as_u64().expect("a number");
    for slice in slices {
        assert!(number(slice, "memory").max(number(slice, "memory_of_others")) <= 64 << 30);
        let together = number(slice, "machines") == 8;
        assert_eq!(together, number(slice, "memory_of_others") > 0, "{slice}");
        assert!(!together || number(slice, "wire") >= number(slice, "positions"), "{slice}");
    }
    assert!(slices[..8].iter().all(|slice| slice["machines"] == 1), "small ones are not worth it");
    assert!(slices[30..40].iter().all(|slice| slice["machines"] == 8));
    // 280 thousand million positions: neither two bits of each nor an eighth of the states fit.
    assert!(number(&slices[48], "memory_to_share") > 64 << 30);
    assert_eq!(slices[48]["machines"], 1);
    let wire: u64 = slices.iter().map(|slice| number(slice, "wire")).sum();
    assert_eq!(json["total"]["wire"], wire);
    // A processor without the instruction of rows has another plan.
    if slices[48]["solver"] == "rows" {
        assert_snapshot!("plan_for_hosts", text);
    }
    // One machine is planned as without --hosts.
    let one = ["plan", "awari", "--stones", "20", "--hosts", "1", "--format", "json"];
    let one = place.run(&[&one[..], &USUAL].concat()).json();
    assert!(one["total"]["wire"] == 0 && one["slices"][20]["machines"] == 1, "{one}");
    for (wrong, said) in [
        (&["--hosts", "0"][..], "1..=4096"),
        (&["--hosts", "8", "--network", "fast"], "such as 1Gb or 10Gb"),
    ] {
        let refused = place.run(&[&["plan", "awari"], wrong].concat()).usage_error();
        assert!(refused.contains(said), "{refused}");
    }
}
