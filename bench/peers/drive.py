"""Runs the programs of the comparison in turns (contestant.h lists their commands) and writes every measurement as JSON.

    drive.py PROGRAMS OUT.json [--rounds N] [--only PART,...] [--without PEER,...] [--small]

A round has one measurement, or a few, of each runtime in each of its variants. Their order changes from round to round. All
programs stay open and idle while another one is measured. StarPU is paused, because its idle workers poll. saxpy's vectors are in
memory that all programs share, so that all use the same pages.
"""
import argparse
import json
import os
import platform
import random
import subprocess
import time

SETTLE_S = 0.01  # seconds; OpenMP's threads spin for some milliseconds after a loop
STARPU_BLOCKS = ['2', '20', '200', '2000']
# Turns per round; long parts have fewer.
TURNS = {'saxpy': 6, 'uneven-up': 1, 'uneven-down': 1, 'empty': 2, 'stress': 2, 'startup': 2, 'idle': 1, 'bystander': 3, 'share': 3}
PARTS = {'saxpy': ['saxpy'], 'uneven': ['uneven-up', 'uneven-down'], 'empty': ['empty', 'stress'], 'startup': ['startup'],
         'idle': ['idle'], 'bystander': ['bystander'], 'share': ['share']}


def memory_bytes():
    """Bytes of memory that are available (MemAvailable)."""
    with open('/proc/meminfo') as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith('MemAvailable'))


class Sizes:
    def __init__(self, small):
        self.floats = (1 if small else 64) << 20
        self.items = 2000 if small else 20000
        self.nothings = 20000 if small else 1000000
        self.tasks = 2000 if small else 20000
        self.uneven_s = 0.02 if small else 1.0
        self.bystander_s = 0.02 if small else 0.2
        self.idle_s = 0.1 if small else 1.0
        # The matrix of the paper has 6.4 GB.
        self.rows = 20000 if small else 800000 if memory_bytes() > 12e9 else 200000


class Peer:
    """A program: its name in the table, its process, and the commands that it answers."""

    def __init__(self, name, command, env, file=None):
        self.name = name
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        pass_fds=[file] if file is not None else [])

    def ask(self, command):
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f'{self.name}: no answer to "{command}", exit status {self.process.wait()}')
        return {key: float(value) for key, value in (word.split('=') for word in answer.split())}

    def run(self, loop, variant):
        """VARIANT/first: reopens the runtime before, so that it knows nothing about the loop."""
        variant, _, first = variant.partition('/')
        if first:
            self.ask('close')
            self.ask('open')
        self.ask('wake')
        time.sleep(SETTLE_S)
        answer = self.ask(f'run {loop} {variant}')
        self.ask('hush')
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def ticks(self):
        with open(f'/proc/{self.process.pid}/stat') as file:
            return sum(int(word) for word in file.read().rsplit(')', 1)[1].split()[11:13])


class Stage:
    """The programs that exist, and how to start one of each."""

    def __init__(self, programs, sizes, starpu_home, without):
        self.programs, self.sizes, self.without = programs, sizes, without
        self.threads = len(os.sched_getaffinity(0))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(('OMP_', 'GOMP_', 'YOKE_', 'STARPU_', 'TBB_'))}
        self.env.update(STARPU_SILENT='1', STARPU_HOME=starpu_home)
        self.file = os.memfd_create('vectors')
        os.truncate(self.file, 2 * ((4 * sizes.floats + 4095) // 4096 * 4096))
        self.kinds = {}
        for kind in ('yoke', 'openmp', 'tbb'):
            if self.has(kind):
                self.kinds[kind] = (kind, {})
        for scheduler in ('eager', 'lws', 'dmda'):
            if self.has('starpu'):
                self.kinds[f'starpu {scheduler}'] = ('starpu', {'STARPU_SCHED': scheduler})

    def has(self, kind):
        return kind not in self.without and os.access(f'{self.programs}/yoke-peer-{kind}', os.X_OK)

    def start(self, name, threads=None, shared=False):
        kind, env = self.kinds.get(name, (name, {}))
        floats = self.sizes.floats if shared else 1 << 20
        command = [f'{self.programs}/yoke-peer-{kind}', str(threads or self.threads), str(floats), str(self.sizes.items),
                   str(self.sizes.nothings)]
        if shared:
            command.append(str(self.file))
        return Peer(name, command, {**self.env, **env}, self.file if shared else None)


def variants(name, part, sizes):
    """The variants of a runtime in a part."""
    if name.startswith('starpu'):
        return [str(sizes.tasks)] if part == 'empty' else STARPU_BLOCKS
    table = {
        ('yoke', 'saxpy'): ['auto'],
        ('openmp', 'saxpy'): ['static', 'dynamic,65536', 'guided,65536'],
        ('tbb', 'saxpy'): ['auto', 'static', 'simple,65536'],
        ('yoke', 'uneven'): ['auto', 'auto/first'],
        ('openmp', 'uneven'): ['static', 'static,1', 'dynamic,1', 'dynamic,100', 'guided,1'],
        ('tbb', 'uneven'): ['auto', 'static', 'simple,1'],
        ('yoke', 'empty'): ['dynamic:chunk=1', 'auto'],
        ('openmp', 'empty'): ['dynamic,1'],
        ('tbb', 'empty'): ['simple,1'],
        ('yoke', 'stress'): ['dynamic:chunk=1'],
        ('openmp', 'stress'): ['dynamic,1'],
        ('tbb', 'stress'): ['simple,1'],
    }
    return table.get((name, part.split('-')[0]), [])


class Contest:
    def __init__(self, stage, seed):
        self.stage, self.sizes, self.random = stage, stage.sizes, random.Random(seed)
        self.peers = {name: stage.start(name, shared=True) for name in stage.kinds}
        self.alone = stage.start('alone', shared=True)
        self.bystander = stage.start('alone')
        self.crowds, self.share = {}, None
        for peer in [self.alone, self.bystander, *self.peers.values()]:
            peer.ask('open')
            peer.ask('hush')
        steps = self.calibrate()
        for peer in [self.alone, *self.peers.values()]:
            peer.ask(f'steps {steps * self.sizes.uneven_s}')
        self.bystander.ask(f'steps {steps * self.sizes.bystander_s}')

    def calibrate(self):
        """Steps of item 1 that make the loop take one core one second."""
        steps = 0.2
        for _ in range(3):
            self.alone.ask(f'steps {steps}')
            seconds = min(self.alone.run('uneven-up', 'any')['seconds'] for _ in range(3))
            if seconds > 0.1:
                break
            steps *= min(10, 0.2 / seconds)
        return steps / seconds

    def mine(self):
        """Clock ticks that the programs, and this one, have used."""
        peers = [self.alone, self.bystander, *self.peers.values(), *self.crowds.values()]
        return sum(peer.ticks() for peer in peers + ([self.share] if self.share else [])) + sum(os.times()[:4]) * os.sysconf('SC_CLK_TCK')

    def measures(self, part):
        """The measurements of a turn of this part: (runtime, variant, a function that returns the figures)."""
        if part in ('saxpy', 'uneven-up', 'uneven-down', 'empty'):
            loop = 'nothing' if part == 'empty' else part
            cells = [(peer, v) for name, peer in self.peers.items() for v in variants(name, part, self.sizes)]
            if part.startswith('uneven'):
                cells += [(self.alone, str(core)) for core in range(self.stage.threads)]
            return [(p.name, v, lambda p=p, v=v: p.run(loop, v)) for p, v in cells]
        if part == 'stress':
            return [(name, v, lambda n=name, v=v: self.crowd(n).run('nothing', v))
                    for name in self.peers for v in variants(name, part, self.sizes) if not name.startswith('starpu')]
        if part == 'startup':
            return [(name, variants(name, 'saxpy', self.sizes)[0], lambda n=name: self.startup(n)) for name in self.peers]
        if part == 'idle':
            return [(name, '', lambda n=name: self.idle(n)) for name in self.peers]
        if part == 'bystander':
            return [(name, '', lambda n=name: self.beside(n)) for name in [*self.peers, 'alone']]
        return [('yoke', 'auto', self.ask_share)] if self.stage.has('share') else []

    def crowd(self, name):
        if name not in self.crowds:
            self.crowds[name] = self.stage.start(name, threads=64)
            self.crowds[name].ask('open')
        return self.crowds[name]

    def startup(self, name):
        start = time.monotonic()
        peer = self.stage.start(name)
        answer = peer.ask(f'startup saxpy {variants(name, "saxpy", self.sizes)[0]}')
        peer.end()
        return {**answer, 'process': time.monotonic() - start}

    def fresh(self, name):
        """A process that has opened its runtime but run nothing; and a function that makes it run a loop."""
        peer = self.stage.start(name)
        peer.ask('open')
        time.sleep(0.05)
        return peer, lambda: peer.ask(f'run saxpy {variants(name, "saxpy", self.sizes)[0]}')

    def idle(self, name):
        peer, work = self.fresh(name)
        opened = peer.ask(f'idle {self.sizes.idle_s}')['cores']
        work()
        after = peer.ask(f'idle {self.sizes.idle_s}')['cores']
        peer.end()
        return {'opened': opened, 'after': after}

    def beside(self, name):
        def work():
            return self.bystander.run('uneven-up', 'any')['seconds']
        if name == 'alone':
            return {'opened': work(), 'after': work()}
        peer, run = self.fresh(name)
        opened = work()
        run()
        after = self.bystander.ask('run uneven-up any')['seconds']
        peer.end()
        return {'opened': opened, 'after': after}

    def ask_share(self):
        if not self.share:
            self.share = Peer('share', [f'{self.stage.programs}/yoke-peer-share', str(self.stage.threads), str(self.sizes.rows)],
                              self.stage.env)
            self.share.ask('first')
        time.sleep(SETTLE_S)
        return self.share.ask('next')

    def turn(self, part, number):
        """Makes one measurement of each, in a new order. Records how many cores other programs used meanwhile."""
        measures = self.measures(part)
        self.random.shuffle(measures)
        start, busy, mine = time.monotonic(), busy_ticks(), self.mine()
        records = [{'part': part, 'turn': number, 'who': who, 'what': what, **measure()} for who, what, measure in measures]
        ticks = (time.monotonic() - start) * os.sysconf('SC_CLK_TCK')
        others = max(0.0, busy_ticks() - busy - (self.mine() - mine)) / max(1.0, ticks)
        return [{**record, 'others': round(others, 3)} for record in records]

    def end(self):
        for peer in [self.alone, self.bystander, *self.peers.values(), *self.crowds.values()]:
            peer.ask('wake')
            peer.ask('close')
            peer.end()
        if self.share:
            self.share.end()


def busy_ticks():
    """Busy clock ticks of all processors. Stolen time counts, because another machine used it."""
    with open('/proc/stat') as file:
        words = [int(word) for word in file.readline().split()[1:]]
    return sum(words[:3]) + sum(words[5:8])


def text_of(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
    return done.stdout.strip()


def machine():
    model = next((line.split(':')[1].strip() for line in open('/proc/cpuinfo') if line.startswith('model name')), '')
    return {'cpu': model, 'cores': len(os.sched_getaffinity(0)), 'kernel': platform.release(),
            'compiler': text_of(['cc', '--version']).split('\n')[0],
            'tbb': text_of(['pkg-config', '--modversion', 'tbb']),
            'starpu': text_of(['pkg-config', '--modversion', 'starpu-1.4']) or text_of(['pkg-config', '--modversion', 'starpu-1.3'])}


def write(path, stage, records):
    with open(path, 'w') as file:
        json.dump({'schema': 1, 'machine': machine(), 'commit': text_of(['git', 'log', '-1', '--format=%h']),
                   'date': time.strftime('%Y-%m-%d'), 'threads': stage.threads, 'sizes': vars(stage.sizes), 'records': records},
                  file, indent=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('programs')
    parser.add_argument('out')
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--only', default=','.join(PARTS))
    parser.add_argument('--without', default='')
    parser.add_argument('--small', action='store_true')
    args = parser.parse_args()
    wanted = args.only.split(',')
    unknown = [part for part in wanted if part not in PARTS]
    if unknown or args.rounds < 1:
        parser.error(f'parts are {", ".join(PARTS)}; rounds 1 or more')
    home = os.path.dirname(os.path.abspath(args.out)) + '/starpu'
    os.makedirs(home, exist_ok=True)
    stage = Stage(args.programs, Sizes(args.small), home, args.without.split(','))
    contest = Contest(stage, seed=1)
    records, turn = [], 0
    for number in range(-1, args.rounds):  # the first round warms up
        for part in [p for name in wanted for p in PARTS[name]]:
            for _ in range(TURNS[part] if number >= 0 else 1):
                turn += 1
                got = contest.turn(part, turn)
                records += got if number >= 0 else []
        write(args.out, stage, records)
        print(f'round {number + 1} of {args.rounds}', flush=True)
    contest.end()


if __name__ == '__main__':
    main()
