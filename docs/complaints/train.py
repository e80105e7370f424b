# What google/gvisor#11431 trains, with two rounds of boosting instead of a hundred, on as many threads as LOAD says.
import os
import time

import lightgbm
import numpy

random = numpy.random.default_rng(1)
data = lightgbm.Dataset(random.integers(0, 100, (1000, 5)), random.integers(0, 100, 1000))
wanted = {"objective": "multiclass", "num_class": 100, "num_threads": int(os.environ["LOAD"])}
begin = time.monotonic()
lightgbm.train(wanted, data, num_boost_round=2)
print("trained in", time.monotonic() - begin, "s")
