"""The tables of bench/adaptive/node.sh from its JSON files: table.py RAW."""
import json
import os
import sys


def load(raw, name):
    try:
        with open(os.path.join(raw, name + '.json')) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def ms(seconds):
    value = 1e3 * seconds
    return f'{value:.3g} ms' if value < 100 else f'{value:.1f} ms'


def names(raw, start):
    return sorted(f[:-5] for f in os.listdir(raw) if f.startswith(start) and f.endswith('.json'))


def median(values):
    values = sorted(values)
    return values[(len(values) - 1) // 2]


def verdict(job):
    judged = {r['partitioner']: r for r in job['rows'] if r['wait'] == 'auto'}
    rows = [r for r in job['rows'] if r['wait'] != 'auto']
    oracle, alone, auto = (judged[name] for name in ('oracle', 'best alone', 'auto'))
    others = [r for r in rows if r['partitioner'] not in ('auto', 'oracle')]
    best = min(others, key=lambda r: r['seconds'])
    first, split = median(job['ready_first_seconds']), median(job['oracle_first_seconds'])
    return (f"| {job['app']} {job['size']} | {ms(oracle['seconds'])} | {ms(auto['seconds'])} ({auto['runs']}) | "
            f"{100 * auto['regret']:+.1f} % | {auto['seconds'] / alone['seconds']:.3f} | "
            f"{ms(first)} | {ms(split)} | {100 * (first / split - 1):+.0f} % | {ms(job['first_seconds'])} | "
            f"{best['seconds'] / auto['seconds']:.2f} ({best['partitioner']}) | "
            f"{ms(job['whole_seconds']) if job['whole_seconds'] else ''} | {'yes' if job['verified'] else '**no**'} |")


def turns(raw):
    jobs = [job for job in (load(raw, n) for n in names(raw, 'turns-')) if job]
    if not jobs:
        return
    print('| job | oracle | auto (turns) | regret | auto / best alone | first run, ready | oracle\'s first run | regret | of a process | '
          'best other row / auto | whole run | verified |\n' + '| --- ' * 12 + '|')
    for job in jobs:
        print(verdict(job))
    for job in jobs:
        alone = ', '.join(f"{d['name']} {ms(d['alone_seconds'])}" for d in job['devices'])
        print(f"\n{job['app']} {job['size']}: alone {alone}; oracle at "
              + ', '.join(f"{d['name']} {100 * d['oracle_share']:.0f} %" for d in job['devices'])
              + '\n\n| partitioner | wait | threads | time | least to most | E_h | gain | regret | shares |\n'
              + '| --- ' * 9 + '|')
        for row in job['rows']:
            print(f"| {row['partitioner']} | {row['wait']} | {row['threads']} | {ms(row['seconds'])} | "
                  f"{ms(row['least'])} to {ms(row['most'])} | {row['efficiency']:.3f} | {row['gain']:.3f} | "
                  f"{100 * row['regret']:+.1f} % | {' / '.join(f'{100 * s:.0f}' for s in row['shares'])} |")


def alpha(raw):
    values = sorted({n.rsplit('-', 1)[1] for n in names(raw, 'alpha-')})
    if not values:
        return
    print('\nalpha (section 5.3), mxv: time; the first run; how often the size of a core\'s chunk changed\n\n'
          '| alpha | nc-ht | c-ht |\n| --- | --- | --- |')
    for value in values:
        cells = []
        for kind in ('nc-ht', 'c-ht'):
            run = load(raw, f'alpha-{kind}-{value}')
            if not run:
                cells.append('-')
                continue
            reason = next((d.get('reason') or '' for d in run['devices'] if d['backend'] == 'cpu'), '')
            changed = reason.split('size changed ')[1].split(' ')[0] if 'size changed ' in reason else '-'
            cells.append(f"{ms(run['seconds'])}; {ms(run['first_seconds'])}; {changed}")
        print(f"| {value} | {' | '.join(cells)} |")


def ratio(raw):
    for job in sorted({n[6:].rsplit('-', 2)[0] for n in names(raw, 'ratio-') if not n.endswith('-gpu')}
                      - {n[6:].rsplit('-', 1)[0] for n in names(raw, 'ratio-') if n.endswith('-gpu')}
                      | {n[6:].rsplit('-', 1)[0] for n in names(raw, 'ratio-') if n.endswith('-gpu')}):
        gpu = load(raw, f'ratio-{job}-gpu')
        counts = sorted({int(n[len(f'ratio-{job}-'):].split('-')[0]) for n in names(raw, f'ratio-{job}-')
                         if n[len(f'ratio-{job}-'):].split('-')[0].isdigit()})
        if not counts or not gpu:
            continue
        print(f'\nGPU improvement ratio (fig. 10), {job}: T(cores) / T(cores + GPU), ideal 1 + T(cores) / T(GPU)\n\n'
              '| cores | ideal | nc-ht | c-ht | auto |\n| --- | --- | --- | --- | --- |')
        for count in counts:
            cpu = load(raw, f'ratio-{job}-{count}-cpu')
            if not cpu:
                continue
            cells = []
            for kind in ('nc-ht', 'c-ht', 'auto'):
                run = load(raw, f'ratio-{job}-{count}-{kind}')
                cells.append(f"{cpu['seconds'] / run['seconds']:.3f}" if run else '-')
            print(f"| {count} | {1 + cpu['seconds'] / gpu['seconds']:.3f} | {' | '.join(cells)} |")


def main():
    turns(sys.argv[1])
    alpha(sys.argv[1])
    ratio(sys.argv[1])


main()
