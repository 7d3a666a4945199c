"""The first jobs of StarPU and of yoke on new data, by turns, each in a process of its own.

    first_jobs.py STARPU YOKE [gpus=2] [rounds=15] [seconds=130] [sizes=1000,1048576] [preload=FILE]

STARPU is a program that takes `saxpy FLOATS BLOCKS JOBS`, keeps its data on the GPUs and prints
`first`, `total` and `late median` in seconds; YOKE is yoke-bench-first-jobs; preload is
libstarpu_alloc.so (starpu_alloc.c), without which StarPU's allocation is not counted. For each figure
StarPU uses the number of blocks that was best in two trials. Both programs are ready before they
allocate. One thread fills the memory, as in StarPU's program: rows in the caches of many cores travel at a
quarter of the link's speed.
Prints medians, and the median of the ratio with its 95 % interval, in bold if the whole interval is above 1.
"""
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "versions"))
from versions import interval

METRICS = {"first": "first job", "begun": "allocated, filled, first job", "all": "all 200",
           "late": "a resident job"}
BLOCKS = (2, 4, 8)
JOBS = 200


def read_options(words):
    options = {"gpus": "2", "rounds": "15", "seconds": "130", "preload": "",
               "sizes": "1000,1048576,16777216,134217728,268435456"}
    for word in words:
        name, found, value = word.partition("=")
        if not found or name not in options:
            sys.exit("first_jobs.py: unknown word %s\n\n%s" % (word, __doc__))
        options[name] = value
    return options


class Contest:
    def __init__(self, starpu, yoke, options):
        gpus = int(options["gpus"])
        self.starpu_program, self.yoke_program = starpu, yoke
        self.devices = ",".join("cuda:%d" % d for d in range(gpus))
        self.starpu_env = dict(os.environ, STARPU_NCPU="0", STARPU_NCUDA=str(gpus),
                               STARPU_SCHED="lws", STARPU_SILENT="1", STAY="1")
        if options["preload"]:
            self.starpu_env["LD_PRELOAD"] = os.path.abspath(options["preload"])
        self.yoke_env = dict(os.environ, YOKE_PARTITIONER="even", YOKE_KB="off",
                             OMP_NUM_THREADS="1")

    def starpu(self, size, blocks):
        text = run([self.starpu_program, "saxpy", str(size), str(blocks), str(JOBS)],
                   self.starpu_env)
        times = read(r"first ([\d.]+) total ([\d.]+) late median ([\d.]+)", text)
        before = re.search(r"alloc ([\d.]+) fill ([\d.]+)", text)
        first, total, late = (1e3 * t for t in times)
        begun = first + (float(before[1]) + float(before[2]) if before else 0)
        return {"first": first, "begun": begun, "all": total, "late": late}

    def yoke(self, size):
        text = run([self.yoke_program, self.devices, str(size), "jobs=%d" % JOBS], self.yoke_env)
        alloc, fill, first, total, late, _, wrong = read(
            r"alloc (\S+) fill (\S+) first (\S+) all (\S+) late (\S+) home (\S+) wrong (\d+)", text)
        if wrong:
            sys.exit("first_jobs.py: %d wrong results of %d floats" % (wrong, size))
        return {"first": first, "begun": alloc + fill + first, "all": total, "late": late}


def run(command, env):
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit("first_jobs.py: %s: %s" % (command, (done.stdout + done.stderr)[-500:]))
    return done.stdout


def read(pattern, text):
    found = re.search(pattern, text)
    if not found:
        sys.exit("first_jobs.py: cannot read %s" % text[-500:])
    return [float(word) for word in found.groups()]


def best_blocks(contest, size):
    trials = {b: [contest.starpu(size, b) for _ in range(2)] for b in BLOCKS}
    return {m: min(BLOCKS, key=lambda b: min(t[m] for t in trials[b])) for m in METRICS}


def one_round(contest, size, blocks, yoke_first):
    samples = {}
    turns = sorted(set(blocks.values()))
    for turn in ["yoke"] + turns if yoke_first else turns + ["yoke"]:
        samples[turn] = contest.yoke(size) if turn == "yoke" else contest.starpu(size, turn)
    return samples


def print_rows(size, blocks, samples):
    for metric, words in METRICS.items():
        starpu = [s[blocks[metric]][metric] for s in samples]
        yoke = [s["yoke"][metric] for s in samples]
        middle, low, high = interval([y / s for y, s in zip(yoke, starpu)])
        mark = "**" if low > 1 else ""
        print("| %d | %s | %d | %.4f ms | %.4f ms | %s%.2f%s (%.2f to %.2f) |" %
              (size, words, blocks[metric], statistics.median(starpu), statistics.median(yoke),
               mark, middle, mark, low, high))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    options = read_options(sys.argv[3:])
    contest = Contest(sys.argv[1], sys.argv[2], options)
    sizes = [int(size) for size in options["sizes"].split(",")]
    end = time.monotonic() + float(options["seconds"])
    contest.starpu(sizes[0], BLOCKS[0])  # calibrates its links
    for size in sizes:  # compiles
        contest.yoke(size)
    blocks = {size: best_blocks(contest, size) for size in sizes}
    samples = {size: [] for size in sizes}
    rounds = 0
    while rounds < int(options["rounds"]) and (rounds < 2 or time.monotonic() < end):
        for size in sizes:
            samples[size].append(one_round(contest, size, blocks[size], rounds % 2 == 0))
        rounds += 1
    print("%d rounds\n" % rounds)
    print("| floats | what | blocks | StarPU | yoke | yoke / StarPU (95 %) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size in sizes:
        print_rows(size, blocks[size], samples[size])


main()
