"""The tables of bench/path/node.sh from its files: tables.py RAW."""
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'irregular'))
from tables import KERNELS, Raw, by_kernel, over, starpu_best, told  # noqa: E402
from table import head, percent, ratio, row, seconds, shares, verified  # noqa: E402

SCENES = {'room': 'The bunny in the Cornell box', 'many': '16 bunnies: diffuse, mirrors, glass'}
BY_HAND, STARPU, STARPU_INITIAL = 1.06, 1.0, 1.3  # the factors by which yoke must be faster, at least
# Figures of the profiler: its name for each, and the name in the table.
METRICS = (('gpu__time_duration.sum', 'duration'),
           ('launch__registers_per_thread', 'registers'),
           ('smsp__thread_inst_executed_per_inst_executed.ratio', 'active lanes of 32'),
           ('smsp__sass_average_branch_targets_threads_uniform.pct', 'branches that do not part, %'),
           ('sm__warps_active.avg.pct_of_peak_sustained_active', 'occupancy, %'),
           ('smsp__thread_inst_executed_pred_on_per_inst_executed.ratio', 'of them not predicated off'),
           ('smsp__issue_active.avg.pct_of_peak_sustained_active', 'issue slots busy, %'),
           ('sm__inst_issued.avg.pct_of_peak_sustained_active', 'issued, % of the most'),
           ('sm__throughput.avg.pct_of_peak_sustained_elapsed', 'SM throughput, %'),
           ('l1tex__t_sector_hit_rate.pct', 'L1 hits, %'),
           ('lts__t_sector_hit_rate.pct', 'L2 hits, %'),
           ('lts__throughput.avg.pct_of_peak_sustained_elapsed', 'L2 throughput, %'),
           ('gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed', 'DRAM throughput, %'))
STALL, PER_ISSUE = 'smsp__average_warps_issue_stalled_', '_per_issue_active.ratio'
STALLS_SHOWN = 6


def mega(rays, time):
    """Millions of rays per second."""
    return '-' if not rays or not time else f'{rays / time / 1e6:.4g}'


def median(values):
    return sorted(values)[len(values) // 2] if values else None


def number(text):
    """0: the text is no number, for example the profiler's "n/a"."""
    try:
        return float(text.replace(',', ''))
    except ValueError:
        return 0.0


def asked(value, least):
    return '-' if value is None else f'{value:.3f} ' + ('met' if value >= least else f'**missed** ({least})')


def kernels(raw, scene, which, title):
    table = {int(shadows): runs for (shadows,), runs in by_kernel(raw, rf'{scene}-{which}-(\w+)-(\d+)').items()}
    if not table:
        return
    print(f'\n### Shadow rays, {title}\n')
    head(['shadow rays', *KERNELS, 'plain / step', 'auto / best', 'rays, millions', *(f'Mrays/s, {kernel}' for kernel in KERNELS)])
    for shadows, runs in sorted(table.items()):
        # Only a known wrong result is marked: all pictures are equal to the bit, so only one was verified.
        cells = [told({**runs[kernel], 'verified': runs[kernel]['verified'] is not False}) if kernel in runs else '-' for kernel in KERNELS]
        best = min((runs[kernel] for kernel in ('plain', 'step') if kernel in runs), key=lambda run: run['seconds'], default=None)
        some = next(iter(runs.values()))
        row([str(shadows), *cells, over(runs.get('plain'), runs.get('step')), over(runs.get('auto'), best), f"{some['work'] / 1e6:.4g}",
             *(mega(runs[kernel]['work'], runs[kernel]['seconds']) if kernel in runs else '-' for kernel in KERNELS)])
    checked = [run['verified'] for runs in table.values() for run in runs.values() if run['verified'] is not None]
    print('\n' + (f'{len(checked)} verified.' if checked and all(checked) else '**Not verified.**'))


def hand_of(raw, scene):
    return sorted((int(shadows), run) for (shadows,), run in raw.runs(rf'{scene}-hand-(\d+)'))


def by_hand(raw, scene):
    found = hand_of(raw, scene)
    if not found:
        return
    print('\n### By hand: a thread for all paths of a pixel, in turns with yoke\n')
    head(['shadow rays', 'rays, millions', 'kernel', 'yoke', 'by hand', f'by hand / yoke (at least {BY_HAND})', 'with the scene sent',
          'fused / yoke', 'Mrays/s: yoke', 'by hand', 'fused', 'same bits'])
    for shadows, run in found:
        rays = sum(run['rays'].values())
        for turn in run['turns']:
            mine, hand, fused = (median(turn[key]) for key in ('seconds', 'by_hand_seconds', 'fused_seconds'))
            sent = median([a + b for a, b in zip(turn['by_hand_seconds'], turn['by_hand_upload_seconds'])])
            row([str(shadows), f'{rays / 1e6:.4g}', turn['kernel'], seconds(mine), seconds(hand), asked(hand / mine, BY_HAND), seconds(sent),
                 ratio(fused / mine), mega(rays, mine), mega(rays, hand), mega(rays, fused), 'yes' if turn['same'] else '**no**'])
    print()
    head(['shadow rays', 'sums', 'block', 'registers', 'local bytes', 'kernel', 'with the picture back'])
    for shadows, run in found:
        for one in run['blocks']:
            row([str(shadows), one['name'], str(one['block']), str(one['registers']), str(one['local_bytes']), seconds(min(one['kernel_seconds'])),
                 seconds(min(one['seconds']))])
    for shadows, run in found:
        rays = run['rays']
        print(f"\n{shadows} shadow rays: {rays['primary']} primary, {rays['secondary']} secondary, {rays['shadow']} shadow.")


def metrics_of(raw, name):
    """{metric: (value, unit)} of the longest launch in the profile."""
    try:
        with open(os.path.join(raw.folder, name + '.csv'), encoding='utf-8', newline='') as file:
            rows = list(csv.reader(line for line in file if not line.startswith('==')))
    except OSError:
        return {}
    launches = [{metric: (value, unit) for metric, unit, value in zip(rows[0], rows[1], values)} for values in rows[2:]]
    return max(launches, key=lambda launch: number(launch.get(METRICS[0][0], ('0',))[0]), default={})


def profiled(raw, scene):
    columns = {title: metrics_of(raw, f'{scene}-ncu-{which}') for which, title in (('plain', 'plain'), ('step', 'step'), ('hand', 'by hand'))}
    columns = {title: metrics for title, metrics in columns.items() if metrics}
    if not columns:
        return
    print('\n### What the profiler says\n')
    head(['', *columns])
    for metric, title in METRICS:
        cells = [' '.join(metrics[metric]).strip() if metric in metrics else '-' for metrics in columns.values()]
        if any(cell != '-' for cell in cells):
            row([title, *(cell.removesuffix(' %') for cell in cells)])
    stalls = {}
    for title, metrics in columns.items():
        for metric, (value, _) in metrics.items():
            if metric.startswith(STALL) and metric.endswith(PER_ISSUE) and 'not_issued' not in metric:
                stalls.setdefault(metric[len(STALL):-len(PER_ISSUE)], {})[title] = number(value)
    if stalls:
        print('\nWarps that wait, of each issue:\n')
        head(['for', *columns])
        for reason, cells in sorted(stalls.items(), key=lambda entry: -max(entry[1].values()))[:STALLS_SHOWN]:
            row([reason, *(f'{cells[title]:.2f}' if title in cells else '-' for title in columns)])


def matrices(raw, scene, which, title):
    for (kernel,), job in raw.runs(rf'{scene}-{which}-(\w+)'):
        print(f"\n### Sets of devices{title}, kernel {kernel}" + ('' if job['complete'] else '; **not complete**') + '\n')
        head(['samples', 'set', 'time', 'E_h', 'gain', 'Mrays/s', 'shares, %', 'kernels', 'first run', 'verified'])
        for size in job['sizes']:
            for cell in size['sets']:
                row([str(size['size']), cell['set'], seconds(cell['seconds']), percent(cell['efficiency']), ratio(cell['gain']),
                     mega(cell['work'], cell['seconds']), shares(cell), ' / '.join(device['kernel'] or '-' for device in cell['devices']),
                     seconds(cell['first_seconds']), verified(cell)])


def cores_alone(raw, scene, kernel):
    """Seconds per sample on the cores alone, from the matrix's largest size that they ran; and that size."""
    matrix = raw.load(f'{scene}-sets-{kernel}')
    for size in reversed(matrix['sizes'] if matrix else []):
        for cell in size['sets']:
            if cell['set'] == 'C' and cell['seconds']:
                return cell['seconds'] / size['size'], size['size']
    return None, None


def long_runs(raw, scene):
    table = {}
    for (kernel, samples, which), run in raw.runs(rf'{scene}-long-(\w+)-(\d+)-(.+)'):
        table.setdefault((kernel, int(samples)), {})[which] = run
    for kernel in sorted({kernel for kernel, _ in table}):
        per_sample, beside = cores_alone(raw, scene, kernel)
        print(f'\n### Many samples, kernel {kernel}\n\n' +
              (f'The cores alone are taken to need for each sample what they needed for each of {beside}.\n' if beside else
               'The cores alone were not measured (part sets): no E_h with them.\n'))
        head(['samples', 'set', 'time', 'speedup over a GPU', 'E_h', 'Mrays/s', 'shares, %', 'first run'])
        for (_, samples), runs in sorted(entry for entry in table.items() if entry[0][0] == kernel):
            alone = runs['G']['seconds'] if 'G' in runs else None
            for which, run in sorted(runs.items(), key=lambda entry: (len(entry[1]['devices']), entry[0])):
                time, gpus = run['seconds'], len(run['devices']) - which.startswith('C+')
                rates = None if not alone else gpus / alone
                if rates and which.startswith('C+'):
                    rates = rates + 1 / (per_sample * samples) if per_sample else None
                row([str(samples), which, seconds(time), ratio(alone / time if alone and time else None), percent(1 / (rates * time) if rates and time else None),
                     mega(run['work'], time), shares(run), seconds(run['first_seconds'])])


def starpu(raw, scene):
    peer = starpu_best(raw, scene)
    if not peer:
        return
    contest = peer[0]
    print(f"\n### Beside StarPU {contest['starpu']}, {contest['workers']} cores, {contest['size']} samples, the same CPU function in turns\n")
    head(['scheduler', 'block', 'median', 'over yoke beside it', 'Mrays/s'])
    beside = None
    for one in contest['contestants']:
        if one['name'] == 'yoke':
            beside = one
        quotient = '' if one is beside else ratio(one['median'] / beside['median'])
        row([one['name'], str(one['block'] or ''), seconds(one['median']), quotient, mega(contest['work'], one['median'])])
    print(f"\nIn turns again, medians of {len(contest['best'][0]['seconds'])}:\n")
    head(["StarPU's", 'scheduler', 'block', 'median', 'yoke', 'StarPU / yoke'])
    everyone = list(contest['contestants'])
    for key, title, least in (('best', 'best', STARPU), ('initial', 'own scheduler, a task for each core', STARPU_INITIAL)):
        mine, theirs = contest[key]
        everyone += mine, theirs
        times = [median(one['seconds']) for one in (theirs, mine)]
        row([title, theirs['name'], str(theirs['block']), *map(seconds, times), asked(times[0] / times[1], least)])
    bits = {one['bits'] for one in everyone}
    print('\n' + ('All pictures have the same bits' if len(bits) == 1 else '**The pictures differ**')
          + (', and are verified.' if all(one['verified'] for one in everyone) else '; **not all verified.**'))


def on_cores(raw, scene):
    table = {'one core': by_kernel(raw, rf'{scene}-core-(\w+)').get((), {}), 'all cores': by_kernel(raw, rf'{scene}-cores-(\w+)').get((), {})}
    if any(table.values()):
        print('\n### Cores\n')
        head(['cores', *KERNELS, 'plain / step', 'Mrays/s of plain', 'of step'])
        for which, runs in table.items():
            row([which, *(seconds(runs[kernel]['seconds']) if kernel in runs else '-' for kernel in KERNELS), over(runs.get('plain'), runs.get('step')),
                 *(mega(runs[kernel]['work'], runs[kernel]['seconds']) if kernel in runs else '-' for kernel in ('plain', 'step'))])
    starpu(raw, scene)


def embree(raw):
    """Prints the program's text output."""
    try:
        with open(os.path.join(raw.folder, 'rays.json'), encoding='utf-8') as file:
            print('\n## Rays beside Embree\n\n    ' + file.read().strip().replace('\n', '\n    '))
    except OSError:
        pass


def main():
    raw = Raw(sys.argv[1])
    files = os.listdir(raw.folder)
    for scene, title in SCENES.items():
        if not any(name.startswith(scene + '-') for name in files):
            continue
        print(f'\n## {title}')
        kernels(raw, scene, 'one', 'one GPU')
        kernels(raw, scene, 'all', 'all GPUs')
        by_hand(raw, scene)
        profiled(raw, scene)
        matrices(raw, scene, 'sets', '')
        matrices(raw, scene, 'upload', ', the scene sent in every run')
        long_runs(raw, scene)
        on_cores(raw, scene)
    embree(raw)


if __name__ == '__main__':
    main()
