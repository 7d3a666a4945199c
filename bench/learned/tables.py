"""The tables of bench/learned/node.sh from its JSON files: tables.py RAW."""
import math
import os
import re
import statistics
import sys

from history import balance, best_weight, cpu_share, labels, load, typical

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'scale'))
from table import head, row, seconds  # noqa: E402

STEP = 0.01      # of the paper's rule; also the allowed distance from the best weight
STAYS = 10       # number of steps for which the weight must stay that near
RATE_STEPS = 4   # the most steps that the rate rule may need
GOOD = 0.95      # relative to the best fixed split
RUNS_MOST = {'auto': 3, 'trained': 10, 'trained:w=0.8': 5}


def mark(text, good):
    return text if good else f'**{text}**'


def reached(runs, best):
    """The step from which the weight stays within 0.01 of the best for ten steps; None: never."""
    near = [abs(run['weight'] - best) <= STEP + 1e-6 for run in runs]
    for step in range(len(near) - STAYS + 1):
        if all(near[step:step + STAYS]):
            return step
    return None


def weights(raw):
    found = labels(raw, 'weight')
    if not found:
        return
    print('## The CPU weight from 0.2 (papers/001, figure 3)\n')
    head(['job', 'size', 'rule', 'balanced at', 'steps allowed', 'steps', 'then', 'first time', 'last times', 'cores / others at the end'])
    for label in found:
        run = load(raw, label)
        runs = run['runs']
        best = best_weight(runs)
        if best is None:
            row([run['app'], run['size'], run['policy'], '-'] + ['-'] * 6)
            continue
        allowed = RATE_STEPS if run['policy'] == 'rate' else math.ceil(abs(runs[0]['weight'] - best) / STEP) + 1
        steps = reached(runs, best)
        last = runs[-10:]
        row([run['app'], run['size'], run['policy'], f'{best:.4f}', str(allowed),
             mark('not' if steps is None else str(steps), steps is not None and steps <= allowed),
             f"{min(each['weight'] for each in last):.4f} to {max(each['weight'] for each in last):.4f}",
             seconds(runs[0]['seconds']), seconds(typical(last)),
             f"{seconds(sorted(each['cpu_seconds'] for each in last)[5])} / {seconds(sorted(each['gpu_seconds'] for each in last)[5])}"])
    print()


def alone_by_part(combined):
    """The time that the cores would have needed alone, calculated from their part of the last runs."""
    found = [run['cpu_seconds'] * (run['cpu_items'] + run['gpu_items']) / run['cpu_items'] for run in combined[-5:] if run['cpu_items'] > 0]
    return sorted(found)[len(found) // 2] if found else None


def gains(raw):
    pattern = re.compile(r'gain-([a-z]+)-(\d+)-C\+(\d+)G')
    found = sorted((match.group(1), int(match.group(2)), int(match.group(3))) for match in map(pattern.fullmatch, labels(raw, 'gain')) if match)
    if not found:
        return
    print('## Gain of CPU+kG over kG (papers/001, figure 4)\n')
    head(['job', 'size', 'k', 'kG', 'CPU+kG', 'weight', 'gain', 'ceiling 1 + T_kG / T_C', 'T_C'])
    for app, size, count in found:
        alone, both = load(raw, f'gain-{app}-{size}-{count}G'), load(raw, f'gain-{app}-{size}-C+{count}G')
        cores = load(raw, f'gain-{app}-{size}-C')
        if not alone or not both:
            continue
        gpu, together = typical(alone['runs'][-6:]), typical(both['runs'][-6:])
        cpu = typical(cores['runs']) if cores else alone_by_part(both['runs'])
        row([app, str(size), str(count), seconds(gpu), seconds(together), f"{both['runs'][-1]['weight']:.4f}", f'{gpu / together:.3f}',
             f'{1 + gpu / cpu:.3f}' if cpu else '-', (seconds(cpu) if cores else f'{seconds(cpu)} (by its part)') if cpu else '-'])
    print()


def first_good(runs, best):
    for number, run in enumerate(runs, 1):
        if best / run['seconds'] >= GOOD:
            return number
    return None


def best_of(runs):
    """Seconds with the best fixed weight: its runs alternated with these."""
    return statistics.median(run['best_seconds'] for run in runs)


def phase(runs, most):
    good = first_good(runs, best_of(runs))
    later = runs[most:] or runs[-1:]
    return [mark('none' if good is None else str(good), good is not None and good <= most),
            f'{100 * best_of(later) / typical(later):.1f} %', f"{100 * sum(map(cpu_share, later)) / len(later):.1f} %"]


def loads(raw):
    found = [label for label in labels(raw, 'load') if load(raw, label)]
    if not found:
        return
    run = load(raw, found[0])
    print('## Load that comes and goes (papers/003, figure 4)\n')
    print(f"saxpy, {run['size']} elements; {run['busy']} busy threads from run {run['from']} to {run['to'] - 1}. Each run takes turns with one of "
          f"the best fixed weight: runs until one is at {100 * GOOD:.0f} % of what that takes, and what the medians after the allowed ones are at.\n")
    head(['partitioner', 'allowed', 'best weight', 'takes', 'before: at', 'cores', 'best with load', 'takes', 'load: run', 'then at', 'cores',
          'no load: run', 'then at', 'cores'])
    for label in found:
        run = load(raw, label)
        most = RUNS_MOST.get(run['partitioner'], 3)
        runs, start, end = run['runs'], run['from'], run['to']
        before, loaded = runs[start // 2:start], runs[start:end]
        row([run['partitioner'], str(most), f"{run['best_weight']:.3f}", seconds(best_of(before)), f'{100 * best_of(before) / typical(before):.1f} %',
             f"{100 * sum(map(cpu_share, before)) / len(before):.1f} %", f"{run['best_weight_loaded']:.3f}", seconds(best_of(loaded)),
             *phase(loaded, most), *phase(runs[end:], most)])
    print()


def main():
    weights(sys.argv[1])
    loads(sys.argv[1])
    gains(sys.argv[1])


main()
