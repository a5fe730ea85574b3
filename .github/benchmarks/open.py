"""Draws the pictures of site/open.html of the records next to this file: python3 .github/benchmarks/open.py

Each picture stands between two marks, <!-- picture NAME --> and <!-- end of the picture -->; the text around them is
written by hand. With --tables it prints the tables of log/open.md and log/transfer.md instead. An interval is that of
95 % of the mean of the seeds (Student's t), cut at 0 and 100 where it is one of shares. The standard library is all
that it needs.
"""
import collections
import html
import json
import math
import pathlib
import re
import statistics
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
STUDY = ROOT / "native" / "testdata" / "study" / "cells"
PAGE = ROOT / "site" / "open.html"
EPOCH = 200_000 / 128  # steps in one of the study's epochs: the paper's samples, batches of 128
SEEDS = ("1", "2", "3")
STUDENT = {3: 4.303, 6: 2.571}  # by the number of seeds, for 95 %
TASKS = {
    "scan-simple": ("SCAN, a fifth held out at random", "like training", ""),
    "scan-jump": ("SCAN, “jump” learnt by itself", "the other verbs", "“jump” combined"),
    "scan-length": ("SCAN, commands of up to 22 actions", "as long as in training", "24 to 48 actions"),
    "dates": ("Dates, rewritten as YYYY-MM-DD", "days not seen in training", ""),
    "listops": ("ListOps, nested up to 3 deep", "as deep as in training", "4 deep"),
    "dyck-2": ("Two kinds of brackets: balanced?", "up to 40 characters", "42 to 80"),
    "even-pairs": ("First and last letter: the same?", "up to 40 letters", "41 to 100"),
    "cycle": ("A walk on a ring of five: where?", "up to 40 steps", "41 to 100"),
}
BEYOND = {"jump combined", "longer", "deeper"}


def rows(name):
    head, *lines = (HERE / "log" / name).read_text(encoding="utf-8").splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"))) for line in lines]


def interval(values, low=0.0, high=100.0):
    """Mean, and the ends of its interval."""
    mean, n = statistics.mean(values), len(values)
    half = STUDENT[n] * statistics.stdev(values) / math.sqrt(n)
    return mean, max(low, mean - half), min(high, mean + half)


# What the records say.

def transfer():
    """Tasks and, of their two parts, the models with the shares of seeds 1, 2, 3, and what a guess gets."""
    table = {}
    for r in rows("transfer.tsv"):
        assert r["group"] != "failed", r
        runs = table.setdefault(r["task"], ({}, {}))[r["group"] in BEYOND].setdefault(r["model"], {})
        right, n, guess = runs.get(r["seed"], (0, 0, 0))  # dates have four groups, which count together
        size = int(r["samples"])
        runs[r["seed"]] = (right + float(r["exact"]) * size, n + size, max(guess, float(r["guess"])))
    for task, parts in table.items():
        yield TASKS[task], [[(model, [runs[s][0] / runs[s][1] for s in SEEDS], runs["1"][2])
                             for model, runs in part.items()] for part in parts]


def swept(sweep, right="exact"):
    """Settings and, for each seed, the points (step, whole outputs right), or answers."""
    curves = {}
    for r in rows("open.tsv"):
        if r["sweep"] == sweep:
            seeds = curves.setdefault(r["settings"], {})
            seeds.setdefault(r["seed"], []).append((int(r["step"]), float(r[right])))
    return {settings: [points for _, points in sorted(seeds.items())] for settings, seeds in curves.items()}


def ends(curves):
    return {name: [points[-1][1] for points in seeds] for name, seeds in curves.items()}


def cells(name):
    """The study's records of the three seeds of a row."""
    return [json.loads((STUDY / f"{name}-{s}.json").read_text(encoding="utf-8")) for s in SEEDS]


def studied(name):
    """Each seed’s points (epoch, whole outputs right) of a row of the study."""
    return [[(v["step"] / EPOCH, 100 * v["exact"]) for v in cell["validations"]] for cell in cells(name)]


def rise(points):
    """The first points that have 10 and 90 % of the final accuracy (paper §6.2); none where nothing is learnt."""
    end = points[-1][1]
    return [next(x for x, y in points if y >= share * end) for share in (0.1, 0.9)] if end > 5 else []


def lengths(task):
    """Models and, for each seed, the points (length, right); of several tests the one with the most strings."""
    table = collections.defaultdict(dict)
    for r in sorted(rows("lengths.tsv"), key=lambda r: int(r["strings"])):
        if r["task"] == task:
            table[r["model"], r["seed"]][int(r["length"])] = float(r["right"])
    return {m: [sorted(table[m, s].items()) for s in SEEDS] for m in ("mha-csp", "csp", "lstm", "gru")}


def strict(run):
    """Each seed's points (characters, scaled accuracy in %)."""
    return [[(n, max(0, 100 * float(r[str(n)]))) for n in (40, 64, 80, 100, 128, 160, 200, 256)]
            for r in rows("strict.tsv") if r["run"] == run]


def strict_mean(run):
    """A run's accuracies on all lengths by seed, their mean and interval in words."""
    values = [100 * float(r["40 to 256"]) for r in rows("strict.tsv") if r["run"] == run]
    mean, low, high = interval(values) if len(values) == 3 else (values[0], None, None)
    ends = "one seed" if low is None else f"{number(low)}–{number(high)}"
    return [", ".join(map(number, values)), number(mean), ends]


def heads(measure, block="0"):
    """Runs and, for each seed, the points (step, measure)."""
    curves = {}
    for r in rows("heads.tsv"):
        if r["block"] == block and r[measure]:
            seeds = curves.setdefault(r["run"], {})
            seeds.setdefault(r["seed"], []).append((int(r["step"]), float(r[measure])))
    return {run: [seeds[s] for s in SEEDS] for run, seeds in curves.items() if len(seeds) == 3}


def alike(name):
    """What the study recorded of three seeds' heads at their ends: cosines of the metrics, and less the identity."""
    first = [cell["heads"]["blocks"][0] for cell in cells(name)]
    return [block["cosine"] for block in first], [block["shape"] for block in first]


def switched(measure):
    """Runs of switches.tsv and, for each seed, the measure at the end."""
    last = collections.defaultdict(dict)
    for r in rows("switches.tsv"):
        last[r["run"]][r["seed"]] = r[measure]
    return {run: [float(x) for x in seeds.values()] for run, seeds in last.items() if "" not in seeds.values()}


# How it is drawn.

def number(x, digits=1):
    return f"{round(x, digits) + 0:.{digits}f}".replace("-", "−")  # + 0: no −0


def strip(name, values, guess=0.0, low=0.0, high=100.0, digits=1):
    """A row of a plot: the seeds as small dots, their mean as a large one, its interval as a bar."""
    mean, least, most = interval(values, low, high)

    def at(x):
        return f"{100 * (x - low) / (high - low):.1f}%"
    marks = f'<line class="guess" x1="{at(guess)}" x2="{at(guess)}" y1="0" y2="100%"/>' if guess >= 1 else ""
    marks += f'<line class="range" x1="{at(least)}" x2="{at(most)}" y1="50%" y2="50%"/>'
    marks += f'<circle class="ours" cx="{at(mean)}" cy="50%" r="4.5"/>'
    marks += "".join(f'<circle class="seed" cx="{at(v)}" cy="50%" r="2"/>' for v in values)
    return (f'<tr><th scope="row">{name}</th>\n<td><svg class="strip" aria-hidden="true">{marks}</svg></td>\n'
            f'<td>{number(mean, digits)}</td><td>{number(least, digits)}–{number(most, digits)}</td></tr>')


def plot(caption, groups, axis=("0", "50", "100")):
    """A table of strips. Groups are a title, which may be empty, and its rows."""
    text = [f'<table class="plot">\n<caption>{caption}</caption>\n<thead>\n<tr><th scope="col"><span class="sr">Of '
            'what</span></th>\n<td><div class="axis" aria-hidden="true">'
            + "".join(f"<span>{end}</span>" for end in axis)
            + '</div></td>\n<th scope="col">mean</th><th scope="col">95&nbsp;%</th></tr>\n</thead>']
    for title, lines in groups:
        text.append("<tbody>")
        if title:
            text.append(f'<tr><th scope="rowgroup" colspan="4">{title}</th></tr>')
        text += [*lines, "</tbody>"]
    return "\n".join([*text, "</table>"])


LEFT, RIGHT, TOP, BOTTOM = 36, 348, 10, 196


def key(names):
    return '<ul class="key">' + "\n".join(
        f'<li><svg aria-hidden="true"><line class="line s{i}" x1="0" x2="100%" y1="50%" y2="50%"/></svg> {name}</li>'
        for i, name in enumerate(names)) + "</ul>"


def chart(title, what, curves, xs, ys, by_rank=False, own_key=False):
    """A picture with a line for each seed; curves are names and seeds' points, xs and ys ticks. by_rank spaces the
    ticks of x evenly; own_key says below the picture which line is which."""
    def x(value):
        share = xs.index(value) / (len(xs) - 1) if by_rank else (value - xs[0]) / (xs[-1] - xs[0])
        return f"{LEFT + share * (RIGHT - LEFT):.1f}"

    def y(value):
        return f"{BOTTOM - (value - ys[0]) / (ys[-1] - ys[0]) * (BOTTOM - TOP):.1f}"
    parts = []
    for tick in ys:
        shown = number(tick, 2 if tick % 1 else 0)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y(tick)}" y2="{y(tick)}"/>'
                     f'<text x="{LEFT - 6}" y="{float(y(tick)) + 4:.1f}" text-anchor="end">{shown}</text>')
    for i, tick in enumerate(xs):
        anchor = "end" if i == len(xs) - 1 else "middle"
        shown = f"{tick:,}".replace(",", "&#8239;")
        parts.append(f'<text x="{x(tick)}" y="{BOTTOM + 17}" text-anchor="{anchor}">{shown}</text>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 34}" text-anchor="middle">{what}</text>')
    for i, (name, seeds) in enumerate(curves.items()):
        for points in seeds:
            path = " ".join(f"{x(a)},{y(b)}" for a, b in points)
            parts.append(f'<polyline class="line s{i}" points="{path}"/>')
    names = "; ".join(f"{name}: {', '.join(number(points[-1][1], 0 if ys[-1] > 2 else 2) for points in seeds)}"
                      for name, seeds in curves.items())
    label = html.escape(f"{title}, at the right end of each seed’s line: {re.sub('<[^>]*>', '', names)}")
    return (f'<div class="panel">\n<p>{title}</p>\n<svg class="chart" viewBox="0 0 360 234" role="img" '
            f'aria-label="{label}">\n' + "\n".join(parts) + "\n</svg>\n" + (key(curves) + "\n" if own_key else "")
            + "</div>")


def panels(charts, names=()):
    return '<div class="panels">\n' + "\n".join(charts) + "\n</div>" + ("\n" + key(names) if names else "")


def numbers(title, head, lines):
    """A table of numbers that opens."""
    cells = "".join(f'<th scope="col">{h}</th>' for h in head)
    body = "\n".join(f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{c}</td>" for c in rest) + "</tr>"
                     for first, *rest in lines)
    return (f'<details>\n<summary>The numbers</summary>\n<div class="scroll" role="group" aria-label="{title}" '
            f'tabindex="0">\n<table class="numbers">\n<caption>{title}</caption>\n<thead><tr>{cells}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table>\n</div>\n</details>")


def risen(title, unit, curves, digits=0):
    """The numbers of learning curves: where each seed ends, and when it rose."""
    lines = []
    for name, seeds in curves.items():
        mean, low, high = interval([points[-1][1] for points in seeds])
        rises = [rise(points) for points in seeds]
        lines.append([name, ", ".join(number(points[-1][1]) for points in seeds), number(mean),
                      f"{number(low)}–{number(high)}",
                      *("; ".join(number(r[i], digits) if r else "never" for r in rises) for i in (0, 1))])
    return numbers(title, ["", "end, seed by seed", "mean", "95&nbsp;%", f"10&nbsp;% of its end after, {unit}",
                           f"90&nbsp;% after, {unit}"], lines)


SETTINGS = {
    "heads=1": "1 head", "heads=2": "2 heads", "heads=4": "4 heads, the default", "heads=12": "12 heads",
    "ablation=none": "the whole model", "ablation=no-B": "without B", "ablation=no-tree": "without the tree",
    "ablation=no-lse": "a plain sum for log-sum-exp", "ablation=no-norm": "without normalisation",
    "weight_decay=0": "no weight decay", "weight_decay=0.0001": "0.0001", "weight_decay=0.001": "0.001",
    "weight_decay=0.01": "0.01", "curriculum=true long_share=0.75": "curriculum, more long ones",
    "curriculum=true long_share=0": "curriculum", "curriculum=false long_share=0": "neither",
    "curriculum=false long_share=0.75": "more long ones",
}


def named(curves):
    return {SETTINGS[settings]: seeds for settings, seeds in curves.items()}


HEADS = {
    "mha-csp": {"mha-csp": "with B", "mha-csp no-B": "without B", "mha-csp no decay": "with B, no weight decay"},
    "mha-csp-m": {"mha-csp-m": "no weight decay", "mha-csp-m decay 0.0001": "decay 0.0001",
                  "mha-csp-m decay 0.001": "decay 0.001", "mha-csp-m no-B": "no weight decay, without B"},
}
MORE_HEADS = {"mha-csp 2 heads": "2 heads", "mha-csp 12 heads": "12 heads",
              "mha-csp no-lse": SETTINGS["ablation=no-lse"]}


def picture_heads_over_time():
    likeness, shape, effective = heads("cosine"), heads("shape"), heads("effective")
    charts, lines = [], []
    for model, names in HEADS.items():
        last = likeness[model][0][-1][0]
        charts.append(chart(f"<code>{model}</code>, likeness of its heads", "training steps",
                            {name: likeness[run] for run, name in names.items()},
                            list(range(0, last + 1, 1000)), [0, 0.25, 0.5, 0.75, 1], own_key=True))
        for run, name in (names | (MORE_HEADS if model == "mha-csp" else {})).items():
            end = [points[-1][1] for points in likeness[run]]
            of = [interval(values, -1, 1) for values in (end, [points[-1][1] for points in shape[run]])]
            count = statistics.mean(points[-1][1] for points in effective[run])
            lines.append([f"<code>{model}</code>, {name}", number(statistics.mean(p[0][1] for p in likeness[run]), 2),
                          ", ".join(number(x, 2) for x in end),
                          *(text for mean, low, high in of for text in
                            (number(mean, 2), f"{number(low, 2)}–{number(high, 2)}")), number(count, 1)])
    return panels(charts) + "\n" + numbers("Likeness of the heads’ metrics", [
        "", "at the start", "at the end, seed by seed", "mean", "95&nbsp;%", "less the identity", "95&nbsp;%",
        "heads in effect"], lines)


def picture_heads_ends():
    names = {"": "none", "-no-B": "no-B", "-no-tree": "no-tree", "-no-norm": "no-norm", "-no-lse": "no-lse"}
    names = {row: SETTINGS["ablation=" + part] for row, part in names.items()}
    both = {name: alike("repeat-mha-csp" + part) for part, name in names.items()}
    return plot("Likeness of the metrics of four heads after 12&#8239;000 steps: 1 is the same shape", [
        ("as they are", [strip(name, cosines, low=-1, high=1, digits=2) for name, (cosines, _) in both.items()]),
        ("less the identity", [strip(name, shapes, low=-1, high=1, digits=2) for name, (_, shapes) in both.items()]),
    ], ("−1", "0", "1"))


def picture_count():
    return plot("Whole outputs right after 2&#8239;000 steps, %", [
        ("heads", [strip(name, values) for name, values in ends(named(swept("heads"))).items()]),
        ("left out", [strip(name, values) for name, values in ends(named(swept("ablation"))).items()])])


SWITCHES = {
    "A penalty on likeness, no weight decay": {"heads=4": "none", "apart 0.1": "0.1"},
    "The same, weight decay 0.0001": {"weight_decay=0.0001": "none", "apart 0.1 decay": "0.1"},
    "The backbone": {"heads=4": "the cell", "token": "turned by the token alone", "ssm": "diagonal complex SSM"},
}


def picture_switches():
    values = ends(swept("heads")) | ends(swept("decay")) | switched("exact")
    return plot("Whole outputs right after 2&#8239;000 steps, %", [
        (title, [strip(name, values[run]) for run, name in names.items()]) for title, names in SWITCHES.items()])


def picture_epochs():
    curves = {"<code>csp</code>": studied("repeat-50-csp"), "<code>mha-csp</code>": studied("repeat-50-mha-csp")}
    charts = [chart(f"{name}, whole outputs right, %", "epochs", {name: seeds}, [0, 10, 20, 30, 40, 50],
                    [0, 25, 50, 75, 100]) for name, seeds in curves.items()]
    return panels(charts) + "\n" + risen("Whole outputs right, %, after 50 epochs", "epochs", curves, 1)


def picture_decay():
    curves = named(swept("decay"))
    return panels([chart("Whole outputs right, %, by weight decay", "training steps", curves,
                         [0, 500, 1000, 1500, 2000], [0, 25, 50, 75, 100])], curves) + "\n" + risen(
        "Whole outputs right, %, after 2&#8239;000 steps", "steps", curves)


def picture_curriculum():
    curves = named(swept("curriculum"))
    return panels([chart("Whole outputs right, %", "training steps", curves, [0, 500, 1000, 1500, 2000],
                         [0, 25, 50, 75, 100])], curves) + "\n" + risen(
        "Whole outputs right, %, after 2&#8239;000 steps", "steps", curves)


def picture_lengths():
    names = {m: f"<code>{m}</code>" for m in ("mha-csp", "csp", "lstm", "gru")}
    charts, lines = [], []
    for task, title in (("parity", "Parity, right answers in %"), ("mod3", "Modulo 3, right answers in %")):
        curves = {names[m]: seeds for m, seeds in lengths(task).items()}
        charts.append(chart(title, "characters (trained on 1 to 128)", curves, [128, 1000, 10000, 65536],
                            [0, 25, 50, 75, 100], by_rank=True))
        for name, seeds in curves.items():
            lines.append([f"{task} {name}",
                          *("; ".join(number(points[i][1], 0) for points in seeds) for i in range(4))])
    return panels(charts, names.values()) + "\n" + numbers(
        "Right answers in % of seeds 1, 2, 3, by length", ["", "128", "1&#8239;000", "10&#8239;000", "65&#8239;536"],
        lines)


def picture_strict():
    charts = {"Without brackets": {"flat": "+ −", "flatx": "+ − ×"},
              "With brackets": {"late": "+ −, told the brackets", "returnx": "+ − ×, told the brackets",
                                "w96lr": "+ −, noise", "w96lr0": "+ −, no noise (one seed)"}}
    return panels(chart(f"{title}: accuracy above chance, %", "characters (trained on 3 to 40)",
                        {name: strict(run) for run, name in runs.items()}, [40, 80, 128, 160, 200, 256],
                        [0, 25, 50, 75, 100], own_key=True) for title, runs in charts.items()) + "\n" + numbers(
        "Accuracy above chance on 40 to 256 characters, %", ["", "seeds", "mean", "95&nbsp;%"],
        [[f"{title}: {name}", *strict_mean(run)] for title, runs in charts.items() for run, name in runs.items()])


def picture_transfer():
    tables = []
    for (title, like, beyond), parts in transfer():
        tables.append(plot(title, [(part, [strip(f"<code>{model}</code>", values, guess)
                                           for model, values, guess in models])
                                   for part, models in zip((like, beyond), parts) if models]))
    return '<div class="plots">\n' + "\n".join(tables) + "\n</div>"


def tables():
    print("| setting | seed by seed | mean | 95 % | (answers) |\n|---|---|---|---|---|")
    for sweep in ("heads", "ablation", "decay", "curriculum"):
        answers = ends(swept(sweep, "answer"))
        for name, values in ends(swept(sweep)).items():
            mean, low, high = interval(values)
            print(f"| `{name}` | {', '.join(map(number, values))} | {number(mean)} | {number(low)}–{number(high)} | "
                  f"({number(statistics.mean(answers[name]))}) |")
    print()
    print("| task | test | model | seeds 1, 2, 3 | mean | 95 % | a guess |\n|---|---|---|---|---|---|---|")
    for (title, like, beyond), parts in transfer():
        for part, models in zip((like, beyond), parts):
            for model, values, guess in models:
                mean, low, high = interval(values)
                print(f"| {title} | {part} | `{model}` | {', '.join(map(number, values))} | {number(mean)} | "
                      f"{number(low)}–{number(high)} | {number(guess)} |")
                title = part = ""
    print("\n| run | seed by seed | mean | 95 % | (answers) | heads in effect |\n|---|---|---|---|---|---|")
    answers, effective = switched("answer"), switched("effective")
    for run, values in switched("exact").items():
        mean, low, high = interval(values) if len(values) in STUDENT else (statistics.mean(values), None, None)
        ends_at = "" if low is None else f"{number(low)}–{number(high)}"
        print(f"| `{run}` | {', '.join(map(number, values))} | {number(mean)} | {ends_at} | "
              f"({number(statistics.mean(answers[run]))}) | "
              f"{', '.join(number(x, 2) for x in effective.get(run, []))} |")
    print("\n| run | step | cosine | 95 % | less the identity | 95 % | heads in effect | differs from the identity | "
          "scale | whole outputs right |\n|---|---|---|---|---|---|---|---|---|---|")
    table = {measure: heads(measure) for measure in ("cosine", "shape", "effective", "differs", "scale", "exact")}
    for run, seeds in table["cosine"].items():
        for step, _ in seeds[0]:
            if step in (0, 1000, seeds[0][-1][0]):
                at = {m: [dict(points).get(step) for points in table[m][run]] for m in table}
                cells = [text for m in ("cosine", "shape") for mean, low, high in [interval(at[m], -1, 1)]
                         for text in (number(mean, 3), f"{number(low, 3)}–{number(high, 3)}")]
                cells += [number(statistics.mean(at[m]), 3) for m in ("effective", "differs", "scale")]
                right = ", ".join(number(v) for v in at["exact"]) if at["exact"][0] is not None else ""
                print(f"| `{run}` | {step} | {' | '.join(cells)} | {right} |")


def fold(text):
    """The text in lines of at most 119 characters, as the house has them; HTML may be broken at any space."""
    return "\n".join(part for line in text.split("\n") for part in textwrap.wrap(
        line, 119, break_long_words=False, break_on_hyphens=False) or [""])


def page():
    text = PAGE.read_text(encoding="utf-8")
    for name, draw in list(globals().items()):
        if name.startswith("picture_"):
            mark = name.removeprefix("picture_").replace("_", "-")
            text, n = re.subn(rf"(<!-- picture {mark} -->\n).*?(<!-- end of the picture -->)",
                              lambda m: m[1] + fold(draw()) + "\n" + m[2], text, flags=re.DOTALL)
            assert n == 1, f"{PAGE} needs the mark of the picture {mark} once, it has it {n} times"
    PAGE.write_text(text, encoding="utf-8")


if sys.argv[1:] == ["--tables"]:
    tables()
elif sys.argv[1:]:
    sys.exit(__doc__)
else:
    page()
