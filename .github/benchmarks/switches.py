"""Trains the networks of log/switches.md and writes down what they reach, and how alike their heads are:
python3 switches.py PROGRAM RUNS [NAME …]

PROGRAM is mhacsp of a checkout with log/switches.patch, RUNS a folder for the runs. NAME are keys of EXPERIMENTS; all
where none is given. What log/switches.tsv has is not run again. Its lines are a run at a step:

  exact, answer      whole outputs, and answers, right in validation, in % (1 024 samples)
  cosine … scale     as in heads.py, at some of the steps: how alike the metrics of the heads are
  zeros, gates       entries of B that are 0, and gates of heads that are not, where there is such a penalty

The standard library is all that it needs.
"""
import json
import os
import pathlib
import subprocess
import sys

import heads

LOG = pathlib.Path(__file__).parent / "log"
HEADS = ["cosine", "shape", "effective", "differs", "scale"]
COLUMNS = ["run", "seed", "step", "exact", "answer", *HEADS, "zeros", "gates"]
OURS, PAPER = {"--model": "mha-csp-m", "--steps": "2000"}, {"--model": "mha-csp", "--steps": "3000", "--batch": "64"}
DECAY = {"--weight-decay": "0.0001"}
SSM = {"--theta": "token", "--ablation": "no-norm", "--state-clip": "0"}
STEPS = 200  # between validations

# Name: flags, environment, number of seeds.
EXPERIMENTS = {"off": (OURS, {}, 1), "decay": (OURS | DECAY, {}, 1)}
for weight, seeds in {"0.01": 3, "0.1": 6, "1": 3, "10": 3}.items():
    EXPERIMENTS[f"apart {weight}"] = OURS, {"S_APART": weight}, seeds
    EXPERIMENTS[f"apart {weight} decay"] = OURS | DECAY, {"S_APART": weight}, seeds
for key in ("sparse", "gates"):
    for weight in ("0.1", "0.3", "1"):
        for count in ("4", "12"):
            EXPERIMENTS[f"{key} {weight} heads {count}"] = OURS | {"--heads": count}, {f"S_{key.upper()}": weight}, 3
for key in ("kernel", "range"):
    for count in ("1", "4"):
        EXPERIMENTS[f"{key} heads {count}"] = OURS | {"--heads": count}, {f"S_{key.upper()}": "1"}, 3
OPEN = {"--gate-bias": "0", "--embedding-std": "1"}
EXPERIMENTS |= {
    "token": (OURS | {"--theta": "token", "--rotate-share": "1"}, {}, 3),
    "token raw": (OURS | SSM | {"--rotate-share": "1"}, {}, 3),
    "ssm": (OURS | SSM | {"--rotate-share": "1"}, {"S_SSM": "1"}, 3),
    "ssm open": (OURS | SSM | {"--rotate-share": "1"} | OPEN, {"S_SSM": "1"}, 3),
    "paper apart 0.1": (PAPER, {"S_APART": "0.1"}, 3),
    "parity": ({"--model": "mha-csp", "--task": "parity", "--steps": "1000"}, {}, 3),
    "parity ssm": ({"--model": "mha-csp", "--task": "parity", "--steps": "1000"} | SSM, {"S_SSM": "1"}, 3),
}


def fusion(path):
    """B, the gates below it, where there are any, and the number of heads."""
    (_, (_, h), values), = heads.tensors(path, ".fusion.weight")
    return values[:h * h], values[h * h:], h


def train(program, folder, flags, environment):
    """Trains unless that was done, and returns the validations."""
    log = folder / "metrics.jsonl"
    if not (log.exists() and '"reason":"finished"' in log.read_text()):
        subprocess.run([program, "train", *(x for flag in flags.items() for x in flag), "--eval-every", str(STEPS),
                        "--eval-samples", "1024", "--test-samples", "0", "--checkpoint-every", "500",
                        "--keep-checkpoints", "12", "--backend", "cpu", "--threads", "1", "--overwrite",
                        "--out", folder], env=os.environ | environment, check=True, capture_output=True)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    return {e["step"]: e["report"] for e in events if e["event"] == "eval" and e["role"] == "validation"}


def record(folder, last, name, seed, validations):
    files = {last: folder / "model.safetensors"}
    for path in (folder / "checkpoints").glob("step-*.safetensors"):
        files.setdefault(int(path.stem.split("-")[1]), path)
    for step, report in validations.items():
        line = dict.fromkeys(COLUMNS, "") | {"run": name, "seed": seed, "step": step}
        line |= {k: f"{100 * report[k] / report['count']:.2f}" for k in ("exact", "answer")}
        if step in files:
            b, gates, h = fusion(files[step])
            if h > 1:
                (_, numbers), = heads.measure(files[step])
                line |= {k: f"{x:.4f}" for k, x in zip(HEADS, numbers)}
            line |= {"zeros": sum(x == 0 for x in b), "gates": sum(x > 0 for x in gates) if gates else ""}
        yield list(line.values())


def add(table, lines):
    with table.open("a") as f:
        f.writelines("\t".join(map(str, line)) + "\n" for line in lines)


def main():
    program, runs, *names = sys.argv[1:]
    table = LOG / "switches.tsv"
    if not table.exists():
        add(table, [COLUMNS])
    todo = [(seed, name) for name in names or EXPERIMENTS for seed in range(1, EXPERIMENTS[name][2] + 1)]
    for seed, name in sorted(todo, key=lambda x: x[0]):
        flags, environment, _ = EXPERIMENTS[name]
        done = {tuple(line.split("\t")[:2]) for line in table.read_text().splitlines()}
        folder = pathlib.Path(runs, f"{name}-{seed}".replace(" ", "-"))
        if (name, str(seed)) in done:
            continue
        validations = train(program, folder, flags | {"--seed": str(seed)}, environment)
        add(table, record(folder, int(flags["--steps"]), name, seed, validations))


main()
