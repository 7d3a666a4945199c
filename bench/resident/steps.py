#!/usr/bin/env python3
"""Random programs on random simulated machines: how far a partitioner is from the best fixed split of their steps.

    bench/resident/steps.py YOKE [--count N] [--seed S] [--steps N] [--jobs N] [--partitioner NAME] [--show N] [--cold TIME]
        [--noise LIST] [--heavy]

YOKE is the command. A program has one to four kernels on up to four arrays that stay, with halos, arrays that are read whole, sums, and
arrays that the program itself reads or writes in each step. A machine has cores, which are 1/3 to 1/300 of a GPU, and one to four GPUs,
alike or not, with or without peer access; drivers tell speeds that are wrong by a factor (log-normal, 1); jobs take 2 us to 20 ms. With
--cold 100us the first launches of a kernel on a GPU take longer, the first by 100 us. Times vary by one of the fractions in --noise
(0,0,0.03,0.08). With --heavy arrays have 20 to 3,000 rows, each of which takes a core 0.1 ms to 1 s: often longer than a job on the GPUs. For
each, fixed splits are searched (how many GPUs, the cores' part, the cores alone), and each device alone; the best is that with the
shortest late step, the median of the second half. Prints the partitioner's late step and all steps over those of the best, the worst
programs, and the quantiles. The clock is virtual, so this machine does not matter.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys

from regret import summary


def fractions(text):
    return [float(x) for x in text.split(",")]


def program(r):
    arrays = ["abcd"[i] for i in range(r.randint(1, 4))]
    sizes = {a: r.choice([4, 4, 8, 24, 72]) for a in arrays}
    actions = []
    for k in range(r.choice([1, 1, 2, 2, 3, 4])):
        names = r.sample(arrays, r.randint(1, len(arrays)))
        args, writes = [], r.randint(0, len(names) - 1)
        for i, name in enumerate(names):
            mode = r.choice(["out", "inout"]) if i == writes else r.choice(["in", "in", "in", "whole"])
            halo = "[%d]" % r.choice([1, 64]) if mode == "in" and r.random() < 0.3 else ""
            args.append("%s %s:%d%s" % (mode, name, sizes[name], halo))
        if r.random() < 0.2:
            args.insert(0, "sum")
        actions.append("k%d(%s)%s" % (k, ", ".join(args), r.choice(["", "", "*4", "*30"])))
    if r.random() < 0.4:
        actions.insert(r.randint(1, len(actions)), "read " + r.choice(arrays))
    if r.random() < 0.1:
        actions.insert(r.randint(1, len(actions)), "write " + r.choice(arrays))
    used = {a for a in arrays if any(" %s:" % a in action for action in actions)}
    return "; ".join(a for a in actions if "(" in a or a.split()[1] in used)


def machine(r, cold, noises, heavy):
    gpus = r.choice([1, 1, 2, 4])
    rate = 10 ** r.uniform(10, 11.3)
    fills = [1000, 20000, 270336]
    if heavy:
        rate = 10 ** r.uniform(4, 6)
        fills = [1, 16, 64]
    cores = r.choice([4, 16])
    noise = r.choice(noises)
    keys = "cold=%s:fill=%d:fixed=%.1fus:latency=%.1fus:link=%.3g%s" % (
        cold, r.choice(fills), r.uniform(3, 10), r.uniform(5, 12), r.choice([12e9, 28e9, 50e9]), r.choice(["", ":peer=150e9"]))
    rates = [rate] * gpus if r.random() < 0.7 else [rate * r.uniform(0.3, 1) for _ in range(gpus)]
    core = rate / (10 ** r.uniform(0.5, 2.5)) / cores
    peaks = [math.exp(r.gauss(0, 1)) for _ in range(2)]  # programs reach different parts of it
    parts = ["cores=%d:rate=%.3g:noise=%g:seed=%d:peak=%.3g" % (cores, core, noise, r.randint(1, 999), peaks[0])]
    parts += ["gpu%s:rate=%.3g:peak=%.3g:%s" % ("abcd"[g], x, peaks[1], keys) for g, x in enumerate(rates)]
    return ",".join(parts), rates, core * cores


def draw(seed, cold, noises, heavy):
    r = random.Random(seed)
    text, rates, cores = machine(r, cold, noises, heavy)
    step = program(r)
    size = 10 ** r.uniform(1.3, 3.5) if heavy else max(500, min(1e8, 10 ** r.uniform(-5.7, -1.7) * sum(rates)))
    return {"machine": text, "rates": rates, "cores": cores, "step": step, "size": int(size)}


def run(yoke, m, steps, partitioner):
    words = [yoke, "sim", m["machine"], "step:" + m["step"], "--size", str(m["size"]), "--repeat", str(steps - 1), "--json", "-"]
    done = subprocess.run(words + (["--partitioner", partitioner] if partitioner else []), capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(words), done.stderr))
    steps = json.loads(done.stdout)["simulation"]["steps"]
    late = sorted(steps[len(steps) // 2:])
    return {"late": late[len(late) // 2], "all": sum(steps)}


def splits(m):
    """The cores' part and that of each GPU, in proportion to their speeds."""
    rates = m["rates"]
    order = sorted(range(len(rates)), key=lambda g: -rates[g])
    fair = m["cores"] / (m["cores"] + sum(rates))
    for count in sorted({1, len(rates), (len(rates) + 1) // 2}):
        total = sum(rates[g] for g in order[:count])
        for part in (0, fair / 2, fair):
            shares = [0.0] * len(rates)
            for g in order[:count]:
                shares[g] = (1 - part) * rates[g] / total
            yield "static:chunks=1,shares=" + "/".join("%.6f" % s for s in [part] + shares)
    for part in (0.3, 0.6):
        yield "static:chunks=1,shares=" + "/".join("%.6f" % s for s in [part] + [(1 - part) * x / sum(rates) for x in rates])
    yield "static:chunks=1,shares=" + "/".join(["1"] + ["0"] * len(rates))


def look_at(words):
    yoke, seed, steps, partitioner, cold, noises, heavy = words
    m = draw(seed, cold, noises, heavy)
    best = {"late": float("inf"), "all": float("inf")}
    for split in splits(m):
        found = run(yoke, m, steps, split)
        if found["late"] < best["late"]:
            best = dict(found, split=split)
    mine = run(yoke, m, steps, partitioner)
    return mine["late"] / best["late"], mine["all"] / best["all"], 1e6 * best["late"], best["split"], seed, m


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("yoke")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--partitioner", default="auto")
    p.add_argument("--show", type=int, default=10)
    p.add_argument("--cold", default="0")
    p.add_argument("--noise", type=fractions, default=[0, 0, 0.03, 0.08])
    p.add_argument("--heavy", action="store_true")
    a = p.parse_args()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        found = list(pool.map(look_at, [(a.yoke, a.seed * 100000 + i, a.steps, a.partitioner, a.cold, a.noise, a.heavy) for i in range(a.count)]))
    for late, total, us, split, seed, m in sorted(found, key=lambda f: -f[0])[:a.show]:
        print("%.3f %.3f  best %.1f us by %s  (%d)\n    yoke sim '%s' 'step:%s' --size %d"
              % (late, total, us, split, seed, m["machine"], m["step"], m["size"]))
    print(summary("late", [f[0] for f in found]))
    print(summary("all", [f[1] for f in found]))


if __name__ == "__main__":
    main()
