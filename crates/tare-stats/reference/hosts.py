"""Reference values for what tare_stats::meta says of hosts that differ, written from the formulas, not from the Rust code:

    python hosts.py > hosts.json          # needs SciPy

Welch's test and the residuals are computed as their definitions read, each residual from studies without that one; the variance
within parts maximises the restricted likelihood of the mixed model, written with matrices.
"""

import json
import math
import random

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import f as fisher
from scipy.stats import t as student


def welch(y, v, df):
    k = len(y)
    w = [1 / vi for vi in v]
    total = sum(w)
    mean = sum(wi * yi for wi, yi in zip(w, y)) / total
    top = sum(wi * (yi - mean) ** 2 for wi, yi in zip(w, y)) / (k - 1)
    unknown = sum((1 - wi / total) ** 2 / d for wi, d in zip(w, df))
    bottom = 1 + 2 * (k - 2) / (k * k - 1) * unknown
    return float(fisher.sf(top / bottom, k - 1, (k * k - 1) / (3 * unknown)))


def residual(y, v, tau2, i):
    rest = [j for j in range(len(y)) if j != i]
    a = {j: 1 / (v[j] + tau2) for j in rest}
    total = sum(a.values())
    mean = sum(a[j] * y[j] for j in rest) / total
    squares = sum(a[j] * (y[j] - mean) ** 2 for j in rest)
    chance = sum(a[j] * v[j] for j in rest) - sum(a[j] ** 2 * v[j] for j in rest) / total
    scale = total - sum(a[j] ** 2 for j in rest) / total
    between = max(0.0, (squares - chance) / scale)
    error = sum(a[j] ** 2 * (v[j] + between) for j in rest) / total**2
    value = (y[i] - mean) / math.sqrt(v[i] + between + error)
    return value, float(2 * student.sf(abs(value), len(y) - 2))


def model(y, v, x, tau2):
    weights = np.diag(1 / (v + tau2))
    info = x.T @ weights @ x
    beta = np.linalg.solve(info, x.T @ weights @ y)
    off = y - x @ beta
    squares = float(off @ weights @ off)
    likelihood = -0.5 * (np.sum(np.log(v + tau2)) + np.linalg.slogdet(info)[1] + squares)
    return float(likelihood), beta, info, squares


def reml(y, v, x):
    """The zero of the slope of a likelihood with one peak is looked for on a grid, then closely."""
    cost = lambda log: -model(y, v, x, math.exp(log))[0]
    top = math.log(max((max(y) - min(y)) ** 2, 1e-12) * 4)
    grid = np.linspace(top - 40, top, 400)
    best = min(grid, key=cost)
    found = minimize_scalar(cost, bounds=(best - 0.2, best + 0.2), method="bounded", options={"xatol": 1e-12})
    return 0.0 if -model(y, v, x, 0.0)[0] <= found.fun else math.exp(found.x)


def explained(y, v, part, confidence):
    y, v = np.array(y), np.array(v)
    names = sorted(set(part))
    x = np.array([[float(p == name) for name in names] for p in part])
    one = np.ones((len(y), 1))
    within, total = reml(y, v, x), reml(y, v, one)
    _, beta, info, squares = model(y, v, x, within)
    free = len(y) - len(names)
    scatter = squares / free
    covariance = np.linalg.inv(info) * scatter
    contrast = np.array([[-1.0] + [float(i == j) for i in range(1, len(names))] for j in range(1, len(names))])
    off = contrast @ beta
    f = float(off @ np.linalg.solve(contrast @ covariance @ contrast.T, off)) / (len(names) - 1)
    half = student.ppf(0.5 + confidence / 2, free) * np.sqrt(np.diag(covariance))
    return {
        "within": within, "share": max(0.0, 1 - within / total) if total > 0 else 0.0,
        "p": float(fisher.sf(f, len(names) - 1, free)), "means": beta.tolist(),
        "lows": (beta - half).tolist(), "highs": (beta + half).tolist(),
    }


def case(name, draw, hosts, parts, between, apart, within):
    part = [i % parts for i in range(hosts)]
    df = [draw.randint(2, 30) for _ in range(hosts)]
    v = [(within * draw.uniform(0.5, 2.0)) ** 2 for _ in range(hosts)]
    y = [0.3 + apart * p + between * draw.gauss(0, 1) + math.sqrt(vi) * draw.gauss(0, 1) for p, vi in zip(part, v)]
    tau2 = reml(np.array(y), np.array(v), np.ones((hosts, 1)))
    each = [residual(y, v, tau2, i) for i in range(hosts)]
    return {
        "name": name, "effects": y, "variances": v, "df": df, "part": part, "confidence": 0.95, "tau_squared": tau2,
        "p_of_same": welch(y, v, df), "residuals": [r for r, _ in each], "residual_p": [p for _, p in each],
        "explained": explained(y, v, part, 0.95),
    }


def main():
    draw = random.Random(1616)
    cases = [
        case("two models of processors", draw, 9, 2, 0.02, 0.8, 0.01),
        case("parts that do not matter", draw, 12, 3, 0.2, 0.0, 0.02),
        case("hardly more hosts than parts", draw, 4, 3, 0.1, 0.3, 0.02),
        case("many hosts", draw, 60, 4, 0.05, 0.1, 0.05),
        case("no variance but the hosts' own", draw, 15, 2, 0.0, 0.0, 0.05),
    ]
    # One host is unlike the others.
    odd = case("an outlier", draw, 11, 2, 0.01, 0.0, 0.01)
    odd["effects"][4] += 0.7
    y, v = odd["effects"], odd["variances"]
    odd["tau_squared"] = reml(np.array(y), np.array(v), np.ones((11, 1)))
    each = [residual(y, v, odd["tau_squared"], i) for i in range(11)]
    odd.update(p_of_same=welch(y, v, odd["df"]), residuals=[r for r, _ in each], residual_p=[p for _, p in each],
               explained=explained(y, v, odd["part"], 0.95))
    print(json.dumps(cases + [odd], indent=1))


main()
