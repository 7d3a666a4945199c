#!/usr/bin/env python3
"""Makes the table of targets from the raw figures of gpu-node.sh.

    gpu-table.py RAW >table.md

A row has a target, its limit, the measured value and whether it meets the limit, or "not measured".
Several rounds of one program count as one set of runs; its median is taken. If a limit compares two
programs, both ran in turns in the same call.
"""
import glob
import json
import os
import statistics
import sys

RAW = sys.argv[1]
VIAS = {'cuda': 'CUDA', 'opencl': 'OpenCL'}
rows = []


def load(label):
    """The content of a JSON file; None: that part did not run, or it failed."""
    try:
        with open(os.path.join(RAW, label + '.json'), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def rounds(label):
    paths = glob.glob(os.path.join(glob.escape(RAW), label + '-[0-9]*.json'))
    names = sorted((os.path.basename(p)[:-5] for p in paths), key=lambda n: int(n.rsplit('-', 1)[1]))
    return [run for run in map(load, names) if run]


def median(values):
    return statistics.median(values) if values else None


def ms(value):
    return '-' if value is None else '%#.3g ms' % (value * 1e3) if value < 0.1 else '%.1f ms' % (value * 1e3)


def gb(value):
    return '%.1f GB/s' % (value / 1e9)


def row(target, limit, measured, met):
    rows.append((target, limit, measured, 'not measured' if met is None else 'met' if met else '**missed**'))


def ratio_row(target, limit, value, words):
    """A row for a figure with an upper limit."""
    row(target, '<= %.4g' % limit, words if value is None else '%.3f: %s' % (value, words),
        None if value is None else round(value, 3) <= limit)


def verified(runs):
    return '' if all(r['verified'] for r in runs) else ' **NOT VERIFIED**'


def split(run):
    return ', '.join('%s %.1f %%' % (d['name'], 100 * d['share']) for d in run['devices'])


def turns(run):
    """The best split of --sweep, and the two medians that give the regret."""
    best = run['oracle']
    return 'in turns %s to %s at %s' % (ms(best['seconds'] * (1 + run['regret'])), ms(best['seconds']), ', '.join(
        '%s %.0f %%' % (name, 100 * share) for name, share in best['split'].items()))


def oracle_seconds(job):
    """The median of the oracle's runs in turns with yoke; without rounds, the sweep's best."""
    runs = [second for r in rounds(job + '-oracle') for p in r['shares'] for second in p['runs']]
    swept = load(job + '-sweep')
    return median(runs) if runs else swept['oracle'] if swept else None


# --- the limits that the issue states ---

def auto_rows(via, job, title, limits):
    runs = rounds('%s-%s-auto' % (via, job))
    rivals, what = oracle_seconds(job), limits.get('rival', "the oracle's best")
    title = '%s, %s' % (title, VIAS[via])
    if not runs:
        ratio_row('%s: auto / %s' % (title, what), limits['auto'], None, '-')
        return
    seconds = median([s for r in runs for s in r['runs']])
    first = median([r['first_seconds'] for r in runs])
    words = '%s to %s; %s%s' % (ms(seconds), ms(rivals), split(runs[0]), verified(runs))
    ratio_row('%s: auto / %s' % (title, what), limits['auto'], seconds / rivals if rivals else None, words)
    if 'first' in limits:
        words = '%s (the processes: %s)' % (ms(first), ', '.join(ms(r['first_seconds']) for r in runs))
        ratio_row('%s: first run / the same' % title, limits['first'], first / rivals if rivals else None, words)
    alone = runs[0]
    if alone['gain']:
        words = '%s to %s' % (ms(alone['seconds']), '; '.join(
            '%s %s' % (d['name'], ms(d['alone_seconds'])) for d in alone['devices']))
        ratio_row('%s: auto / best device alone' % title, 1, 1 / alone['gain'], words)
    if alone['regret'] is not None:
        ratio_row('%s: 1 + regret' % title, limits['auto'], 1 + alone['regret'], turns(alone))


def denoise_rows(via, which, title):
    run = load('%s-denoise-%s' % (via, which))
    title = '%s, %s' % (title, VIAS[via])
    if not run or run['regret'] is None:
        ratio_row('%s: 1 + regret' % title, 1.05, None, 'auto %s' % ms(run['seconds']) if run else '-')
        return
    words = turns(run) + verified([run])
    ratio_row('%s: 1 + regret' % title, 1.05, 1 + run['regret'], words)
    words = '%s to %s; first run %s' % (ms(run['seconds']), '; '.join(
        '%s %s' % (d['name'], ms(d['alone_seconds'])) for d in run['devices']), ms(run['first_seconds']))
    ratio_row('%s: auto / best device alone' % title, 1, 1 / run['gain'] if run['gain'] else None, words)


def alone_row(via, app, links):
    run = load('%s-%s-alone' % (via, app))
    title = '%s on the GPU alone, %s: bandwidth / link, busier direction' % (app, VIAS[via])
    if not run or not links:
        row(title, '>= 0.95', ms(run['seconds']) if run else '-', None)
        return
    to, home = run['bytes']['to_devices'], run['bytes']['from_devices']
    way, moved = ('to', to) if to >= home else ('from', home)
    rate, link = moved / run['seconds'], links['pinned'][way]
    words = '%.3f: %s of %s (%s); with half as much coming home the links reach %s%s' % (
        rate / link, gb(rate), gb(link), ms(run['seconds']), gb(links['pinned']['two_to_one_to']), verified([run]))
    row(title, '>= 0.95', words, rate / link >= 0.95)


def kernel_row(via, size):
    run, swept = rounds('%s-nbody-%s-auto' % (via, size)), load('nbody-%s-sweep' % size)
    seconds = [d['alone_seconds'] for r in run for d in r['devices']
               if d['backend'] != 'cpu' and d['alone_seconds']]
    rival = oracle_seconds('nbody-%s' % size)
    words = '-' if not seconds or not swept else '%s to %s; the kernel by hand on data there %s' % (
        ms(seconds[0]), ms(rival), ms(swept['kernel_seconds']))
    ratio_row('n-body %s, GPU alone, %s / by hand' % (size, VIAS[via]), 1.05,
              seconds[0] / rival if seconds and rival else None, words)


def pageable_row(via, app, alone):
    pinned, pageable = (load('%s-%s%s-%s' % (via, app, alone, m)) for m in ('pinned', 'pageable'))
    title = '%s%s, %s: pageable / pinned' % (app, ' on the GPU alone' if alone else '', VIAS[via])
    if not pinned or not pageable:
        ratio_row(title, 1.25, None, '-')
        return
    words = '%s to %s; first runs %s, %s%s' % (
        ms(pageable['seconds']), ms(pinned['seconds']), ms(pageable['first_seconds']),
        ms(pinned['first_seconds']), verified([pinned, pageable]))
    ratio_row(title, 1.25, pageable['seconds'] / pinned['seconds'], words)


def chunk_rows(via):
    run = load('%s-chunk' % via)
    title = 'a chunk beside launch + copy + event, %s' % VIAS[via]
    if not run:
        row('host time of ' + title, '<= 5 us', '-', None)
        row("host CPU use while the GPU works alone, %s" % VIAS[via], '<= 5 %', '-', None)
        return
    words = '%.2f us by the clock, %.2f us of CPU time of the thread that drives it; with the driver\'s threads %.2f us (%.2f us against %.2f us); %d chunks' % (
        run['overhead_wall_us'], run['overhead_caller_us'], run['overhead_cpu_us'], run['runtime_cpu_us'],
        run['bare_cpu_us'], run['chunks'])
    row('host time of ' + title, '<= 5 us', words, max(run['overhead_wall_us'], run['overhead_caller_us']) <= 5)
    words = '%.2f %% of a core in jobs of %s (%.2f %% in jobs of %s)' % (
        100 * run['alone_cpu_share'], ms(run['alone_seconds']), 100 * run['short_cpu_share'], ms(run['short_seconds']))
    row("host CPU use while the GPU works alone, %s" % VIAS[via], '<= 5 %', words, run['alone_cpu_share'] <= 0.05)


def fault_rows():
    for path in sorted(glob.glob(os.path.join(glob.escape(RAW), 'fault-*.status'))):
        label = os.path.basename(path)[:-7]
        run = load(label)
        with open(path, encoding='utf-8') as file:
            status = int(file.read())
        with open(os.path.join(RAW, label + '.log'), encoding='utf-8', errors='replace') as file:
            lines = file.read().strip().splitlines() or ['']
        words = 'verified, by %s' % split(run) if run and run['verified'] else 'exit %d: %s' % (status, lines[-1][:160])
        row('fault: %s' % label[6:], 'finishes, verified', words, bool(status == 0 and run and run['verified']))


def memcheck_rows():
    for path in sorted(glob.glob(os.path.join(glob.escape(RAW), 'memcheck-*.status'))):
        label = os.path.basename(path)[:-7]
        with open(path, encoding='utf-8') as file:
            status = int(file.read())
        with open(os.path.join(RAW, label + '.log'), encoding='utf-8', errors='replace') as file:
            said = [line for line in file if 'ERROR SUMMARY' in line] or ['no summary']
        words = said[-1].strip(' =\n')
        row('memcheck: %s' % label[9:], '0 errors', 'exit %d, %s' % (status, words),
            status == 0 and '0 errors' in words)


def main():
    links = load('links')
    bodies = sorted({int(os.path.basename(p).split('-')[2]) for p in glob.glob(
        os.path.join(glob.escape(RAW), '*-nbody-*-auto-*.json'))}, reverse=True) or [131072, 16384]
    vias = [v for v in VIAS if v == 'cuda' or glob.glob(os.path.join(glob.escape(RAW), v + '-*'))]
    for via in vias:
        auto_rows(via, 'saxpy', 'saxpy', {'auto': 1.05, 'first': 1.3})
        auto_rows(via, 'mxv', 'mxv', {'auto': 1.05, 'first': 1.4})
        for size in bodies:
            auto_rows(via, 'nbody-%d' % size, 'n-body %d' % size,
                      {'auto': 1.05 if size > 50000 else 1.1, 'rival': 'the GPU in one launch'})
            kernel_row(via, size)
        denoise_rows(via, 'head', 'denoise, head')
        denoise_rows(via, 'cube', 'denoise, cube')
        alone_row(via, 'saxpy', links)
        alone_row(via, 'mxv', links)
        for app in ('saxpy', 'mxv'):
            pageable_row(via, app, '')
            pageable_row(via, app, '-alone')
        chunk_rows(via)
    fault_rows()
    memcheck_rows()
    print('| target | limit | measured | |\n| --- | --- | --- | --- |')
    for cells in rows:
        print('| %s |' % ' | '.join(c.replace('|', '/') for c in cells))
    swept = [s for s in map(load, ['saxpy-sweep', 'mxv-sweep'] + ['nbody-%d-sweep' % b for b in bodies]) if s]
    if swept:
        print('\nThe oracle program (pinned memory, %d threads, %s):\n' % (swept[0]['threads'], swept[0]['gpu']))
        print('| job | CPU only | GPU only | oracle | GPU share there | kernel alone, data there |\n'
              '| --- | --- | --- | --- | --- | --- |')
        for s in swept:
            print('| %s %d | %s | %s | %s | %.0f %% | %s |' % (
                s['app'], s['size'], ms(s['cpu_only']), ms(s['gpu_only']), ms(s['oracle']), 100 * s['share'],
                ms(s['kernel_seconds'])))
    if links:
        print('\nLinks: pinned %s to, %s from the GPU, %s both at once, %s to it beside half as much home; '
              'pageable %s and %s. Pinning 1 GiB takes %s, opening a context %s. Launch, copy and event of a chunk '
              'cost the host %.1f us.' % (
                  gb(links['pinned']['to']), gb(links['pinned']['from']), gb(links['pinned']['both']),
                  gb(links['pinned']['two_to_one_to']), gb(links['pageable']['to']), gb(links['pageable']['from']),
                  ms(links['pin_1GiB_seconds']), ms(links['context_seconds']), links['chunk_calls_seconds'] * 1e6))
        print('Copies to the GPU, one behind the other: %s.' % ', '.join(
            '%d KiB %s' % (c['bytes'] // 1024, gb(c['to'])) for c in links['copies']))


main()
