//! docs/games.md: its code is that of the files it names, and its commands print what it says.

use std::fs;
use std::path::Path;

use crate::harness::Place;

/// The worked example, of which the document has every line.
const EXAMPLE: &str = "crates/games/src/fox_and_hounds.rs";

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The code blocks of the document in this language: what follows it in the fence, and the text.
fn blocks(language: &str) -> Vec<(String, String)> {
    let document = file("docs/games.md");
    let mut blocks = Vec::new();
    for fenced in document.split("\n```").skip(1).step_by(2) {
        let (fence, text) = fenced.split_once('\n').expect("a block");
        if let Some(rest) = fence.strip_prefix(language) {
            blocks.push((rest.trim().to_owned(), text.to_owned()));
        }
    }
    blocks
}

#[test]
fn its_code_is_that_of_the_files() {
    let mut example = String::new();
    let blocks = blocks("rust");
    assert!(blocks.len() > 10, "only {} blocks were found", blocks.len());
    for (path, text) in blocks {
        assert!(file(&path).contains(&text), "{path} does not have these lines:\n{text}");
        if path == EXAMPLE {
            example += &text;
            example += "\n\n";
        }
    }
    let lines = |text: &str| text.lines().filter(|line| !line.is_empty()).count();
    assert_eq!(lines(&example), lines(&file(EXAMPLE)), "docs/games.md lacks lines of {EXAMPLE}");
}

/// Whether a text has these lines in their order, any number of others where they have `…`.
fn matches(text: &[&str], pattern: &[&str]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ["…", rest @ ..] => (0..=text.len()).any(|skipped| matches(&text[skipped..], rest)),
        [line, rest @ ..] => text.first() == Some(line) && matches(&text[1..], rest),
    }
}

#[cfg(unix)]
#[test]
fn its_commands_print_what_it_says() {
    use std::process::Command;

    let place = Place::in_memory();
    let bin = place.path().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(crate::harness::PROGRAM, bin.join("nutcracker")).unwrap();
    let path = std::env::join_paths([bin, "/usr/bin".into(), "/bin".into()]).unwrap();
    for (name, text) in blocks("toml") {
        fs::write(place.path().join(name), text).unwrap();
    }
    let mut commands = 0;
    for (_, block) in blocks("console") {
        for command in block.split("$ ").skip(1) {
            let mut lines = command.lines();
            let command = lines.next().expect("a command");
            let mut shell = Command::new("sh");
            shell
                .args(["-c", command])
                .current_dir(place.path())
                .env("PATH", &path)
                .env("NUTCRACKER_DATA", place.path());
            let run = place.read(shell.output().expect("a shell")).success();
            let printed: Vec<&str> = run.stdout.lines().collect();
            let expected: Vec<&str> = lines.collect();
            assert!(matches(&printed, &expected), "{command} prints\n{}", run.stdout);
            commands += 1;
        }
    }
    assert_eq!(commands, 8);
}
