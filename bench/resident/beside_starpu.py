"""Programs whose data stay on devices, by StarPU and by yoke, by turns, each in a process of its own.

    beside_starpu.py STARPU YOKE [cases=axpy,stencil,chain,turns,spmv,cg] [rows=1000000,16777216] [steps=100] [rounds=7] [gpus=1]
                     [cores=15] [seconds=300] [wait=0] [queued=0] [devices=cpu,cuda:0;cuda:0]

STARPU is starpu-resident, YOKE is yoke-bench-resident. For each case and number of rows this script first tries StarPU's settings, by
short runs: the schedulers eager, lws and dmdar (calibrated by a run before), 2 to 64 blocks, without cores and with each of `cores`
(14,15: two numbers). It leaves larger block counts out when both figures have grown twice in a row, and stops to try after half of the
row's share of `seconds`. The best three have a second run. Then yoke, on each of `devices` (default: all cores and the GPUs; the GPUs),
and the settings that were best for a step of the second half and for all steps take turns, and the first one changes from round to
round. wait=1: StarPU waits after each kernel, as yoke does. queued=1: yoke submits all jobs and waits at the end, as StarPU does.
Prints medians in microseconds, and the median of yoke's time over StarPU's with its 95 % interval, in bold if the whole interval is
above 1. At least 6 rounds are needed for 95 %.

How to build on a node with CUDA, where P is the prefix that StarPU 1.4 was installed to, in this folder:

    F="-I$P/include/starpu/1.4 -I/usr/local/cuda/include"
    nvcc -O3 -arch=sm_90 $F -c starpu_kernels.cu -o starpu_kernels_cuda.o
    gcc -std=gnu11 -O3 -march=native -fopenmp-simd -Wno-deprecated-declarations $F starpu.c starpu_kernels.c problem.c \\
        starpu_kernels_cuda.o -o starpu-resident -L$P/lib -Wl,-rpath,$P/lib -lstarpu-1.4 -L/usr/local/cuda/lib64 -lcudart -lstdc++ -lm
    cmake --preset release -B build/prod -DYOKE_BENCH=ON && cmake --build build/prod --target yoke-bench-resident

To try the script without a GPU: gpus=0 cores=2 devices=cpu.
"""
import collections
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "versions"))
from versions import interval

METRICS = {"step": "a late step", "all": "all steps"}
SCHEDULERS = ("lws", "eager", "dmdar")
BLOCKS = (2, 4, 8, 16, 32, 64)
TRIAL_STEPS = 20  # so few that spmv is verified, too
Setting = collections.namedtuple("Setting", "scheduler blocks cores")


def read_options(words):
    options = {"cases": "axpy,stencil,chain,turns,spmv,cg", "rows": "1000000,16777216", "steps": "100", "rounds": "7", "gpus": "1",
               "cores": "15", "seconds": "300", "wait": "0", "queued": "0", "devices": ""}
    for word in words:
        name, found, value = word.partition("=")
        if not found or name not in options:
            sys.exit("beside_starpu.py: unknown word %s\n\n%s" % (word, __doc__))
        options[name] = value
    cuda = ",".join("cuda:%d" % d for d in range(int(options["gpus"])))
    options["devices"] = options["devices"] or ("cpu,%s;%s" % (cuda, cuda) if cuda else "cpu")
    return options


class Failed(Exception):
    pass


def run(command, env):
    """Microseconds of a late step and of all steps, if the results are right."""
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Failed("%s: more than 120 s" % " ".join(command))
    found = re.search(r"all ([\d.]+) step ([\d.]+)", done.stdout)
    if done.returncode or not found:
        raise Failed("%s: %s" % (" ".join(command), (done.stdout + done.stderr).strip()[-300:]))
    return {"all": float(found[1]), "step": float(found[2])}


class Contest:
    def __init__(self, starpu, yoke, options, home):
        self.programs, self.options = (starpu, yoke), options
        self.starpu_env = dict(os.environ, STARPU_HOME=home, STARPU_SILENT="1", STARPU_NCUDA=options["gpus"], STARPU_NOPENCL="0",
                               STARPU_CALIBRATE="0")
        self.yoke_env = dict(os.environ, YOKE_KB="off")
        self.steps = int(options["steps"])

    def starpu(self, row, setting, steps, **more):
        env = dict(self.starpu_env, STARPU_SCHED=setting.scheduler, STARPU_NCPU=str(setting.cores), **more)
        return run([self.programs[0], *row, str(steps), str(setting.blocks), "wait=" + self.options["wait"]], env)

    def yoke(self, row, devices):
        words = [self.programs[1], *row, str(self.steps), "queued=" + self.options["queued"]]
        return run(words, dict(self.yoke_env, YOKE_DEVICES=devices))

    def trial(self, row, setting):
        """A short run's step, and all steps as a long run would have them; forever, if it fails."""
        try:
            if setting.scheduler == "dmdar":
                self.starpu(row, setting, TRIAL_STEPS, STARPU_CALIBRATE="1")  # adds to the models of other block counts
            times = self.starpu(row, setting, TRIAL_STEPS)
        except Failed as failure:
            print("%s %d blocks, %d cores: %s" % (*setting, failure), file=sys.stderr)
            return {metric: math.inf for metric in METRICS}
        return {"step": times["step"], "all": times["all"] + times["step"] * (self.steps - TRIAL_STEPS)}

    def core_counts(self):
        counts = [int(word) for word in self.options["cores"].split(",")]
        return ([0] if int(self.options["gpus"]) else []) + [count for count in counts if count]


def grew_twice(times):
    """Whether the last three trials are each slower than the one before, in both figures."""
    return len(times) > 2 and all(times[-3][m] < times[-2][m] < times[-1][m] for m in METRICS)


def try_settings(contest, row, end):
    """The trials of the settings for which there was time; the first one always."""
    trials = {}
    for cores in contest.core_counts():
        for scheduler in SCHEDULERS:
            times = []
            for blocks in BLOCKS:
                if grew_twice(times) or trials and time.monotonic() > end:
                    break
                times.append(contest.trial(row, Setting(scheduler, blocks, cores)))
                trials[Setting(scheduler, blocks, cores)] = times[-1]
    return trials


def best_of(contest, row, trials, metric):
    """The best of the best three in two trials, because the best of many in one is partly luck."""
    three = sorted(trials, key=lambda setting: trials[setting][metric])[:3]
    again = {setting: contest.trial(row, setting)[metric] for setting in three}
    return min(three, key=lambda setting: trials[setting][metric] + again[setting])


def take_turns(contest, row, settings, end):
    """A sample for each contestant in each round: settings, and devices of yoke."""
    turns = list(settings) + contest.options["devices"].split(";")
    samples = []
    while len(samples) < int(contest.options["rounds"]) and (len(samples) < 2 or time.monotonic() < end):
        first = len(samples) % len(turns)
        samples.append({turn: contest.starpu(row, turn, contest.steps) if isinstance(turn, Setting) else contest.yoke(row, turn)
                        for turn in turns[first:] + turns[:first]})
    return samples


def cell(metric, yoke, starpu):
    """yoke's median, and the ratio's."""
    middle, low, high = interval([y[metric] / s[metric] for y, s in zip(yoke, starpu)])
    mark = "**" if low > 1 else ""
    return "%.1f | %s%.3f%s (%.3f to %.3f)" % (statistics.median(y[metric] for y in yoke), mark, middle, mark, low, high)


def print_row(contest, row, best, samples):
    for metric, words in METRICS.items():
        starpu = [s[best[metric]] for s in samples]
        cells = [cell(metric, [s[devices] for s in samples], starpu) for devices in contest.options["devices"].split(";")]
        print("| %s | %s | %s | %s, %d blocks, %d cores | %d | %.1f | %s |" %
              (*row, words, *best[metric], len(samples), statistics.median(s[metric] for s in starpu), " | ".join(cells)), flush=True)


def print_head(contest):
    lists = contest.options["devices"].split(";")
    print("| case | rows | what | StarPU's best | rounds | StarPU us | %s |" %
          " | ".join("yoke us on %s | yoke / StarPU (95 %%)" % devices for devices in lists))
    print("| --- | --- | --- | --- | --- | --- |" + " --- | --- |" * len(lists), flush=True)


def compare(contest, row, seconds):
    start = time.monotonic()
    try:
        for devices in contest.options["devices"].split(";"):
            contest.yoke(row, devices)  # compiles
        trials = try_settings(contest, row, start + seconds / 2)
        print("%s %s: tried %d settings in %.0f s" % (*row, len(trials), time.monotonic() - start), file=sys.stderr)
        best = {metric: best_of(contest, row, trials, metric) for metric in METRICS}
        print_row(contest, row, best, take_turns(contest, row, dict.fromkeys(best.values()), start + seconds))
    except Failed as failure:
        print("| %s | %s | failed: %s |" % (*row, failure), flush=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    options = read_options(sys.argv[3:])
    end = time.monotonic() + float(options["seconds"])
    rows = [(case, count) for count in options["rows"].split(",") for case in options["cases"].split(",")]
    with tempfile.TemporaryDirectory() as home:
        contest = Contest(sys.argv[1], sys.argv[2], options, home)
        try:
            contest.starpu(("axpy", "1000"), Setting("eager", 2, contest.core_counts()[-1]), 2)  # measures its links
        except Failed as failure:
            sys.exit("beside_starpu.py: %s" % failure)
        print_head(contest)
        for done, row in enumerate(rows):
            compare(contest, row, (end - time.monotonic()) / (len(rows) - done))


main()
