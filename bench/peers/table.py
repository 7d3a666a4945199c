"""Makes the table of a comparison with peers from the output of drive.py.

    table.py peers.json [--calm CORES]

Each figure has median, minimum and maximum over the turns. Ratios are taken within a turn; their median, minimum and maximum are
given. "Best" is the ratio of the minima, which a busy machine disturbs least. "Own time" leaves out the time during which threads
waited for cores that other programs used, and so does the ideal. --calm leaves out turns in which others used more than CORES cores.
"""
import argparse
import json
from statistics import median

NAMES = {'openmp': 'OpenMP', 'tbb': 'oneTBB', 'alone': 'one thread'}


def named(who):
    return NAMES.get(who, who.replace('starpu', 'StarPU'))


class Contest:
    def __init__(self, data, calm):
        self.data = data
        self.records = [r for r in data['records'] if r['others'] <= calm]
        self.dropped = len({r['turn'] for r in data['records']} - {r['turn'] for r in self.records})

    def cells(self, part):
        """(who, what) -> {turn: record}, in the order of the records."""
        cells = {}
        for r in sorted((r for r in self.records if r['part'] == part), key=lambda r: r['turn']):
            cells.setdefault((r['who'], r['what']), {})[r['turn']] = r
        return cells

    def series(self, part, who, what, key='seconds'):
        return {turn: r[key] for turn, r in self.cells(part).get((who, what), {}).items()}

    def ideal(self, part):
        """The time if each core kept the speed that it had alone."""
        cores = [series for (who, what), series in self.cells(part).items() if who == 'alone']
        if not cores:
            return {}
        return {turn: 1 / sum(1 / own(core[turn], 1) for core in cores) for turn in cores[0]}


def own(record, threads):
    """Seconds without waiting for cores. Assumption: while a thread waits for a core, the other threads do its work."""
    return record['inner'] - record['waited'] / threads


def spread(values, scale=1, digits=4):
    values = sorted(v * scale for v in values)
    return f'{median(values):.{digits}g} | {values[0]:.{digits}g} .. {values[-1]:.{digits}g}'


def ratios(series, reference):
    return [series[turn] / reference[turn] for turn in series if turn in reference]


def ratio_text(series, reference):
    found = sorted(ratios(series, reference))
    if not found:
        return '| |'
    best = min(series.values()) / min(reference.values())
    return f'{median(found):.3f} ({found[0]:.3f} .. {found[-1]:.3f}) | {best:.3f}'


def order(cell):
    """The sort key: yoke, OpenMP, oneTBB, StarPU's schedulers, one thread; then variants, by name or by number."""
    (who, what), _ = cell
    runtimes = ['yoke', 'openmp', 'tbb', 'starpu eager', 'starpu lws', 'starpu dmda', 'alone']
    return (runtimes.index(who) if who in runtimes else len(runtimes), int(what) if what.isdigit() else 0, what)


def own_ratio(contest, turns, reference):
    series = {turn: own(r, contest.data['threads']) for turn, r in turns.items()}
    return f'{median(ratios(series, reference)):.3f}' if reference else ''


def times_table(contest, part, reference, name):
    uneven = part.startswith('uneven')
    print(f'| runtime | variant | median, ms | min .. max | to {name}: median (min .. max) | best |'
          + (' by its own time |' if uneven else '') + '\n' + '| --- ' * (6 + uneven) + '|')
    for (who, what), turns in sorted(contest.cells(part).items(), key=order):
        series = {turn: r['seconds'] for turn, r in turns.items()}
        what = f'core {what}' if who == 'alone' else what
        compare = ratio_text(series, reference) if who != 'alone' else ' | '
        print(f'| {named(who)} | {what} | {spread(series.values(), 1e3)} | {compare} |'
              + (f' {own_ratio(contest, turns, reference) if who != "alone" else ""} |' if uneven else ''))
        if who.startswith('starpu'):
            inner = {turn: r['inner'] for turn, r in turns.items()}
            print(f'| {named(who)} | {what}, cut beforehand | {spread(inner.values(), 1e3)} | {ratio_text(inner, reference)} |'
                  + (' |' if uneven else ''))
    print()


def chunk_ns(record):
    return record['seconds'] / record['calls'] * 1e9


def empty_table(contest, part):
    print('| runtime | variant | chunks | all of them, us: median | min .. max | ns a chunk: median | min .. max | CPU ns a chunk: median |')
    print('| --- ' * 8 + '|')
    for (who, what), turns in sorted(contest.cells(part).items(), key=order):
        records = list(turns.values())
        cpu = median(r['cpu'] / r['calls'] * 1e9 for r in records)
        print(f'| {named(who)} | {what} | {median(r["calls"] for r in records):.0f} '
              f'| {spread((r["seconds"] for r in records), 1e6)} | {spread(map(chunk_ns, records))} | {cpu:.4g} |')
    print()


def pair_table(contest, part, scale, columns, reference=None):
    print('| runtime | ' + ' | '.join(f'{c}, median | min .. max' for _, c in columns) + ' |\n' + '| --- ' * (1 + 2 * len(columns)) + '|')
    for (who, what), turns in sorted(contest.cells(part).items(), key=order):
        if who == reference:
            continue
        values = []
        for key, _ in columns:
            series = {turn: r[key] for turn, r in turns.items()}
            base = contest.series(part, reference, '', key) if reference else {}
            values.append(spread(ratios(series, base) if reference else series.values(), scale))
        print(f'| {named(who)} | {" | ".join(values)} |')
    print()


def verdict(name, limit, value, unit=''):
    """A row of the list of targets. `value` None: not measured."""
    if value is None:
        return f'| {name} | <= {limit}{unit} | not measured | |'
    return f'| {name} | <= {limit}{unit} | {value:.4g}{unit} | {"met" if value <= limit else "missed"} |'


def median_of(values):
    values = list(values)
    return median(values) if values else None


def targets(contest):
    yoke = lambda part, what, key='seconds': contest.series(part, 'yoke', what, key)
    static = contest.series('saxpy', 'openmp', 'static')
    print('| target | limit | measured | |\n| --- | --- | --- | --- |')
    print(verdict('saxpy: auto / OpenMP static', 1.01, median_of(ratios(yoke('saxpy', 'auto'), static))))
    for part, text in (('uneven-up', 'expensive items last'), ('uneven-down', 'expensive items first')):
        ideal = contest.ideal(part)
        for what in ('auto', 'auto/first'):
            turns = contest.cells(part).get(('yoke', what), {})
            series = {turn: own(r, contest.data['threads']) for turn, r in turns.items()}
            print(verdict(f'imbalanced loop, {text}: {what} by its own time / ideal', 1.01, median_of(ratios(series, ideal))))
    for part, limit, text in (('empty', 150, f'{contest.data["threads"]} threads'), ('stress', 1000, '64 threads')):
        cells = contest.cells(part).get(('yoke', 'dynamic:chunk=1'), {})
        print(verdict(f'a chunk of one item, {text}', limit, median_of(chunk_ns(r) for r in cells.values()), ' ns'))
    idle = contest.cells('idle').get(('yoke', ''), {})
    print(verdict('idle workers, cores used', 0.005, median_of(max(r['opened'], r['after']) for r in idle.values())))
    for key, text in (('opened', 'open'), ('after', 'after a job')):
        slow = ratios(contest.series('bystander', 'yoke', '', key), contest.series('bystander', 'alone', '', key))
        print(verdict(f'a bystander is slowed, {text}', 1.005, median_of(slow)))
    share = [share_of(contest, r) for r in contest.cells('share').get(('yoke', 'auto'), {}).values()]
    print(verdict("partitioning in mxv's time, that of all threads", 0.01, median_of(share), ' %'))
    print()


def share_of(contest, record):
    """The share as a percentage of all threads' time."""
    return 100 * record['inside'] / (record['seconds'] * contest.data['threads'])


def share_text(contest):
    share = list(contest.cells('share').get(('yoke', 'auto'), {}).values())
    if share:
        print("| mxv, ms: median | min .. max | inside, all threads, us: median | min .. max | calls | chunks "
              "| share of the threads' time, %: median | min .. max |")
        print('| --- ' * 8 + '|')
        print(f'| {spread((r["seconds"] for r in share), 1e3)} | {spread((r["inside"] for r in share), 1e6)} '
              f'| {median(r["calls"] for r in share):.0f} | {median(r["chunks"] for r in share):.0f} '
              f'| {spread(share_of(contest, r) for r in share)} |\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('file')
    parser.add_argument('--calm', type=float, default=float('inf'))
    args = parser.parse_args()
    with open(args.file) as file:
        data = json.load(file)
    contest, m, sizes = Contest(data, args.calm), data['machine'], data['sizes']
    others = sorted({r['turn']: r['others'] for r in contest.records}.values())
    print(f'{m["cores"]} cores of {m["cpu"]}, Linux {m["kernel"]}, {m["compiler"]}, oneTBB {m["tbb"] or "none"}, StarPU {m["starpu"] or "none"}; '
          f'{data["date"]}, commit {data["commit"]}. {len(others)} turns'
          + (f' ({contest.dropped} left out: others used more than {args.calm} cores)' if contest.dropped else '')
          + f'; others used {median(others):.2f} cores in the median turn, {others[-1]:.2f} at most.\n')
    targets(contest)
    parts = {r['part'] for r in contest.records}
    if 'saxpy' in parts:
        print(f'## saxpy, {sizes["floats"] >> 20} Mi floats\n')
        times_table(contest, 'saxpy', contest.series('saxpy', 'openmp', 'static'), 'OpenMP static')
    for part, text in (('uneven-up', 'last'), ('uneven-down', 'first')):
        if part in parts:
            print(f'## Imbalanced loop of {sizes["uneven_s"]:g} s, {sizes["items"]} items, the expensive ones {text}\n')
            times_table(contest, part, contest.ideal(part), 'ideal')
    for part, text in (('empty', f'{data["threads"]} threads'), ('stress', '64 threads')):
        if part in parts:
            print(f'## Empty chunks, {text}\n')
            empty_table(contest, part)
    if 'startup' in parts:
        print('## Start-up in a fresh process\n')
        pair_table(contest, 'startup', 1e3, [('seconds', 'open, first job, close, ms'), ('process', 'the whole process, ms')])
    if 'idle' in parts:
        print(f'## Cores used while idle, over {sizes["idle_s"]:g} s\n')
        pair_table(contest, 'idle', 1, [('opened', 'just opened'), ('after', 'after a job')])
    if 'bystander' in parts:
        print('## A single-threaded program beside it: its time over its time alone\n')
        pair_table(contest, 'bystander', 1, [('opened', 'just opened'), ('after', 'after a job')], 'alone')
    if 'share' in parts:
        print(f"## Partitioning in mxv's time, {sizes['rows']} x 2000\n")
        share_text(contest)


if __name__ == '__main__':
    main()
