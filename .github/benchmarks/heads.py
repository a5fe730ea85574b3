"""Trains the networks of log/heads.tsv and measures how alike their heads' metrics are while they learn:
python3 heads.py PROGRAM RUNS TABLE

PROGRAM is mhacsp, RUNS a folder for the runs. Each result is added to TABLE as soon as it is there, and what TABLE has
is not run again. The metric of head k is M_k = Λ_k Λ_kᵀ (model/SPEC.md §3). The first three measures are those of
model/study/heads.go, over all pairs of heads:

  cosine     the mean of ⟨M_k, M_l⟩ / (‖M_k‖ ‖M_l‖): 1 where all have the same shape. All heads start near the same
             multiple of the identity, and so near 1.
  shape      the same of what differs from a multiple of the identity, M − tr(M)/d: near 0 at the start
  effective  how many heads there are in effect, H² / Σ cosine²
  differs    the mean over heads of ‖M − tr(M)/d‖ / ‖M‖: how much of a metric differs from a multiple of the identity
  scale      the mean over heads of tr(M)/d: 1/(2d) at the start

"exact" is the share of whole outputs right in validation at the end of the run, in %. The standard library is all
that it needs.
"""
import array
import json
import math
import pathlib
import struct
import subprocess
import sys

PAPER = {"--model": "mha-csp", "--steps": "3000"}
OURS = {"--model": "mha-csp-m", "--steps": "2000"}
RUNS = {
    "mha-csp": PAPER, "mha-csp no-B": PAPER | {"--ablation": "no-B"},
    "mha-csp-m": OURS, "mha-csp-m no-B": OURS | {"--ablation": "no-B"},
    "mha-csp no-lse": PAPER | {"--ablation": "no-lse"}, "mha-csp no decay": PAPER | {"--weight-decay": "0"},
    "mha-csp 2 heads": PAPER | {"--heads": "2"}, "mha-csp 12 heads": PAPER | {"--heads": "12"},
    "mha-csp-m decay 0.0001": OURS | {"--weight-decay": "0.0001"},
    "mha-csp-m decay 0.001": OURS | {"--weight-decay": "0.001"},
}
COLUMNS = ["run", "seed", "block", "step", "cosine", "shape", "effective", "differs", "scale", "exact"]


def tensors(path, ending):
    """The tensors of a checkpoint whose names end so, by block, as (shape, numbers)."""
    with open(path, "rb") as f:
        tensors = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        start = f.tell()
        for name, tensor in sorted(tensors.items()):
            if name.endswith(ending):
                first, last = tensor["data_offsets"]
                f.seek(start + first)
                values = array.array("f", f.read(last - first))
                if sys.byteorder == "big":
                    values.byteswap()
                yield name.split(".")[1], tensor["shape"], values


def metric(values, d):
    """M of a stored factor, row by row: softplus on the diagonal, nothing above it."""
    rows = [list(values[i * d:(i + 1) * d]) for i in range(d)]
    for i, row in enumerate(rows):
        row[i] = max(row[i], 0) + math.log1p(math.exp(-abs(row[i])))
        row[i + 1:] = [0.0] * (d - i - 1)
    return [sum(a * b for a, b in zip(x, y)) for x in rows for y in rows]


def product(a, b):
    return sum(x * y for x, y in zip(a, b))


def cosine(a, b):
    size = math.sqrt(product(a, a) * product(b, b))
    return product(a, b) / size if size else 0.0


def measure(path):
    for block, (heads, d, _), values in tensors(path, ".metric.factor"):
        metrics = [metric(values[k * d * d:(k + 1) * d * d], d) for k in range(heads)]
        scales = [sum(m[::d + 1]) / d for m in metrics]
        rests = [[x - scale * (i % (d + 1) == 0) for i, x in enumerate(m)] for m, scale in zip(metrics, scales)]
        pairs = [(k, l) for k in range(heads) for l in range(k)]
        cosines = [cosine(metrics[k], metrics[l]) for k, l in pairs]
        yield [block], [
            sum(cosines) / len(pairs), sum(cosine(rests[k], rests[l]) for k, l in pairs) / len(pairs),
            heads ** 2 / (heads + 2 * product(cosines, cosines)),
            sum(math.sqrt(product(r, r) / product(m, m)) for r, m in zip(rests, metrics)) / heads,
            sum(scales) / heads]


def train(program, folder, flags):
    if (folder / "log").exists() and "finished" in (folder / "log").read_text():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "log", "w") as log:
        subprocess.run([
            program, "train", *(x for flag in flags.items() for x in flag), "--batch", "64", "--eval-every", "0",
            "--eval-samples", "1024", "--test-samples", "0", "--checkpoint-every", "250", "--keep-checkpoints", "12",
            "--backend", "cpu", "--threads", "1", "--overwrite", "--out", folder / "run"],
            stdout=log, stderr=subprocess.STDOUT, check=True)


def main():
    program, runs, table = sys.argv[1:]
    table = pathlib.Path(table)
    if not table.exists():
        table.write_text("\t".join(COLUMNS) + "\n")
    done = {tuple(line.split("\t")[:2]) for line in table.read_text().splitlines()}
    for name, flags in RUNS.items():
        for seed in ("1", "2", "3"):
            if (name, seed) in done:
                continue
            folder = pathlib.Path(runs, f"{name}-{seed}".replace(" ", "-"))
            train(program, folder, flags | {"--seed": seed})
            last = int(flags["--steps"])
            files = {last: folder / "run" / "model.safetensors"}
            for path in (folder / "run" / "checkpoints").glob("step-*.safetensors"):
                files.setdefault(int(path.stem.split("-")[1]), path)
            events = [json.loads(line) for line in (folder / "run" / "metrics.jsonl").read_text().splitlines()]
            end = [e["report"] for e in events if e["event"] == "eval" and e["role"] == "validation"][-1]
            lines = []
            for step, path in sorted(files.items()):
                exact = f"{100 * end['exact'] / end['count']:.2f}" if step == last else ""
                lines += [[name, seed, *block, step, *(f"{x:.4f}" for x in numbers), exact]
                          for block, numbers in measure(path)]
            with table.open("a") as f:
                f.writelines("\t".join(map(str, line)) + "\n" for line in lines)


if __name__ == "__main__":
    main()
