//! `--help` of every command.

use crate::harness::Place;

/// The subcommands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    let list = help.split_once("\nCommands:\n").map_or("", |(_, list)| list);
    list.lines()
        .take_while(|line| !line.is_empty())
        // What does not fit a line goes on in the next, further to the right.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn help_is_a_word_too() {
    let place = Place::new();
    for command in ["book", "experiment", "token"] {
        let help = place.run(&[command, "--help"]).success().stdout;
        for rest in [&["help"][..], &["help", "--help"]] {
            assert_eq!(place.run(&[&[command], rest].concat()).success().stdout, help);
        }
    }
    let help = place.run(&["book", "show", "--help"]).success().stdout;
    assert_eq!(place.run(&["book", "help", "show"]).success().stdout, help);
}

#[test]
fn every_command_has_an_example() {
    let place = Place::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let help = place.run(&args).success().stdout;
        let example = help.split_once("Example").map(|(_, example)| example);
        let call = format!("nutcracker {}", path.join(" "));
        assert!(example.is_some_and(|example| example.contains(call.trim())), "{path:?}\n{help}");
        seen += 1;
        open.extend(commands(&help).into_iter().map(|name| {
            let mut longer = path.clone();
            longer.push(name);
            longer
        }));
    }
    assert!(seen > 30, "only {seen} commands were found");
}
