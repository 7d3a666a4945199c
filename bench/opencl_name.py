"""What OpenCL calls a GPU: opencl_name.py YOKE GPU [KIND], as build/cli/yoke cuda:0 NVIDIA.

The first device there that is no CPU and has that GPU's model; where none has, the first whose model has KIND in its name.
PoCL, which is the CPU, comes first on many machines. Prints an empty line where there is none.
"""
import json
import subprocess
import sys

kind = sys.argv[3] if len(sys.argv) > 3 else ''


def devices(text):
    p = subprocess.run([sys.argv[1], 'info', '--devices', text, '--json'], capture_output=True, text=True)
    return json.loads(p.stdout)['devices'] if p.returncode == 0 else []


model = ([d['model'] for d in devices(sys.argv[2])] or [''])[0]
gpus = [d for d in devices('opencl') if 'Portable Computing' not in (d['driver'] or '')]
same = [d['name'] for d in gpus if model and (model in d['model'] or d['model'] in model)]
print((same or [d['name'] for d in gpus if kind in d['model']] or [''])[0])
