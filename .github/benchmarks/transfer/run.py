"""Trains and tests the networks of transfer.tsv, one after another: python3 run.py PROGRAM DATA RUNS TABLE

PROGRAM is mhacsp, DATA the folder that make.py wrote, RUNS a folder for the runs. Each result is added to TABLE as
soon as it is there, and what TABLE has is not run again. A run that fails has its exit code in place of an accuracy.
"exact" is the share of whole outputs right in %, "guess" what the group's most common answer would get.
"""
import collections
import json
import pathlib
import subprocess
import sys
import time

WRITES = ["scan-simple", "scan-jump", "scan-length", "dates"]
NAMES = ["listops", "dyck-2", "even-pairs", "cycle"]
WORDS = {"scan-simple", "scan-jump", "scan-length", "listops"}
# The preset that has a memory for writing; for labels the one without, and csp, which has no attention.
MODELS = {task: ["mha-csp-m", "lstm", "arformer", "gdn"] for task in WRITES}
MODELS |= {task: ["mha-csp-s", "csp", "lstm", "arformer", "gdn"] for task in NAMES}
HEAD = "task\tmodel\tseed\tparameters\tseconds\tgroup\tsamples\texact\tguess\n"


def main():
    program, data, runs, table = sys.argv[1:]
    table = pathlib.Path(table)
    if not table.exists():
        table.write_text(HEAD)
    done = {tuple(line.split("\t")[:3]) for line in table.read_text().splitlines()}
    for seed in ("1", "2", "3"):
        for task, models in MODELS.items():
            for model in models:
                if (task, model, seed) not in done:
                    with table.open("a") as f:
                        f.writelines("\t".join(map(str, [task, model, seed, *row])) + "\n"
                                     for row in train(program, pathlib.Path(data, task), runs, task, model, seed))


def train(program, files, runs, task, model, seed):
    folder = pathlib.Path(runs, f"{task}-{model}-{seed}")
    start = time.time()
    run = subprocess.run([
        program, "train", "--data", files / "train.jsonl", "--validation", files / "validation.jsonl",
        "--tokens", "words" if task in WORDS else "characters", "--model", model, "--seed", seed,
        "--steps", "3000", "--batch", "64", "--eval-every", "0", "--backend", "cpu", "--threads", "1", "--overwrite",
        "--out", folder], capture_output=True, text=True)
    seconds = round(time.time() - start)
    if run.returncode:
        print(run.stderr, file=sys.stderr)
        return [["", seconds, "failed", "", f"exit code {run.returncode}", ""]]
    test = subprocess.run([program, "eval", "--run", folder, "--data", files / "test.jsonl", "--backend", "cpu",
                           "--threads", "1", "--json"], capture_output=True, text=True, check=True)
    report = json.loads(test.stdout)
    groups = {}
    for line in map(json.loads, (files / "test.jsonl").read_text().splitlines()):
        groups.setdefault(line["group"], []).append(line.get("target", line.get("label")))
    rows = []
    for group, cell in report["by_group"]["group"].items():
        n, most = cell["count"], collections.Counter(groups[group]).most_common(1)[0][1]
        assert n == len(groups[group])
        rows.append([report["parameters"], seconds, group, n, f"{100 * cell['exact'] / n:.2f}",
                     f"{100 * most / n:.2f}"])
    return rows


main()
