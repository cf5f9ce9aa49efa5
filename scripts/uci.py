"""Plays our engine against Stockfish through python-chess, which refuses what is not UCI: see
scripts/uci."""

import sys

import chess
import chess.engine

# Endings in the databases, and who wins them, if anyone.
ENDINGS = [
    ("8/8/8/8/8/4k3/8/R3K3 w - - 0 1", chess.WHITE),
    ("8/8/8/3k4/8/8/8/QK6 w - - 0 1", chess.WHITE),
    ("8/8/8/8/8/k7/7P/K7 w - - 0 1", chess.WHITE),
    ("8/8/8/8/4k3/8/r7/7K b - - 0 1", chess.BLACK),
    ("7k/4K3/8/8/8/8/8/2NB4 w - - 0 1", chess.WHITE),
    ("8/8/8/8/3k4/8/1r6/KQ6 w - - 0 1", chess.WHITE),
    # Rook against knight, which should hold.
    ("8/8/8/3nk3/8/8/8/R3K3 w - - 0 1", None),
    ("8/8/8/3k4/3p4/3K4/8/8 w - - 0 1", None),
]
TIME = chess.engine.Limit(time=0.1)


def play(ours, theirs, fen, us):
    """A game from a position: what we said of it before our moves, and how many those were."""
    board, told, moves = chess.Board(fen), [], 0
    while not board.is_game_over(claim_draw=True):
        if board.turn != us:
            board.push(theirs.play(board, TIME).move)
            continue
        found = ours.play(board, TIME, info=chess.engine.INFO_ALL)
        # A move without a choice is made at once, and says nothing.
        if "score" in found.info:
            told.append(found.info["score"].pov(us))
        moves += 1
        board.push(found.move)
    return board, told, moves


def judge(ours, theirs, fen, winner, us):
    """One game, in which we play perfectly."""
    board, told, moves = play(ours, theirs, fen, us)
    outcome = board.outcome(claim_draw=True)
    name = f"{fen}, we are {chess.COLOR_NAMES[us]}"
    mates = [score.mate() for score in told]
    if winner is None:
        assert outcome.winner != (not us), f"{name}: {outcome}"
        assert mates[0] is None and told[0].score() == 0, f"{name}: {told[0]} of a draw"
    elif us == winner:
        assert outcome.winner == us, f"{name}: {outcome}"
        assert all(later < sooner for sooner, later in zip(mates, mates[1:])), f"{name}: {mates}"
    else:
        # Stockfish may miss the win, but mates no sooner than it can.
        assert all(mate is None or mate <= 0 for mate in mates), f"{name}: {mates}"
        if outcome.winner == winner:
            assert moves >= -mates[0], f"{name}: mated after {moves} moves, {mates}"
    print(f"{name}: {outcome.result()} after {moves} moves of ours, first {told[0]}")


def main():
    program, data, stockfish = sys.argv[1:]
    command = [program, "engine", "chess", "--data", data]
    with (
        chess.engine.SimpleEngine.popen_uci(command) as ours,
        chess.engine.SimpleEngine.popen_uci(stockfish) as theirs,
    ):
        assert ours.id["name"].startswith("Nutcracker"), ours.id
        for fen, winner in ENDINGS:
            for us in chess.COLORS:
                judge(ours, theirs, fen, winner, us)
        # Where no database reaches, a legal move, and a guess.
        found = ours.play(chess.Board(), chess.engine.Limit(depth=2), info=chess.engine.INFO_ALL)
        assert found.move in chess.Board().legal_moves
        assert abs(found.info["score"].pov(chess.WHITE).score()) < 2000
        # Castling and promotion are written by their squares.
        for fen, name in [
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
            ("8/P7/8/8/8/8/k7/2K5 w - - 0 1", "a7a8r"),
        ]:
            only = [chess.Move.from_uci(name)]
            found = ours.play(chess.Board(fen), chess.engine.Limit(depth=2), root_moves=only)
            assert found.move == only[0], found.move


main()
