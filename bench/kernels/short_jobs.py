"""Short jobs, call after call: on the GPU alone, on the cores alone and on both, by turns.

    short_jobs.py BUILD [rounds=9] [only=NAME,...] [gpu=cuda:0] [cores=cpu] [seconds=480]

BUILD is a build folder with yoke-bench-short-jobs. In a round each job runs once on each set of devices, in a process of its own that starts
without lessons (YOKE_KB=off) and makes 100 calls, reads home included; each round begins with another set. On both the default partitioner
decides, unless YOKE_PARTITIONER is set. After `seconds` no further round begins; a first run on the GPU, not counted, compiles its kernels.
Sizes are such that a call takes an H100 20 us to 0.6 ms.
Prints medians, and the medians of the rounds' ratios of both to the best alone, with 95 % intervals: for the median of calls 11 to 100, and for
the sum of calls 2 to 100. The best alone is the set with the smaller median of calls 11 to 100. A ratio is bold if its whole interval is above
the limit, 1.03 for the median and 1.10 for the sum. A job that fails or has a wrong result is left out from then on; its row says why, and the
exit status is 1.
"""
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../versions'))
from versions import Failed, interval  # noqa: E402

CALLS = '100'
LIMITS = {'median': 1.03, 'sum': 1.10}
M = 1 << 20
# name: problem, items, more words of the program
JOBS = {
    'mandelbrot': ('mandelbrot', 512 * 512),
    'blur': ('blur', 1024 * 1024),
    'black-scholes': ('black-scholes', M),
    'binomial': ('binomial', 4096),
    'dot-add': ('dot-add', M),
    'dot-group': ('dot-group', M),
    'dot-rows': ('dot-rows', M),
    'histogram': ('histogram', M),
    'stencil': ('stencil', 64**3),
    'stencil-100': ('stencil', 64**3, 'steps=100'),
    'push': ('push', 100_000),
    'lookup': ('lookup', M),
    'gather': ('gather', M),
    'mixed': ('mixed', M),
    'saxpy': ('saxpy', M),
}


def read_options(words):
    options = {'rounds': '9', 'only': '', 'gpu': 'cuda:0', 'cores': 'cpu', 'seconds': '480'}
    for word in words:
        name, found, value = word.partition('=')
        if not found or name not in options:
            sys.exit(f'short_jobs.py: unknown word {word}\n\n{__doc__}')
        options[name] = value
    unknown = [name for name in options['only'].split(',') if name and name not in JOBS]
    if unknown:
        sys.exit(f'short_jobs.py: unknown job {unknown[0]}; there are {", ".join(JOBS)}')
    return options


def run(program, job, devices, calls=CALLS):
    """The sum and the median of one process, in microseconds."""
    problem, items, *more = JOBS[job]
    try:
        done = subprocess.run([program, problem, str(items), calls, *more], text=True, capture_output=True, timeout=120,
                              env=dict(os.environ, YOKE_KB='off', YOKE_DEVICES=devices))
    except subprocess.TimeoutExpired:
        raise Failed(f'on {devices}: not done after 120 s') from None
    said = re.fullmatch(r'\S+ \d+ first \S+ sum (\S+) median (\S+)\n', done.stdout)
    if done.returncode or not said:
        raise Failed(f'on {devices}: exit status {done.returncode}: {" ".join((done.stdout + done.stderr).split())[-200:]}')
    return {'sum': float(said[1]), 'median': float(said[2])}


class Contest:
    def __init__(self, program, options):
        gpu, cores = options['gpu'], options['cores']
        self.program, self.devices = program, {'gpu': gpu, 'cores': cores, 'both': f'{cores},{gpu}'}
        self.rounds = {job: [] for job in options['only'].split(',') if job} or {job: [] for job in JOBS}
        self.failures = {}

    def of_each(self, act):
        for job in self.rounds:
            try:
                if job not in self.failures:
                    act(job)
            except Failed as failure:
                self.failures[job] = str(failure)

    def compile(self):
        self.of_each(lambda job: run(self.program, job, self.devices['gpu'], calls='11'))

    def play(self, number):
        names = list(self.devices)
        names = names[number % 3:] + names[:number % 3]
        self.of_each(lambda job: self.rounds[job].append({name: run(self.program, job, self.devices[name]) for name in names}))


def ratio(rounds, best, figure):
    middle, low, high = interval([one['both'][figure] / one[best][figure] for one in rounds])
    bold = '**' if low > LIMITS[figure] else ''
    return f'{bold}{middle:.3f}{bold} ({low:.3f} to {high:.3f})'


def row(job, rounds):
    medians = {name: statistics.median(one[name]['median'] for one in rounds) for name in rounds[0]}
    best = min(('gpu', 'cores'), key=medians.get)
    times = ' | '.join(f'{medians[name]:.1f} us' for name in ('gpu', 'cores', 'both'))
    return f'| {job} | {JOBS[job][1]} | {times} | {ratio(rounds, best, "median")} | {ratio(rounds, best, "sum")} |'


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    options = read_options(sys.argv[2:])
    contest = Contest(os.path.join(sys.argv[1], 'bench/kernels/yoke-bench-short-jobs'), options)
    end, played = time.monotonic() + float(options['seconds']), 0
    contest.compile()
    while played < int(options['rounds']) and (played == 0 or time.monotonic() < end):
        contest.play(played)
        played += 1
    print(f'{played} rounds\n')
    print('| job | items | {gpu} | {cores} | both | both / best alone (95 %) | sum of calls 2 to 100 (95 %) |'.format(**contest.devices))
    print('| --- | --- | --- | --- | --- | --- | --- |')
    for job, rounds in contest.rounds.items():
        print(f'| {job} | failed: {contest.failures[job]} | | | | | |' if job in contest.failures else row(job, rounds))
    sys.exit(1 if contest.failures else 0)


if __name__ == '__main__':
    main()
