"""Writes the files of eight small tasks for `mhacsp train --data`, always the same: python3 make.py FOLDER

FOLDER/TASK gets train.jsonl, validation.jsonl and test.jsonl. No prompt of validation or test is in the training file.
The field "group" says what of the test is like the training file and what goes beyond it. The standard library is all
it needs.

SCAN is that of Lake and Baroni 2018, ListOps of Nangia and Bowman 2018 (short), even pairs and cycle navigation of
Deletang et al. 2023.
"""
import datetime
import itertools
import json
import pathlib
import random
import sys

ACTIONS = {"walk": "WALK", "look": "LOOK", "run": "RUN", "jump": "JUMP", "turn": None}


def scan():
    """All 20 910 commands of SCAN's grammar with their actions, in a fixed order."""
    verbs = [(u, [a]) for u, a in ACTIONS.items() if a]
    for (u, a), side in itertools.product(ACTIONS.items(), ("left", "right")):
        turn, act = "TURN_" + side.upper(), [a] if a else []
        verbs += [(f"{u} {side}", [turn] + act), (f"{u} opposite {side}", [turn, turn] + act),
                  (f"{u} around {side}", ([turn] + act) * 4)]
    phrases = [(v + how, out * n) for v, out in verbs for how, n in (("", 1), (" twice", 2), (" thrice", 3))]
    pairs = list(itertools.product(phrases, phrases))
    return (phrases + [(f"{a} and {b}", x + y) for (a, x), (b, y) in pairs]
            + [(f"{a} after {b}", y + x) for (a, x), (b, y) in pairs])


def command(pair, group):
    return {"prompt": pair[0], "target": " ".join(pair[1]), "group": group}


def scan_simple(draw):
    """A fifth of all commands is held out at random (the "simple" split, less 1 000 for validation)."""
    lines = [command(p, "like training") for p in scan()]
    draw.shuffle(lines)
    held = len(lines) // 5
    return lines[held + 1000:], lines[held:held + 1000], lines[:held]


def scan_jump(draw):
    """Training has "jump" alone, as a tenth of its lines; every longer command with it is for the test."""
    every = scan()
    known = [command(p, "like training") for p in every if "jump" not in p[0]]
    test = [command(p, "jump combined") for p in every if "jump" in p[0] and p[0] != "jump"]
    draw.shuffle(known)
    train = known[2000:]
    train += [command(("jump", ["JUMP"]), "like training")] * (len(train) // 9)
    return train, known[:1000], known[1000:2000] + test


def scan_length(draw):
    """Training has at most 22 actions, the test 24 to 48 (the "length" split)."""
    every = scan()
    known = [command(p, "like training") for p in every if len(p[1]) <= 22]
    draw.shuffle(known)
    return known[2000:], known[:1000], known[1000:2000] + [command(p, "longer") for p in every if len(p[1]) > 22]


def dates(draw):
    """Days of 1900 to 2099 in four styles, as YYYY-MM-DD; no day of the test is in the training file in any style."""
    days = [datetime.date(1900, 1, 1) + datetime.timedelta(n) for n in range(73049)]
    draw.shuffle(days)
    months = "January February March April May June July August September October November December".split()

    def lines(part, n):
        for _ in range(n):
            d = draw.choice(part)
            m = months[d.month - 1]
            style, text = draw.choice([
                ("spoken", f"{d.day} {m} {d.year}"), ("american", f"{m[:3]} {d.day}, {d.year}"),
                ("slashes", f"{d.month}/{d.day}/{d.year}"), ("dots", f"{d.day:02}.{d.month:02}.{d.year}")])
            yield {"prompt": text, "target": d.isoformat(), "group": style}
    return list(lines(days[:58000], 20000)), list(lines(days[58000:65000], 1000)), list(lines(days[65000:], 2000))


def listops(draw):
    """Lists in lists, the digit that they amount to: depth up to 3 as in training, 4 beyond it; at most 60 tokens."""
    operators = {"MAX": max, "MIN": min, "MED": lambda v: sorted(v)[(len(v) - 1) // 2], "SM": lambda v: sum(v) % 10}

    def tree(depth):
        if depth == 0:
            n = draw.randrange(10)
            return [str(n)], n, 0
        parts = [tree(depth - 1)] + [tree(draw.choice([0, 0, max(0, depth - 2)])) for _ in range(draw.randint(1, 3))]
        draw.shuffle(parts)
        name = draw.choice(list(operators))
        return ["[" + name] + [w for p in parts for w in p[0]] + ["]"], operators[name]([p[1] for p in parts]), depth

    def line(depth, group):
        while True:
            words, value, _ = tree(depth)
            if len(words) <= 60:
                return {"prompt": " ".join(words), "label": value, "group": group}
    return split(draw, lambda: line(draw.randint(1, 3), "like training"), lambda: line(4, "deeper"))


def dyck(draw):
    """Two kinds of brackets, at most 8 open: is the string balanced? Half of the strings are near misses: one bracket
    is of the wrong kind, or two neighbours have changed places. Length 2 to 40, beyond it 42 to 80."""
    close = {"(": ")", "[": "]"}

    def valid(text):
        stack = []
        for c in text:
            if c in close:
                stack.append(close[c])
            elif not stack or stack.pop() != c:
                return False
        return not stack

    def balanced(n):
        text, stack = "", []
        while len(text) < n:
            if not stack or len(stack) < 8 and len(stack) < n - len(text) and draw.random() < 0.5:
                c = draw.choice("([")
                stack.append(close[c])
                text += c
            else:
                text += stack.pop()
        return text

    def line(low, high, group):
        want = draw.random() < 0.5
        text = balanced(2 * draw.randint(low // 2, high // 2))
        while not want and valid(text):
            i = draw.randrange(len(text))
            if draw.random() < 0.5:
                text = text[:i] + dict(zip("()[]", "[]()"))[text[i]] + text[i + 1:]
            else:
                text = text[:i] + text[i:i + 2][::-1] + text[i + 2:]
        return {"prompt": text, "label": "yes" if want else "no", "group": group}
    return split(draw, lambda: line(2, 40, "like training"), lambda: line(42, 80, "longer"))


def regular(draw, letters, answer):
    """Strings of 1 to 40 letters, beyond it 41 to 100."""
    def line(low, high, group):
        text = "".join(draw.choices(letters, k=draw.randint(low, high)))
        return {"prompt": text, "label": answer(text), "group": group}
    return split(draw, lambda: line(1, 40, "like training"), lambda: line(41, 100, "longer"))


def split(draw, like, beyond):
    """20 000, 1 000 and 2 × 1 000 lines. What was trained on is drawn again, so short strings are rare in tests."""
    train = [like() for _ in range(20000)]
    seen = {line["prompt"] for line in train}

    def fresh(make, n):
        kept = (line for line in iter(make, None) if line["prompt"] not in seen)
        return list(itertools.islice(kept, n))
    return train, fresh(like, 1000), fresh(like, 1000) + fresh(beyond, 1000)


TASKS = {
    "scan-simple": scan_simple, "scan-jump": scan_jump, "scan-length": scan_length, "dates": dates,
    "listops": listops, "dyck-2": dyck,
    "even-pairs": lambda draw: regular(draw, "ab", lambda s: "even" if s[0] == s[-1] else "odd"),
    "cycle": lambda draw: regular(draw, "0+-", lambda s: (s.count("+") - s.count("-")) % 5),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    assert len(scan()) == len({c for c, _ in scan()}) == 20910
    for name, task in TASKS.items():
        folder = pathlib.Path(sys.argv[1], name)
        folder.mkdir(parents=True, exist_ok=True)
        for part, lines in zip(("train", "validation", "test"), task(random.Random(name))):
            with open(folder / (part + ".jsonl"), "w", encoding="utf-8") as f:
                f.writelines(json.dumps(line) + "\n" for line in lines)


main()
