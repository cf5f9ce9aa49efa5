"""Compares values of chess databases with Syzygy tables, in random positions of every class."""

import json
import subprocess
import sys
from pathlib import Path

import chess
import chess.syzygy

program, data, tables, count = sys.argv[1:]


def slice_name(table):
    """KQvKR is kqkr with us, whichever side comes first."""
    return table.stem.replace("v", "").lower()


def known_slices():
    """The names of our classes, for there are two ways to write some."""
    games = [program, "stats", "chess", "--up-to", "4", "--metric", "wdl", "--data", data]
    answer = subprocess.run([*games, "--format", "json"], check=True, capture_output=True)
    return {part["slice"] for part in json.loads(answer.stdout)["slices"]}


def samples(name, metric):
    """Random positions of a class, the same for every metric, with their values."""
    command = [program, "sample", "chess", "--slice", name, "--count", count, "--metric", metric]
    answer = subprocess.run(
        [*command, "--data", data, "--format", "json"], check=True, capture_output=True
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


def winners_moves(plies):
    """The winner's moves among these plies, which the winner begins if they are positive."""
    return (plies + 1) // 2 if plies > 0 else -plies // 2


def compare(name, reference):
    """The number of positions compared, and of distances that differ by a ply that was rounded."""
    columns = [samples(name, metric) for metric in ("wdl", "dtz", "dtz50")]
    rounded = 0
    for result, *distances in zip(*columns):
        board = chess.Board(result["position"] + " 0 1")
        wdl, plies = reference.probe_wdl(board), reference.probe_dtz(board)
        found = result["value"]["points"]
        assert wdl in (-2, 0, 2) and wdl == 2 * found, f"{board.fen()}: {found}, Syzygy has {wdl}"
        for answer in distances:
            value = answer["value"]
            assert value["points"] == found, f"{board.fen()}: {value}"
            if found == 0:
                continue
            moves = value["distance"]["moves"]
            expected = winners_moves(plies)
            # Where the clock never decides, tables may hold n for a zeroing move in n + 1 plies.
            later = winners_moves(plies + (1 if plies > 0 else -1))
            assert moves in (expected, later), f"{board.fen()}: {moves}, Syzygy has {plies}"
            rounded += moves != expected
    return len(columns[0]), rounded


def main():
    slices = known_slices()
    compared, distances, classes = 0, 0, 0
    with chess.syzygy.open_tablebase(tables) as reference:
        for table in sorted(Path(tables).glob("*.rtbw")):
            name = slice_name(table)
            if name not in slices:
                first, second = table.stem.split("v")
                name = (second + first).lower()
            positions, rounded = compare(name, reference)
            compared, distances, classes = compared + positions, distances + rounded, classes + 1
    print(f"{classes} classes, {compared} positions: the results of Syzygy, and its distances;")
    print(f"{distances} of these differ by a ply that its tables may round")


main()
