"""Trains the networks of log/lengths.tsv on strings of 1 to 128 characters and tests them on longer ones:
python3 lengths.py PROGRAM RUNS TABLE

PROGRAM is mhacsp, RUNS a folder for the runs. Each result is added to TABLE as soon as it is there, and what TABLE has
is not run again. "right" is the share of right answers in %, "seconds" the time of a test on one thread, "peak_kib"
the most memory that it took. The standard library is all that it needs; it runs on Linux and macOS.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

# How many strings of each length.
STRINGS = {
    "mha-csp": {128: 512, 1000: 128, 10000: 32, 65536: 8}, "csp": {128: 512, 1000: 128, 10000: 64, 65536: 16},
    "lstm": {128: 512, 1000: 128, 10000: 32, 65536: 8}, "gru": {128: 512, 1000: 128, 10000: 32, 65536: 8},
}


def main():
    program, runs, table = sys.argv[1:]
    table = pathlib.Path(table)
    if not table.exists():
        table.write_text("task\tmodel\tseed\tlength\tstrings\tright\tseconds\tpeak_kib\n")
    for task in ("parity", "mod3"):
        for model, lengths in STRINGS.items():
            for seed in ("1", "2", "3"):
                folder = pathlib.Path(runs, f"{task}-{model}-{seed}")
                for length, strings in lengths.items():
                    key = [task, model, seed, str(length), str(strings)]
                    if key in [line.split("\t")[:5] for line in table.read_text().splitlines()]:
                        continue
                    if not (folder / "model.safetensors").exists():
                        subprocess.run([program, "train", "--task", task, "--model", model, "--seed", seed, "--steps",
                                        "1000", "--test-samples", "0", "--backend", "cpu", "--threads", "1",
                                        "--overwrite", "--out", folder], check=True, capture_output=True)
                    with table.open("a") as f:
                        f.write("\t".join(map(str, key + test(program, folder, length, strings))) + "\n")


def test(program, folder, length, strings):
    start = time.time()
    run = subprocess.Popen([program, "eval", "--run", folder, "--n", str(strings), "--min-length", str(length),
                            "--max-length", str(length), "--backend", "cpu", "--threads", "1", "--json"],
                           stdout=subprocess.PIPE, text=True)
    report = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    if status:
        sys.exit(f"the test of {folder} on {length} characters ended with status {status}")
    peak = usage.ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    return [round(100 * json.loads(report)["exact_rate"], 2), round(time.time() - start, 2), peak]


main()
