"""Compares our rules with those of OpenSpiel, which others wrote: legal moves, successors, results.

Random games are played by OpenSpiel. `nutcracker moves` is given every position on the way, and
must have the same legal moves, lead to the position that comes next, and give the same result at
the end. docs/rules.md says where OpenSpiel's rules differ, and what is done about it.
"""

import json
import random
import subprocess
import sys

import pyspiel

FILES = "abcdefgh"


def placed(state):
    """A board on which stones are placed in turn: the rows and who is to move."""
    rows = str(state).strip().replace("\n", "/")
    return rows + (" x" if rows.count("x") == rows.count("o") else " o")


class TicTacToe:
    """Squares are numbered from the top left, where ours has a1."""

    ours = ["tic-tac-toe"]
    theirs = "tic_tac_toe"

    def position(self, state):
        return placed(state)

    def move(self, state, action):
        return f"{FILES[action % 3]}{action // 3 + 1}"


class ConnectFour:
    ours = ["connect-four"]
    theirs = "connect_four"

    def position(self, state):
        return placed(state)

    def move(self, state, action):
        return FILES[action]


class SmallConnectFour(ConnectFour):
    ours = ["connect-four", "--columns", "4", "--rows", "4"]
    theirs = "connect_four(columns=4,rows=4)"


class Kalah:
    """Theirs has South's pits as 1 to 6, its store as 7, North's as 8 to 13 and its store as 0."""

    ours = ["kalah"]
    theirs = "mancala"

    def position(self, state):
        top, stores, bottom = str(state).split("\n")[:3]
        north, south = stores.strip("-").split("-")[0], stores.strip("-").split("-")[-1]
        pits = [row.strip("-").split("-") for row in (bottom, top)]
        pits[1].reverse()
        # At the end neither side is to move; which one we name does not change the result.
        mover = "SN"[max(state.current_player(), 0)]
        return f"{','.join(pits[0])}/{','.join(pits[1])} {mover} {south}-{north}"

    def move(self, state, action):
        return "ABCDEF"[action - 1] if action < 7 else "abcdef"[action - 8]

    def name(self, ours):
        # C4x1+ is pit C: four seeds, one banked, another turn.
        return ours[0]


class Othello:
    ours = ["othello"]
    theirs = "othello"

    def position(self, state):
        lines = str(state).split("\n")
        rows = []
        for line in lines[2:10]:
            row, empty = "", 0
            for square in line.split()[1:9]:
                if square == "-":
                    empty += 1
                    continue
                row += (str(empty) if empty else "") + square
                empty = 0
            rows.append(row + (str(empty) if empty else ""))
        mover = "xo"[max(state.current_player(), 0)]
        return "/".join(rows) + " " + mover

    def move(self, state, action):
        return "pass" if action == 64 else f"{FILES[action % 8]}{action // 8 + 1}"


class KingAndRook:
    """Chess from random positions with king and rook against king."""

    ours = ["krk"]
    theirs = "chess"
    # By the rule of fifty moves and by repetition, which are no part of our game.
    ends_early = True
    # Its player 0 is Black.
    first = 1

    def start(self, game, chance):
        while True:
            king, rook, black = chance.sample(range(64), 3)
            board = [["1"] * 8 for _ in range(8)]
            for square, piece in ((king, "K"), (rook, "R"), (black, "k")):
                board[7 - square // 8][square % 8] = piece
            mover = chance.choice("wb")
            fen = "/".join("".join(row) for row in board) + f" {mover} - - 0 1"
            near = abs(king % 8 - black % 8) <= 1 and abs(king // 8 - black // 8) <= 1
            if near or (mover == "w" and self.attacks(rook, black, king)):
                continue
            return game.new_initial_state(fen)

    @staticmethod
    def attacks(rook, target, king):
        for step, same in ((1, rook // 8 == target // 8), (8, rook % 8 == target % 8)):
            if same:
                between = range(min(rook, target) + step, max(rook, target), step)
                return king not in between
        return False

    def position(self, state):
        rows, mover = str(state).split()[:2]
        at = {}
        for y, row in enumerate(rows.split("/")):
            x = 0
            for piece in row:
                if piece.isdigit():
                    x += int(piece)
                else:
                    at[piece] = f"{FILES[x]}{8 - y}"
                    x += 1
        rook = f"R{at['R']}" if "R" in at else "-"
        return f"K{at['K']} {rook} k{at['k']} {mover}"

    def move(self, state, action):
        # Their names end with + or # for check and mate.
        return state.action_to_string(action).rstrip("+#")


class Chess:
    """Chess from the start."""

    ours = ["chess"]
    theirs = "chess"
    # By the rule of fifty moves, by repetition, and where too few men are left.
    ends_early = True
    # Its player 0 is Black.
    first = 1

    def position(self, state):
        board, mover, castling, passed = str(state).split()[:4]
        # It names the square behind every pawn that moved two squares; ours only where a pawn can
        # capture.
        if passed != "-":
            captures = any(self.passes(name, passed) for name in self.names(state))
            passed = passed if captures else "-"
        return f"{board} {mover} {castling} {passed}"

    @staticmethod
    def names(state):
        if state.is_terminal():
            return []
        return [state.action_to_string(action) for action in state.legal_actions()]

    @staticmethod
    def passes(name, passed):
        # A pawn's capture on a square where nothing stands.
        return name[0] in FILES and name[1:4] == f"x{passed}"

    def move(self, state, action):
        return state.action_to_string(action)


class FewMen(Chess):
    """Chess from random positions of up to six men, pawns among them."""

    def start(self, game, chance):
        while True:
            men = "Kk" + "".join(chance.choice("QRBNPPqrbnpp") for _ in range(chance.randint(1, 4)))
            board = [["1"] * 8 for _ in range(8)]
            for square, man in zip(chance.sample(range(64), len(men)), men):
                board[square // 8][square % 8] = man
            if any(man in "Pp" for row in (board[0], board[7]) for man in row):
                continue
            fen = "/".join("".join(row) for row in board) + f" {chance.choice('wb')} - - 0 1"
            if self.is_legal(fen):
                return game.new_initial_state(fen)

    @staticmethod
    def is_legal(fen):
        """Whether the side that is not to move is safe: no man of the mover attacks its king."""
        rows, mover = fen.split()[:2]
        at = {}
        for y, row in enumerate(rows.split("/")):
            for x, man in enumerate(row):
                if man != "1":
                    at[x, 7 - y] = man
        target = next(place for place, man in at.items() if man == ("k" if mover == "w" else "K"))
        lines = {"r": [(0, 1), (1, 0), (0, -1), (-1, 0)], "b": [(1, 1), (1, -1), (-1, 1), (-1, -1)]}
        lines["q"] = lines["r"] + lines["b"]
        for (x, y), man in at.items():
            if man.isupper() != (mover == "w"):
                continue
            dx, dy = target[0] - x, target[1] - y
            kind = man.lower()
            if kind == "p" and abs(dx) == 1 and dy == (1 if mover == "w" else -1):
                return False
            if kind == "n" and sorted((abs(dx), abs(dy))) == [1, 2]:
                return False
            if kind == "k" and max(abs(dx), abs(dy)) == 1:
                return False
            for sx, sy in lines.get(kind, []):
                place = (x + sx, y + sy)
                while 0 <= place[0] < 8 and 0 <= place[1] < 8:
                    if place == target:
                        return False
                    if place in at:
                        break
                    place = (place[0] + sx, place[1] + sy)
        return True


class Nim:
    """The subtraction game in which any number may be taken."""

    ours = ["subtraction", "--take", "1+2+3+4+5+6+7", "--piles", "3", "--largest", "7"]
    theirs = "nim(pile_sizes=7;7;7,is_misere=False)"

    def position(self, state):
        piles = str(state).split(": ")[1].strip().replace(" ", ",")
        return piles + (" second" if len(state.history()) % 2 else "")

    def move(self, state, action):
        pile, take = state.action_to_string(action).rstrip(";").split(", ")
        return "abc"[int(pile.removeprefix("pile:")) - 1] + take.removeprefix("take:")


class Awari:
    """Oware, as far as its rules are those of awari: positions with a grand slam are left out."""

    ours = ["awari"]
    theirs = "oware"
    # At 25 stones, and when a position is repeated; what is on the board is then captured.
    ends_early = True
    clears_board = True

    def board(self, state):
        """South's pits and then North's, and what South and North have captured."""
        lines = [line for line in str(state).split("\n") if line and not line.startswith("[")]
        north, south = ([int(pit) for pit in lines[row].split()] for row in (2, 3))
        captured = [lines[row].split("=")[1].split()[0] for row in (5, 0)]
        return south + north[::-1], *captured

    def position(self, state):
        pits, south, north = self.board(state)
        halves = [",".join(map(str, half)) for half in (pits[:6], pits[6:])]
        mover = "SN"[max(state.current_player(), 0)]
        return f"{'/'.join(halves)} {mover} {south}-{north}"

    def move(self, state, action):
        return ("ABCDEF", "abcdef")[state.current_player()][action % 6]

    def name(self, ours):
        return ours[0]

    def differs(self, state):
        """Whether a move would capture all of the opponent's stones."""
        mover, pits = state.current_player(), self.board(state)[0]
        theirs = range(6 - 6 * mover, 12 - 6 * mover)
        for pit in range(6 * mover, 6 * mover + 6):
            after, at, hand = pits[:], pit, pits[pit]
            after[pit] = 0
            while hand:
                at = (at + 1) % 12
                if at != pit:
                    after[at] += 1
                    hand -= 1
            if not pits[pit] or at not in theirs or after[at] not in (2, 3):
                continue
            while at in theirs and after[at] in (2, 3):
                after[at], at = 0, at - 1
            if not any(after[one] for one in theirs):
                return True
        return False


class Oware(Awari):
    """Theirs also ends where a side has more than 24 seeds, or both have 24, and gives each side
    its own row before it says that a game is over."""

    ours = ["oware"]

    def differs(self, state):
        return False

    def scores(self, state):
        return [int(captured) for captured in self.board(state)[1:]]

    def ends(self, position, answer, repeats, scores):
        """Whether a game that is over for them ends here with these scores by our rules: by the
        result, by a majority, or by a repetition."""
        if answer["result"]:
            return list(answer["result"].values()) == scores
        rows, _, banked = position.split()
        banked = [int(number) for number in banked.split("-")]
        if not repeats and max(banked) <= 24 and banked != [24, 24]:
            return False
        own = [sum(int(pit) for pit in row.split(",")) for row in rows.split("/")]
        return scores == [own[0] + banked[0], own[1] + banked[1]]


class Checkers:
    """Theirs begins with o at the bottom, which is our Black, with left and right exchanged; every
    jump is a move of its own, and it ends after forty moves without a capture."""

    ours = ["checkers"]
    theirs = "checkers"
    ends_early = True
    mover = 0

    @staticmethod
    def square(name):
        return 4 * (int(name[1]) - 1) + (7 - FILES.index(name[0])) // 2 + 1

    def position(self, state):
        # At the end neither side is to move, and the one that did not move last has lost.
        self.mover = 1 - self.mover if state.is_terminal() else state.current_player()
        pieces = {"o": [], "+": []}
        for line in str(state).split("\n")[:8]:
            for file, piece in zip(FILES, line[1:]):
                if piece != ".":
                    side = {"8": "o", "*": "+"}.get(piece, piece)
                    king = "K" if side != piece else ""
                    pieces[side].append((self.square(file + line[0]), king))
        black, white = (
            ",".join(f"{king}{square}" for square, king in sorted(pieces[side])) for side in "o+"
        )
        return f"{'BW'[self.mover]}:W{white}:B{black}"

    def moves(self, state):
        """Whole moves: the actions of each, by its first and last square."""
        found, self.ambiguous = {}, False

        def follow(state, actions, start):
            mover = state.current_player()
            for action in state.legal_actions():
                name = state.action_to_string(action)
                first = start or name[:2]
                jumps = abs(int(name[1]) - int(name[3])) == 2
                after = state.clone()
                after.apply_action(action)
                if jumps and not after.is_terminal() and after.current_player() == mover:
                    follow(after, [*actions, action], first)
                    continue
                text = f"{self.square(first)}{'x' if jumps else '-'}{self.square(name[2:4])}"
                self.ambiguous |= text in found
                found[text] = [*actions, action]

        follow(state, [], None)
        return found

    def name(self, ours):
        squares = ours.split("x")
        return ours if len(squares) < 2 else f"{squares[0]}x{squares[-1]}"

    def differs(self, state):
        return self.ambiguous


class Morris:
    """Points are numbered row by row from the top; what a mill takes is a move of its own, and a game
    ends after 200 moves."""

    ours = ["morris"]
    theirs = "nine_mens_morris"
    ends_early = True
    names = (
        "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1".split()
    )

    def position(self, state):
        lines = str(state).split("\n")
        stones = {"W": [], "B": []}
        for name in self.names:
            # Columns are two or three characters apart, rows two.
            column = [0, 2, 4, 7, 10, 12, 14][FILES.index(name[0])]
            stone = lines[2 * (7 - int(name[1]))][column]
            if stone in stones:
                stones[stone].append(name)
        mover = lines[14].split()[-1]
        hands = lines[16].split()[-2:]
        white, black = (",".join(sorted(stones[side])) for side in "WB")
        hand = "" if hands == ["0", "0"] else f":H{hands[0]},{hands[1]}"
        return f"{mover}:W{white}:B{black}{hand}"

    def moves(self, state):
        """Whole moves: the actions of each."""
        found = {}
        for action in state.legal_actions():
            if action < 24:
                name = self.names[action]
            else:
                name = "-".join(self.names[point] for point in divmod(action - 24, 24))
            after = state.clone()
            after.apply_action(action)
            if "Capture time" not in str(after):
                found[name] = [action]
                continue
            for taken in after.legal_actions():
                found[f"{name}x{self.names[taken]}"] = [action, taken]
        return found


GAMES = {
    "awari": [Awari()],
    "checkers": [Checkers()],
    "oware": [Oware()],
    "subtraction": [Nim()],
    "tic-tac-toe": [TicTacToe()],
    "connect-four": [ConnectFour(), SmallConnectFour()],
    "kalah": [Kalah()],
    "othello": [Othello()],
    "krk": [KingAndRook()],
    "chess": [Chess(), FewMen()],
    "morris": [Morris()],
}


class Program:
    """Our program, with many positions at once."""

    def __init__(self, path, arguments):
        self.command = [path, "moves", *arguments, "-", "--format", "json"]

    def answers(self, positions):
        if not positions:
            return []
        text = "\n".join(positions) + "\n"
        run = subprocess.run(self.command, input=text, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(self.command)}: {run.stderr.strip()}")
        return [json.loads(line) for line in run.stdout.splitlines()]


def sign(number):
    return (number > 0) - (number < 0)


def our_result(answer, first_moves):
    """1, 0 or -1 for the first player."""
    if answer["result"]:
        first, second = answer["result"].values()
        return sign(first - second)
    return sign(answer["outcome"]) * (1 if first_moves else -1)


def without_mover(position):
    """At the end OpenSpiel names no side to move, so which one stands there is left out."""
    words = position.split()
    return [word for word in words if word not in ("S", "N", "x", "o")]


def compare(program, rules, transitions, chance):
    """Plays that many moves, and compares all that is seen on the way."""
    game = pyspiel.load_game(rules.theirs)
    name = getattr(rules, "name", lambda ours: ours)
    rules_differ = getattr(rules, "differs", lambda state: False)

    def single(state):
        return {rules.move(state, action): [action] for action in state.legal_actions()}

    moves_of = getattr(rules, "moves", single)
    first = getattr(rules, "first", 0)
    done = games = left_out = 0
    while done < transitions:
        seen = []
        while done < transitions and len(seen) < 20_000:
            start = getattr(rules, "start", lambda game, _: game.new_initial_state())
            state = start(game, chance)
            while state.is_terminal():
                # OpenSpiel does not say which side is mated there.
                state = start(game, chance)
            mover = state.current_player()
            games += 1
            while True:
                position = rules.position(state)
                if state.is_terminal() and hasattr(rules, "ends"):
                    seen.append((position, None, mover, rules.scores(state)))
                    break
                if state.is_terminal():
                    seen.append((position, None, mover, sign(state.returns()[first])))
                    break
                moves = moves_of(state)
                names = sorted(moves)
                played = chance.choice(names)
                if rules_differ(state):
                    left_out += 1
                    names = []
                seen.append((position, names, played, None))
                mover = 1 - state.current_player()
                for action in moves[played]:
                    state.apply_action(action)
                done += 1
        ends, before = [], set()
        for (position, names, played, result), following, answer in zip(
            seen, [*seen[1:], (None, None, None, None)], program.answers([s[0] for s in seen])
        ):
            def differs(what, ours, theirs):
                sys.exit(f"{position}: {what}: {ours} by our rules, {theirs} by OpenSpiel's")

            before.add(position)
            if names is None and hasattr(rules, "ends"):
                before.clear()
                continue
            if names is None:
                if getattr(rules, "ends_early", False) and answer["outcome"] is None:
                    continue
                if answer["outcome"] is None:
                    differs("the game", "goes on", "is over")
                ours = our_result(answer, played == first)
                if ours != result:
                    differs("result for the first player", ours, result)
                continue
            if not names:
                continue
            moves = {name(move["move"]): move["position"] for move in answer["moves"]}
            if sorted(moves) != names:
                differs("legal moves", " ".join(sorted(moves)), " ".join(names))
            ended = following[1] is None
            if ended and following[0] and hasattr(rules, "ends"):
                ends.append((moves[played], moves[played] in before, following[3]))
            if ended and getattr(rules, "clears_board", False):
                continue
            same = without_mover if ended else lambda position: position
            if same(moves[played]) != same(following[0]):
                differs(f"after {played}", moves[played], following[0])
        for (position, repeats, scores), answer in zip(
            ends, program.answers([end[0] for end in ends])
        ):
            if not rules.ends(position, answer, repeats, scores):
                sys.exit(f"{position}: the game is not over with {scores}, as by OpenSpiel's rules")
    return done, games, left_out


def main():
    program, chosen, transitions = sys.argv[1], sys.argv[2], int(sys.argv[3])
    known = GAMES if chosen == "all" else {chosen: GAMES.get(chosen)}
    if None in known.values():
        sys.exit(f"OpenSpiel does not referee {chosen!r}; it does {', '.join(GAMES)}")
    for variants in known.values():
        for rules in variants:
            chance = random.Random(1)
            program_of = Program(program, rules.ours)
            done, games, left_out = compare(program_of, rules, transitions, chance)
            but = f"; {left_out} positions in which the rules differ are left out" if left_out else ""
            print(f"{' '.join(rules.ours)}: {done} moves of {games} games are the same{but}")


main()
