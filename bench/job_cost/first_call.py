"""yoke_run's first call in a process, with all devices and with the cores alone, by turns.

    python3 first_call.py PROGRAM [pairs=31] [ms=10]

PROGRAM is yoke-bench-first-call. The work is chosen so that the first call takes the cores `ms` milliseconds. Prints the medians of both,
the ratio of the calls' times with its 95 % interval, and the additional CPU time of the process (user and system, until it has ended).
"""
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../versions'))
from versions import interval  # noqa: E402


def run(program, rounds, devices):
    """Milliseconds of opening, running and closing, and of CPU time."""
    environment = {k: v for k, v in os.environ.items() if k != 'YOKE_DEVICES'}
    if devices:
        environment['YOKE_DEVICES'] = devices
    process = subprocess.Popen([program, str(rounds)], stdout=subprocess.PIPE, text=True, env=environment)
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f'{program} failed')
    return [*map(float, said.split()), (used.ru_utime + used.ru_stime) * 1e3]


def rounds_for(program, ms):
    rounds = 1000
    for _ in range(6):
        took = statistics.median(run(program, rounds, 'cpu')[1] for _ in range(5))
        rounds = max(1, min(2_000_000_000, int(rounds * ms / took)))
    return rounds


def main():
    settings = {'pairs': 31.0, 'ms': 10.0}
    words = [word.partition('=')[::2] for word in sys.argv[2:]]
    if len(sys.argv) < 2 or any(key not in settings for key, _ in words):
        sys.exit(__doc__)
    settings.update((key, float(value)) for key, value in words)
    program, rounds = sys.argv[1], rounds_for(sys.argv[1], settings['ms'])
    everyone, cores = [], []
    for pair in range(-1, int(settings['pairs'])):  # the first pair is not counted
        for devices, all_of in ((None, everyone), ('cpu', cores)) if pair % 2 else (('cpu', cores), (None, everyone)):
            took = run(program, rounds, devices)
            if pair >= 0:
                all_of.append(took)
    for what, column in (('yoke_open', 0), ('yoke_run, the first', 1), ('yoke_close', 2), ('CPU time of the process', 3)):
        a, c = ([took[column] for took in one] for one in (everyone, cores))
        ratio, more = interval([x / y for x, y in zip(a, c)]), interval([x - y for x, y in zip(a, c)])
        print('| %s | %.3f ms | %.3f ms | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) ms |'
              % (what, statistics.median(a), statistics.median(c), *ratio, *more))


print('| | all devices | cores alone | ratio (95 %) | more (95 %) |\n| --- | --- | --- | --- | --- |')
main()
