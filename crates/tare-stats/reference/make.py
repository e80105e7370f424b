#!/usr/bin/env python3
"""Reference values for tare-stats, made with SciPy, NumPy and statsmodels only.

    pip install numpy scipy statsmodels
    python3 make.py            # rewrites reference.json beside this file

Nothing here follows the Rust code: where a library has the statistic, the library computes it; where none has, the
definition is written out by brute force. The JSON is data, committed, and read by tests/reference.rs.
"""
import itertools
import json
import math
import pathlib

import numpy as np
import scipy
from scipy import optimize, special, stats
import statsmodels
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20240611)
OUT = {"made_with": {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__}}


def times(n, scale=100.0, sigma=0.05):
    """n positive values that look like times, rounded so that JSON holds them exactly as Rust reads them."""
    return [round(float(v), 6) for v in scale * np.exp(rng.normal(0, sigma, n))]


def distributions():
    tails = [(t, df) for df in (1, 2, 2.5, 3, 4, 9, 29, 150.5, 1e4) for t in (1e-6, 0.1, 1, 2.5, 7, 40, 300)]
    OUT["t_two_sided"] = [{"t": t, "df": df, "p": float(2 * stats.t.sf(t, df))} for t, df in tails]
    crit = [(p, df) for df in (1, 2, 3, 3.7, 5, 12, 80, 2500) for p in (0.9, 0.32, 0.05, 0.01, 3.3e-4, 1e-8)]
    OUT["t_critical"] = [{"tail": p, "df": df, "t": float(stats.t.isf(p / 2, df))} for p, df in crit]
    OUT["normal_quantile"] = [{"p": p, "z": float(stats.norm.ppf(p))} for p in (1e-9, 0.001, 0.2, 0.5, 0.8416, 0.975)]
    OUT["normal_lower"] = [{"z": z, "p": float(stats.norm.cdf(z))} for z in (-8.0, -1.96, 0.0, 0.5, 3.0)]
    OUT["trigamma"] = [{"x": x, "y": float(special.polygamma(1, x))} for x in (0.01, 0.5, 1, 1.5, 3.2, 10, 250)]


def summaries():
    cases = []
    for n in (2, 3, 7, 40):
        x = times(n)
        low, high = stats.t.interval(0.95, n - 1, np.mean(x), stats.sem(x))
        cases.append({
            "x": x, "mean": float(np.mean(x)), "sd": float(np.std(x, ddof=1)), "median": float(np.median(x)),
            "mad": float(stats.median_abs_deviation(x)), "low": float(low), "high": float(high),
            "quantiles": [{"p": p, "q": float(np.quantile(x, p))} for p in (0.0, 0.05, 0.25, 0.333, 0.9, 1.0)],
        })
    OUT["summary"] = cases


def estimators():
    def best_of(x, k, pick):
        return float(np.mean([pick(c) for c in itertools.combinations(x, k)])) if len(x) > k else float(pick(x))

    cases = []
    for n in (3, 5, 9, 12):
        x = times(n)
        keep = math.ceil(n * 3 / 5)
        cases.append({
            "x": x, "mean": float(np.mean(x)), "median": float(np.median(x)),
            "best_low": best_of(x, 5, min), "best_high": best_of(x, 5, max),
            "keep_low": float(np.mean(sorted(x)[:keep])), "keep_high": float(np.mean(sorted(x)[-keep:])),
        })
    OUT["estimators"] = cases


def ratios():
    paired, unpaired = [], []
    for n in (2, 3, 5, 20):
        a, b = times(n, 100.0), times(n, 108.0)
        test = stats.ttest_rel(np.log(b), np.log(a))
        ci = test.confidence_interval(0.95)
        paired.append({"a": a, "b": b, "ratio": float(np.exp(np.mean(np.log(b) - np.log(a)))), "low": math.exp(ci.low),
                       "high": math.exp(ci.high), "p": float(test.pvalue)})
        c = times(n + 3, 103.0, 0.2)
        test = stats.ttest_ind(np.log(c), np.log(a), equal_var=False)
        ci = test.confidence_interval(0.9)
        unpaired.append({"a": a, "b": c, "ratio": float(np.exp(np.mean(np.log(c)) - np.mean(np.log(a)))),
                         "low": math.exp(ci.low), "high": math.exp(ci.high), "p": float(test.pvalue),
                         "df": float(test.df)})
    OUT["paired"], OUT["unpaired"] = paired, unpaired


def corrections():
    cases = []
    for n in (1, 2, 5, 30):
        p = [float(v) for v in rng.beta(0.4, 2, n)]
        if n == 5:
            p[3] = p[1]
        cases.append({"p": p, "holm": multipletests(p, method="holm")[1].tolist(),
                      "bh": multipletests(p, method="fdr_bh")[1].tolist()})
    OUT["corrections"] = cases


def equivalence():
    """TOST on the logs, by two one-sided t tests of SciPy."""
    cases = []
    for n, shift, sigma in ((5, 0.0, 0.01), (10, 0.005, 0.01), (10, 0.03, 0.01), (4, -0.01, 0.002)):
        logs = rng.normal(shift, sigma, n)
        a = times(n)
        b = [float(v) for v in np.array(a) * np.exp(logs)]
        d = np.log(b) - np.log(a)
        margin = math.log1p(0.02)
        upper = stats.ttest_1samp(d, margin, alternative="less").pvalue
        lower = stats.ttest_1samp(d, -margin, alternative="greater").pvalue
        cases.append({"a": a, "b": b, "equivalence": float(max(upper, lower)),
                      "difference": float(stats.ttest_1samp(d, 0).pvalue)})
    OUT["equivalence"] = cases


def geomeans():
    cases = []
    for rows, blocks in ((3, 4), (8, 3), (1, 6)):
        logs = rng.normal(0.1, 0.03, (rows, blocks)) + rng.normal(0, 0.02, blocks)
        per_block = logs.mean(axis=0)
        low, high = stats.t.interval(0.95, blocks - 1, per_block.mean(), stats.sem(per_block))
        cases.append({"rows": logs.tolist(), "ratio": float(stats.gmean(np.exp(logs).ravel())),
                      "low": math.exp(low), "high": math.exp(high)})
    OUT["geomean"] = cases


def moderated():
    """Smyth (2004), section 6.2, solved with a root finder instead of his Newton step."""
    cases = []
    for rows, df, prior in ((30, 2, 4.0), (120, 4, 9.0), (60, 2, 1.0), (50, 9, 1e6)):
        true = 0.02**2 * prior / rng.chisquare(prior, rows)
        variances = true * rng.chisquare(df, rows) / df
        z = np.log(variances)
        e = z - special.digamma(df / 2) + math.log(df / 2)
        excess = np.var(e, ddof=1) - special.polygamma(1, df / 2)
        if excess > 0:
            half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-8, 1e8, xtol=1e-14, rtol=1e-14)
            d0, s0 = 2 * half, math.exp(e.mean() + special.digamma(half) - math.log(half))
            post = ((d0 * s0 + df * variances) / (d0 + df)).tolist()
        else:
            d0, s0, post = None, math.exp(e.mean()), [math.exp(e.mean())] * rows
        cases.append({"variances": variances.tolist(), "df": df, "d0": d0, "s0": s0, "posterior": post})
    OUT["moderated"] = cases


def shapes():
    cases = []
    for n, m, shift in ((5, 7, 3.0), (12, 12, 0.0), (30, 21, -8.0), (9, 1, 2.0)):
        a, b = times(n), [round(v + shift, 6) for v in times(m, sigma=0.1)]
        if n == 12:  # ties
            a, b = [round(v) * 1.0 for v in a], [round(v) * 1.0 for v in b]
        d = np.sort(np.subtract.outer(np.array(b), np.array(a)).ravel())
        case = {"a": a, "b": b, "shift": float(np.median(d)), "wasserstein": float(stats.wasserstein_distance(a, b)),
                "delta": float(2 * stats.mannwhitneyu(b, a).statistic / (n * m) - 1)}
        rank = math.floor(n * m / 2 - stats.norm.ppf(0.975) * math.sqrt(n * m * (n + m + 1) / 12))
        case["low"], case["high"] = (float(d[rank - 1]), float(d[n * m - rank])) if rank >= 1 else (None, None)
        cases.append(case)
    OUT["shape"] = cases


def shapes_over_blocks():
    blocks = [{"a": times(25, 100, 0.02), "b": times(31, 107, 0.05)} for _ in range(5)]
    shift = [float(np.median(np.subtract.outer(np.array(x["b"]), np.array(x["a"])))) for x in blocks]
    spread = [math.log((np.quantile(x["b"], .9) - np.quantile(x["b"], .1))
                       / (np.quantile(x["a"], .9) - np.quantile(x["a"], .1))) for x in blocks]
    low, high = stats.t.interval(0.95, 4, np.mean(shift), stats.sem(shift))
    slow, shigh = stats.t.interval(0.95, 4, np.mean(spread), stats.sem(spread))
    OUT["shape_blocks"] = [{
        "blocks": blocks, "shift": float(np.mean(shift)), "low": float(low), "high": float(high),
        "spread": math.exp(np.mean(spread)), "spread_low": math.exp(slow), "spread_high": math.exp(shigh),
        "distance": float(np.mean([stats.wasserstein_distance(x["a"], x["b"]) / np.median(x["a"]) for x in blocks])),
    }]


def variance_components():
    """Expected mean squares by traces of projection matrices, solved for the components; any unbalanced design."""
    def solve(design):
        boots = [[times(n, 100, 0.03) for n in boot] for boot in design]
        rows = [(i, (i, j), v) for i, boot in enumerate(boots) for j, p in enumerate(boot) for v in p]
        y = np.array([r[2] for r in rows])
        def indicator(k):
            keys = sorted({r[k] for r in rows})
            return np.array([[1.0 if r[k] == key else 0.0 for key in keys] for r in rows])
        za, zb, one = indicator(0), indicator(1), np.ones((len(rows), 1))
        proj = lambda z: z @ np.linalg.pinv(z)
        levels = [(proj(za) - proj(one), za), (proj(zb) - proj(za), zb), (np.eye(len(rows)) - proj(zb), np.eye(len(rows)))]
        df = [round(float(np.trace(p))) for p, _ in levels]
        use = [k for k in range(3) if df[k] > 0]
        m = np.array([[np.trace(levels[r][0] @ levels[c][1] @ levels[c][1].T) for c in use] for r in use])
        q = np.array([y @ levels[r][0] @ y for r in use])
        found = np.linalg.solve(m, q)
        out = {name: None for name in ("boot", "process", "sample")}
        for k, v in zip(use, found):
            out[("boot", "process", "sample")[k]] = float(v)
        return {"boots": boots, **out}

    designs = ([[4, 4], [4, 4], [4, 4]], [[5], [7], [3], [6]], [[1], [1], [1]], [[3, 5, 2], [4], [6, 6], [2, 2, 2, 2]],
               [[1, 1], [1, 1, 1], [1]])
    OUT["components"] = [solve(d) for d in designs]
    # Kalibera and Jones for a balanced design, by their own notation: levels 1 samples, 2 processes, 3 boots.
    boots = np.array([[times(6, 100, 0.03) for _ in range(4)] for _ in range(5)])
    s1 = float(np.mean(np.var(boots, axis=2, ddof=1)))
    s2 = float(np.mean(np.var(boots.mean(axis=2), axis=1, ddof=1)))
    s3 = float(np.var(boots.mean(axis=(1, 2)), ddof=1))
    OUT["kalibera"] = [{"boots": boots.tolist(), "t1": s1, "t2": s2 - s1 / 6, "t3": s3 - s2 / 4}]


def planning():
    cases = []
    for sd, width in ((0.02, 0.01), (0.05, 0.02), (0.001, 0.02), (0.3, 0.05)):
        n = 2
        while stats.t.ppf(0.975, n - 1) * sd / math.sqrt(n) > math.log1p(width):
            n += 1
        cases.append({"sd": sd, "width": width, "blocks": n})
    OUT["blocks_needed"] = cases
    plans = []
    for boot, process, sample, cb, cp, cs in ((4.0, 1.0, 9.0, 3.0, 0.5, 0.1), (0.5, 2.0, 40.0, 20.0, 1.0, 0.02)):
        price = {(p, s): (boot + process / p + sample / (p * s)) * (cb + p * (cp + s * cs))
                 for p in range(1, 60) for s in range(1, 200)}
        best = min(price, key=price.get)
        plans.append({"boot": boot, "process": process, "sample": sample, "cb": cb, "cp": cp, "cs": cs,
                      "processes": best[0], "samples": best[1], "price": price[best]})
    OUT["optimum"] = plans


def series():
    from statsmodels.tsa.stattools import acf
    cases = []
    for n in (10, 60):
        x = times(n)
        x = [round(v * (1 + 0.5 * math.exp(-i / 3)), 6) for i, v in enumerate(x)]
        errors = [np.var(x[d:]) / (n - d) for d in range(n // 2 + 1)]
        cases.append({"x": x, "lag1": float(acf(x, nlags=1, fft=False)[1]), "cut": int(np.argmin(errors))})
    OUT["series"] = cases


def bootstraps():
    """The hierarchical bootstrap written out in full: every resample redraws blocks and all samples."""
    boots = rng.normal(0, 0.03, (8, 2))
    blocks = [{"a": times(12, 100 * math.exp(u), 0.04), "b": times(15, 110 * math.exp(v), 0.04)} for u, v in boots]
    measured = [math.log(np.mean(x["b"]) / np.mean(x["a"])) for x in blocks]
    draws = []
    for _ in range(40000):
        logs = []
        for k in rng.integers(0, 8, 8):
            a, b = np.array(blocks[k]["a"]), np.array(blocks[k]["b"])
            logs.append(math.log(b[rng.integers(0, 15, 15)].mean() / a[rng.integers(0, 12, 12)].mean()))
        draws.append(np.mean(logs))
    tail = stats.norm.cdf(-stats.t.ppf(0.975, 7) * math.sqrt(8 / 7))
    low, high = np.quantile(draws, [tail, 1 - tail])
    OUT["bootstrap"] = [{"blocks": blocks, "ratio": math.exp(np.mean(measured)), "log_low": float(low),
                         "log_high": float(high), "std_error": float(np.std(draws, ddof=1))}]


def ranks():
    cases = [
        ([1.0, 2.0, 2.0, 4.5, 3.0, 7.0, 0.5], [2.0, 1.0, 3.0, 3.0, 5.0, 8.0, 0.1]),
        ([1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]),
        ([1.02, 1.0, 0.99, 1.06, 1.02, 1.01], [1.1, 1.0, 1.0, 1.3, 1.05, 0.98]),
    ]
    OUT["rank"] = [{"x": x, "y": y, "spearman": float(stats.spearmanr(x, y).statistic),
                    "kendall": float(stats.kendalltau(x, y).statistic)} for x, y in cases]


def sparse_geomeans():
    """Rows that ended after different numbers of blocks: the variance as a quadratic form of all cells, its bias and its
    degrees of freedom (Satterthwaite; Bell and McCaffrey) by explicit matrices over the cells. Disjoint rows: Welch."""
    def solve(has):
        rows, blocks = has.shape
        x = rng.normal(0.1, 0.03, has.shape) + rng.normal(0, 0.02, blocks)
        cells = [(r, b) for r in range(rows) for b in range(blocks) if has[r, b]]
        y, n = np.array([x[c] for c in cells]), has.sum(1)
        row = np.array([[float(r == k) for r, _ in cells] for k in range(rows)])
        block = np.array([[float(b == k) for _, b in cells] for k in range(blocks)])
        mean = (row / n[:, None]).mean(0)                               # the estimate, as a vector over the cells
        residual = np.eye(len(cells)) - row.T @ (row / n[:, None])
        weight = np.array([1 / (rows * math.sqrt(n[r] * (n[r] - 1))) for r, _ in cells])
        form = block @ np.diag(weight) @ residual                       # one line a block: its weighted residuals
        same = block.T @ block - np.eye(len(cells))                     # cells of one block, of different rows
        e = residual @ y
        shared = (e @ same @ e) / np.trace(residual @ same @ residual @ same) if same.any() else 0.0
        own = np.array([np.var(x[r][has[r]], ddof=1) for r in range(rows)])
        shared = min(max(shared, 0.0), own.mean())
        model = np.diag([max(own[r] - shared, 0.0) for r, _ in cells]) + shared * (block.T @ block)
        g = form @ model @ form.T
        variance = float(((form @ y) ** 2).sum() * (mean @ model @ mean) / np.trace(g))
        df = float(np.trace(g) ** 2 / np.trace(g @ g))
        half = stats.t.ppf(0.975, df) * math.sqrt(variance)
        return {"rows": [[float(v) if h else None for v, h in zip(*pair)] for pair in zip(x, has)], "df": df,
                "ratio": math.exp(mean @ y), "low": math.exp(mean @ y - half), "high": math.exp(mean @ y + half)}

    def until(*ends):
        return np.array([[b < end for b in range(max(ends))] for end in ends])

    holes = rng.random((5, 9)) < 0.7
    holes[:, :2] = True
    OUT["geomean_sparse"] = [solve(has) for has in (until(30, *[5] * 23), until(4, 6, 6, 9, 17), until(12, 5), holes)]
    a, b = rng.normal(0, 0.02, 6), rng.normal(0, 0.1, 4)
    disjoint = [[*a, *[None] * 4], [*[None] * 6, *b]]
    OUT["geomean_disjoint"] = [{"rows": disjoint, "df": float(stats.ttest_ind(a, -b, equal_var=False).df)}]


for make in (distributions, summaries, estimators, ratios, corrections, equivalence, geomeans, moderated, shapes,
             shapes_over_blocks, variance_components, planning, series, bootstraps, ranks,
             sparse_geomeans):
    make()
path = pathlib.Path(__file__).with_name("reference.json")
lines = [f'"{key}": {json.dumps(value, separators=(",", ":"))}' for key, value in OUT.items()]
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print(f"wrote {path}")
