"""Finds the OpenCL name of a GPU: opencl_name.py YOKE GPU [KIND], for example build/cli/yoke cuda:0 NVIDIA.

It is the first OpenCL device that is no CPU and has that GPU's model. If there is none, it is the first one whose model contains KIND.
On many machines the first device is PoCL, which is the CPU. Prints an empty line if no device fits.
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
