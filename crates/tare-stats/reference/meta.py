"""Reference values for tare_stats::meta, written without a look at the Rust code:

    python meta.py > meta.json          # needs SciPy

The restricted log likelihood is written out and maximised numerically; tare solves for the zero of its slope instead. The first
case is the trials of the BCG vaccine (Colditz and others 1994), for which R's metafor prints tau^2 = 0.3132,
I^2 = 92.22 %, Q = 152.2330 and the estimate -0.7145 with its default method, REML.
"""

import json
import math
import random

from scipy.optimize import minimize_scalar
from scipy.stats import t as student

BCG = [
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232),
    (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
]


def risk_ratio(a, b, c, d):
    return math.log((a / (a + b)) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def weighted(y, v, tau2):
    w = [1 / (vi + tau2) for vi in v]
    return w, sum(wi * yi for wi, yi in zip(w, y)) / sum(w)


def minus_likelihood(y, v, tau2):
    w, mu = weighted(y, v, tau2)
    logs = sum(math.log(vi + tau2) for vi in v)
    return 0.5 * (logs + math.log(sum(w)) + sum(wi * (yi - mu) ** 2 for wi, yi in zip(w, y)))


def reml(y, v):
    spread = max(y) - min(y)
    top = max(spread * spread, 1e-12) * 4
    edges = [0.0] + [top * 10 ** (e / 4) for e in range(-64, 1)]
    at = min(range(len(edges)), key=lambda i: minus_likelihood(y, v, edges[i]))
    low, high = edges[max(at - 1, 0)], edges[min(at + 1, len(edges) - 1)]
    found = minimize_scalar(lambda x: minus_likelihood(y, v, x), bounds=(low, high), method="bounded",
                            options={"xatol": 1e-15 * max(high, 1e-300), "maxiter": 2000})
    best = found.x
    return 0.0 if minus_likelihood(y, v, 0.0) <= minus_likelihood(y, v, best) else best


def case(name, y, v, confidence):
    k = len(y)
    tau2 = reml(y, v)
    w, mu = weighted(y, v, tau2)
    se = math.sqrt(max(1.0, sum(wi * (yi - mu) ** 2 for wi, yi in zip(w, y)) / (k - 1)) / sum(w))
    w0, mu0 = weighted(y, v, 0.0)
    typical = (k - 1) * sum(w0) / (sum(w0) ** 2 - sum(wi * wi for wi in w0))
    q = student.ppf(0.5 + confidence / 2, k - 1)
    reach = q * math.sqrt(tau2 + se * se)
    return {
        "name": name, "effects": y, "variances": v, "confidence": confidence, "tau_squared": tau2, "mean": mu,
        "std_error": se, "low": mu - q * se, "high": mu + q * se, "next_low": mu - reach, "next_high": mu + reach,
        "i_squared": tau2 / (tau2 + typical), "q": sum(wi * (yi - mu0) ** 2 for wi, yi in zip(w0, y)),
    }


def main():
    pairs = [risk_ratio(*row) for row in BCG]
    cases = [case("bcg", [p[0] for p in pairs], [p[1] for p in pairs], 0.95)]
    draw = random.Random(16)
    for hosts, between, within in [(2, 0.3, 0.05), (3, 0.02, 0.01), (8, 0.4, 0.02), (40, 0.1, 0.1), (12, 0.0, 0.05)]:
        v = [(within * draw.uniform(0.3, 2.0)) ** 2 for _ in range(hosts)]
        y = [0.7 + between * draw.gauss(0, 1) + math.sqrt(vi) * draw.gauss(0, 1) for vi in v]
        cases.append(case(f"{hosts} hosts, sd {between} between and {within} within", y, v, 0.9))
    cases.append(case("all alike", [0.1, 0.1001, 0.0999, 0.1], [0.01, 0.02, 0.01, 0.03], 0.95))
    print(json.dumps(cases, indent=1))


main()
