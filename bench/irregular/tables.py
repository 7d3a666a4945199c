"""The tables of bench/irregular/node.sh from its JSON files: tables.py RAW."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'scale'))
from table import head, load, percent, ratio, row, seconds, sets_of, shares, size_text, verified  # noqa: E402

# Table 4 of Ribeiro et al.: E_h in per cent.
PAPER = {'photons': {'C+G': 98, '2G': 99, 'C+2G': 97, '3G': 99, 'C+3G': 95},
         'barnes-hut': {'C+G': 94, '2G': 97, 'C+2G': 85, '3G': 92, 'C+3G': 91}}
KERNELS = ('plain', 'step', 'auto')


class Raw:
    def __init__(self, folder):
        self.folder = folder
        self.names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith('.json'))

    def load(self, name):
        return load(self.folder, name)

    def runs(self, pattern):
        """(groups, JSON) of each file whose whole name matches the pattern."""
        found = [(re.fullmatch(pattern, name), name) for name in self.names]
        loaded = [(match.groups(), self.load(name)) for match, name in found if match]
        return [(groups, run) for groups, run in loaded if run]


def rate(size, time):
    """Millions of items per second."""
    return '-' if not time else f'{size / time / 1e6:.4g}'


def size_of(run):
    return run['size'] if isinstance(run['size'], int) else run['size'][0]


def told(run):
    """The time, with a mark if the result is not verified."""
    return '-' if not run else seconds(run['seconds']) + ('' if run['verified'] else ' **not verified**')


def over(run, other):
    return ratio(run['seconds'] / other['seconds']) if run and other and other['seconds'] else '-'


def kernels_head(first):
    head([*first, *KERNELS, 'plain / step', 'auto / best', 'million items/s of the best'])


def kernels_row(first, runs):
    """`runs`: a dictionary by kernel."""
    there = [runs[kernel] for kernel in ('plain', 'step') if runs.get(kernel)]
    best = min(there, key=lambda run: run['seconds'], default=runs.get('auto'))
    row([*first, *(told(runs.get(kernel)) for kernel in KERNELS), over(runs.get('plain'), runs.get('step')), over(runs.get('auto'), best),
         rate(size_of(best), best['seconds']) if best else '-'])


def by_kernel(raw, pattern):
    """{other groups: {kernel: JSON}}, for a pattern whose first group is the kernel."""
    table = {}
    for (kernel, *rest), run in raw.runs(pattern):
        table.setdefault(tuple(rest), {})[kernel] = run
    return table


def alone(raw, name):
    table = by_kernel(raw, rf'{name}-alone-(\w+)-(.+)')
    if not table:
        return
    some = next(iter(next(iter(table.values())).values()))
    print(f"\n### Each GPU alone, {size_text(some['size'])} items\n")
    kernels_head(['device'])
    for (device,), runs in sorted(table.items()):
        kernels_row([device], runs)


def starpu_best(raw, name):
    """The contest, StarPU's variant with the best median, and yoke's best series."""
    contest = raw.load(f'{name}-starpu')
    if not contest:
        return None
    median = {}
    for one in contest['contestants']:
        times = sorted(one['seconds'])
        one['median'] = times[len(times) // 2]
        key = 'yoke' if one['name'] == 'yoke' else 'starpu'
        if key not in median or one['median'] < median[key]['median']:
            median[key] = one
    return contest, median['starpu'], median['yoke']


def cores(raw, name):
    table = {'one core': by_kernel(raw, rf'{name}-core-(\w+)').get((), {}), 'all cores': by_kernel(raw, rf'{name}-cores-(\w+)').get((), {})}
    peer = starpu_best(raw, name)
    if any(table.values()):
        some = next(run for runs in table.values() for run in runs.values())
        print(f"\n### Cores, {size_text(some['size'])} items\n")
        kernels_head(['cores'])
        for which, runs in table.items():
            if runs:
                kernels_row([which], runs)
    if not peer:
        return
    contest, best, mine = peer
    wrong = [one for one in contest['contestants'] if not one['verified']]
    print(f"\nBeside StarPU {contest['starpu']}, the same CPU function in turns, {contest['size']} items: StarPU's best ({best['name']}, blocks of "
          f"{best['block']}) {seconds(best['median'])}, yoke {seconds(mine['median'])}: StarPU / yoke {ratio(best['median'] / mine['median'])}. "
          + ('All verified.' if not wrong else f'**{len(wrong)} not verified.**') + '\n')
    head(['scheduler', 'block', 'median', 'over yoke beside it'])
    beside = None
    for one in contest['contestants']:
        if one['name'] == 'yoke':
            beside = one
        else:
            row([one['name'], str(one['block']), seconds(one['median']), ratio(one['median'] / beside['median'])])


def sets(raw, name):
    for (kernel,), job in raw.runs(rf'{name}-sets-(\w+)'):
        paper = PAPER.get(job['app'], {})
        for size in job['sizes']:
            print(f"\n### Sets of devices, kernel {kernel}, {size_text(size['size'])} items" + ('' if job['complete'] else '; **not complete**') + '\n')
            head(['set', 'time', 'speedup', 'E_h', "papers' E_h", 'gain', 'shares, %', 'first run', 'verified'])
            for cell in size['sets']:
                limit = paper.get(cell['set'])
                met = '' if limit is None or cell['efficiency'] is None else ' met' if 100 * cell['efficiency'] > limit else ' **missed**'
                row([cell['set'], seconds(cell['seconds']) + ('*' if cell['part'] == 16 else ''), ratio(cell['speedup']),
                     percent(cell['efficiency']), f'{limit} %{met}' if limit else '', ratio(cell['gain']), shares(cell),
                     seconds(cell['first_seconds']), verified(cell)])
    best = {}
    for (kernel,), job in raw.runs(rf'{name}-sets-(\w+)'):
        for cell in (job['sizes'] or [{'sets': []}])[-1]['sets']:
            best.setdefault(cell['set'], {})[kernel] = cell
    if len({kernel for cells in best.values() for kernel in cells}) > 1:
        print('\nThe kernels beside each other, set by set:\n')
        head(['set', *KERNELS, 'plain / step', 'auto / best'])
        for which, cells in best.items():
            there = [cell for cell in cells.values() if cell['seconds']]
            least = min((cells[kernel] for kernel in ('plain', 'step') if kernel in cells and cells[kernel]['seconds']),
                        key=lambda cell: cell['seconds'], default=None)
            row([which, *(seconds(cells[kernel]['seconds']) if kernel in cells else '-' for kernel in KERNELS),
                 over(cells.get('plain'), cells.get('step')) if len(there) == len(cells) else '-',
                 over(cells.get('auto'), least) if len(there) == len(cells) else '-'])


def sweep(raw, name):
    table = by_kernel(raw, rf'{name}-sweep-(\w+)-(\w+)-(one|all)')
    for which, title in (('one', 'one GPU'), ('all', 'all devices')):
        rows = [(runs, size_of(next(iter(runs.values())))) for (_, where), runs in table.items() if where == which]
        if rows:
            print(f'\n### Sizes, {title}\n')
            kernels_head(['items'])
            for runs, size in sorted(rows, key=lambda entry: entry[1]):
                kernels_row([str(size)], runs)


def main():
    raw = Raw(sys.argv[1])
    for name in sorted({match.group(1) for match in (re.match(r'(\w+)-(alone|core|cores|starpu|sets|sweep)\b', n) for n in raw.names) if match}):
        print(f'\n## {name}')
        alone(raw, name)
        cores(raw, name)
        sets(raw, name)
        sweep(raw, name)


if __name__ == '__main__':
    main()
