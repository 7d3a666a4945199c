"""Compares two builds of yoke, which run in turns: is a measured row slower than before?

    python3 versions.py OLD NEW [gpus=1] [pairs=15] [most=61] [seconds=8] [limit=1.01] [rows=NAME,...] [small=0] [left=3600]

OLD and NEW are yoke-bench-turn of two builds. (Copy this folder and ../contest.[ch] into an older tree.) For each row both builds have a
process with the row's data. The processes run in turns, and the first one changes from pair to pair: at least `pairs` pairs, then until
`seconds` are over, at most `most`. Prints medians and the median of the pairs' ratios, new over old, with its 95 % interval, in bold if the
whole interval is above `limit`. Rows that need more GPUs than `gpus` are left out, and no row starts after `left` seconds. Pictures and
volumes come from the folder DATA (environment), if it has them. DEVICES (environment) replaces the rows' devices, to test without a GPU.
"""
import os
import statistics
import subprocess
import sys
import time

HEAD, BUNNY, TISSUE = 'ch2better.nii.gz', 'bunny.obj', 'tissue.mci'
FOLDERS = {HEAD: '/usr/share/mricron/templates', BUNNY: '/usr/share/glmark2/models',
           TISSUE: os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../apps/photons')}
SPMV = ('7109137', '20000')
# name: number of GPUs; application, kernel, devices, size and a small size, more options
ROWS = {
    'nbody-131072-gpu': (1, 'nbody', 'auto', 'cuda:0', ('131072', '4096')),
    'nbody-16384-gpu': (1, 'nbody', 'auto', 'cuda:0', ('16384', '2048')),
    'path-bunny-plain': (1, 'path', 'plain', 'cuda:0', ('16', '1'), 'input=' + BUNNY),
    'path-bunny-step': (1, 'path', 'step', 'cuda:0', ('16', '1'), 'input=' + BUNNY),
    'photons-slab-plain': (1, 'photons', 'plain', 'cuda:0', ('320000000', '20000')),
    'photons-slab-step': (1, 'photons', 'step', 'cuda:0', ('320000000', '20000')),
    'photons-tissue-step': (1, 'photons', 'step', 'cuda:0', ('8000000', '2000'), 'input=' + TISSUE),
    'spmv-double': (1, 'spmv', 'auto', 'cuda:0', SPMV, 'resident=1', 'steps=100', 'type=double'),
    'spmv-single': (1, 'spmv', 'auto', 'cuda:0', SPMV, 'resident=1', 'steps=100', 'type=single'),
    'spmv-skewed': (1, 'spmv', 'auto', 'cuda:0', ('3000000', '20000'), 'resident=1', 'steps=100', 'make=skewed'),
    'denoise-head': (1, 'denoise', 'auto', 'cuda:0', ('301x370x316', '60x74x63'), 'input=' + HEAD),
    'nbody-524288-2-gpus': (2, 'nbody', 'auto', 'cuda:0,cuda:1', ('524288', '8192')),
    'path-bunny-2-gpus': (2, 'path', 'plain', 'cuda:0,cuda:1', ('64', '1'), 'input=' + BUNNY),
    'photons-slab-2-gpus': (2, 'photons', 'plain', 'cuda:0,cuda:1', ('320000000', '20000')),
    'spmv-2-gpus': (2, 'spmv', 'auto', 'cuda:0,cuda:1', SPMV, 'resident=1', 'steps=100', 'type=double'),
    'denoise-head-2-gpus': (2, 'denoise', 'auto', 'cuda:0,cuda:1', ('301x370x316', '60x74x63'), 'input=' + HEAD),
    'nbody-cores': (0, 'nbody', 'auto', 'cpu', ('32768', '2048')),
    'path-cores': (0, 'path', 'plain', 'cpu', ('1', '1'), 'picture=256x256', 'input=' + BUNNY),
    'photons-cores': (0, 'photons', 'plain', 'cpu', ('4000000', '2000')),
    'spmv-cores': (0, 'spmv', 'auto', 'cpu', SPMV, 'resident=1', 'steps=4', 'type=double'),
    'denoise-cores': (0, 'denoise', 'auto', 'cpu', ('150x185x158', '32x32x32'), 'steps=5', 'input=' + HEAD),
    'nbody-131072-auto': (1, 'nbody', 'auto', 'cpu,cuda:0', ('131072', '4096')),
    'spmv-from-host-auto': (1, 'spmv', 'auto', 'cpu,cuda:0', SPMV, 'type=double'),
    'denoise-head-auto': (1, 'denoise', 'auto', 'cpu,cuda:0', ('301x370x316', '60x74x63'), 'input=' + HEAD),
    'path-16-bunnies': (1, 'path', 'auto', 'cuda:0', ('8', '1'), 'copies=16', 'surface=mixed', 'input=' + BUNNY),
}


def found(word):
    """input=NAME with NAME's folder; other words unchanged."""
    name = word.partition('=')[2]
    if name not in FOLDERS:
        return word
    mine = os.path.join(os.environ.get('DATA', ''), name)
    return 'input=' + (mine if os.path.exists(mine) else os.path.join(FOLDERS[name], name))


class Failed(Exception):
    pass


class Build:
    """The process of one build for a row, warmed up."""

    def __init__(self, program, row, small):
        _, app, kernel, devices, sizes, *more = row
        devices = os.environ.get('DEVICES') or devices
        words = [app, kernel, devices, sizes[small], '2', *map(found, more)]
        self.process = subprocess.Popen([program, *words], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=dict(os.environ, YOKE_KB='off'))
        self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(self.process.stderr.read().strip()[-200:] or 'it ended')
        return line.strip()

    def do(self, word):
        self.process.stdin.write(word + '\n')
        self.process.stdin.flush()
        return self.read()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def interval(values):
    """The median and its 95 % interval, as in bench/kernels/interval.c."""
    values, chance, rank = sorted(values), 0.5 ** len(values), 0
    total = chance
    while total <= 0.025:
        rank += 1
        chance *= (len(values) - rank + 1) / rank
        total += chance
    rank = max(rank, 1)
    return statistics.median(values), values[rank - 1], values[-rank]


def take_turns(builds, settings):
    """Seconds of each build, in pairs."""
    times = [[], []]
    end = time.monotonic() + settings['seconds']
    while len(times[0]) < settings['pairs'] or (len(times[0]) < settings['most'] and time.monotonic() < end):
        for b in (0, 1) if len(times[0]) % 2 == 0 else (1, 0):
            times[b].append(float(builds[b].do('run')))
    return times


def compare(name, programs, settings):
    builds = []
    try:
        for program in programs:
            builds.append(Build(program, ROWS[name], int(settings['small'])))
        times = take_turns(builds, settings)
        checks = [build.do('verify') for build in builds]
        for build in builds:
            build.end()
    except Failed as failure:
        for build in builds:
            build.process.kill()
        return f'| {name} | failed: {failure} | | | |'
    middle, low, high = interval([new / old for old, new in zip(*times)])
    bold = '**' if low > settings['limit'] else ''
    wrong = ''.join(f' ({who}: {said})' for who, said in zip(('old', 'new'), checks) if not said.startswith('right'))
    old, new = (statistics.median(t) * 1e3 for t in times)
    return f'| {name}{wrong} | {len(times[0])} | {old:.3f} ms | {new:.3f} ms | {bold}{middle:.3f}{bold} ({low:.3f} to {high:.3f}) |'


def main():
    settings = {'gpus': 1, 'pairs': 15, 'most': 61, 'seconds': 8, 'limit': 1.01, 'small': 0, 'left': 3600, 'rows': ''}
    words = [word.partition('=')[::2] for word in sys.argv[3:]]
    if len(sys.argv) < 3 or any(key not in settings for key, _ in words):
        sys.exit(__doc__)
    settings.update((key, value if key == 'rows' else float(value)) for key, value in words)
    start = time.monotonic()
    print('| row | pairs | old | new | new / old (95 %) |\n| --- | --- | --- | --- | --- |')
    for name in settings['rows'].split(',') if settings['rows'] else ROWS:
        if ROWS[name][0] <= settings['gpus'] and time.monotonic() - start < settings['left']:
            print(compare(name, sys.argv[1:3], settings), flush=True)


if __name__ == '__main__':
    main()
