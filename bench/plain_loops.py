"""Loops over plain memory by two builds of yoke and by the cores alone, in turns.

    plain_loops.py OLD NEW [turns=3] [processes=3] [seconds=500] [WORD ...]

OLD and NEW run yoke-bench-plain-loops, with their build's library. Other words (items=N, calls=N, memory=alloc, arrays=job, loop=NAME) go to the
program. In a turn each build begins with an empty cache folder and runs `processes` processes one after the other on all devices, so the later
ones begin with compiled kernels and lessons; NEW also runs one with YOKE_DEVICES=cpu. Prints for each loop the median of the cores' sums over all
calls in ms, and of each build and process the median of the turns' ratios to the cores (least to most). After `seconds` no turn begins.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(program, words, cache, devices):
    environment = {**os.environ, 'YOKE_CACHE': cache}
    if devices:
        environment['YOKE_DEVICES'] = devices
    done = subprocess.run([program, *words], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f'{program} failed')
    return {name: float(ms) for name, ms in re.findall(r'^(\S+) sum (\S+)', done.stdout, re.M)}


def take_turn(builds, words, processes):
    """For each of the columns: the sums of all loops."""
    caches = [tempfile.mkdtemp() for _ in builds]
    sums = [run(builds[-1], words, caches[-1], 'cpu')]
    for build, cache in zip(builds, caches):
        shutil.rmtree(cache)
        sums += [run(build, words, cache, None) for _ in range(processes)]
        shutil.rmtree(cache)
    return sums


def cell(turns, column, loop):
    ratios = sorted(turn[column][loop] / turn[0][loop] for turn in turns)
    return f'{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})'


def main():
    settings = {'turns': 3, 'processes': 3, 'seconds': 500}
    builds, words = sys.argv[1:3], sys.argv[3:]
    own = [word for word in words if word.partition('=')[0] in settings]
    settings.update((word.partition('=')[0], int(word.partition('=')[2])) for word in own)
    words = [word for word in words if word not in own]
    if len(builds) < 2:
        sys.exit(__doc__)
    begun, turns = time.time(), []
    while len(turns) < settings['turns'] and (not turns or time.time() < begun + settings['seconds']):
        turns.append(take_turn(builds, words, settings['processes']))
    numbers = range(1, settings['processes'] + 1)
    head = ['loop', 'cores, ms'] + [f'{build}, process {n}' for build in ('old', 'new') for n in numbers]
    print('| ' + ' | '.join(head) + ' |\n' + '| --- ' * len(head) + '|')
    for loop in turns[0][0]:
        cores = statistics.median(turn[0][loop] for turn in turns)
        print(f'| {loop} | {cores:.1f} | ' + ' | '.join(cell(turns, c, loop) for c in range(1, len(head) - 1)) + ' |')


if __name__ == '__main__':
    main()
