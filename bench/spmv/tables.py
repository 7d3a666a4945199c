"""The tables of bench/spmv/node.sh: python3 tables.py RAW > table.md"""
import glob
import json
import os
import sys

RAW = sys.argv[1]


def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def labelled(kind):
    """A dictionary by (matrix, type, devices) of the files KIND-MATRIX-TYPE[-DEVICES].json."""
    found = {}
    for path in sorted(glob.glob(os.path.join(RAW, kind + "-*.json"))):
        parts = os.path.basename(path)[: -len(".json")].split("-", 3)
        data = load(path)
        if data:
            found[tuple((parts[1:] + [""])[:3])] = data
    return found


def ms(seconds):
    return f"{1e3 * seconds:.3f} ms" if seconds else ""


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if part and whole else ""


def command_steps(kind, key):
    name = "-".join((kind,) + key) + ".command"
    with open(os.path.join(RAW, name)) as file:
        words = file.read().split()
    return int(words[words.index("--steps") + 1]) if "--steps" in words else 1


def peers_table(peers):
    print("\n## Peers: the best of some products\n")
    print("| matrix | type | non-zeros | bytes | triad | OpenMP | of triad | GPU copy | cuSPARSE | of copy | note |")
    print("| --- " * 11 + "|")
    for (matrix, kind, _), d in peers.items():
        openmp = min(d["openmp_static"], d["openmp_guided"])
        times = [d[k] for k in ("cusparse_default", "cusparse_alg1", "cusparse_alg2") if d[k]]
        best = min(times) if times else None
        copy = d["gpu_copy"]
        print(f"| {matrix} | {kind} | {d['entries']} | {d['bytes'] / 1e6:.0f} MB | {d['triad'] / 1e9:.0f} GB/s"
              f" | {ms(openmp)} | {percent(d['bytes'] / openmp, d['triad'])}"
              f" | {f'{copy / 1e9:.0f} GB/s' if copy else ''} | {ms(best)}"
              f" | {percent(d['bytes'] / best, copy) if best else ''} | {d['note']} |")


def runs_table(title, kind, peers):
    runs = labelled(kind)
    if not runs:
        return
    print(f"\n## {title}\n")
    print("| matrix | type | devices | a product or step | GB/s | of triad | of the GPU's copy | shares | verified |")
    print("| --- " * 9 + "|")
    for key, d in runs.items():
        matrix, number, on = key
        peer = peers.get((matrix, number, ""), {})
        steps = command_steps(kind, key)
        rate = d["work"] / d["seconds"] if d.get("work") and d.get("seconds") else None
        shares = " ".join(f"{100 * (one['share'] or 0):.0f}" for one in d["devices"])
        gpus = sum(not one["name"].startswith("cpu") for one in d["devices"])
        cores = any(one["name"].startswith("cpu") for one in d["devices"])
        copy = (peer.get("gpu_copy") or 0) * gpus
        print(f"| {matrix} | {number} | {on.replace('_', ' ')} | {ms(d['seconds'] / steps if d.get('seconds') else None)}"
              f" | {f'{rate / 1e9:.1f}' if rate else ''} | {percent(rate, peer.get('triad')) if cores and not gpus else ''}"
              f" | {percent(rate, copy)} | {shares} | {d.get('verified')} |")


def kernel_seconds(matrix, number):
    """Seconds of the median product, by the device's clock."""
    trace = load(os.path.join(RAW, f"trace-{matrix}-{number}.json"))
    jobs = {}
    for event in trace["traceEvents"] if trace else ():
        if event.get("cat") == "chunk":
            job = event["args"]["job"]
            jobs[job] = jobs.get(job, 0) + event["dur"] * 1e-6
    times = sorted(jobs.values())
    return times[len(times) // 2] if times else None


def kernel_table(peers):
    runs = labelled("kernel")
    if not runs:
        return
    print("\n## The kernel alone, by the GPU's clock\n")
    print("| matrix | type | kernel | GB/s | of the GPU's copy |")
    print("| --- " * 5 + "|")
    for (matrix, number, on), d in runs.items():
        seconds, steps = kernel_seconds(matrix, number), command_steps("kernel", (matrix, number, on))
        if not seconds or not d.get("work"):
            continue
        rate = d["work"] / steps / seconds
        copy = peers.get((matrix, number, ""), {}).get("gpu_copy")
        print(f"| {matrix} | {number} | {ms(seconds)} | {rate / 1e9:.1f} | {percent(rate, copy)} |")


peers = labelled("peers")
print("# Sparse products")
peers_table(peers)
kernel_table(peers)
runs_table("The matrix on the devices: many products of one x", "resident", peers)
runs_table("From the host, y home", "host", peers)
runs_table("Conjugate gradients, the matrix on the devices", "cg", peers)
runs_table("Tiles of the same rows instead of the same work", "items", peers)
