#!/usr/bin/env python3
"""MHA-CSP, LSTM and GRU in PyTorch, to compare ours with: the same logits, and the time of a training step.

One command does all runs, from the repository's root, on any machine with Go, PyTorch and, for --device cuda, a Vulkan
driver and loader (Debian and Ubuntu: libvulkan1):

    go build -o bin/mhacsp ./native/mhacsp
    python3 native/peer/peer.py --mhacsp bin/mhacsp --device cuda --batch 128 1024

The binary may as well be built elsewhere and carried there. --device cpu compares our CPU backend. The script writes
start values, samples and a batch (FORMATS.md) with mhacsp, compares the logits of this model with those of `mhacsp
forward`, which must agree to 1e-4, then times training steps of both: forward, loss, backward, clipping, Adam with
weight decay. No package but PyTorch is needed; torch.compile needs 2.0 and is left out, by name, below that.

The model is SPEC §§2–8 with one block and `final` supervision, written as PyTorch users would: what depends on the
token alone is computed once per vocabulary row and gathered, the time loop is a Python loop over batched steps.
--model lstm and gru (SPEC §13) are timed in three forms: cells, a Python loop over nn.LSTMCell or nn.GRUCell; fused,
nn.LSTM or nn.GRU over the padded batch; packed, the same over a packed sequence, which skips the padding.
"""
import argparse, json, math, os, struct, subprocess, sys, tempfile, time

try:
    import torch
except ImportError:
    sys.exit("peer.py: PyTorch is not installed for %s; install it (Debian: apt-get install python3-torch, "
             "for /usr/bin/python3)" % sys.executable)

EPS, SOS = 1e-8, 16


def read(path):
    """A .safetensors file: tensors by name, and its metadata."""
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        head = json.loads(f.read(size))
        body = f.read()
    meta = head.pop("__metadata__", {})
    tensors = {}
    for name, t in head.items():
        if t["dtype"] != "F32":
            sys.exit("peer.py: %s: %s is %s; only F32 is read" % (path, name, t["dtype"]))
        begin, end = t["data_offsets"]
        tensors[name] = torch.frombuffer(bytearray(body[begin:end]), dtype=torch.float32).reshape(t["shape"]).clone()
    return tensors, meta


def circle(re, im):
    scale = torch.rsqrt(re * re + im * im + EPS)
    return re * scale, im * scale


class Peer(torch.nn.Module):
    """MHA-CSP and CSP."""

    def __init__(self, tensors, config):
        super().__init__()
        fixed = {"layers": 1, "supervision": "final", "ablation": "none", "classes": 0, "fusion": "mesh"}
        for key, wanted in fixed.items():
            if config.get(key, wanted) != wanted:
                sys.exit("peer.py: the configuration has %s %r; this model has %r only" % (key, config[key], wanted))
        self.n, self.heads = config["width"], config["heads"]
        share = {"state": 1.0, "input": 0.0, "mixed": config["rotate_share"]}[config["rotate"]]
        self.turn, self.theta = int(share * self.n), config["theta"]
        self.attends = "blocks.0.metric.factor" in tensors
        self.names = {}
        for name, t in tensors.items():
            attr = name.replace(".", "_")
            self.names[name] = attr
            setattr(self, attr, torch.nn.Parameter(t))

    def load(self, tensors):
        self.load_state_dict({self.names[k]: v for k, v in tensors.items()})

    def forms(self):
        """The ways to compute the logits, by name; the first one is compiled where that can be done."""
        return {"eager": self}

    def p(self, name):
        return getattr(self, self.names["blocks.0." + name])

    def drive(self):
        """The token's part of a step, by vocabulary row (SPEC §2)."""
        u, linear = getattr(self, self.names["embedding.weight"]), torch.nn.functional.linear
        pre = linear(u, self.p("theta.weight"), self.p("theta.bias"))
        theta = math.pi * torch.tanh(pre)
        gamma = (1 + torch.sin(linear(u, self.p("gamma.weight"), self.p("gamma.bias")))) / 2
        cos, sin = torch.cos(theta), torch.sin(theta)
        part = self.p("input.weight")
        r = torch.cat([gamma * linear(u * cos, part), gamma * linear(u * sin, part)], 1)
        delta = linear(u, self.p("delta_u.weight"), self.p("delta.bias"))
        turns = torch.arange(self.n, device=u.device) < self.turn
        cos = torch.where(turns, cos, torch.ones_like(cos))
        sin = torch.where(turns, sin, torch.zeros_like(sin))
        return pre, cos, sin, r, delta, turns

    def run(self, drive, tokens, re, im):
        """The time loop (SPEC §2): tokens [B, T]; the states after each step, [B, T, N] twice."""
        pre, cos, sin, r, delta, turns = (x[tokens] if x.dim() == 2 else x for x in drive)
        n, linear, states = self.n, torch.nn.functional.linear, []
        for t in range(tokens.shape[1]):
            h = torch.cat([re, im], 1)
            alpha = torch.sigmoid(-(linear(h, self.p("delta_h.weight")) + delta[:, t]))
            c, s = cos[:, t], sin[:, t]
            if self.theta == "state":
                theta = math.pi * torch.tanh(pre[:, t] + linear(h, self.p("theta_h.weight")))
            elif self.theta == "product":
                theta = math.pi * torch.tanh(pre[:, t])
                theta = theta * torch.tanh(linear(h, self.p("theta_h.weight"), self.p("theta_h.bias")))
            if self.theta != "token":
                c, s = torch.where(turns, torch.cos(theta), c), torch.where(turns, torch.sin(theta), s)
            re, im = circle(alpha * (re * c - im * s) + r[:, t, :n], alpha * (re * s + im * c) + r[:, t, n:])
            states.append((re, im))
        return torch.stack([x for x, _ in states], 1), torch.stack([y for _, y in states], 1)

    def attention(self, re, im, last):
        """Each sequence's last row (SPEC §§3–6): last [B] is its position; y, [B, N] twice."""
        b, t, n = re.shape
        k, d = self.heads, n // self.heads
        raw = self.p("metric.factor")
        diagonal = torch.nn.functional.softplus(torch.diagonal(raw, dim1=1, dim2=2))
        factor = torch.tril(raw, -1) + torch.diag_embed(diagonal)
        h = torch.stack([re, im], 1).reshape(b, 2, t, k, d)
        q = torch.einsum("kij,bptki->bptkj", factor, h)
        at = last.view(b, 1, 1, 1, 1).expand(b, 2, 1, k, d)
        distance = ((q - q.gather(2, at)) ** 2).sum((1, 4))  # [B, T, H]
        edges = torch.nn.functional.pad(((q[:, :, 1:] - q[:, :, :-1]) ** 2).sum((1, 4)), (0, 0, 0, 1))
        j, i = torch.arange(t, device=re.device).view(1, t, 1), last.view(b, 1, 1)
        nothing = torch.full_like(edges, -1e30)
        terms = torch.where(j < i, edges, torch.where(j == i, torch.zeros_like(edges), nothing))
        tree = torch.where(j <= i, torch.logcumsumexp(terms.flip(1), 1).flip(1), torch.zeros_like(edges))
        rectified = distance + torch.nn.functional.softplus(self.p("metric.rho")) * tree
        c = tree[:, 0]
        mesh = torch.softmax(c.unsqueeze(2) * self.p("fusion.weight") * c.unsqueeze(1), 2)
        weights = torch.softmax(torch.where(j <= i, -torch.einsum("bkl,btl->btk", mesh, rectified), nothing), 1)
        o = torch.einsum("btk,bptkd->bpkd", weights, h).reshape(b, 2, n)
        return circle(o[:, 0], o[:, 1])

    def forward(self, prompts, last, answers):
        """Logits [B, T_target, V] of padded tokens; last [B] is the position of each prompt's last token."""
        drive = self.drive()
        zero = torch.zeros(prompts.shape[0], self.n, device=prompts.device)
        re, im = self.run(drive, prompts, zero, zero)
        if self.attends:
            re, im = self.attention(re, im, last)
        else:
            at = last.view(-1, 1, 1).expand(-1, 1, self.n)
            re, im = circle(re.gather(1, at)[:, 0], im.gather(1, at)[:, 0])
        re, im = circle(*self.run(drive, answers, re, im))
        weight, bias = getattr(self, self.names["head.weight"]), getattr(self, self.names["head.bias"])
        return torch.nn.functional.linear(torch.cat([re, im], 2), weight, bias)


    def pack(self, batch, device):
        """Padded tensors of a batch (FORMATS.md): prompts, last positions, decoder input, targets with −100 where
        there is none."""
        prompts, targets = batch["prompts"], batch["targets"]
        last = torch.tensor([len(p) - 1 for p in prompts], device=device)
        return (pad(prompts, 0, device), last, pad([[SOS] + t[:-1] for t in targets], 0, device),
                pad(targets, -100, device))


def pad(rows, fill, device):
    longest = max(map(len, rows))
    return torch.tensor([r + [fill] * (longest - len(r)) for r in rows], device=device)


class Gated(torch.nn.Module):
    """LSTM and GRU (SPEC §13). PyTorch's second bias of a gate stays 0 and is not trained: ours have one."""

    def __init__(self, tensors, config):
        super().__init__()
        if config["classes"]:
            sys.exit("peer.py: the configuration has classes %d; this model has 0 only" % config["classes"])
        width, layers, nn = config["width"], config["layers"], torch.nn
        fused, cell = {"lstm": (nn.LSTM, nn.LSTMCell), "gru": (nn.GRU, nn.GRUCell)}[config["model"]]
        self.memory = config["model"] == "lstm"
        self.embedding = nn.Embedding(config["vocab"], width)
        self.rnn = fused(width, width, layers, batch_first=True)
        self.head = nn.Linear(width, config["vocab"])
        self.names = {x: x for x in ("embedding.weight", "head.weight", "head.bias")}
        self.cells = nn.ModuleList(cell(width, width) for _ in range(layers))
        for l in range(layers):
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                setattr(self.cells[l], part, getattr(self.rnn, "%s_l%d" % (part, l)))  # one parameter for both
            name = "layers.%d." % l
            self.names[name + "input.weight"] = "rnn.weight_ih_l%d" % l
            self.names[name + "state.weight"] = "rnn.weight_hh_l%d" % l
            self.names[name + "bias"] = "rnn.bias_ih_l%d" % l
            self.cells[l].bias_hh.requires_grad_(False).zero_()
        self.load(tensors)

    def load(self, tensors):
        own = dict(self.named_parameters())
        with torch.no_grad():
            for name, t in tensors.items():
                own[self.names[name]].copy_(t)

    def forms(self):
        """The ways to compute the logits, by name; the first one is compiled where that can be done."""
        return {"cells": self, "fused": self.fused, "packed": self.packed}

    def logits(self, states, at):
        """Of states [B, T, W] those after the steps at [B, T_target]."""
        return self.head(states.gather(1, at.unsqueeze(2).expand(-1, -1, states.shape[2])))

    def forward(self, tokens, at, lengths):
        rows = self.embedding(tokens).unbind(1)
        for cell in self.cells:
            h = c = rows[0].new_zeros(rows[0].shape)
            states = []
            for x in rows:
                if self.memory:
                    h, c = cell(x, (h, c))
                else:
                    h = cell(x, h)
                states.append(h)
            rows = states
        return self.logits(torch.stack(rows, 1), at)

    def fused(self, tokens, at, lengths):
        return self.logits(self.rnn(self.embedding(tokens))[0], at)

    def packed(self, tokens, at, lengths):
        rows = torch.nn.utils.rnn.pack_padded_sequence(self.embedding(tokens), lengths, True, enforce_sorted=False)
        return self.logits(torch.nn.utils.rnn.pad_packed_sequence(self.rnn(rows)[0], True)[0], at)

    def pack(self, batch, device):
        """Padded tensors of a batch: prompt, <SOS> and target but for its last token as one sequence, the steps that
        the head reads, the sequences' lengths, which PyTorch wants on the CPU, and targets with −100 where there is
        none."""
        prompts, targets = batch["prompts"], batch["targets"]
        rows = [p + [SOS] + t[:-1] for p, t in zip(prompts, targets)]
        at = [list(range(len(p), len(p) + len(t))) for p, t in zip(prompts, targets)]
        lengths = torch.tensor([len(r) for r in rows])
        return pad(rows, 0, device), pad(at, 0, device), lengths, pad(targets, -100, device)


def loss_of(logits, targets):
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)


def timed(step, batches, sync, warmup, limit):
    """Seconds of a step: the least and the median with a wait for the device after each, and the mean of all in a row,
    with one wait. Each of the two ends after `limit` seconds, with one step at least."""
    times, start = [], time.perf_counter()
    for i, batch in enumerate(batches):
        sync()
        begin = time.perf_counter()
        step(batch)
        sync()
        if i >= warmup:
            times.append(time.perf_counter() - begin)
            if time.perf_counter() - start > limit:
                break
    begin = time.perf_counter()
    for batch in batches[warmup:warmup + len(times)]:
        step(batch)
    sync()
    times.sort()
    return times[0], times[len(times) // 2], (time.perf_counter() - begin) / len(times)


def ours(args, *words):
    done = subprocess.run([args.mhacsp, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("peer.py: %s %s failed: %s" % (args.mhacsp, " ".join(words), done.stderr.strip()))
    return done.stdout


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--mhacsp", required=True, help="our binary")
    a.add_argument("--model", default="mha-csp", help="lstm, gru or a preset of one block: mha-csp, mha-csp-s, csp")
    a.add_argument("--batch", type=int, nargs="+", default=[128], help="samples a step")
    a.add_argument("--steps", type=int, default=10, help="steps to time, each on samples of its own")
    a.add_argument("--warmup", type=int, default=3, help="steps before those")
    a.add_argument("--device", default="cpu", help="PyTorch's device, cpu or cuda; ours is then cpu or gpu")
    a.add_argument("--adapter", default="", help="name of our GPU adapter (mhacsp devices lists them)")
    a.add_argument("--compile", default="default", choices=["none", "default", "reduce-overhead"],
                   help="mode of torch.compile: the time loop is unrolled, so compiling takes minutes; "
                        "reduce-overhead replays CUDA graphs; none leaves it out")
    a.add_argument("--seconds", type=float, default=math.inf, help="most seconds of a measurement of --steps steps")
    a.add_argument("--only", choices=["eager", "compiled"], help="time this form of PyTorch alone, and not ours")
    a.add_argument("--json", action="store_true", help="print a JSON object a line")
    a.add_argument("--threads", type=int, default=os.cpu_count(), help="threads on the CPU, PyTorch's and ours")
    args = a.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # what is measured is shown, whatever becomes of the rest
    torch.set_num_threads(args.threads)
    cuda = args.device.startswith("cuda")
    if cuda and not torch.cuda.is_available():
        sys.exit("peer.py: PyTorch %s sees no CUDA device; choose --device cpu" % torch.__version__)
    backend = ["--backend", "gpu" if cuda else "cpu"]
    if args.adapter:
        backend = ["--backend", "gpu", "--adapter", args.adapter]
    sync = torch.cuda.synchronize if cuda else lambda: None
    name = torch.cuda.get_device_name() if cuda else "%d threads" % args.threads
    def say(text, **fields):
        print(json.dumps(fields) if args.json else text)
    say("PyTorch %s on %s (%s)" % (torch.__version__, args.device, name),
        torch=torch.__version__, device=args.device, name=name, compiles=hasattr(torch, "compile"))
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        file = lambda x: os.path.join(folder, x)
        ours(args, "init", "--model", args.model, "--seed", "3", "--out", file("ck.safetensors"))
        tensors, meta = read(file("ck.safetensors"))
        config = json.loads(meta["config"])
        kind = Gated if config["model"] in ("lstm", "gru") else Peer
        model = kind(tensors, config).to(args.device)
        count = sum(p.numel() for p in model.parameters() if p.requires_grad)
        say("%s, %d parameters" % (args.model, count), model=args.model, parameters=count)
        for size in args.batch:
            count = size * (args.steps + args.warmup)
            ours(args, "data", "--task", "arithmetic", "--preset", "author", "--format", "repeat", "--split", "train",
                 "--n", str(count), "--seed", "1", "--out", file("data.jsonl"))
            with open(file("data.jsonl")) as f:
                samples = [json.loads(line) for line in f]
            batches = []
            for i in range(0, count, size):
                part = samples[i:i + size]
                prompts, targets = ([s[key] for s in part] for key in ("prompt_ids", "target_ids"))
                batches.append({"prompts": prompts, "targets": targets})
            few = {k: v[:16] for k, v in batches[0].items()}  # forward writes matrices over pairs of positions
            with open(file("batch.json"), "w") as f:
                json.dump(few, f)
            ours(args, "forward", "--checkpoint", file("ck.safetensors"), "--batch", file("batch.json"),
                 "--out", file("out.safetensors"), *backend)
            got = read(file("out.safetensors"))[0]
            model.load(tensors)
            *inputs, targets = model.pack(few, args.device)
            there = (targets != -100).unsqueeze(2).cpu()
            for form, run in model.forms().items():
                with torch.no_grad():
                    logits = run(*inputs)
                    loss = loss_of(logits, targets).item()
                off = ((logits.cpu() - got["logits"]) * there).norm() / (got["logits"] * there).norm()
                wrong |= not off <= 1e-4
                say("batch %d: logits differ by %.1e relative L2 (1e-4 allowed), loss %.6f, ours %.6f   %s"
                    % (size, off, loss, got["loss"].item(), form), batch=size, logits_off=off.item(),
                    right=bool(off <= 1e-4))

            def trainer(run):
                fused = {"fused": True} if cuda else {}
                adam = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4, **fused)
                def step(b):
                    adam.zero_grad()
                    *inputs, targets = b
                    loss_of(run(*inputs), targets).backward()
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    adam.step()
                return step
            def show(who, form, seconds, **more):
                least, median, mean = (1e3 * x for x in seconds)
                say("batch %d: least %9.2f ms, median %9.2f ms, mean %9.2f ms a step, %8.0f sequences/s   %s"
                    % (size, least, median, mean, 1e3 * size / mean, who), batch=size, form=form, min_ms=least,
                    median_ms=median, mean_ms=mean, sequences_per_second=1e3 * size / mean, **more)
            if not args.only:
                report = json.loads(ours(args, "bench", "--json", "--model", args.model, "--batch", str(size),
                                         "--steps", str(args.steps), "--warmup", str(args.warmup), "--threads",
                                         str(args.threads), *backend))
                show("ours, " + report["device"], "ours",
                     [report[x] / 1e3 for x in ("min_ms", "median_ms", "mean_ms")])
            packs = [model.pack(b, args.device) for b in batches]
            if args.only != "compiled":
                for form, run in model.forms().items():
                    show("PyTorch, " + form, form, timed(trainer(run), packs, sync, args.warmup, args.seconds))
            if args.compile == "none" or args.only == "eager":
                pass
            elif hasattr(torch, "compile"):
                # One shape for all steps, so that the loop is compiled once: its own padding, as PyTorch users would.
                def fill(x, i):
                    if x.dim() == 1:
                        return x
                    longest = max(p[i].shape[1] for p in packs)
                    value = -100 if i == len(packs[0]) - 1 else 0  # the last are targets
                    return torch.nn.functional.pad(x, (0, longest - x.shape[1]), value=value)
                same = [tuple(fill(x, i) for i, x in enumerate(p)) for p in packs]
                torch._dynamo.reset()  # or another batch size would be compiled for sizes in general
                begin = time.perf_counter()
                step = trainer(torch.compile(model, dynamic=False, mode=args.compile))
                step(same[0])
                sync()
                first = time.perf_counter() - begin
                show("PyTorch, compiled (%s, first step %.0f s)" % (args.compile, first), "compiled",
                     timed(step, same, sync, args.warmup, args.seconds), mode=args.compile, first_s=first)
            else:
                text = "torch.compile: PyTorch %s has none, 2.0 or later is needed" % torch.__version__
                say(text, note=text)
            if not all(torch.isfinite(p).all() for p in model.parameters()):
                text = "batch %d: PyTorch's parameters are not finite after these steps" % size
                say(text, note=text)
                wrong = True
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
