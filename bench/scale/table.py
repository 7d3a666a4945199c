"""The tables of bench/scale/node.sh from its JSON files: table.py RAW."""
import json
import os
import sys

# Table 4 of Ribeiro et al.: the lower limits of E_h, in per cent.
PAPER = {
    'mm': {'C+G': 94, '2G': 92, 'C+2G': 83, '3G': 85, 'C+3G': 74},
    'barnes-hut': {'C+G': 94, '2G': 97, 'C+2G': 85, '3G': 92, 'C+3G': 91},
}
COMPUTE_BOUND = 97  # per cent; for jobs of a second or more
COMPARABLE = 0.3  # the papers' limits apply to sizes that take one GPU at least this many seconds


def load(raw, name):
    try:
        with open(os.path.join(raw, name + '.json'), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def seconds(value):
    if value is None:
        return '-'
    for unit, scale in (('s', 1), ('ms', 1e3), ('us', 1e6)):
        if value * scale >= 1 or unit == 'us':
            return f'{value * scale:.4g} {unit}'
    return None


def percent(value, signed=False):
    return '-' if value is None else f'{100 * value:{"+" if signed else ""}.1f} %'


def ratio(value):
    return '-' if value is None else f'{value:.3f}'


def size_text(size):
    return 'x'.join(map(str, size)) if isinstance(size, list) else str(size)


def row(cells):
    print('| ' + ' | '.join(cells) + ' |')


def head(cells):
    row(cells)
    print('| --- ' * len(cells) + '|')


def verified(cell):
    if cell['error']:
        return cell['error'].replace('|', '/')
    return {True: 'yes', False: '**no**', None: 'no: 1/16 of the rows' if cell['part'] == 16 else '-'}[cell['verified']]


def sets_of(size):
    return {cell['set']: cell for cell in size['sets']}


def shares(cell):
    return ' / '.join(f"{100 * device['share']:.1f}" for device in cell['devices'])


def judged(cell, limit, size):
    gpu = sets_of(size).get('G')
    if limit is None or cell['efficiency'] is None or not gpu or not gpu['seconds']:
        return ''
    if gpu['seconds'] < COMPARABLE:
        return f'(one GPU below {COMPARABLE} s)'
    return 'met' if 100 * cell['efficiency'] > limit else '**missed**'


def cells_of(job, size):
    paper = PAPER.get(job['app'], {})
    head(['set', 'time', 'speedup', 'E_h', "papers' E_h", '', 'gain', 'regret', 'to / from / between devices', 'shares, %', 'first run', 'verified'])
    for cell in size['sets']:
        limit = paper.get(cell['set'])
        moved = ' / '.join(f"{cell['bytes'][way] / 1e9:.3g}" for way in ('to_devices', 'from_devices', 'between_devices'))
        row([cell['set'], seconds(cell['seconds']) + ('*' if cell['part'] == 16 else ''), ratio(cell['speedup']),
             percent(cell['efficiency']), f'{limit} %' if limit else '', judged(cell, limit, size), ratio(cell['gain']), percent(cell['regret'], True),
             moved + ' GB', shares(cell), seconds(cell['first_seconds']), verified(cell)])


def slower(size):
    """Sets that are more than 1 % slower than the same set without one of its devices."""
    found, pairs = [], 0
    for cell in size['sets']:
        for less in size['sets']:
            # Sets are compared by their devices; one GPU stands for all equal ones.
            if len(less['names']) + 1 != len(cell['names']) or not set(less['names']) < set(cell['names']):
                continue
            if not cell['seconds'] or not less['seconds']:
                continue
            pairs += 1
            if cell['seconds'] > 1.01 * less['seconds']:
                found.append(f"{cell['set']} takes {cell['seconds'] / less['seconds']:.3f} of {less['set']}")
    return found, pairs


def remarks(job, size):
    sets = sets_of(size)
    found, pairs = slower(size)
    print()
    if pairs:
        print(f"- An additional device makes it slower by more than 1 %: {'; '.join(found) if found else 'never'} ({pairs} pairs of sets).")
    alone = ', '.join(f"{'+'.join(part['devices'])} {seconds(part['seconds'])}" for part in size['alone'])
    print(f'- Alone: {alone}.')
    most = max((name for name in sets if name.endswith('G') and 'C' not in name and sets[name]['seconds']),
               key=lambda name: len(sets[name]['names']), default=None)
    if most and most != 'G' and sets['G']['seconds']:
        faster = sets['G']['seconds'] / sets[most]['seconds']
        wanted = ' (at least 3.8: ' + ('met' if faster >= 3.8 else '**missed**') + ')' if job['app'] == 'nbody' and most == '4G' else ''
        print(f'- From 1 to {most[:-1]} GPUs: {faster:.3f} times as fast{wanted}.')
    everything = size['sets'][-1]
    if job['app'] in ('mm', 'nbody') and everything['seconds'] and everything['seconds'] >= 1:
        met = 'met' if 100 * everything['efficiency'] >= COMPUTE_BOUND else '**missed**'
        print(f"- A second or more on all devices: E_h {percent(everything['efficiency'])} (at least {COMPUTE_BOUND} %: {met}).")


def matrices(raw):
    names = sorted(f[:-5] for f in os.listdir(raw) if f.startswith('matrix-') and f.endswith('.json'))
    for job in filter(None, (load(raw, name) for name in names)):
        for size in job['sizes']:
            print(f"\n## {job['app']} {size_text(size['size'])}\n\n{job['partitioner']}, medians of {job['repeat']} run{'' if job['repeat'] == 1 else 's'}, the sets in turns"
                  + ('' if job['complete'] else '; **not complete**') + '\n')
            cells_of(job, size)
            remarks(job, size)


def link_of(raw, name):
    """Bytes per second to and from a GPU, each alone, with pinned memory; with pageable memory if nothing else was measured."""
    for device in (load(raw, 'links') or {'devices': []})['devices']:
        if device['name'] == name:
            for kind in ('pinned', 'pageable'):
                way = device['measured'][kind]
                if way['to_device']:
                    return way['to_device'], way['from_device']
    return None


def copy_paces(raw):
    """Bytes per second that sets of GPUs copy in saxpy, which mainly copies: twice as many bytes in as out, like a square product."""
    size = (load(raw, 'matrix-saxpy') or {'sizes': [{'sets': []}]})['sizes'][0]
    return {cell['set']: (cell['bytes']['to_devices'] + cell['bytes']['from_devices']) / cell['seconds']
            for cell in size['sets'] if cell['seconds'] and 'C' not in cell['set']}


def product_bound(raw):
    """Bounds of mm at 7,000: the links (each byte of A and B goes over one GPU's link once), and arithmetic at the large product's rate.
    Also the time that copies of the same bytes in and out take on these GPUs: they share the host's memory."""
    small, large = load(raw, 'matrix-mm'), load(raw, 'matrix-mm-large')
    if not small or not large:
        return
    gpu = sets_of(large['sizes'][0]).get('G')
    link = link_of(raw, gpu['names'][0]) if gpu else None
    if not link or not gpu['seconds']:
        return
    n, inner, columns = large['sizes'][0]['size']
    rate = 2.0 * n * inner * columns / gpu['seconds']
    rows, inner, columns = small['sizes'][0]['size']
    print(f'\n## mm {rows}x{inner}x{columns} beside the bound of links and arithmetic\n\nBound: A and B in parts over the links of all GPUs at once '
          f'({link[0] / 1e9:.1f} GB/s each, {link[1] / 1e9:.1f} back), and 2 n^3 operations at the {rate / 1e12:.1f} TFLOP/s of one GPU in the large '
          'product. The largest of the three times is the bound (limit: 1.10). The last two columns use the rate of saxpy\'s copies on the same GPUs '
          'instead, for the same number of bytes, in and out at once, from and to the memory that all share.\n')
    head(['GPUs', 'A and B in', 'C out', 'arithmetic', 'measured', 'measured / bound', '', "at saxpy's pace", 'measured / that'])
    paces = copy_paces(raw)
    for cell in small['sizes'][0]['sets']:
        count = len(cell['names'])
        if not cell['seconds'] or 'C' in cell['set']:
            continue
        parts = (8.0 * (rows * inner + inner * columns) / count / link[0], 8.0 * rows * columns / count / link[1],
                 2.0 * rows * inner * columns / count / rate)
        over = cell['seconds'] / max(parts)
        copied = 8.0 * (rows * inner + inner * columns + rows * columns) / paces[cell['set']] if cell['set'] in paces else None
        row([cell['set'], *map(seconds, parts), seconds(cell['seconds']), ratio(over), 'met' if over <= 1.10 else '**missed**',
             seconds(copied), ratio(cell['seconds'] / copied if copied else None)])


def products(raw):
    direct, matrix = load(raw, 'product'), load(raw, 'matrix-mm')
    if not direct:
        return
    print(f"\n## mm {direct['n']}x{direct['n']}x{direct['n']} on one GPU beside direct calls of cuBLAS, copies overlapped by hand (at most 1.02)\n")
    gpu = sets_of(matrix['sizes'][0]).get('G') if matrix else None
    mine = gpu['seconds'] if gpu and matrix['sizes'][0]['size'] == [direct['n']] * 3 else None
    head(['by hand', 'time', 'parts', 'yoke', 'yoke / by hand', ''])
    ways = {'rows': 'B first, then A by rows', 'wave': "B's columns and A's rows by turns", 'tiles': 'the same, tile by tile'}
    for way in (w for w in ways if w in direct):
        over = mine / direct[way]['seconds'] if mine else None
        row([ways[way], seconds(direct[way]['seconds']),
             str(direct[way]['parts']), seconds(mine), ratio(over), '' if over is None else 'met' if over <= 1.02 else '**missed**'])
    print(f"\nThe copies of A and B alone take {seconds(direct['link_seconds'])}, one call on resident data "
          f"{seconds(direct['resident_seconds'])}; results are {'right' if direct['right'] else '**wrong**'}.")


def streams(raw):
    """Jobs on 4 x the device memory. On a GPU both are bound by transfers: the bound is the time of their bytes on the link."""
    found = [name for name in ('mxv', 'saxpy') if load(raw, 'stream-' + name)]
    if not found:
        return
    print('\n## Arrays of 4 x the device memory, on one GPU\n')
    head(['job', 'limited', 'not limited', 'limited / not limited', 'bytes to / from', 'the links take', 'limited / links (at most 1.15)', 'verified'])
    for name in found:
        run, whole = load(raw, 'stream-' + name), load(raw, 'whole-' + name)
        link = link_of(raw, run['devices'][0]['name'])
        ways = (run['bytes']['to_devices'], run['bytes']['from_devices'])
        least = max(ways[0] / link[0], ways[1] / link[1]) if link else None
        over = run['seconds'] / least if least else None
        row([f"{name} {size_text(run['size'])}", seconds(run['seconds']), seconds(whole['seconds']) if whole else '-',
             ratio(run['seconds'] / whole['seconds']) if whole else '-', f'{ways[0] / 1e9:.3g} / {ways[1] / 1e9:.3g} GB', seconds(least),
             '-' if over is None else f"{over:.3f} {'met' if over <= 1.15 else '**missed**'}", {True: 'yes', False: '**no**', None: '-'}[run['verified']]])


def printed(raw, name, title, indent=''):
    """Prints the text output of a program."""
    try:
        with open(os.path.join(raw, name + '.json'), encoding='utf-8') as file:
            print(f'\n## {title}\n\n{indent}' + file.read().strip().replace('\n', '\n' + indent))
    except OSError:
        pass


def main():
    raw = sys.argv[1]
    matrices(raw)
    product_bound(raw)
    products(raw)
    streams(raw)
    printed(raw, 'streaming', 'Data of 4 x the device memory beside copies and kernels alone (at most 1.15)')
    printed(raw, 'blas', 'mm on the cores beside threaded OpenBLAS (at most 1.03)', '    ')


if __name__ == '__main__':
    main()
