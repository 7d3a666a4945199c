"""Figures from the JSON files of bench/learned/node.sh, by gnuplot: plots.py RAW OUT."""
import os
import shutil
import subprocess
import sys

from history import cpu_share, labels, load

HEAD = 'set terminal svg size 900,500 background "white"\nset grid\nset key outside top center horizontal\nset y2tics\nset ytics nomirror\n'


def block(name, lines):
    return f'${name} << END\n' + '\n'.join(' '.join(map(str, line)) for line in lines) + '\nEND\n'


def weight_script(run):
    """Bars for both sides' times and a line for the weight, like the paper's figure 3."""
    lines = [(step, 1e3 * each['gpu_seconds'], 1e3 * each['cpu_seconds'], each['weight']) for step, each in enumerate(run['runs'])]
    return (HEAD + block('data', lines) + f'set title "{run["app"]}, {run["size"]}: rule {run["policy"]}"\n'
            'set xlabel "step"\nset ylabel "ms"\nset y2label "CPU weight"\nset yrange [0:*]\nset y2range [0:*]\n'
            f'set style data histogram\nset style histogram clustered gap 1\nset style fill solid\nset xtics 5\nset xrange [-1:{len(lines)}]\n'
            'plot $data using 2 title "others" lc rgb "#4477aa", $data using 3 title "cores" lc rgb "#cc6677", '
            '$data using 1:4 axes x1y2 with lines lw 2 lc rgb "#228833" title "CPU weight"\n')


def load_script(run):
    lines = [(step, 1e3 * each['seconds'], 100 * cpu_share(each)) for step, each in enumerate(run['runs'])]
    shade = f'set object 1 rectangle from {run["from"]},graph 0 to {run["to"]},graph 1 behind fc rgb "#eeeeee" fs noborder\n'
    return (HEAD + block('data', lines) + shade + f'set title "saxpy, {run["size"]}: {run["partitioner"]}; grey: {run["busy"]} busy threads"\n'
            'set xlabel "run"\nset ylabel "ms"\nset y2label "share of the cores, %"\nset yrange [0:*]\nset y2range [0:100]\n'
            'plot $data using 1:2 with linespoints lc rgb "#4477aa" title "time", '
            '$data using 1:3 axes x1y2 with lines lw 2 lc rgb "#228833" title "share of the cores"\n')


def main():
    raw, out = sys.argv[1:3]
    if not shutil.which('gnuplot'):
        print('no gnuplot, so no figures; bench/learned/plots.py draws them from the JSON files where there is one')
        return
    for kind, script in (('weight', weight_script), ('load', load_script)):
        for label in labels(raw, kind):
            run = load(raw, label)
            if not run:
                continue
            with open(os.path.join(out, label.replace(':', '-').replace('=', '') + '.svg'), 'w', encoding='utf-8') as picture:
                subprocess.run(['gnuplot'], input=script(run), text=True, stdout=picture, check=True)


main()
