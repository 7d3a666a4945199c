#!/usr/bin/env python3
"""How far a partitioner is from the best fixed split where data stay on devices, on simulated machines.

    bench/resident/study.py BUILD [--machines N] [--seed S] [--steps N] [--jobs N] [--only CASE,...] [--partitioner NAME]

A machine has 1 to 8 GPUs, alike or not, with or without cores of 1/5 to 1/200 of a GPU, noise of 0, 3 or 8 %, and jobs of 20 us to
20 ms. For each machine and case, static splits are searched (number of GPUs, part for the cores), by the mean step of the second half and
by all steps. Then the partitioner (auto) runs with two seeds of noise, each in a first process with an empty knowledge base and in a
second one. Prints a line for each: the time over that of the best fixed split in steady state, in total, and in total in the second
process, with the bytes moved per step. Then prints the quantiles. Everything runs on the virtual clock, so this machine does not matter.
"""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

from regret import summary

CASES = ["axpy", "stencil", "chain", "turns", "spmv", "cg"]
ROWS_MOST = 2e5  # limits the host's work per step; rates and links are scaled with the rows


def draw(seed):
    r = random.Random(seed)
    gpus = r.choice([1, 2, 2, 4, 8])
    rate = 20e9
    alike = r.random() < 0.7
    rates = [rate if alike or g == 0 else rate * r.uniform(0.3, 1) for g in range(gpus)]
    cores = r.choice([0, 0, 5, 20, 200])
    noise = r.choice([0, 0.03, 0.08])
    peer = r.random() < 0.7
    seconds = 10 ** r.uniform(-4.7, -1.7)
    rows = int(min(ROWS_MOST, max(1e4, seconds * sum(rates))))
    scale = rows / (seconds * sum(rates))
    return {"case": r.choice(CASES), "rates": [x * scale for x in rates], "cpu": rates[0] * scale / cores if cores else 0,
            "noise": noise, "peer": peer, "rows": rows, "seconds": seconds, "scale": scale}


def devices(m, seed):
    parts = []
    if m["cpu"]:
        parts.append("sim:cpu:cores=4:rate=%g:noise=%g:seed=%d" % (m["cpu"] / 4, m["noise"], seed))
    alike = len(set(m["rates"])) == 1  # of one make, as yoke sees it
    for g, rate in enumerate(m["rates"][:1] if alike else m["rates"]):
        parts.append("sim:gpu%s:rate=%g:link=%g:fixed=5us:fill=%d:pages=64K:noise=%g:seed=%d%s"
                     % ("*%d" % len(m["rates"]) if alike else "", rate, 25e9 * m["scale"], max(1, 10000 * m["scale"]), m["noise"],
                        seed + 10 * g + 1, ":peer=%g" % (200e9 * m["scale"]) if m["peer"] else ""))
    return ",".join(parts)


def run(binary, m, steps, seed, partitioner=None, knowledge="off"):
    env = dict(os.environ, YOKE_KB=knowledge, YOKE_DEVICES=devices(m, seed))
    words = [binary, m["case"], str(m["rows"]), str(steps), "moved=1"] + ([partitioner] if partitioner else [])
    try:
        out = subprocess.run(words, env=env, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None
    if out.returncode:
        print(out.stderr.strip(), devices(m, seed), file=sys.stderr)
        return None
    w = out.stdout.split()
    return {"all": float(w[2]), "step": float(w[4]), "moved": int(w[8])}


def run_twice(binary, m, steps, seed, partitioner):
    """Two processes with one knowledge base; None if one fails."""
    with tempfile.TemporaryDirectory() as folder:
        both = [run(binary, m, steps, seed, partitioner, os.path.join(folder, "knowledge.db")) for _ in range(2)]
    return both if all(both) else None


def splits(m):
    """Splits among the cores and the k fastest GPUs, in proportion to their speeds."""
    rates = m["rates"]
    order = sorted(range(len(rates)), key=lambda g: -rates[g])
    fair = m["cpu"] / (m["cpu"] + sum(rates)) if m["cpu"] else 0
    counts = sorted({1, len(rates), (len(rates) + 1) // 2})
    for k in counts:
        for c in ([0, fair / 2, fair] if m["cpu"] else [0]):
            shares = [0.0] * len(rates)
            total = sum(rates[g] for g in order[:k])
            for g in order[:k]:
                shares[g] = (1 - c) * rates[g] / total
            yield "static:chunks=1,shares=" + "/".join("%.6f" % s for s in ([c] if m["cpu"] else []) + shares)
    if m["cpu"]:
        yield "static:chunks=1,shares=" + "/".join(["1"] + ["0"] * len(rates))


def look_at(words):
    binary, seed, steps, only, partitioner = words
    m = draw(seed)
    if only and m["case"] not in only:
        return None
    best = {"all": None, "step": None, "moved": 0}
    for s in splits(m):
        if len(m["rates"]) == 1 and not m["cpu"]:
            s = "even"
        r = run(binary, m, steps, 1, s)
        if r:
            if best["step"] is None or r["step"] < best["step"]:
                best["step"], best["moved"] = r["step"], r["moved"]
            best["all"] = r["all"] if best["all"] is None else min(best["all"], r["all"])
    pairs = [p for p in (run_twice(binary, m, steps, 1 + 100 * i, partitioner) for i in range(2)) if p]
    if not pairs or best["step"] is None:
        return None
    mine, later = zip(*pairs)
    step = mean(mine, "step") / best["step"]
    return (step, mean(mine, "all") / best["all"], mean(later, "all") / best["all"], mean(mine, "moved"), best["moved"], seed, m)


def mean(runs, what):
    return sum(r[what] for r in runs) / len(runs)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--machines", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--only", default="")
    p.add_argument("--partitioner", default="auto")
    a = p.parse_args()
    binary = os.path.join(a.build, "bench/resident/yoke-bench-resident")
    only = [c for c in a.only.split(",") if c]
    steady, total, second = [], [], []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for found in pool.map(look_at, [(binary, a.seed * 1000 + i, a.steps, only, a.partitioner) for i in range(a.machines)]):
            if not found:
                continue
            s, t, later, moved, least, seed, m = found
            steady.append(s)
            total.append(t)
            second.append(later)
            print("%6.3f %6.3f %6.3f moved %9.0f (%9.0f)  %5d %-8s %d GPUs%s%s, noise %.2f, %.0f us, %d rows%s"
                  % (s, t, later, moved, least, seed, m["case"], len(m["rates"]), "" if len(set(m["rates"])) == 1 else " unlike",
                     ", cores 1/%.0f" % (m["rates"][0] / m["cpu"]) if m["cpu"] else "", m["noise"], 1e6 * m["seconds"], m["rows"],
                     "" if m["peer"] else ", no peers"), flush=True)
    if steady:
        for name, v in (("steady", steady), ("total", total), ("second", second)):
            print(summary(name, v))


if __name__ == "__main__":
    main()
