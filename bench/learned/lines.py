"""The table of bench/learned/lines.sh from its JSON files: lines.py RAW."""
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'scale'))
from table import head, load, row, seconds, size_text  # noqa: E402

LIMIT = 0.03       # the allowed error of predictions, ends of devices and regrets, relative to T
LEAST_SECONDS = 2e-3  # shorter runs have no limit


def by_size(label):
    units = {'k': 1e3, 'M': 1e6}
    size = 1.0
    for text in label[2].split('x'):
        size *= float(text.rstrip('kM')) * units.get(text[-1], 1)
    return label[1], size, label[0]


def labels(folder, whiches='first|linear|again|same'):
    found = (re.fullmatch(rf'(C\+\d?G)-([a-z]+)-(.+)-({whiches})\.json', name) for name in os.listdir(folder))
    return sorted({match.groups()[:3] for match in found if match}, key=by_size)


def asked(value, time, limit=LIMIT):
    if value is None:
        return '-'
    text = f'{100 * value:+.1f} %'
    return text if time < LEAST_SECONDS or abs(value) <= limit else f'**{text}**'


def at_most(value, time):
    """Marks only values above the limit: a negative value may be any size."""
    return f'{100 * value:+.1f} %' if value is not None and value <= LIMIT else asked(value, time)


def off(a, b):
    return a / b - 1 if a and b else None


def predictions(run):
    """The relative errors of the predictions, sorted."""
    return sorted(off(said, took) for said, took in zip(run.get('predictions', []), run['runs']) if said)


def off_text(run):
    """The median error, and how many runs are within the limit."""
    each = predictions(run)
    if not each:
        return '-', '-'
    return asked(statistics.median(each), run['seconds']), f'{sum(abs(one) <= LIMIT for one in each)} of {len(each)}'


def end_spread(run):
    """max |T - T_i| / T over devices. T_i is the median time at which the device ended, over the runs in which it took part, counted from
    submission like a line's T. T is the largest T_i. None for denoise: of its many jobs per run, only the ends of the last one are known."""
    ends = [statistics.median([end for end in device['ends'] if end]) for device in run['devices'] if device['rows'] and any(device['ends'])]
    return 1 - min(ends) / max(ends) if ends and run['app'] != 'denoise' else None


def shares(run):
    return ' / '.join(f"{100 * device['share']:.1f}" for device in run['devices'])


def oracle_shares(run):
    if not run['oracle']:
        return '-'
    return ' / '.join(f'{100 * share:.0f}' for share in run['oracle']['split'].values())


def speedups(linear, again):
    """The fastest device's time alone / the predicted time (ideal), and / the measured time (papers/004, fig. 6)."""
    alone = [device['alone_seconds'] for device in again['devices'] if device['alone_seconds']] if again else []
    if not alone or not linear['predicted_seconds']:
        return '-'
    return f"{min(alone) / linear['predicted_seconds']:.3f} / {min(alone) / linear['seconds']:.3f}"


def print_shares(path):
    run = load(os.path.dirname(path), os.path.basename(path)[:-len('.json')])
    print('/'.join(f"{device['share']:.5f}" for device in run['devices']) if run else '')


def one(folder, label):
    name = '-'.join(label)
    first, linear, again = (load(folder, f'{name}-{which}') for which in ('first', 'linear', 'again'))
    if not first or not linear:
        return
    same = load(folder, f'{name}-same')
    best = linear['oracle']['seconds'] if linear['oracle'] else None
    time = linear['seconds']
    row([label[0], label[1], size_text(linear['size']), seconds(linear.get('predicted_seconds')), seconds(linear['first_seconds']),
         seconds(time), *off_text(linear), asked(end_spread(linear), time),
         seconds(best) if best else '-', at_most(linear['regret'], time), at_most(off(linear['first_seconds'], best), time),
         shares(linear), oracle_shares(linear), speedups(linear, again),
         *((seconds(first['first_seconds']), seconds(again['first_seconds']), seconds(again['seconds']),
            asked(off(again['first_seconds'], again['seconds']), time), seconds(same['first_seconds']) if same else '-',
            asked(off(again['first_seconds'], same['first_seconds']), time) if same else '-') if again else ('-',) * 6)])


def one_derived(folder, label):
    name = '-'.join(label)
    derived, split = load(folder, f'{name}-derived'), load(folder, f'{name}-split')
    if not derived or not split or not split['oracle']:
        return
    row([label[0], label[1], size_text(split['size']), shares(derived), oracle_shares(split), seconds(split['seconds']),
         f"{100 / (1 + split['regret']):.1f} %"])


def main():
    if sys.argv[1] == '--shares':
        print_shares(sys.argv[2])
        return
    folder = sys.argv[1]
    head(['set', 'job', 'size', 'predicted', 'first', 'median', 'off', 'runs within 3 %', 'max |T - T_i| / T', 'best split', 'regret', 'of the first run', 'shares, %',
          'best shares, %', 'speedup, ideal / real', 'auto, knowing nothing', 'auto, 2nd process: first', 'then', 'first over then', 'first by that split', 'auto over it'])
    for label in labels(folder):
        one(folder, label)
    if labels(folder, 'split'):
        print('\n## Derived for a size never seen\n')
        head(['set', 'job', 'size', 'derived shares, %', 'best shares, %', 'time', 'of the best split\'s speed'])
    for label in labels(folder, 'split'):
        one_derived(folder, label)


main()
