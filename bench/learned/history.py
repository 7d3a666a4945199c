"""Reads the JSON of yoke-bench-history for tables.py and plots.py."""
import json
import os
import statistics


def load(raw, label):
    try:
        with open(os.path.join(raw, label + '.json'), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def labels(raw, kind):
    return sorted(name[:-len('.json')] for name in os.listdir(raw) if name.startswith(kind + '-') and name.endswith('.json'))


def balance(run):
    """The weight at which both sides of the run would have ended together, at their measured rates."""
    rates = [run[side + '_items'] / run[side + '_seconds'] if run[side + '_seconds'] > 0 else 0 for side in ('cpu', 'gpu')]
    return rates[0] / sum(rates) if all(rates) else None


def best_weight(runs):
    """The median balance of the last ten runs in which both sides had work."""
    told = [weight for weight in map(balance, runs) if weight is not None][-10:]
    return statistics.median(told) if told else None


def cpu_share(run):
    items = run['cpu_items'] + run['gpu_items']
    return run['cpu_items'] / items if items else 0


def typical(runs):
    return statistics.median(run['seconds'] for run in runs)
