"""Times over those of the best, of many cases, as one line (study.py, steps.py)."""


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def summary(name, values):
    return ("%s: median %.3f, 95 %% %.3f, worst %.3f, <= 1.02: %d of %d, <= 1.05: %d"
            % (name, quantile(values, 0.5), quantile(values, 0.95), max(values), sum(v <= 1.02 for v in values), len(values),
               sum(v <= 1.05 for v in values)))
