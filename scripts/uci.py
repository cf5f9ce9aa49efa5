"""Plays our engine through python-chess, which refuses what is not UCI: see scripts/uci."""

import random
import sys

import chess
import chess.engine

# Endings that the side to move wins.
ENDINGS = [
    "8/8/8/8/8/4k3/8/R3K3 w - - 0 1",
    "8/8/8/3k4/8/8/8/QK6 w - - 0 1",
    "8/8/8/8/8/k7/7P/K7 w - - 0 1",
    "8/8/8/8/4k3/8/r7/7K b - - 0 1",
]


def play(engine, fen, chance):
    """The winner's moves until the end."""
    board, moves = chess.Board(fen), 0
    winner = board.turn
    while not board.is_game_over(claim_draw=True):
        if board.turn != winner:
            board.push(chance.choice(list(board.legal_moves)))
            continue
        found = engine.play(board, chess.engine.Limit(time=0.2), info=chess.engine.INFO_ALL)
        score = found.info.get("score")
        if score is not None:
            assert score.pov(winner).score() == 20_000, f"{fen}: {score} of a win"
        board.push(found.move)
        moves += 1
    assert board.is_checkmate() and board.turn != winner, f"{fen}: {board.result(claim_draw=True)}"
    return moves


def main():
    program, data = sys.argv[1:]
    chance = random.Random(18)
    with chess.engine.SimpleEngine.popen_uci([program, "engine", "chess", "--data", data]) as engine:
        assert engine.id["name"].startswith("Nutcracker"), engine.id
        for fen in ENDINGS:
            print(f"{fen}: mate in {play(engine, fen, chance)} moves")
        # Where no database reaches, a legal move.
        found = engine.play(chess.Board(), chess.engine.Limit(depth=2))
        assert found.move in chess.Board().legal_moves
        # Castling and promotion are written by their squares.
        for fen, name in [
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
            ("8/P7/8/8/8/8/k7/2K5 w - - 0 1", "a7a8r"),
        ]:
            only = [chess.Move.from_uci(name)]
            found = engine.play(chess.Board(fen), chess.engine.Limit(depth=2), root_moves=only)
            assert found.move == only[0], found.move


main()
